extension Duration {
  /// The duration as far as a clock can sleep for it: not less than nothing, and not more than a hundred years.
  ///
  /// A clock traps where the moment to wake at is further away than it can count, and a server may name any time.
  package var forSleeping: Duration { min(max(self, .zero), .seconds(100 * 365 * 86_400)) }

  /// The duration, made twice as long some times, as long as it is shorter than the longest.
  package func doubled(_ times: Int, upTo longest: Duration) -> Duration {
    var (duration, left) = (self, times)
    // What is not positive never becomes longer.
    while left > 0, duration > .zero, duration < longest {
      duration *= 2
      left -= 1
    }
    return min(duration, longest)
  }

  /// How long to wait after some failures in a row, where this is the longest delay after the first of them.
  ///
  /// It becomes at least some milliseconds, whatever the two durations are: what fails without end must not keep a
  /// processor busy. Half of the delay is random.
  package func backoff(
    afterFailures count: Int, upTo longest: Duration, using random: inout some RandomNumberGenerator
  ) -> Duration {
    let delay = max(self, .milliseconds(1)).doubled(count - 1, upTo: max(longest, .milliseconds(10)))
    return delay * Double.random(in: 0.5...1, using: &random)
  }
}
