import Foundation
import XCTest

@testable import bench

/// What a bar reads, and how it is judged.
final class BarTests: XCTestCase {
  private static var suite: Suite {
    Suite("S") { suite in
      suite.benchmark("b", "something", sizes: .exactly(16, 64), input: { $0 }) { race in
        race.subject("Mine", setUp: { $0 }, run: { _, _, _ in 0 })
        race.peer("Other", setUp: { $0 }, run: { _, _, _ in 0 })
      }
    }
  }

  private func bar(
    _ figure: Bar.Figure, _ relation: Bar.Relation, _ limit: Double, of ids: [String] = ["S.b"],
    at sizes: [Int] = [16, 64]
  ) -> Bar {
    Bar(id: "a.bar", reading: .figure(figure, of: ids, at: sizes), relation: relation, limit: limit)
  }

  /// A case in which Other takes `ratio` times as long, and holds 2048 bytes to Mine's 1024.
  private func measured(_ size: Int, ratio: Double?, marks: [Results.Mark] = []) -> Results.Case {
    var result = Results.Case(Self.suite.benchmarks[0], size: size)
    result.lanes[0].memory = Results.Memory(
      operations: 1024, allocations: 512, requestedBytes: 1, liveBytes: 1024, peakBytes: 1)
    result.lanes[1].memory = Results.Memory(
      operations: 1024, allocations: 0, requestedBytes: 1, liveBytes: 2048, peakBytes: 1)
    result.lanes[1].ratio = ratio.map { Results.Ratio(median: $0, low: $0, high: $0, processes: []) }
    result.lanes[1].marks = marks
    return result
  }

  private func verdict(_ bar: Bar, _ cases: [Results.Case], hasPeers: Bool = false) -> Results.Verdict {
    bar.verdict(benchmarks: Self.suite.benchmarks, cases: cases, probed: nil, hasPeers: hasPeers)
  }

  // MARK: Figures

  func testABarIsJudgedByTheWorstOfItsFigures() {
    let cases = [measured(16, ratio: 4), measured(64, ratio: 2)]
    let held = verdict(bar(.speedup(over: "Other"), .atLeast, 2), cases)
    XCTAssertEqual(held.outcome, .held)
    XCTAssertEqual(held.measuredText, "2.00x")
    XCTAssertEqual(held.place, "S.b n=64")
    XCTAssertEqual(verdict(bar(.speedup(over: "Other"), .atLeast, 2.01), cases).outcome, .short)
    let cost = verdict(bar(.cost(against: "Other"), .atMost, 0.5), cases)
    XCTAssertEqual(cost.measured, 0.5)
    XCTAssertEqual(cost.outcome, .held)
    XCTAssertEqual(verdict(bar(.cost(against: "Other"), .atMost, 0.49), cases).outcome, .short)
  }

  func testMemoryIsComparedWithTheContendersAndCounted() {
    let cases = [measured(16, ratio: 4), measured(64, ratio: 2)]
    XCTAssertEqual(verdict(bar(.liveBytes(against: "Other"), .atMost, 0.5), cases).measuredText, "0.50x")
    let allocations = verdict(bar(.allocations, .atMost, 0), cases)
    XCTAssertEqual(allocations.measured, 0.5)
    XCTAssertEqual(allocations.outcome, .short)
    XCTAssertEqual(allocations.limitText, "<= 0")
  }

