/// Every suite, in the order of the tables: the types as the README names them, then the instrument's own.
///
/// How to add one is told in `Harness/Suite.swift`.
extension Suite {
  static var all: [Suite] {
    [
      .dirtyable,
      .draft,
      .undoHistory,
      .partial,
      .uniqueQueue,
      .pendingChangeQueue,
      .fileChangeWriter,
      .editingSession,
      .harness,
    ]
  }
}
