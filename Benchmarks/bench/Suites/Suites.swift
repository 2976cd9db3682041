/// Every suite, in the order of the tables: the types in the order of the README, then the harness.
///
/// `Harness/Suite.swift` explains how to add a suite.
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
