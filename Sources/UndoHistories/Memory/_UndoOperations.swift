/// The operations of a log, numbered: one for each type of delta.
///
/// A table never changes: adding an operation makes another table. So a chunk can keep the table that covers its
/// records, whichever thread releases the chunk last. Edits and undo read it by address (`_UnsafeUndoOperationTable`).
package final class _UndoOperations {
  private let operations: [_UndoOperation]
  /// The same operations, for callers that know that this object is alive.
  package let table: _UnsafeUndoOperationTable

  init(_ operations: [_UndoOperation]) {
    self.operations = operations
    table = _UnsafeUndoOperationTable(operations)
  }

  deinit { table.deallocate(count: operations.count) }

  var count: Int { operations.count }

  func index(of type: ObjectIdentifier) -> Int? {
    operations.firstIndex { $0.isFound(by: type) }
  }

  /// The same operations, which count what the deltas own or, if asked, what they retain.
  ///
  /// If `isFound` is false, edits don't find them by their types any more.
  func with(countsRetainedBytes: Bool, isFound: Bool? = nil) -> _UndoOperations {
    _UndoOperations(operations.map { $0.with(countsRetainedBytes: countsRetainedBytes, isFound: isFound) })
  }

  func adding(_ operation: _UndoOperation) -> _UndoOperations {
    _UndoOperations(operations + [operation])
  }
}
