/// One branch of a history: steps that were detached from their line, with their records as they were in the log.
///
///     id | parent | fork | steps (`_UndoTail`)
package struct _UndoBranch {
  /// A random number other than 0, once the branch was added.
  package var id: UInt64 = 0
  /// The branch on which the fork lies; 0 for the main line.
  package var parent: UInt64 = 0
  /// The state at which the branch leaves its parent.
  package var fork: Int
  package var tail: _UndoTail

  package var stepCount: Int { tail.count }
  package var chunks: [_UnsafeUndoChunk] { tail.chunks }
  /// The label of its newest step; a step begins and ends with a record of its label.
  var label: String? { chunks.last?.records.last?.label }
  /// The state that its last step leads to.
  var end: Int { fork + stepCount }

  /// Appends a branch that continues where this one ends, and takes over its identity.
  mutating func append(_ next: _UndoBranch) {
    id = next.id
    tail.append(next.tail)
  }
}
