import XCTest

@testable import bench

/// How lanes are timed, with a clock that only the lanes move.
final class TimingPassTests: XCTestCase {
  private final class Log {
    var ran: [String] = []
    var renewed: [String: Int] = [:]
    var time = Duration.zero

    /// A timepiece whose clock only the lanes move.
    ///
    /// By default, the core is not shared.
    func timepiece(pace: @escaping () -> Double = { 1 }) -> Timepiece { Timepiece(now: { self.time }, pace: pace) }
  }

  /// A lane that records its calls.
  private final class RecordingLane: Lane {
    let contender: Contender
    let log: Log
    /// The duration of a range of operations, counted from the renewal of the state.
    let duration: (_ operations: Range<Int>) -> Duration
    private var done = 0

    init(_ name: String, _ log: Log, duration: @escaping (Range<Int>) -> Duration = { _ in .zero }) {
      contender = Contender(name: name, role: .subject)
      self.log = log
      self.duration = duration
    }

    func clear() {}

    func renew() {
      log.renewed[contender.name, default: 0] += 1
      done = 0
    }

    func run(_ count: Int) -> Int {
      log.ran.append(contender.name)
      log.time += duration(done..<done + count)
      done += count
      return count
    }
  }

  private func plan(rounds: Int, warmUps: Int, onAState: Int = 1000) -> Plan {
    Plan(
      rounds: rounds, roundsOnAState: onAState, warmUpRounds: warmUps, fewestRounds: rounds, batch: .zero,
      timeLimit: .seconds(60), cutOff: .seconds(60))
  }

  func testEveryRoundRunsEveryLaneAndIsFollowedByItsMirror() {
    let log = Log()
    let names = ["a", "b", "c"]
    var pass = TimingPass(plan: plan(rounds: 20, warmUps: 4), timepiece: log.timepiece())
    let times = pass.measure(names.map { RecordingLane($0, log) }, state: .kept)

    let rounds = stride(from: 6, to: log.ran.count, by: 3).map { Array(log.ran[$0..<$0 + 3]) }
    XCTAssertEqual(rounds.count, 24)  // After two batches each for calibration.
    for (first, second) in zip(rounds, rounds.dropFirst()).enumerated().filter({ $0.offset.isMultiple(of: 2) }).map(
      \.element)
    {
      XCTAssertEqual(first.sorted(), names)
      XCTAssertEqual(first, second.reversed())
    }
    XCTAssertGreaterThan(Set(rounds).count, 2, "the order changes")
    XCTAssertEqual(times.map(\.nanoseconds.count), [20, 20, 20], "warm-up rounds do not count")
  }

  func testKeptStateLastsForItsRoundsAndAFreshOneForABatch() {
    for (state, renewals) in [(Benchmark.StatePolicy.kept, 1 + 2), (.fresh(upTo: 1), 1 + 2 + 2 + 6)] {
      let log = Log()
      var pass = TimingPass(plan: plan(rounds: 6, warmUps: 2, onAState: 2), timepiece: log.timepiece())
      let times = pass.measure([RecordingLane("a", log)], state: state)
      XCTAssertEqual(log.renewed, ["a": renewals], "\(state)")
      XCTAssertEqual(times[0].nanoseconds.count, 6)
    }
  }

  func testNewStateIsWarmedUp() {
    let log = Log()
    var pass = TimingPass(plan: plan(rounds: 6, warmUps: 4, onAState: 2), timepiece: log.timepiece())
    _ = pass.measure([RecordingLane("a", log)], state: .kept)
    XCTAssertEqual(log.ran.count, 2 + 3 * (4 + 2))
  }

  func testStatesThatAreSlowToMakeAreNotRenewed() {
    let log = Log()
    var plan = plan(rounds: 6, warmUps: 2, onAState: 2)
    plan.timeLimit = .nanoseconds(-1)
    var pass = TimingPass(plan: plan, timepiece: log.timepiece())
    _ = pass.measure([RecordingLane("a", log)], state: .kept)
    XCTAssertEqual(log.renewed, ["a": 1])
  }

  /// Batches take at least 300 µs, the default of a plan.
  private let timed = Plan(rounds: 2, roundsOnAState: 2, warmUpRounds: 0, fewestRounds: 2, timeLimit: .zero)

