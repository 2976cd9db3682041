/// Races lanes against each other, and gives the nanoseconds per operation of every lane in every round.
///
/// In a round, each lane runs one batch. Rounds come in pairs: the order of the first is random, and the second has the
/// opposite order (for two lanes that is ABBA), so that a drift within a pair affects all lanes alike. Ratios are taken
/// within a round.
///
/// ```
/// set up | warm up | A B  B A | B A  A B | … | set up anew | warm up | A B  B A | …
/// ```
///
/// A kept state lasts only for some rounds. Its speed depends on its place in memory and its hash seed, so several
/// states are needed for an interval that includes this variation.
///
/// The pace of the core is measured before and after each batch. If another program shares the core, calculations slow
/// down more than memory accesses, which changes ratios. Therefore the pass waits until the core is free, and pairs of
/// rounds on a shared core do not count. Both have limits. Once these are exceeded, the least disturbed rounds count.
struct TimingPass {
  let plan: Plan
  var random: SplitMix64
  private let timepiece: Timepiece
  /// The fastest known pace of the core.
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
    /// Nanoseconds per operation, one value for each round.
    ///
    /// Values of different lanes at the same index are from the same round.
    var nanoseconds: [Double] = []
    /// Whether the batch took too long to measure larger sizes.
    let isCutOff: Bool
    /// Rounds that did not count because another program used the core.
    var disturbedRounds = 0
    /// The slowest pace in the rounds that count.
    var pace: Double?
  }

  /// Times the lanes.
  ///
  /// Their states are set up here, and dropped at the end.
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

  /// The times of each lane in the rounds that count.
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

  /// A round, and the following one in the opposite order.
  private struct TwoRounds {
    /// The durations of the two batches of each lane.
    var elapsed: [[Duration]]
    /// The mean of the paces before, between and after the batches, which a brief disturbance changes little.
    var pace: Double
  }

  private func quiet(_ pairs: [TwoRounds]) -> [TwoRounds] {
    pairs.filter { $0.pace <= Timepiece.shared * fastestPace }
  }

  /// Waits until the core is free or the time is up.
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

  /// Drops all states and makes new ones in another order, so that they have other places in memory.
  ///
  /// Returns the time this took.
  private mutating func renew(_ lanes: [any Lane]) -> Duration {
    let start = timepiece.now()
    for lane in lanes { lane.clear() }
    for lane in lanes.shuffled(using: &random) { lane.renew() }
    return timepiece.now() - start
  }

  /// If this many operations take no time, the work has been optimized away.
  private static let mostOperations = 1 << 30
  /// How many times the plan's number of rounds may be run until enough of them are undisturbed.
  private static let mostRepeats = 4
  /// How often the pace is measured at the beginning to find the fastest one.
  private static let firstPaces = 50
  /// How often the pace is measured at most while waiting for a free core, which takes about 40 ms.
  private static let mostPaces = 1000
  /// If a round takes this long, the calibration is sufficient to warm up.
  private static let warmRound = Duration.milliseconds(20)

  /// The work of a lane in one round.
  private struct Batch {
    /// Consecutive operations on one state.
    var operations: Int
    /// How often these are repeated, each time on a new state.
    ///
    /// 1 if the state is kept.
    var repetitions: Int
    /// The duration during calibration.
    var duration: Duration
  }

  /// Finds the smallest batch that takes at least the plan's time twice in a row.
  ///
  /// This also warms up the lane.
  ///
  /// Once is not enough, because the first operation on a state may have to grow it, which can take as long as
  /// thousands of others.
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
