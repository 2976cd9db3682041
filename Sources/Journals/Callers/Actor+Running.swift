extension Actor {
  /// Runs `body` after a while, unless the task is canceled before.
  package func after(
    _ delay: Duration, by clock: any Clock<Duration>, _ body: @escaping @Sendable (isolated Self) -> Void
  ) -> Task<Void, Never> {
    Task {
      // If the clock throws, the body only runs early.
      try? await clock.sleep(for: delay.forSleeping)
      if !Task.isCancelled { body(self) }
    }
  }
}
