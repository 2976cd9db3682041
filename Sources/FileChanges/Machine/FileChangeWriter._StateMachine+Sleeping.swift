internal import Journals
internal import PendingChanges

// A change sleeps until it is tried again, or in a pause, to spare the device. To the queue it is in flight meanwhile.

extension FileChangeWriter._StateMachine {
  /// Leaves a file alone that has just been changed, where the next change waits and no caller waits for that.
  mutating func pause(before path: FileChange.Path) -> [Action] {
    let hasPauses = configuration.parallelFiles > 1 && configuration.firstPause > .zero
    guard hasPauses, waiters.isEmpty, admission.isIdle, batches.line.isEmpty, phase == .open, !holding.holds(path),
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
    let outcome =
      switch reason {
      case .failed(let error): queue.fail(id, retry: .always, reason: error.description)
      case .paused: queue.giveBack(id)
      }
    if case .superseded(let entry, _) = outcome {
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
