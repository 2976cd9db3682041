internal import Dispatch

/// The release of a lock, which happens once, and for which tasks wait.
package final class Release: @unchecked Sendable {
  private let lock = DispatchQueue(label: "Release")
  private var isOver = false
  private var callers: [FirstAnswer<Void>] = []

  package var hasHappened: Bool { lock.sync { isOver } }

  func happen() {
    let callers = lock.sync {
      defer { (isOver, self.callers) = (true, []) }
      return self.callers
    }
    for caller in callers { caller.give(()) }
  }

  /// Waits for the release, but no longer than `limit`, also in a canceled task.
  package func wait(within limit: Duration, by clock: any Clock<Duration>) async {
    let caller = FirstAnswer<Void>()
    let mustWait = lock.sync {
      if !isOver { callers.append(caller) }
      return !isOver
    }
    guard mustWait else { return }
    let timer = Task {
      try? await clock.sleep(for: limit, tolerance: nil)
      caller.give(())
    }
    await withCheckedContinuation { caller.wait($0) }
    timer.cancel()
  }
}