  func testMemoryThatCannotBeCountedIsShortAndNeverZero() {
    var result = measured(16, ratio: 2)
    result.lanes[0].memory = nil
    let verdict = verdict(bar(.allocations, .atMost, 0, at: [16]), [result])
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.measuredText, "n/a")
  }

  // MARK: What is missing or doubtful

  func testABarWithoutItsBenchmarkIsShort() {
    let verdict = verdict(bar(.speedup(over: "Deque and Set"), .atLeast, 1, of: ["S.none"]), [])
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.remarks, ["no benchmark S.none"])
  }

  func testOneMissingBenchmarkIsEnough() {
    let cases = [measured(16, ratio: 4), measured(64, ratio: 4)]
    let verdict = verdict(bar(.speedup(over: "Other"), .atLeast, 1, of: ["S.b", "S.none"]), cases)
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.measuredText, "4.00x", "what there is is still told")
  }

  func testABarAgainstAPeerOfSwiftCollectionsNeedsTheTrait() {
    let bar = bar(.speedup(over: "Deque and Set"), .atLeast, 1)
    XCTAssertEqual(verdict(bar, []).outcome, .needsPeers)
    let verdict = verdict(bar, [measured(16, ratio: 2), measured(64, ratio: 2)], hasPeers: true)
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.remarks.first, "S.b n=16 has no contender Deque and Set")
  }

  func testADoubtfulFigureIsMarkedAndAnIncredibleOneHoldsNothing() {
    let bar = bar(.speedup(over: "Other"), .atLeast, 1, at: [16])
    let unstable = verdict(bar, [measured(16, ratio: 2, marks: [.unstable])])
    XCTAssertEqual(unstable.outcome, .held)
    XCTAssertEqual(unstable.measuredText, "2.00x?")
    XCTAssertEqual(unstable.remarks, ["S.b n=16: unstable"])
    XCTAssertEqual(verdict(bar, [measured(16, ratio: 2, marks: [.optimisedAway])]).outcome, .short)
  }

  func testACaseWithAProblemIsShort() {
    var result = measured(16, ratio: 2)
    result.problem = "process 1 of 5: the worker was ended by signal 4"
    let verdict = verdict(bar(.speedup(over: "Other"), .atLeast, 1, at: [16]), [result])
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.remarks, ["S.b n=16: process 1 of 5: the worker was ended by signal 4"])
  }

  func testAProbeIsJudgedByItsValue() {
    let bar = Bar(id: "x", reading: .probe(unit: .bytes, .dirtyableSize), relation: .atMost, limit: 8)
    func outcome(_ value: Double?) -> Results.Verdict.Outcome {
      bar.verdict(benchmarks: [], cases: [], probed: value, hasPeers: false).outcome
    }
    XCTAssertEqual([8, 8.1, nil].map(outcome), [.held, .short, .short])
    XCTAssertEqual(bar.limitText, "<= 8 B")
  }

  // MARK: All bars

  func testIdsAreUniqueAndEveryTopicOfTheDesignIsThere() {
    let ids = Bar.all.map(\.id)
    XCTAssertEqual(Set(ids).count, ids.count)
    for row in [
      "queue.steady", "queue.ordered", "queue.middle", "queue.hit", "queue.tiny", "queue.copy", "queue.memory",
      "dirty.read",
      "dirty.write", "dirty.element", "dirty.size", "undo.field", "undo.element", "undo.typing", "undo.document",
      "undo.step", "undo.diff", "undo.trace", "undo.assign", "partial.get", "partial.set", "partial.validate",
      "partial.build",
      "partial.fill", "partial.memory", "files.write", "files.coalesce",
    ] {
      XCTAssertTrue(ids.contains { $0 == row || $0.hasPrefix(row + ".") }, row)
    }
  }

  func testEveryContenderABarNamesExistsWhereItsBenchmarkDoes() {
    let benchmarks = Suite.all.flatMap(\.benchmarks)
    for bar in Bar.all {
      guard case .figure(let figure, let ids, let sizes) = bar.reading, let name = figure.contender,
        Build.hasPeers || !bar.needsPeers
      else { continue }
      for benchmark in benchmarks where ids.contains(benchmark.id) {
        XCTAssertTrue(benchmark.contenders.contains { $0.name == name }, "\(bar.id): \(benchmark.id) has no \(name)")
        XCTAssertEqual(benchmark.sizes.all.isEmpty, sizes.isEmpty, "\(bar.id): sizes of \(benchmark.id)")
      }
    }
  }

  func testCasesThatSeveralBarsReadAreMeasuredOnce() {
    let bars = [
      bar(.speedup(over: "Other"), .atLeast, 1, at: [64, 16]), bar(.allocations, .atMost, 1, at: [16]),
      bar(.speedup(over: "OrderedSet"), .atLeast, 1, at: [1024]),
    ]
    func sizes(_ hasPeers: Bool) -> [Int?] {
      CheckCommand.works(of: bars, among: Self.suite.benchmarks, hasPeers: hasPeers).map(\.size)
    }
    XCTAssertEqual(sizes(false), [16, 64])
    XCTAssertEqual(sizes(true), [16, 64, 1024])
  }

  // MARK: The command

  /// Answers probes, and nothing else.
  private struct Probed: Workers {
    let value: Double?

    func perform<Task: WorkerTask>(_ task: Task) throws(Crash) -> Task.Answer {
      let test = SelfTest(ratio: Results.Ratio(median: 1, low: 1, high: 1, processes: []))
      let answers: [Any] = [
        ProbeTask.Answer(value: value), IntroductionTask.Answer(environment: .current, selfTest: test),
      ]
      for case let answer as Task.Answer in answers { return answer }
      throw Crash(reason: "not told", output: "")
    }
  }

  private func check(_ bars: [Bar], value: Double?) throws -> (code: ExitCode, lines: [String]) {
    var lines: [String] = []
    let console = Console(print: { lines.append($0) }, terminal: .plain, errorTerminal: .plain)
    let code = try CheckCommand.check(
      bars, trace: nil, processes: 1...1, jsonPath: nil, hasPeers: false, workers: Probed(value: value), on: console)
    return (code, lines)
  }

  func testCheckPrintsALineForEachBarAndTheCount() throws {
    let bars = [
      Bar(id: "size", reading: .probe(unit: .bytes, .dirtyableSize), relation: .atMost, limit: 8),
      bar(.speedup(over: "OrderedSet"), .atLeast, 2, of: ["Harness.queue"]),
    ]
    let held = try check(bars, value: 7)
    XCTAssertEqual(held.code, .success)
    XCTAssertEqual(
      held.lines,
      [
        "size   7.00 B      <= 8 B      held", "a.bar  n/a         >= 2x       needs Peers",
        "1 held, 0 short, 1 need Peers",
      ])
    let short = try check(bars, value: 9)
    XCTAssertEqual(short.code, .fellShort)
    XCTAssertEqual(
      short.lines[0], "size   9.00 B      <= 8 B      short\n  at bytes beside the value, 16 bytes and 640")
    XCTAssertEqual(short.lines.last, "0 held, 1 short, 1 need Peers")
  }

  func testAFilterThatNoBarBeginsWithIsAnError() {
    let console = Console(print: { _ in }, terminal: .plain, errorTerminal: .plain)
    XCTAssertThrowsError(try Bench.run(["check", "--filter", "cue"], on: console)) { error in
      XCTAssertEqual((error as? Failure)?.code, .usage)
    }
  }

  // MARK: Probes

  func testRunsOfATraceAreTypingAndDeletingThatAdjoins() throws {
    func edit(_ range: Range<Int>, _ text: String = "") -> EditingTrace.Edit { .init(range: range, text: text) }
    func runs(_ edits: EditingTrace.Edit...) -> Int {
      EditingTrace(start: "", end: "", edits: edits, transactions: []).runCount
    }
    XCTAssertEqual(runs(), 0)
    XCTAssertEqual(runs(edit(0..<0, "a"), edit(1..<1, "bc"), edit(3..<3, "d")), 1)
    XCTAssertEqual(runs(edit(0..<0, "a"), edit(0..<0, "b")), 2)
    XCTAssertEqual(runs(edit(5..<6), edit(4..<5), edit(4..<5)), 1)
    XCTAssertEqual(runs(edit(0..<0, "a"), edit(0..<1)), 2)
    XCTAssertEqual(runs(edit(0..<1, "a"), edit(1..<1, "b")), 2)
  }

  func testDirtyableIsAWordLargerThanItsValue() {
    XCTAssertEqual(Probe.dirtyableSize.value(trace: nil), 8)
    XCTAssertNil(Probe.traceBytesOfARun.value(trace: nil))
  }
}
