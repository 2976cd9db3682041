import Foundation
import XCTest

@testable import bench

/// Which figures a bar reads, and how it is judged.
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

  /// A case in which Other takes `ratio` times as long as Mine, and holds 2048 bytes instead of 1024.
  private func measured(_ size: Int, ratio: Double?, marks: [Results.Mark] = []) -> Results.Case {
    var result = Results.Case(Self.suite.benchmarks[0], size: size)
    result.lanes[0].memory = Results.Memory(
      operations: 1024, allocations: 512, requestedBytes: 1, liveBytes: 1024, peakBytes: 1)
    result.lanes[1].memory = Results.Memory(
      operations: 1024, allocations: 0, requestedBytes: 1, liveBytes: 2048, peakBytes: 1)
    result.lanes[1].ratio = ratio.map { Results.Ratio(median: $0, low: $0, high: $0) }
    result.lanes[1].marks = marks
    return result
  }

  private func verdict(_ bar: Bar, _ cases: [Results.Case], hasPeers: Bool = false) -> Results.Verdict {
    bar.verdict(
      on: Measured(benchmarks: Self.suite.benchmarks, cases: cases, hasPeers: hasPeers), probed: nil)
  }

  // MARK: Figures

  func testBarIsJudgedByTheWorstOfItsFigures() {
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

  func testMemoryIsComparedWithTheContenderAndAllocationsAreCounted() {
    let cases = [measured(16, ratio: 4), measured(64, ratio: 2)]
    XCTAssertEqual(verdict(bar(.liveBytes(against: "Other"), .atMost, 0.5), cases).measuredText, "0.50x")
    let allocations = verdict(bar(.allocations, .atMost, 0), cases)
    XCTAssertEqual(allocations.measured, 0.5)
    XCTAssertEqual(allocations.outcome, .short)
    XCTAssertEqual(allocations.limitText, "<= 0")
  }

  func testUncountableMemoryIsShortAndNotZero() {
    var result = measured(16, ratio: 2)
    result.lanes[0].memory = nil
    let verdict = verdict(bar(.allocations, .atMost, 0, at: [16]), [result])
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.measuredText, "n/a")
  }

  // MARK: Missing and doubtful figures

  func testBarWithoutItsBenchmarkIsShort() {
    let verdict = verdict(bar(.speedup(over: "Deque and Set"), .atLeast, 1, of: ["S.none"]), [])
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.remarks, ["no benchmark S.none"])
  }

  func testOneMissingBenchmarkMakesABarShort() {
    let cases = [measured(16, ratio: 4), measured(64, ratio: 4)]
    let verdict = verdict(bar(.speedup(over: "Other"), .atLeast, 1, of: ["S.b", "S.none"]), cases)
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.measuredText, "4.00x", "what there is is still told")
  }

  func testBarAgainstAPeerOfSwiftCollectionsNeedsTheTrait() {
    let bar = bar(.speedup(over: "Deque and Set"), .atLeast, 1)
    XCTAssertEqual(verdict(bar, []).outcome, .needsPeers)
    let verdict = verdict(bar, [measured(16, ratio: 2), measured(64, ratio: 2)], hasPeers: true)
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.remarks.first, "S.b n=16 has no contender Deque and Set")
  }

  func testDoubtfulFigureIsMarkedAndAnImplausibleOneIsShort() {
    let bar = bar(.speedup(over: "Other"), .atLeast, 1, at: [16])
    let unstable = verdict(bar, [measured(16, ratio: 2, marks: [.unstable])])
    XCTAssertEqual(unstable.outcome, .held)
    XCTAssertEqual(unstable.measuredText, "2.00x?")
    XCTAssertEqual(unstable.remarks, ["S.b n=16: unstable"])
    XCTAssertEqual(verdict(bar, [measured(16, ratio: 2, marks: [.optimisedAway])]).outcome, .short)
  }

  func testCaseWithAProblemIsShort() {
    var result = measured(16, ratio: 2)
    result.problem = "process 1 of 5: the worker was ended by signal 4"
    let verdict = verdict(bar(.speedup(over: "Other"), .atLeast, 1, at: [16]), [result])
    XCTAssertEqual(verdict.outcome, .short)
    XCTAssertEqual(verdict.remarks, ["S.b n=16: process 1 of 5: the worker was ended by signal 4"])
  }

  func testProbeIsJudgedByItsValue() {
    let bar = Bar(id: "x", reading: .probe(unit: .bytes, .dirtyableSize), relation: .atMost, limit: 8)
    func outcome(_ value: Double?) -> Results.Verdict.Outcome {
      bar.verdict(on: Measured(benchmarks: [], cases: [], hasPeers: false), probed: value).outcome
    }
    XCTAssertEqual([8, 8.1, nil].map(outcome), [.held, .short, .short])
    XCTAssertEqual(bar.limitText, "<= 8 B")
  }

  func testExactBarIsShortOnBothSides() {
    let bar = Bar(id: "x", reading: .probe(unit: .count, .gestureSteps), relation: .exactly, limit: 2)
    let outcomes = [1, 2, 3].map {
      bar.verdict(on: Measured(benchmarks: [], cases: [], hasPeers: false), probed: $0).outcome
    }
    XCTAssertEqual(outcomes, [.short, .held, .short])
    XCTAssertEqual(bar.limitText, "= 2")
    XCTAssertEqual(bar.relation.worst(of: [1, 2, 5], by: \.self, limit: 2), 5)
    XCTAssertEqual(Bar(id: "x", reading: bar.reading, relation: .atMost, limit: 0).limitText, "<= 0")
  }

  // MARK: Figures that are only shown

  func testLargerSizeIsShownWithItsGrowthAndNotJudged() {
    var bar = bar(.cost(against: "Other"), .atMost, 0.25, at: [16])
    bar.shown = [Bar.Shown(figure: .cost(against: "Other"), ids: ["S.b"], sizes: [64])]
    let verdict = verdict(bar, [measured(16, ratio: 4), measured(64, ratio: 2, marks: [.unstable])])
    XCTAssertEqual(verdict.outcome, .held)
    XCTAssertEqual(verdict.measuredText, "0.25x", "without the mark of what is shown")
    XCTAssertEqual(
      verdict.shown,
      [Results.Verdict.Shown(place: "S.b n=64", measured: 0.5, text: "0.50x? of Other", growth: 2)])
    XCTAssertEqual(
      CheckCommand.line(verdict, idWidth: 5, terminal: .plain),
      "a.bar  0.25x       <= 0.25x    held\n  shown: S.b n=64: 0.50x? of Other, growth 2.00x")
    let sizes = CheckCommand.works(of: [bar], among: Self.suite.benchmarks, hasPeers: false).map(\.size)
    XCTAssertEqual(sizes, [16, 64], "it is measured all the same")
  }

  func testEachBarSaysWhatAUserWouldNotice() {
    let told = Set(Bar.all.map { Bar.effect(of: $0.id) })
    XCTAssertFalse(told.contains(nil))
    XCTAssertEqual(told.count, Set(Bar.effects.map(\.effect)).count, "each effect belongs to a bar")
    let verdict = Results.Verdict(
      id: "session.open", measured: 1, measuredText: "1.00 s", relation: "<=", limit: 1, limitText: "<= 1 s",
      outcome: .held)
    XCTAssertEqual(
      CheckCommand.line(verdict, idWidth: 12, terminal: .plain),
      "session.open  1.00 s      <= 1 s      held; if it fell, an app would start late after a crash")
  }

  func testOtherContenderIsShownWithoutGrowthAndAMissingOneIsOmitted() {
    var bar = bar(.allocations, .atMost, 1, at: [16])
    bar.shown = [
      Bar.Shown(figure: .speedup(over: "Other"), ids: ["S.b"], sizes: [16, 64]),
      Bar.Shown(figure: .speedup(over: "Deque and Set"), ids: ["S.b"], sizes: [16]),
    ]
    let verdict = verdict(bar, [measured(16, ratio: 3)])
    XCTAssertEqual(verdict.outcome, .held)
    XCTAssertEqual(verdict.shown?.map(\.place), ["S.b n=16"])
    XCTAssertNil(verdict.shown?[0].growth)
  }

  // MARK: Instructions

  private func counted(_ instructions: Double?, ratio: Double = 2) -> Results.Case {
    var result = measured(16, ratio: ratio)
    result.lanes[0].instructions = instructions
    result.lanes[1].instructions = 90
    return result
  }

  func testInstructionsAreJudgedWhereTheyCanBeCounted() {
    let bar = bar(.instructions, .atMost, 500, at: [16])
    XCTAssertEqual(bar.limitText, "<= 500")
    XCTAssertEqual(verdict(bar, [counted(500)]).outcome, .held)
    let short = verdict(bar, [counted(1332)])
    XCTAssertEqual(short.outcome, .short)
    XCTAssertEqual(short.measuredText, "1,332")
    XCTAssertEqual(verdict(bar, [counted(nil)]).outcome, .short, "a count that failed is no count of nothing")
    var measured = Measured(benchmarks: Self.suite.benchmarks, cases: [counted(nil)], hasPeers: false)
    measured.countsInstructions = false
    let absent = bar.verdict(on: measured, probed: nil)
    XCTAssertEqual(absent.outcome, .needsValgrind)
    XCTAssertEqual(absent.measuredText, "n/a")
  }

  func testInstructionsAreComparedWithThoseOfTheContender() {
    let bar = bar(.instructionCost(against: "Other"), .atMost, 2, at: [16])
    XCTAssertEqual(bar.limitText, "<= 2x")
    let held = verdict(bar, [counted(180)])
    XCTAssertEqual(held.measuredText, "2.00x")
    XCTAssertEqual(held.outcome, .held)
    XCTAssertEqual(verdict(bar, [counted(181)]).outcome, .short)
    XCTAssertEqual(verdict(bar, [counted(nil)]).outcome, .short)
    XCTAssertEqual(verdict(bar, [measured(16, ratio: 2)]).measuredText, "n/a", "neither was counted")
    let measured = Measured(
      benchmarks: Self.suite.benchmarks, cases: [counted(180)], hasPeers: false, countsInstructions: false)
    XCTAssertEqual(bar.verdict(on: measured, probed: nil).outcome, .needsValgrind)
  }

  func testTimesShowTheirInstructionsOnRequest() {
    let bar = bar(.speedup(over: "Other"), .atLeast, 1, at: [16])
    var measured = Measured(benchmarks: Self.suite.benchmarks, cases: [counted(60)], hasPeers: false)
    XCTAssertNil(bar.verdict(on: measured, probed: nil).shown)
    measured.showsInstructions = true
    XCTAssertEqual(
      bar.verdict(on: measured, probed: nil).shown,
      [Results.Verdict.Shown(place: "S.b n=16", measured: 60, text: "60.0 instructions, Other 90.0")])
    measured.cases = [counted(nil)]
    XCTAssertEqual(bar.verdict(on: measured, probed: nil).shown?.map(\.text), ["n/a instructions, Other 90.0"])
  }

  func testInstructionsAreCountedOnlyForFiguresABarReads() {
    let (mine, other) = (Self.suite.benchmarks[0].contenders[0], Self.suite.benchmarks[0].contenders[1])
    func wants(_ bar: Bar, _ contender: Contender, size: Int = 16, everyTime: Bool = false) -> Bool {
      bar.wantsInstructions(
        of: contender, in: measured(size, ratio: 1), among: Self.suite.benchmarks, everyTime: everyTime)
    }
    let exact = bar(.instructions, .atMost, 1, at: [16])
    XCTAssertTrue(wants(exact, mine))
    XCTAssertFalse(wants(exact, mine, size: 64))
    XCTAssertFalse(wants(exact, other, everyTime: true))
    let compared = bar(.instructionCost(against: "Other"), .atMost, 1, at: [16])
    XCTAssertTrue(wants(compared, mine) && wants(compared, other))
    let time = bar(.cost(against: "Other"), .atMost, 1, at: [16])
    XCTAssertFalse(wants(time, mine))
    XCTAssertTrue(wants(time, mine, everyTime: true) && wants(time, other, everyTime: true))
    XCTAssertFalse(wants(bar(.allocations, .atMost, 1, at: [16]), mine, everyTime: true))
  }

  // MARK: All bars

  func testIDsAreUniqueAndCoverEveryTopicOfTheDesign() {
    let ids = Bar.all.map(\.id)
    XCTAssertEqual(Set(ids).count, ids.count)
    for row in [
      "queue.steady", "queue.ordered", "queue.middle", "queue.hit", "queue.tiny", "queue.copy", "queue.memory",
      "queue.pending", "dirty.read", "dirty.write", "dirty.element", "dirty.round", "dirty.rebase", "dirty.size",
      "draft.commit", "undo.field", "undo.element",
      "undo.typing", "undo.document", "undo.step", "undo.diff", "undo.trace", "undo.assign", "undo.gesture",
      "undo.carry", "partial.get", "partial.set", "partial.validate", "partial.build", "partial.fill",
      "partial.memory", "files.write", "files.coalesce", "files.saves", "outbox.insert", "session.key", "session.log",
      "session.open",
    ] {
      XCTAssertTrue(ids.contains { $0 == row || $0.hasPrefix(row + ".") }, row)
    }
  }

  func testLimitAgainstACopyingContenderIsProportionalToTheSize() throws {
    for (id, limit, size) in [
      ("dirty.element.post", 328.0, 32_768), ("undo.element.snapshots", 1639, 32_768),
      ("undo.typing.snapshots", 125, 250_000), ("undo.document.snapshots", 100, 1000),
    ] {
      let bar = try XCTUnwrap(Bar.all.first { $0.id == id })
      XCTAssertEqual(bar.limit, limit, id)
      guard case .figure(_, _, let sizes) = bar.reading else { return XCTFail(id) }
      XCTAssertEqual(sizes, [size], id)
      XCTAssertEqual(bar.shown.count, 1, "\(id) shows its largest size")
    }
  }

  func testEveryContenderNamedByABarExists() {
    let benchmarks = Suite.all.flatMap(\.benchmarks)
    for bar in Bar.all {
      var read = bar.shown
      if case .figure(let figure, let ids, let sizes) = bar.reading {
        read.append(Bar.Shown(figure: figure, ids: ids, sizes: sizes))
      }
      for reading in read where Build.hasPeers || !bar.needsPeers {
        for benchmark in benchmarks where reading.ids.contains(benchmark.id) {
          if let name = reading.figure.contender {
            XCTAssertTrue(
              benchmark.contenders.contains { $0.name == name }, "\(bar.id): \(benchmark.id) has no \(name)")
          }
          XCTAssertEqual(benchmark.sizes.all.isEmpty, reading.sizes.isEmpty, "\(bar.id): sizes of \(benchmark.id)")
          XCTAssertTrue(
            reading.sizes.allSatisfy(benchmark.sizes.all.contains), "\(bar.id): sizes of \(benchmark.id)")
        }
      }
    }
  }

  func testEveryBenchmarkABarReadsExists() throws {
    let trace = EditingTrace(start: "", end: "", edits: [], transactions: [])
    let benchmarks = Suite.all.flatMap(\.benchmarks) + TraceReport(replay: TraceReplay(trace: trace)).benchmarks
    for bar in Bar.all {
      XCTAssertEqual(bar.works(among: benchmarks).missing, [], bar.id)
      XCTAssertEqual(
        bar.shown.flatMap(\.ids).filter { id in !benchmarks.contains { $0.id == id } }, [], "shown by \(bar.id)")
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

  /// Answers only probes and introductions.
  private struct Probed: Workers {
    let value: Double?

    func perform<Task: WorkerTask>(_ task: Task) throws(Crash) -> Task.Answer {
      let test = SelfTest(ratio: Results.Ratio(median: 1, low: 1, high: 1))
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
    let counts = try check([bar(.instructions, .atMost, 1, of: ["Harness.queue"], at: [])], value: 0)
    XCTAssertEqual(
      counts.lines,
      ["a.bar  n/a         <= 1        needs valgrind", "0 held, 0 short, 0 need Peers, 1 need valgrind"])
    let short = try check(bars, value: 9)
    XCTAssertEqual(short.code, .fellShort)
    XCTAssertEqual(
      short.lines[0], "size   9.00 B      <= 8 B      short\n  at bytes beside the value, 16 bytes and 640")
    XCTAssertEqual(short.lines.last, "0 held, 1 short, 1 need Peers")
  }

  func testFilterThatMatchesNoBarIsAnError() {
    let console = Console(print: { _ in }, terminal: .plain, errorTerminal: .plain)
    XCTAssertThrowsError(try Bench.run(["check", "--filter", "cue"], on: console)) { error in
      XCTAssertEqual((error as? Failure)?.code, .usage)
    }
  }

  // MARK: Probes

  func testAdjoiningTypingOrDeletingIsOneRun() throws {
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

  func testGestureIsOneStepWithARecordForEachLeaf() {
    XCTAssertEqual(GestureCount(leaves: 1).steps, 1)
    XCTAssertEqual(GestureCount(leaves: 1).records, 1)
    XCTAssertEqual(GestureCount(leaves: 2).steps, 1)
    XCTAssertEqual(GestureCount(leaves: 2).records, 2)
  }

  func testDirtyableIsAWordLargerThanItsValue() {
    XCTAssertEqual(Probe.dirtyableSize.value(trace: nil), 8)
    XCTAssertNil(Probe.traceBytesOfARun.value(trace: nil))
  }
}
