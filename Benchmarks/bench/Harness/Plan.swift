/// How much effort a measurement takes.
struct Plan: Codable {
  /// Rounds that count, an even number; in each, every contender runs one batch.
  var rounds: Int
  /// After so many of them, an even number, a kept state is made anew.
  var roundsOnAState: Int
  /// Rounds on a new state that do not count, an even number.
  var warmUpRounds: Int
  /// Rounds that are measured even when the time is up, an even number.
  var fewestRounds: Int
  /// How long one batch takes at least; the clock's own cost is lost in it, and that of cold caches.
  var batch: Duration = .microseconds(300)
  /// When to stop a case before all its rounds are done.
  var timeLimit: Duration
  /// A contender with a batch as long as this sits out the larger sizes of its benchmark.
  var cutOff: Duration = .milliseconds(250)

  /// For the quick table.
  static let quick = Plan(
    rounds: 40, roundsOnAState: 8, warmUpRounds: 2, fewestRounds: 4, timeLimit: .milliseconds(800))

  /// The plan for one case.
  ///
  /// Contenders take turns, and each finds the caches full of the others' states. A batch has to be long against
  /// filling them anew, or it measures that; then fewer batches do.
  func fitted(to state: Benchmark.StatePolicy, size: Int?) -> Plan {
    guard state == .kept, let size else { return self }
    var plan = self
    plan.batch = max(batch, min(.nanoseconds(100) * size, .milliseconds(20)))
    if plan.batch >= .milliseconds(1) { plan.rounds = min(rounds, plan.batch >= .milliseconds(10) ? 10 : 20) }
    return plan
  }

  /// The same, but stopping each case by this time where that is earlier.
  func limited(to limit: Duration) -> Plan {
    var plan = self
    plan.timeLimit = min(timeLimit, limit)
    return plan
  }

  /// For figures to keep, in each process.
  static let full = Plan(
    rounds: 60, roundsOnAState: 10, warmUpRounds: 2, fewestRounds: 8, timeLimit: .seconds(2))
}
