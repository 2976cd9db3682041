internal import Journals
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

// A change sleeps until it is tried again, or in a pause, to spare the device. To the queue it is in flight meanwhile.

extension FileChangeWriter._StateMachine {
  /// Leaves a file alone that has just been changed, where the next change waits and no caller waits for that.
  mutating func pause(before path: FileChange.Path) -> [Action] {
    let hasPauses = configuration.parallelFiles > 1 && configuration.firstPause > .zero
    guard hasPauses, waiters.isEmpty, admission.line.isEmpty, phase == .open, !holding.holds(path),
      let next = queue.newest(for: path)?.id, admission.mayBegin(next), queue.begin(next) != nil
    else {
      pausesInARow[path] = nil
      return []
    }
    admission.begin(next)
    let count = pausesInARow[path, default: 0]
    pausesInARow[path] = count + 1
    sleepers.add(next, .paused)
    return [.pause(next, configuration.firstPause.doubled(count, upTo: configuration.longestPause))]
  }

  mutating func endSleep(_ id: PendingChangeID) {
    guard let reason = sleepers.remove(id) else { return }
    let entry =
      switch reason {
      case .failed(let error): queue.fail(id, retry: .always, reason: error.description)
      case .paused: queue.giveBack(id)
      }
    // Only a newer change, which has its place, takes it out of the queue.
    if let entry, queue.status(of: id) == nil {
      counts.coalesced += 1
      admission.remove(entry)
      journal.forget(id, of: entry.key)
    }
  }

  mutating func endSleeps() -> [Action] {
    let actions = sleepers.ids.map { id in
      endSleep(id)
      return Action.awaken(id)
    }
    return actions + batches.open.map(\.id).filter { endSleepOfBatch($0) }.map { .awaken($0) }
  }

  /// Ends every sleep that only spares the device: a caller waits.
  ///
  /// - Complexity: O(1) amortised: a pause is ended once.
  mutating func endPauses() -> [Action] {
    var actions: [Action] = []
    while let id = sleepers.firstPause {
      endSleep(id)
      actions.append(.awaken(id))
    }
    return actions
  }
}
