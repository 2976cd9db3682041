/// The number and length of the rounds of a measurement.
struct Plan: Codable {
  /// The number of rounds that count, which is even.
  ///
  /// In each round, every contender runs one batch.
  var rounds: Int
  /// The number of rounds, which is even, after which a kept state is renewed.
  var roundsOnAState: Int
  /// The number of rounds on a new state that do not count, which is even.
  var warmUpRounds: Int
  /// The number of rounds, which is even, that are measured even if the time is up.
  var fewestRounds: Int
  /// The minimum duration of a batch, which makes the cost of the clock and of cold caches negligible.
  var batch: Duration = .microseconds(300)
  /// The time after which a case is stopped before all its rounds are done.
  var timeLimit: Duration
  /// A contender whose batch takes this long skips the larger sizes of its benchmark.
  var cutOff: Duration = .milliseconds(250)

  /// For the quick table.
  static let quick = Plan(
    rounds: 40, roundsOnAState: 8, warmUpRounds: 2, fewestRounds: 4, timeLimit: .milliseconds(800))

  /// The plan for one case.
  ///
  /// Contenders take turns, so each one finds the caches filled with the states of the others. A batch must be long
  /// compared with the time to fill the caches again. Because the batches are longer, fewer are needed.
  func fitted(to state: Benchmark.StatePolicy, size: Int?) -> Plan {
    guard state == .kept, let size else { return self }
    var plan = self
    plan.batch = max(batch, min(.nanoseconds(100) * size, .milliseconds(20)))
    if plan.batch >= .milliseconds(1) { plan.rounds = min(rounds, plan.batch >= .milliseconds(10) ? 10 : 20) }
    return plan
  }

  /// The same plan with a time limit of at most `limit` for each case.
  func limited(to limit: Duration) -> Plan {
    var plan = self
    plan.timeLimit = min(timeLimit, limit)
    return plan
  }

  /// The plan of each process for figures to keep.
  static let full = Plan(
    rounds: 60, roundsOnAState: 10, warmUpRounds: 2, fewestRounds: 8, timeLimit: .seconds(2))
}
