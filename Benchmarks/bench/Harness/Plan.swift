/// How much effort a measurement takes.
struct Plan {
  /// Rounds that count; in each, every contender runs one batch.
  var rounds: Int
  /// Rounds before them that do not.
  var warmUpRounds: Int
  /// Rounds that are measured even when the time is up.
  var fewestRounds: Int
  /// How long one batch takes at least; the clock's own cost is lost in it.
  var batch: Duration = .microseconds(300)
  /// When to stop a case before all its rounds are done.
  var timeLimit: Duration
  /// A contender with a batch as long as this sits out the larger sizes of its benchmark.
  var cutOff: Duration = .milliseconds(250)

  /// For the quick table.
  static let quick = Plan(rounds: 20, warmUpRounds: 2, fewestRounds: 4, timeLimit: .milliseconds(800))

  /// The same, but stopping each case by this time where that is earlier.
  func limited(to limit: Duration) -> Plan {
    var plan = self
    plan.timeLimit = min(timeLimit, limit)
    return plan
  }

  /// For figures to keep.
  static let full = Plan(rounds: 100, warmUpRounds: 4, fewestRounds: 8, timeLimit: .seconds(6))
}