  func testBatchTakesAsLongAsThePlanSays() {
    let log = Log()
    var pass = TimingPass(plan: timed, timepiece: log.timepiece())
    let times = pass.measure(
      [10, 70].map { cost in RecordingLane("\(cost)", log) { .nanoseconds(cost * $0.count) } }, state: .kept)
    XCTAssertEqual(times.map(\.operations), [32_768, 8_192], "the first power of two that takes 300 µs")
    XCTAssertEqual(times.map(\.nanoseconds), [[10, 10], [70, 70]])
  }

  func testFreshStateNeverExceedsItsOperationLimit() {
    let log = Log()
    var pass = TimingPass(plan: timed, timepiece: log.timepiece())
    let lane = RecordingLane("a", log) { operations in
      XCTAssertLessThanOrEqual(operations.upperBound, 100)
      return .nanoseconds(10 * operations.count)
    }
    let times = pass.measure([lane], state: .fresh(upTo: 100))
    XCTAssertEqual(times[0].operations, 512 * 100)
  }

  func testSlowFirstOperationDoesNotShortenTheBatch() {
    let log = Log()
    var pass = TimingPass(plan: timed, timepiece: log.timepiece())
    let lane = RecordingLane("a", log) { operations in
      .nanoseconds(10 * operations.count + (operations.contains(0) ? 1_000_000 : 0))
    }
    XCTAssertEqual(pass.measure([lane], state: .kept)[0].operations, 32_768)
  }

  func testBatchesOnLargeKeptStatesAreLongerAndFewer() {
    let plan = Plan.full
    XCTAssertEqual(plan.fitted(to: .kept, size: 1024).batch, plan.batch)
    XCTAssertEqual(plan.fitted(to: .kept, size: 1024).rounds, plan.rounds)
    XCTAssertEqual(plan.fitted(to: .kept, size: 65_536).batch, .nanoseconds(6_553_600))
    XCTAssertEqual(plan.fitted(to: .kept, size: 65_536).rounds, 20)
    XCTAssertEqual(plan.fitted(to: .kept, size: 1 << 20).batch, .milliseconds(20))
    XCTAssertEqual(plan.fitted(to: .kept, size: 1 << 20).rounds, 10)
    XCTAssertEqual(plan.fitted(to: .kept, size: nil).batch, plan.batch)
    XCTAssertEqual(plan.fitted(to: .fresh(upTo: 10), size: 1 << 20).batch, plan.batch)
  }

  func testWorkThatTakesNoTimeIsMarkedAsOptimizedAway() throws {
    let log = Log()
    var pass = TimingPass(plan: timed, timepiece: log.timepiece())
    let times = pass.measure([RecordingLane("nothing", log)], state: .kept)
    var lane = Results.Lane(contender: Contender(name: "nothing", role: .subject))
    lane.processes = [try XCTUnwrap(Results.Process(times[0], against: nil))]
    lane.judge(fullRounds: 2, fastestPace: nil)
    XCTAssertTrue(lane.marks.contains(.optimisedAway))
  }

  func testTimeLimitEndsACaseAfterTheFewestRounds() {
    let log = Log()
    var plan = plan(rounds: 1000, warmUps: 2)
    plan.fewestRounds = 6
    plan.timeLimit = .zero
    var pass = TimingPass(plan: plan, timepiece: log.timepiece())
    XCTAssertEqual(pass.measure([RecordingLane("a", log)], state: .kept)[0].nanoseconds.count, 6)
  }

  func testLongBatchIsCutOff() {
    let log = Log()
    var plan = plan(rounds: 2, warmUps: 0)
    plan.cutOff = .zero
    var pass = TimingPass(plan: plan, timepiece: log.timepiece())
    XCTAssertTrue(pass.measure([RecordingLane("a", log)], state: .kept)[0].isCutOff)
  }

  // MARK: A shared core

