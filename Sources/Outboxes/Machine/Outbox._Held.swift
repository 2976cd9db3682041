internal import PendingChanges

extension Outbox {
  /// The changes that must not begin before the write under way has its answer, because it says something of them.
  struct _Held {
    /// Those that were not begun before.
    private(set) var fresh: [PendingChangeID] = []
    /// Those that were begun before.
    private(set) var begun: [PendingChangeID] = []

    var isEmpty: Bool { fresh.isEmpty && begun.isEmpty }
    var ids: [PendingChangeID] { fresh + begun }

    mutating func hold(_ id: PendingChangeID, isFresh: Bool) {
      if isFresh { fresh.append(id) } else { begun.append(id) }
    }

    mutating func release() -> (fresh: [PendingChangeID], begun: [PendingChangeID]) {
      defer { self = Self() }
      return (fresh, begun)
    }
  }
}
