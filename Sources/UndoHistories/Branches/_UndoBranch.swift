/// Steps that were set aside, as they lay in the log.
///
///     id | parent | fork | steps (`_UndoTail`)
package struct _UndoBranch {
  /// A random number, and never 0.
  package var id: UInt64 = 0
  /// The branch on which the fork lies; 0 for the present line.
  package var parent: UInt64 = 0
  /// The state from which its first step leads on.
  package var fork: Int
  package var tail: _UndoTail

  init(fork: Int, _ tail: _UndoTail) {
    (self.fork, self.tail) = (fork, tail)
  }

  package var stepCount: Int { tail.count }
  package var chunks: [_UnsafeUndoChunk] { tail.chunks }
  /// The label of its newest step, which stands at both ends of that.
  var label: String? { chunks.last?.records.last?.label }
  /// The state that its last step leads to.
  var end: Int { fork + stepCount }

  /// Adds the steps of a branch that goes on where this one ends, and takes its identity.
  mutating func append(_ next: _UndoBranch) {
    id = next.id
    tail.append(next.tail)
  }
}