  func testRoundsOnASharedCoreDoNotCount() {
    let log = Log()
    // From the third batch to the seventh, another program uses the core, and everything takes twice as long.
    func isShared() -> Bool { (3...7).contains(log.ran.count) }
    var plan = timed
    plan.rounds = 6
    plan.timeLimit = .seconds(60)
    var pass = TimingPass(plan: plan, timepiece: log.timepiece { isShared() ? 1.3 : 1.0 })
    let lane = RecordingLane("a", log) { _ in .microseconds(isShared() ? 800 : 400) }
    let times = pass.measure([lane], state: .kept)[0]
    XCTAssertEqual(times.nanoseconds, Array(repeating: 400_000, count: 6))
    XCTAssertEqual(times.disturbedRounds, 6, "the two before it began, four while it lasted")
    XCTAssertEqual(times.pace, 1)
  }

  func testLeastDisturbedRoundsCountWhenTheTimeIsUp() {
    let log = Log()
    var paces = [1.0] + Array(repeating: 1.5, count: 60)
    var plan = plan(rounds: 8, warmUps: 0)
    plan.fewestRounds = 4
    plan.batch = .microseconds(300)
    plan.timeLimit = .milliseconds(10)
    var pass = TimingPass(
      plan: plan,
      timepiece: log.timepiece {
        if log.ran.count > 8 { return 1.3 }
        return paces.count > 1 ? paces.removeFirst() : paces[0]
      })
    let lane = RecordingLane("a", log) { _ in log.ran.count > 8 ? .microseconds(500) : .microseconds(600) }
    let times = pass.measure([lane], state: .kept)[0]
    XCTAssertEqual(times.nanoseconds, Array(repeating: 500_000, count: 4))
    XCTAssertEqual(times.pace, 1.3)
    XCTAssertGreaterThan(times.disturbedRounds, 4)
  }

  // MARK: Marks

  func testMarksIdentifyDoubtfulFigures() {
    func marks(median: Double, deviation: Double, rounds: Int, ratio: Results.Ratio? = nil) -> [Results.Mark] {
      let process = Results.Process(
        median: median, medianAbsoluteDeviation: deviation, ratio: ratio, rounds: rounds, operations: 1)
      var lane = Results.Lane(contender: Contender(name: "a", role: .peer), processes: [process])
      lane.judge(fullRounds: 20, fastestPace: nil)
      return lane.marks
    }
    func ratio(_ low: Double, _ high: Double) -> Results.Ratio {
      Results.Ratio(median: 2, low: low, high: high)
    }
    XCTAssertEqual(marks(median: 10, deviation: 0.5, rounds: 20), [])
    XCTAssertEqual(marks(median: 0.19, deviation: 0, rounds: 20), [.optimisedAway])
    XCTAssertEqual(marks(median: 10, deviation: 1.1, rounds: 20), [.unstable])
    XCTAssertEqual(marks(median: 10, deviation: 0, rounds: 5), [])
    XCTAssertEqual(marks(median: 10, deviation: 0, rounds: 4), [.fewRounds])
    XCTAssertEqual(marks(median: 10, deviation: 5, rounds: 20, ratio: ratio(1.9, 2.1)), [], "the ratio is what counts")
    XCTAssertEqual(marks(median: 10, deviation: 0, rounds: 20, ratio: ratio(1.5, 2.5)), [.unstable])
  }

  func testRatioIsThePeersTimeOverTheSubjects() throws {
    let subject = TimingPass.Times(operations: 1, nanoseconds: [1, 2, 10], isCutOff: false)
    let peer = TimingPass.Times(operations: 9, nanoseconds: [3, 6, 20], isCutOff: false)
    let ratio = try XCTUnwrap(Results.Ratio(of: subject, to: peer))
    XCTAssertEqual(ratio.median, 3)
    XCTAssertEqual(ratio.low, 2)
    XCTAssertEqual(ratio.high, 3)
    XCTAssertNil(Results.Ratio(of: TimingPass.Times(operations: 1, nanoseconds: [0], isCutOff: false), to: peer))
  }

  func testTimePerElementIsAFractionOfTheOperation() throws {
    let times = TimingPass.Times(operations: 1, nanoseconds: [1000, 2000, 3000], isCutOff: false)
    XCTAssertEqual(try XCTUnwrap(Results.Process(times, against: nil, scale: 100)).median, 20)
  }
}
