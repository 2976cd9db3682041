extension Duration {
  /// The duration as far as a clock can sleep for it: not less than nothing, and not more than a hundred years.
  ///
  /// A clock traps where the moment to wake at is further away than it can count, and a server may name any time.
  package var forSleeping: Duration { min(max(self, .zero), .seconds(100 * 365 * 86_400)) }
}
