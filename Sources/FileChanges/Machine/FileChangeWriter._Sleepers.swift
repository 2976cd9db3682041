internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The changes that are begun after a while; to the queue they are in flight meanwhile.
  struct _Sleepers: Sendable {
    /// Why a change sleeps.
    enum Reason: Hashable, Sendable {
      /// It failed, and is tried again.
      case failed(FileChangeError)
      /// Another change of the file has just been carried out: the device is spared.
      case paused
    }

    private var reasons: [PendingChangeID: Reason] = [:]
    /// Those that are paused: to end them takes no look at all that sleep.
    private var pauses = UniqueQueue<PendingChangeID>()

    var count: Int { reasons.count }
    var ids: [PendingChangeID] { reasons.keys.sorted() }
    /// The oldest pause.
    var firstPause: PendingChangeID? { pauses.first }

    func contains(_ id: PendingChangeID) -> Bool { reasons[id] != nil }

    mutating func add(_ id: PendingChangeID, _ reason: Reason) {
      reasons[id] = reason
      if reason == .paused { pauses.append(id) }
    }

    mutating func remove(_ id: PendingChangeID) -> Reason? {
      guard let reason = reasons.removeValue(forKey: id) else { return nil }
      if reason == .paused { pauses.remove(id) }
      return reason
    }

    #if InternalChecks
      /// Whether every pause is known as one.
      var isConsistent: Bool {
        let paused = reasons.filter { $0.value == .paused }.keys
        return paused.count == pauses.count && paused.allSatisfy(pauses.contains)
      }
    #endif
  }
}
