/// Races lanes against each other: nanoseconds an operation, for every lane in every round.
///
/// In a round each lane runs one batch. Rounds come in twos: the order of the first is shuffled, the second is its mirror
/// (for two lanes that is ABBA), so that a drift within the two hits all lanes alike. Ratios are later taken within a
/// round.
///
/// ```
/// set up | warm up | A B  B A | B A  A B | … | set up anew | warm up | A B  B A | …
/// ```
///
/// A state that is kept lasts for some rounds only. Where in memory it lies, and with what seed it hashes, decides how
/// fast it is; several make an interval that knows of it.
struct TimingPass {
  let plan: Plan
  var random: SplitMix64
  private let now: () -> Duration

  /// - Parameter now: A clock; by default the one that stands still while the machine sleeps.
  init(plan: Plan, seed: UInt64 = 1, now: @escaping () -> Duration = uptime) {
    precondition(
      [plan.rounds, plan.roundsOnAState, plan.warmUpRounds, plan.fewestRounds].allSatisfy { $0.isMultiple(of: 2) },
      "Rounds come in twos")
    self.plan = plan
    random = SplitMix64(seed: seed)
    self.now = now
  }

  private static let origin = SuspendingClock.now

  static func uptime() -> Duration { origin.duration(to: SuspendingClock.now) }

  /// The times of one lane.
  struct Times {
    /// Operations in one batch.
    let operations: Int
    /// Nanoseconds an operation, one value a round; values of different lanes at the same place are a pair.
    var nanoseconds: [Double] = []
    /// The batch took so long that larger sizes are out of reach.
    let isCutOff: Bool
  }

  /// Times the lanes; their states are set up here, and dropped at the end.
  mutating func measure(_ lanes: [any Lane], state: Benchmark.StatePolicy) -> [Times] {
    defer { for lane in lanes { lane.clear() } }
    let start = now()
    let batches = lanes.map { calibrate($0, state) }
    var times = batches.map { batch in
      Times(operations: batch.operations * batch.repetitions, isCutOff: batch.duration >= plan.cutOff)
    }
    let isWarm = batches.reduce(.zero) { $0 + $1.duration } >= Self.warmRound
    let warmUpRounds = isWarm ? 0 : plan.warmUpRounds
    var settingUp = Duration.zero
    for round in stride(from: 0, to: plan.rounds, by: 2) {
      if round >= plan.fewestRounds, now() - start >= plan.timeLimit { break }
      let isNew = round == 0 || state == .kept && round.isMultiple(of: plan.roundsOnAState)
      if isNew, settingUp <= plan.timeLimit / 4 {
        if round > 0 { settingUp += renew(lanes) }
        for _ in stride(from: 0, to: warmUpRounds, by: 2) { _ = runTwoRounds(lanes, batches, state) }
      }
      for (index, elapsed) in runTwoRounds(lanes, batches, state) {
        times[index].nanoseconds.append(elapsed.nanoseconds / Double(times[index].operations))
      }
    }
    return times
  }

  /// Runs each lane twice, and answers how long it took, in the order in which they ran.
  private mutating func runTwoRounds(
    _ lanes: [any Lane], _ batches: [Batch], _ state: Benchmark.StatePolicy
  ) -> [(index: Int, elapsed: Duration)] {
    let order = lanes.indices.shuffled(using: &random)
    return (order + order.reversed()).map { ($0, time(lanes[$0], batches[$0], state)) }
  }

  /// Drops all states and makes new ones in another order, so that they lie elsewhere; answers how long that took.
  private mutating func renew(_ lanes: [any Lane]) -> Duration {
    let start = now()
    for lane in lanes { lane.clear() }
    for lane in lanes.shuffled(using: &random) { lane.renew() }
    return now() - start
  }

  /// Work of which that much takes no time has been optimised away, and more of it would take none either.
  private static let mostOperations = 1 << 30
  /// A round this long needs no warm-up beyond the calibration.
  private static let warmRound = Duration.milliseconds(20)

  /// What a lane does in one round.
  private struct Batch {
    /// Operations on one state without a break.
    var operations: Int
    /// How often that is done, each time on a new state; 1 where the state is kept.
    var repetitions: Int
    /// How long all of it took when tried.
    var duration: Duration
  }

  /// Finds the batch that takes at least as long as the plan says, twice in a row; a lane warms up by it.
  ///
  /// Once is not enough: the first operation on a state may grow it, at the cost of thousands.
  private func calibrate(_ lane: any Lane, _ state: Benchmark.StatePolicy) -> Batch {
    lane.renew()
    var mostOperations = Self.mostOperations
    if case .fresh(let limit) = state { mostOperations = limit }
    var batch = Batch(operations: 1, repetitions: 1, duration: .zero)
    while true {
      batch.duration = time(lane, batch, state)
      if batch.duration >= plan.batch, batch.duration < plan.cutOff {
        batch.duration = min(batch.duration, time(lane, batch, state))
      }
      if batch.duration >= plan.batch || batch.operations * batch.repetitions >= Self.mostOperations { return batch }
      if batch.operations < mostOperations {
        batch.operations = min(2 * batch.operations, mostOperations)
      } else {
        batch.repetitions *= 2
      }
    }
  }

  private func time(_ lane: any Lane, _ batch: Batch, _ state: Benchmark.StatePolicy) -> Duration {
    var total = Duration.zero
    for _ in 0..<batch.repetitions {
      if state != .kept { lane.renew() }
      let start = now()
      let digest = lane.run(batch.operations)
      total += now() - start
      sink(digest)
    }
    return total
  }
}

extension Duration {
  /// This duration as a number of nanoseconds.
  var nanoseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e9 + Double(attoseconds) / 1e9
  }
}
