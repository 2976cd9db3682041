/// Every suite, in the order of the tables. How to add one is told in `Harness/Suite.swift`.
extension Suite {
  static var all: [Suite] {
    [
      .dirtyable,
      .draft,
      .fileChangeWriter,
      .undoHistory,
      .harness,
      .partial,
    ]
  }
}
