import XCTest

@testable import bench

/// How lanes are raced; with batches so short that the clock says nothing, and one operation fills them.
final class TimingPassTests: XCTestCase {
  private final class Log {
    var ran: [String] = []
    var renewed: [String: Int] = [:]
    var operations: [String: Int] = [:]
  }

  /// A lane that only writes down what happens to it.
  private final class RecordingLane: Lane {
    let contender: Contender
    let log: Log

    init(_ name: String, _ log: Log) {
      contender = Contender(name: name, role: .subject)
      self.log = log
    }

    func clear() {}
    func renew() { log.renewed[contender.name, default: 0] += 1 }
    func run(_ count: Int) -> Int {
      log.ran.append(contender.name)
      log.operations[contender.name, default: 0] += count
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
    var pass = TimingPass(plan: plan(rounds: 20, warmUps: 4))
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

  func testAKeptStateLastsForItsRoundsAndAFreshOneForABatch() {
    for (state, renewals) in [(Benchmark.StatePolicy.kept, 1 + 2), (.fresh(upTo: 1), 1 + 2 + 2 + 6)] {
      let log = Log()
      var pass = TimingPass(plan: plan(rounds: 6, warmUps: 2, onAState: 2))
      let times = pass.measure([RecordingLane("a", log)], state: state)
      XCTAssertEqual(log.renewed, ["a": renewals], "\(state)")
      XCTAssertEqual(times[0].nanoseconds.count, 6)
    }
  }

  func testANewStateWarmsUp() {
    let log = Log()
    var pass = TimingPass(plan: plan(rounds: 6, warmUps: 4, onAState: 2))
    _ = pass.measure([RecordingLane("a", log)], state: .kept)
    XCTAssertEqual(log.ran.count, 2 + 3 * (4 + 2))
  }

  func testStatesThatTakeLongToMakeAreKept() {
    let log = Log()
    var plan = plan(rounds: 6, warmUps: 2, onAState: 2)
    plan.timeLimit = .nanoseconds(-1)
    var pass = TimingPass(plan: plan)
    _ = pass.measure([RecordingLane("a", log)], state: .kept)
    XCTAssertEqual(log.renewed, ["a": 1])
  }

  func testAFreshStateNeverDoesMoreThanItMay() {
    let benchmark = Suite("Test") { suite in
      suite.benchmark("fill", "append", state: .fresh(upTo: 100), input: { $0 }) { race in
        race.subject("Array") { _ in
          [Int]()
        } run: { array, _, operations in
          for i in operations { array.append(i) }
          precondition(array.count <= 100)
          return array.count
        }
      }
    }.benchmarks[0]
    var pass = TimingPass(
      plan: Plan(
        rounds: 2, roundsOnAState: 2, warmUpRounds: 2, fewestRounds: 2, timeLimit: .zero))
    let times = pass.measure(benchmark.makeLanes(1), state: benchmark.state)
    XCTAssertTrue(times[0].operations.isMultiple(of: 100) && times[0].operations > 100, "\(times[0].operations)")
  }

  func testABatchTakesAsLongAsThePlanSays() {
    let benchmark = Suite.harness.benchmarks[1]
    var pass = TimingPass(
      plan: Plan(
        rounds: 6, roundsOnAState: 6, warmUpRounds: 0, fewestRounds: 6, timeLimit: .zero))
    for times in pass.measure(benchmark.makeLanes(64), state: .kept) {
      // Found once and then kept: when the machine gets faster after that, rounds are shorter than the plan says.
      XCTAssertGreaterThan((times.nanoseconds.max() ?? 0) * Double(times.operations), 75_000)
    }
  }

  func testAFirstOperationThatGrowsTheStateDoesNotMakeTheBatch() {
    let benchmark = Suite("Test") { suite in
      suite.benchmark("grow", "add, after one large step", input: { $0 }) { race in
        race.subject("sums") { _ in
          [Int]()
        } run: { sums, _, operations in
          if sums.isEmpty { sums = Array(repeating: 0, count: 1_000_000) }
          for i in operations { sums[i & 1] &+= i }
          return sums[0]
        }
      }
    }.benchmarks[0]
    var pass = TimingPass(
      plan: Plan(rounds: 2, roundsOnAState: 2, warmUpRounds: 0, fewestRounds: 2, timeLimit: .zero))
    let times = pass.measure(benchmark.makeLanes(1), state: benchmark.state)
    XCTAssertGreaterThan(times[0].operations, 100)
  }

  func testBatchesOnLargeKeptStatesAreLongAndFewer() {
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

  func testWorkThatTakesNoTimeEndsAndIsMarked() throws {
    let log = Log()
    var pass = TimingPass(
      plan: Plan(
        rounds: 2, roundsOnAState: 2, warmUpRounds: 0, fewestRounds: 2, timeLimit: .zero))
    let times = pass.measure([RecordingLane("nothing", log)], state: .kept)
    var lane = Results.Lane(contender: Contender(name: "nothing", role: .subject))
    lane.time = try XCTUnwrap(Results.Time(times[0]))
    lane.mark(fullRounds: 2)
    XCTAssertTrue(lane.marks.contains(.optimisedAway))
  }

  func testTimeUpEndsACaseAfterTheFewestRounds() {
    let log = Log()
    var plan = plan(rounds: 1000, warmUps: 2)
    plan.fewestRounds = 6
    plan.timeLimit = .zero
    var pass = TimingPass(plan: plan)
    XCTAssertEqual(pass.measure([RecordingLane("a", log)], state: .kept)[0].nanoseconds.count, 6)
  }

  func testALongBatchIsCutOff() {
    let log = Log()
    var plan = plan(rounds: 2, warmUps: 0)
    plan.cutOff = .zero
    var pass = TimingPass(plan: plan)
    XCTAssertTrue(pass.measure([RecordingLane("a", log)], state: .kept)[0].isCutOff)
  }

  // MARK: Marks

  func testMarksSayWhatIsDoubtful() {
    func marks(median: Double, deviation: Double, rounds: Int, ratio: Results.Ratio? = nil) -> [Results.Mark] {
      let process = Results.Time.Process(
        median: median, medianAbsoluteDeviation: deviation, rounds: rounds, operations: 1)
      var lane = Results.Lane(contender: Contender(name: "a", role: .peer))
      lane.time = Results.Time(median: median, medianAbsoluteDeviation: deviation, processes: [process])
      lane.ratio = ratio
      lane.mark(fullRounds: 20)
      return lane.marks
    }
    func ratio(_ low: Double, _ high: Double) -> Results.Ratio {
      Results.Ratio(median: 2, low: low, high: high, processes: [])
    }
    XCTAssertEqual(marks(median: 10, deviation: 0.5, rounds: 20), [])
    XCTAssertEqual(marks(median: 0.19, deviation: 0, rounds: 20), [.optimisedAway])
    XCTAssertEqual(marks(median: 10, deviation: 1.1, rounds: 20), [.unstable])
    XCTAssertEqual(marks(median: 10, deviation: 0, rounds: 19), [.fewRounds])
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

  func testTimeOfAnElementIsAPartOfTheOperation() throws {
    let times = TimingPass.Times(operations: 1, nanoseconds: [1000, 2000, 3000], isCutOff: false)
    XCTAssertEqual(try XCTUnwrap(Results.Time(times, scale: 100)).median, 20)
  }
}
