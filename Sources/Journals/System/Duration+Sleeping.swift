extension Duration {
  /// The duration clamped to what a clock can sleep: from zero to a hundred years.
  ///
  /// A clock traps if it cannot represent the time to wake up, and a server may ask for any delay.
  package var forSleeping: Duration { min(max(self, .zero), .seconds(100 * 365 * 86_400)) }

  /// The duration doubled `times` times, but at most `longest`.
  package func doubled(_ times: Int, upTo longest: Duration) -> Duration {
    var (duration, left) = (self, times)
    // Doubling doesn't make a duration longer that isn't positive.
    while left > 0, duration > .zero, duration < longest {
      duration *= 2
      left -= 1
    }
    return min(duration, longest)
  }

  /// The delay after a number of failures in a row; this duration is the longest delay after the first failure.
  ///
  /// The longest delay is at least some milliseconds, whatever the two durations are, so that endless failures don't
  /// keep a processor busy. Half of the delay is random.
  /// processor busy. Half of the delay is random.
  package func backoff(
    afterFailures count: Int, upTo longest: Duration, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let delay = max(self, .milliseconds(1)).doubled(count - 1, upTo: max(longest, .milliseconds(10)))
    return delay * Double.random(in: 0.5...1, using: &random)
  }
}
