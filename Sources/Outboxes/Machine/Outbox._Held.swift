internal import PendingChanges

extension Outbox {
  /// The changes that must not begin before the write under way has its answer, because it says something of them.
  struct _Held {
    /// Those that were not begun before.
    private(set) var fresh: [PendingChangeID] = []
    /// Those that were begun before, and how long they sleep.
    private(set) var begun: [(id: PendingChangeID, sleep: _Sleepers.Sleep?)] = []

    var isEmpty: Bool { fresh.isEmpty && begun.isEmpty }
    var ids: [PendingChangeID] { fresh + begun.map(\.id) }

    mutating func hold(fresh id: PendingChangeID) { fresh.append(id) }

    mutating func hold(begun id: PendingChangeID, _ sleep: _Sleepers.Sleep?) { begun.append((id, sleep)) }

    mutating func release() -> (fresh: [PendingChangeID], begun: [(id: PendingChangeID, sleep: _Sleepers.Sleep?)]) {
      defer { self = Self() }
      return (fresh, begun)
    }
  }
}
