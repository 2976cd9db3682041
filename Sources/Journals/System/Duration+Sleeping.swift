extension Duration {
  /// The duration clamped to what a clock can sleep: from zero to a hundred years.
  ///
  /// A clock traps if it cannot represent the time to wake up, and a server may ask for any delay.
  package var forSleeping: Duration { min(max(self, .zero), .seconds(100 * 365 * 86_400)) }
}
