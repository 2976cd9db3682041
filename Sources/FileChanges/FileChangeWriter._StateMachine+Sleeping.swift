internal import PendingChanges
internal import UniqueQueues

// A change sleeps until it is tried again, or in a pause, to spare the device. To the queue it is in flight meanwhile.

extension FileChangeWriter._StateMachine {
  /// Leaves a file alone that has just been changed, where the next change waits and nobody waits for that.
  mutating func pause(before path: FileChange.Path) -> [Action] {
    let hasPauses = configuration.parallelFiles > 1 && configuration.firstPause > .zero
    guard hasPauses, waiters.isEmpty, room.isLineEmpty, !isShutDown, let next = queue.newest(for: path)?.id,
      room.mayBegin(next), queue.begin(next) != nil
    else {
      pausesInARow[path] = nil
      return []
    }
    room.begin(next)
    let count = pausesInARow[path, default: 0]
    pausesInARow[path] = count + 1
    beginSleep(next, .paused)
    return [.pause(next, configuration.firstPause.doubled(count, upTo: configuration.longestPause))]
  }

  mutating func endSleep(_ id: PendingChangeID) {
    guard let sleep = forgetSleep(id) else { return }
    let outcome =
      switch sleep {
      case .failed(let error): queue.fail(id, retry: .always, reason: error.description)
      case .paused: queue.giveBack(id)
      }
    if case .superseded(let entry, _) = outcome {
      counts.coalesced += 1
      room.remove(entry)
      forget(id, of: entry.key)
    }
  }

  mutating func beginSleep(_ id: PendingChangeID, _ sleep: Sleep) {
    sleeping[id] = sleep
    if sleep == .paused { pauses.append(id) }
  }

  /// Lets the change sleep no more, whatever becomes of it.
  mutating func forgetSleep(_ id: PendingChangeID) -> Sleep? {
    guard let sleep = sleeping.removeValue(forKey: id) else { return nil }
    if sleep == .paused { pauses.remove(id) }
    return sleep
  }

  mutating func endSleeps() -> [Action] {
    sleeping.keys.sorted().map { id in
      endSleep(id)
      return .awaken(id)
    }
  }

  /// Ends every sleep that only spares the device: somebody waits.
  ///
  /// - Complexity: O(1) amortised: a pause is ended once.
  mutating func endPauses() -> [Action] {
    var actions: [Action] = []
    while let id = pauses.first {
      endSleep(id)
      actions.append(.awaken(id))
    }
    return actions
  }
}
