/// When a change that failed is tried again: after twice as long each time, up to a limit.
///
/// ```swift
/// let backoff = Backoff(attempts: 10, longestDelay: .seconds(30))
/// ```
///
/// Half of each delay is fixed and half is random, so that programs that failed together don't come back together.
public struct Backoff: Hashable, Sendable {
  package var attempts: Int?
  package var firstDelay: Duration
  package var longestDelay: Duration

  /// Makes a backoff; by default without a limit of attempts, and with at most a minute between two.
  ///
  /// - Parameters:
  ///   - attempts: How often a change may be begun before it has failed for good, at least once; nil for as often as it
  ///     takes. Without a limit, a server that is away for a week makes no failures.
  ///   - firstDelay: The longest delay after the first failure; less than a millisecond counts as one.
  ///   - longestDelay: The longest delay after any failure; less than ten milliseconds count as ten.
  public init(attempts: Int? = nil, firstDelay: Duration = .milliseconds(100), longestDelay: Duration = .seconds(60)) {
    self.attempts = attempts
    self.firstDelay = firstDelay
    self.longestDelay = longestDelay
  }

  /// Whether another attempt may follow so many failed ones.
  package func allows(_ attempts: Int) -> Bool { self.attempts.map { attempts < $0 } ?? true }

  /// The delay after so many failures in a row.
  ///
  /// It is at least half a millisecond, whatever the two durations are: a failure without end must not keep a processor
  /// busy.
  package func delay(afterFailures count: Int, using random: inout some RandomNumberGenerator) -> Duration {
    let delay = max(firstDelay, .milliseconds(1)).doubled(count - 1, upTo: max(longestDelay, .milliseconds(10)))
    return delay * Double.random(in: 0.5...1, using: &random)
  }
}

extension Duration {
  /// The duration doubled so many times, but not beyond the longest.
  package func doubled(_ times: Int, upTo longest: Duration) -> Duration {
    var (duration, left) = (self, times)
    // A duration that isn't positive never becomes longer.
    while left > 0, duration > .zero, duration < longest {
      duration *= 2
      left -= 1
    }
    return min(duration, longest)
  }
}
