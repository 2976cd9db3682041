/// Races lanes against each other: nanoseconds an operation, for every lane in every round.
///
/// In a round each lane runs one batch. Rounds come in twos: the order of the first is shuffled, the second is its
/// mirror (for two lanes that is ABBA), so that a drift within the two hits all lanes alike. Ratios are later taken
/// within a round.
///
/// ```
/// set up | warm up | A B  B A | B A  A B | … | set up anew | warm up | A B  B A | …
/// ```
///
/// A state that is kept lasts for some rounds only. Where in memory it lies, and with what seed it hashes, decides how
/// fast it is; several make an interval that knows of it.
///
/// Before and after each batch the pace of the core is taken. A core that somebody else shares slows what calculates
/// more than what waits for memory, and so changes ratios: the pass waits for it to be free, and two rounds in which it
/// was not do not count. Both within limits; after these, the rounds count that were disturbed the least.
struct TimingPass {
  let plan: Plan
  var random: SplitMix64
  private let timepiece: Timepiece
  /// The fastest that the core is known to be.
  private(set) var fastestPace: Double

  init(plan: Plan, seed: UInt64 = 1, timepiece: Timepiece = .machine, fastestPace: Double = .infinity) {
    precondition(
      [plan.rounds, plan.roundsOnAState, plan.warmUpRounds, plan.fewestRounds].allSatisfy { $0.isMultiple(of: 2) },
      "Rounds come in twos")
    self.plan = plan
    random = SplitMix64(seed: seed)
    self.timepiece = timepiece
    self.fastestPace = fastestPace
  }

  /// The times of one lane.
  struct Times {
    /// Operations in one batch.
    let operations: Int
    /// Nanoseconds an operation, one value a round; values of different lanes at the same place are a pair.
    var nanoseconds: [Double] = []
    /// The batch took so long that larger sizes are out of reach.
    let isCutOff: Bool
    /// Rounds that were run and did not count, because somebody else used the core.
    var disturbedRounds = 0
    /// The slowest pace in those that count.
    var pace: Double?
  }

  /// Times the lanes; their states are set up here, and dropped at the end.
  mutating func measure(_ lanes: [any Lane], state: Benchmark.StatePolicy) -> [Times] {
    defer { for lane in lanes { lane.clear() } }
    let start = timepiece.now()
    fastestPace = min(fastestPace, timepiece.fastestPace(of: Self.firstPaces))
    let batches = lanes.map { calibrate($0, state) }
    let isWarm = batches.reduce(.zero) { $0 + $1.duration } >= Self.warmRound
    let warmUpRounds = isWarm ? 0 : plan.warmUpRounds
    var settingUp = Duration.zero
    var pairs: [TwoRounds] = []
    while 2 * pairs.count < Self.mostRepeats * plan.rounds, 2 * quiet(pairs).count < plan.rounds {
      let round = 2 * pairs.count
      if round >= plan.fewestRounds, timepiece.now() - start >= plan.timeLimit { break }
      let isNew = round == 0 || state == .kept && round.isMultiple(of: plan.roundsOnAState)
      if isNew, settingUp <= plan.timeLimit / 4 {
        if round > 0 { settingUp += renew(lanes) }
        for _ in stride(from: 0, to: warmUpRounds, by: 2) { _ = runTwoRounds(lanes, batches, state) }
      }
      waitForTheCore(until: start + plan.timeLimit)
      pairs.append(runTwoRounds(lanes, batches, state))
    }
    return times(batches, of: pairs)
  }

  /// What each lane took in the rounds that count.
  private func times(_ batches: [Batch], of pairs: [TwoRounds]) -> [Times] {
    var counting = quiet(pairs)
    if 2 * counting.count < plan.fewestRounds {
      counting = Array(pairs.sorted { $0.pace < $1.pace }.prefix(plan.fewestRounds / 2))
    }
    return batches.indices.map { lane in
      let operations = batches[lane].operations * batches[lane].repetitions
      return Times(
        operations: operations,
        nanoseconds: counting.flatMap { $0.elapsed[lane] }.map { $0.nanoseconds / Double(operations) },
        isCutOff: batches[lane].duration >= plan.cutOff,
        disturbedRounds: 2 * (pairs.count - counting.count), pace: counting.map(\.pace).max())
    }
  }

  /// A round and its mirror.
  private struct TwoRounds {
    /// By lane, how long its two batches took.
    var elapsed: [[Duration]]
    /// The mean pace before, after and between them: a neighbour who comes for a moment changes little.
    var pace: Double
  }

  private func quiet(_ pairs: [TwoRounds]) -> [TwoRounds] {
    pairs.filter { $0.pace <= Timepiece.shared * fastestPace }
  }

  /// Returns when the core is free, or the time is up.
  private mutating func waitForTheCore(until end: Duration) {
    for _ in 0..<Self.mostPaces where timepiece.now() < end {
      if takePace() <= Timepiece.shared * fastestPace { return }
    }
  }

  private mutating func takePace() -> Double {
    let pace = timepiece.pace()
    fastestPace = min(fastestPace, pace)
    return pace
  }

  /// Runs each lane twice.
  private mutating func runTwoRounds(
    _ lanes: [any Lane], _ batches: [Batch], _ state: Benchmark.StatePolicy
  ) -> TwoRounds {
    let order = lanes.indices.shuffled(using: &random)
    var elapsed = lanes.map { _ in [Duration]() }
    var paces = [takePace()]
    for lane in order + order.reversed() {
      elapsed[lane].append(time(lanes[lane], batches[lane], state))
      paces.append(takePace())
    }
    return TwoRounds(elapsed: elapsed, pace: paces.reduce(0, +) / Double(paces.count))
  }

  /// Drops all states and makes new ones in another order, so that they lie elsewhere; answers how long that took.
  private mutating func renew(_ lanes: [any Lane]) -> Duration {
    let start = timepiece.now()
    for lane in lanes { lane.clear() }
    for lane in lanes.shuffled(using: &random) { lane.renew() }
    return timepiece.now() - start
  }

  /// Work of which that much takes no time has been optimised away, and more of it would take none either.
  private static let mostOperations = 1 << 30
  /// How many times the rounds of the plan may be run until enough of them are quiet.
  private static let mostRepeats = 4
  /// How often the pace is taken at the beginning, to know the fastest.
  private static let firstPaces = 50
  /// How often it is taken, at the most, to wait for a core that is free: some 40 ms.
  private static let mostPaces = 1000
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
      let start = timepiece.now()
      let digest = lane.run(batch.operations)
      total += timepiece.now() - start
      sink(digest)
    }
    return total
  }
}
