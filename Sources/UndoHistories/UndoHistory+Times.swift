extension UndoHistory {
  /// Keeps when each step ends, from now on.
  ///
  /// ```swift
  /// let start = ContinuousClock.now
  /// var history = UndoHistory(initialValue: "")
  /// history.keepTime { ContinuousClock.now - start }
  /// history.edit.append("Buy milk")
  /// print(history.steps.first?.time ?? .zero)  // when the last key was pressed
  /// history.go(to: .ago(.seconds(600)))        // as it was ten minutes ago
  /// ```
  ///
  /// A step of joined typing ends with its last key, one of a transaction with that. Undoing and redoing change no
  /// time. Copies keep time by the same clock.
  ///
  /// Steps that the history has already get no time, nor do those that ``restoreSteps(from:)`` brings. To call this
  /// again forgets the times so far, which were another clock's.
  ///
  /// It takes 8 bytes a step, which ``byteCount`` and ``limit`` do not count, and recording takes longer. Without it
  /// nothing is kept and nothing takes longer.
  ///
  /// - Parameter now: The time since some moment, to the nanosecond within 292 years. It is called with each step and
  ///   with each edit that joins one, and cannot read this history.
  /// - Complexity: O(*n*) for *n* steps. The first edit after a copy copies the times as well.
  public mutating func keepTime(by now: @escaping @Sendable () -> Duration) {
    ensureUnique()
    storage.access.log.keepTime(by: now)
  }

  /// Forgets when steps ended, and keeps no more of it.
  ///
  /// - Complexity: O(1).
  public mutating func stopKeepingTime() {
    guard keepsTime else { return }
    ensureUnique()
    storage.access.log.keepTime(by: nil)
  }

  /// Whether the history keeps when steps end.
  ///
  /// - Complexity: O(1).
  public var keepsTime: Bool { storage.access.log.times != nil }
}
