internal import Journals
internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The changes that begin after a delay; the queue treats them as in flight meanwhile.
  struct _Sleepers: Sendable {
    /// The reason why a change sleeps.
    enum Reason: Hashable, Sendable {
      /// It failed and is tried again.
      case failed(FileChangeError)
      /// Another change of the file was just made, and a pause spares the device.
      case paused
    }

    private var reasons: [PendingChangeID: Reason] = [:]
    /// The paused changes, kept apart so that ending all pauses needs no search.
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
      /// Whether `pauses` contains exactly the paused changes.
      var isConsistent: Bool {
        let paused = reasons.filter { $0.value == .paused }.keys
        return paused.count == pauses.count && paused.allSatisfy(pauses.contains)
      }
    #endif
  }
}

// A change sleeps until it is tried again, or pauses to spare the device.

extension FileChangeWriter._StateMachine {
  /// Pauses before the next change of a file that was just changed, unless a caller waits for it.
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
    // Only a newer change, which replaces this one, removes it from the queue.
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

  /// Ends all pauses, because a caller waits.
  ///
  /// - Complexity: Amortized O(1), since each pause ends once.
  mutating func endPauses() -> [Action] {
    var actions: [Action] = []
    while let id = sleepers.firstPause {
      endSleep(id)
      actions.append(.awaken(id))
    }
    return actions
  }
}
