internal import Journals
internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The changes that begin after a delay; the queue treats them as in flight meanwhile.
  struct _Sleepers: Sendable {
    /// The changes that failed and are tried again.
    var failed: [PendingChangeID: FileChangeError] = [:]
    /// The changes that pause to spare the device, because another change of the file was just made.
    var paused = UniqueQueue<PendingChangeID>()

    var count: Int { failed.count + paused.count }
    var ids: [PendingChangeID] { (Array(failed.keys) + paused).sorted() }

    func contains(_ id: PendingChangeID) -> Bool { failed[id] != nil || paused.contains(id) }

    /// - Returns: Whether the change slept.
    mutating func remove(_ id: PendingChangeID) -> Bool {
      failed.removeValue(forKey: id) != nil || paused.remove(id) != nil
    }
  }
}

// A change sleeps until it is tried again, or pauses to spare the device.

extension FileChangeWriter._StateMachine {
  /// Pauses before the next change of a file that was just changed, unless a caller waits for it.
  mutating func pause(before path: FileChange.Path) -> [Action] {
    let hasPauses = configuration.parallelFiles > 1 && configuration.firstPause > .zero
    guard hasPauses, waiters.isEmpty, admission.tickets.isEmpty, phase == .open, !writeDelay.applies(to: path),
      let next = queue.newest(for: path)?.id, admission.mayBegin(next), queue.begin(next) != nil
    else {
      pausesInARow[path] = nil
      return []
    }
    admission.begin(next)
    let count = pausesInARow[path, default: 0]
    pausesInARow[path] = count + 1
    sleepers.paused.append(next)
    return [.pause(next, configuration.firstPause.doubled(count, upTo: configuration.longestPause))]
  }

  mutating func endSleep(_ id: PendingChangeID) {
    let error = sleepers.failed[id]
    guard sleepers.remove(id) else { return }
    let entry = error.map { queue.fail(id, attempts: nil, reason: $0.description) } ?? queue.release(id)
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
    while let id = sleepers.paused.first {
      endSleep(id)
      actions.append(.awaken(id))
    }
    return actions
  }
}
