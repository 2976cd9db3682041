import Foundation
import XCTest

@testable import bench

/// How tasks are given to worker processes, and what happens when a worker ends early.
final class WorkerTests: XCTestCase {
  /// Gives prepared answers, without measuring.
  private struct Told: Workers {
    var seen: (CaseTask) -> Void = { _ in }
    var crashes: (CaseTask) -> Bool = { _ in false }
    var cutOff: (CaseTask) -> Set<String> = { _ in [] }
    var ratio: (CaseTask) -> Double = { Double($0.process + 2) }
    var pace: (CaseTask) -> Double? = { _ in nil }

    func perform<Task: WorkerTask>(_ task: Task) throws(Crash) -> Task.Answer {
      if let task = task as? CaseTask {
        seen(task)
        if crashes(task) { throw Crash(reason: "the worker was ended by signal 4", output: "Fatal error: no") }
        guard let answer = answer(task) as? Task.Answer else { preconditionFailure("A case has an answer") }
        return answer
      }
      let test = SelfTest(ratio: Results.Ratio(median: 1, low: 1, high: 1))
      guard let answer = IntroductionTask.Answer(environment: .current, selfTest: test) as? Task.Answer else {
        throw Crash(reason: "not told", output: "")
      }
      return answer
    }

    private func answer(_ task: CaseTask) -> CaseTask.Answer {
      guard let benchmark = Benchmark.named(task.benchmark) else { preconditionFailure("No \(task.benchmark)") }
      var result = Results.Case(benchmark, size: task.size)
      for index in result.lanes.indices where !task.sittingOut.contains(result.lanes[index].contender.name) {
        let value = index == 0 ? 1 : ratio(task)
        let ratio = index == 0 ? nil : Results.Ratio(median: value, low: value, high: value)
        result.lanes[index].processes = [
          .init(
            median: 10 * value, medianAbsoluteDeviation: 0.1, ratio: ratio, rounds: 60, operations: 1,
            pace: pace(task))
        ]
      }
      return CaseTask.Answer(result: result, cutOff: cutOff(task), fastestPace: pace(task), residue: 1)
    }
  }

  private struct Listener: RunObserver {
    var savings: [Results] = []
    var suites: [String] = []

    mutating func willStart(_: Results) {}
    mutating func willMeasure(_: Selection.Work, process: Int, done: Int, of _: Int) {}
    mutating func didMeasure(_ results: Results) { savings.append(results) }
    mutating func didFinish(_ suite: [Results.Case], in _: Results) {
      suites += suite.map { "\($0.title) \($0.lanes[0].processes?.count ?? 0)" }
    }
  }

  private func works(_ id: String, _ sizes: Int...) throws -> [Selection.Work] {
    let benchmark = try XCTUnwrap(Benchmark.named(id))
    return sizes.map { Selection.Work(benchmark: benchmark, size: $0) }
  }

  private func run(_ workers: Told, _ works: [Selection.Work], processes: ClosedRange<Int> = 3...3) throws -> (
    Results, Listener
  ) {
    var listener = Listener()
    let runner = Runner(kind: .full, plan: .full, processes: processes, workers: workers)
    return (try runner.run(works, observer: &listener), listener)
  }

  // MARK: Several processes

  func testEachProcessMeasuresTheWholeSuiteBeforeTheNext() throws {
    var order: [String] = []
    let workers = Told(seen: { order.append("\($0.process) n=\($0.size ?? 0)") })
    let (results, listener) = try run(workers, works("Harness.queue", 16, 64))
    XCTAssertEqual(order, ["0 n=16", "0 n=64", "1 n=16", "1 n=64", "2 n=16", "2 n=64"])
    XCTAssertEqual(listener.suites, ["Harness.queue n=16 3", "Harness.queue n=64 3"])
    XCTAssertEqual(results.environment.processes, 3)
  }

  func testRatioIsTheMedianOverProcesses() throws {
    let (results, _) = try run(Told(), works("Harness.queue", 16), processes: 5...5)
    let lane = results.cases[0].lanes[1]
    XCTAssertEqual(lane.processes?.map(\.ratio?.median), [2, 3, 4, 5, 6])
    XCTAssertEqual(lane.ratio?.median, 4)
    XCTAssertEqual(lane.ratios, 2...6)
    XCTAssertEqual(results.cases[0].lanes[1].marks, [.unstable], "the mark follows from all processes together")
  }

  func testCasesWhoseProcessesDisagreeGetMoreProcesses() throws {
    // At size 16 all processes from the third on agree. At the larger sizes none agree.
    let workers = Told(ratio: { $0.size == 16 ? ($0.process < 2 ? 3 + Double($0.process) : 3) : Double($0.process + 2) }
    )
    let (results, listener) = try run(workers, works("Harness.queue", 16, 64, 256), processes: 2...9)
    XCTAssertEqual(results.environment.processes, 2)
    let counts = results.cases.map { $0.lanes[1].processes?.count ?? 0 }
    XCTAssertGreaterThan(counts[0], 2)
    XCTAssertLessThan(counts[0], 9)
    XCTAssertEqual(counts[1...], [9, 9])
    XCTAssertEqual(listener.savings.count, counts.reduce(0, +))
  }

  func testCasesWhoseProcessesAgreeGetNoMoreProcesses() throws {
    let (results, _) = try run(
      Told(ratio: { 3 + Double($0.process) / 100 }), works("Harness.queue", 16), processes: 5...9)
    XCTAssertEqual(results.cases[0].lanes[1].processes?.count, 5)
  }

  func testProcessesOnASharedCoreDoNotCount() throws {
    var known: [Double?] = []
    // The second, third and fifth process are disturbed. For the second and third this shows only after the fourth.
    let workers = Told(
      seen: { known.append($0.fastestPace) }, ratio: { [4.0, 2, 2, 4.1, 2][$0.process % 5] },
      pace: { [21.0, 30, 30, 20, 30][$0.process % 5] })
    let (results, _) = try run(workers, works("Harness.queue", 16), processes: 5...9)
    XCTAssertEqual(known, [nil, 21, 21, 21, 20, 20])
    let lane = results.cases[0].lanes[1]
    XCTAssertEqual(lane.processes?.map(\.ratio?.median), [4, 2, 2, 4.1, 2, 4], "one more process, so that three count")
    XCTAssertEqual(lane.ratio?.median, 4)
    XCTAssertEqual(lane.time?.median, 40)
    XCTAssertEqual(lane.marks, [])
  }

  func testLeastDisturbedProcessesCountWhenAllAreDisturbed() throws {
    let workers = Told(ratio: { $0.process == 0 ? 4 : 2 }, pace: { $0.process == 0 ? 20 : 30 + Double($0.process) })
    let (results, _) = try run(workers, works("Harness.queue", 16), processes: 2...5)
    let lane = results.cases[0].lanes[1]
    XCTAssertEqual(lane.processes?.count, 5)
    XCTAssertEqual(lane.ratio?.median, 2)
    XCTAssertTrue(lane.marks.contains(.busy))
  }

  func testSlowContenderSitsOutLargerSizesInEveryProcess() throws {
    var sittingOut: [String] = []
    let workers = Told(
      seen: { sittingOut.append("\($0.process) n=\($0.size ?? 0) \($0.sittingOut.sorted())") },
      cutOff: { $0.size == 64 ? ["Array firstIndex"] : [] })
    let (results, _) = try run(workers, works("Harness.queue", 16, 64, 256), processes: 2...2)
    XCTAssertEqual(
      sittingOut,
      [
        "0 n=16 []", "0 n=64 []", #"0 n=256 ["Array firstIndex"]"#, "1 n=16 []", "1 n=64 []",
        #"1 n=256 ["Array firstIndex"]"#,
      ])
    XCTAssertNil(results.cases[2].lanes[1].time)
  }

  // MARK: Crashes

  func testCrashIsReportedWithItsCaseAndLosesNothing() throws {
    let workers = Told(crashes: { $0.process == 1 && $0.size == 64 })
    let (results, listener) = try run(workers, works("Harness.queue", 16, 64, 256))
    XCTAssertEqual(
      results.problems,
      ["Harness.queue n=64: process 2: the worker was ended by signal 4: Fatal error: no"])
    XCTAssertEqual(results.cases.map { $0.lanes[0].processes?.count }, [3, 1, 3])
    XCTAssertEqual(listener.savings.count, 3 + 3 + 2, "a case that crashed is not tried again")
    XCTAssertEqual(listener.savings[2].cases.map { $0.lanes[0].processes?.count }, [1, 1, 1])
  }

  func testRunWithACrashIsInvalid() throws {
    var output = ""
    let console = Console(print: { output += $0 + "\n" }, terminal: .plain, errorTerminal: .plain)
    var settings = MeasuringCommand.Settings(kind: .full)
    settings.selection.suites = ["Harness"]
    settings.selection.sizes = [16]
    settings.workers.processes = 1
    XCTAssertEqual(try MeasuringCommand.run(settings, workers: Told(), on: console), .success)
    let code = try MeasuringCommand.run(settings, workers: Told(crashes: { $0.size == 16 }), on: console)
    XCTAssertEqual(code, .invalidRun)
    XCTAssertTrue(output.contains("INVALID: Harness.queue n=16: process 1: the worker was ended by signal 4"))
  }

  // MARK: Real processes

  /// A shell script in place of the worker, to simulate every way to fail.
  private func shell(_ script: String) -> WorkerProcesses {
    WorkerProcesses(executable: URL(fileURLWithPath: "/bin/sh"), arguments: ["-c", script])
  }

  private func crash(_ script: String) -> Crash? {
    do throws(Crash) {
      _ = try shell(script).perform(ProbeTask(probe: .dirtyableSize))
      return nil
    } catch {
      return error
    }
  }

  func testAnswerIsTheLastLineOfTheOutput() throws {
    XCTAssertEqual(
      try shell(#"cat >/dev/null; echo noise; echo '{"value":8}'"#).perform(ProbeTask(probe: .dirtyableSize)).value, 8)
  }

  func testFailedWorkerIsReportedWithItsErrorOutput() {
    XCTAssertEqual(
      crash("echo 'Fatal error: gone' >&2; kill -ILL $$"),
      Crash(reason: "the worker was ended by signal 4", output: "Fatal error: gone"))
    XCTAssertEqual(crash("exit 3"), Crash(reason: "the worker exited with 3", output: ""))
    XCTAssertEqual(crash("echo nonsense"), Crash(reason: "the worker gave no answer", output: ""))
    let missing = WorkerProcesses(executable: URL(fileURLWithPath: "/nonexistent/bench"))
    XCTAssertThrowsError(try missing.perform(ProbeTask(probe: .dirtyableSize)))
  }

  func testParentFixesHashingUnlessAskedNotTo() throws {
    let script = #"cat >/dev/null; echo "{\"value\":${SWIFT_DETERMINISTIC_HASHING:-0}}""#
    var workers = shell(script)
    XCTAssertEqual(try workers.perform(ProbeTask(probe: .dirtyableSize)).value, 1)
    workers.isRandomised = true
    XCTAssertEqual(try workers.perform(ProbeTask(probe: .dirtyableSize)).value, 0)
  }

  func testParentPassesTheSeedToItsWorkers() throws {
    var workers = shell(#"cat >/dev/null; echo "{\"value\":$BENCH_SEED}""#)
    XCTAssertEqual(try workers.perform(ProbeTask(probe: .dirtyableSize)).value, 0)
    workers.seed = 7
    XCTAssertEqual(try workers.perform(ProbeTask(probe: .dirtyableSize)).value, 7)
    XCTAssertEqual(SplitMix64.seedOfTheRun, 0, "the seed of a test run is 0")
  }

  func testWorkerAnswersATaskInOneLine() throws {
    let answer = try WorkerCommand.answer(ProbeTask.self, JSONEncoder().encode(ProbeTask(probe: .dirtyableSize)))
    XCTAssertEqual(try JSONDecoder().decode(ProbeTask.Answer.self, from: answer).value, 8)
    XCTAssertFalse(answer.contains(UInt8(ascii: "\n")))
    XCTAssertThrowsError(try WorkerCommand.answer(ProbeTask.self, Data("{}".utf8))) { error in
      XCTAssertEqual(error as? Failure, Failure(.dataError, "the input is not a task named probe"))
    }
  }

  func testCaseTaskMeasuresItsCase() throws {
    let plan = Plan(rounds: 4, roundsOnAState: 4, warmUpRounds: 0, fewestRounds: 4, batch: .zero, timeLimit: .zero)
    var task = CaseTask(benchmark: "Harness.queue", size: 16, plan: plan, sittingOut: ["Array firstIndex"])
    let first = task.perform().result
    XCTAssertEqual(first.lanes[0].processes?.map(\.rounds), [4])
    XCTAssertEqual(first.lanes[1].marks, [.cutOff])
    XCTAssertEqual(first.lanes[0].memory != nil, MemoryPass.isSupported)
    task.process = 1
    XCTAssertNil(task.perform().result.lanes[0].memory, "counted once: it is the same in every process")
  }

  // MARK: Instructions

  func testInstructionsAreReadFromTheCallgrindLog() {
    XCTAssertEqual(
      InstructionCounter.collected(in: "==1== \n==1== Events    : Ir\n==1== Collected : 17782235\n"), 17_782_235)
    XCTAssertNil(InstructionCounter.collected(in: "==1== Events : Ir"))
  }

  func testInstructionsAreTheDifferenceBetweenTwoOperationCounts() {
    func operations(_ state: Benchmark.StatePolicy, unit: Benchmark.Unit = .operation, size: Int? = nil) -> Range<Int> {
      let suite = Suite("S") { suite in
        suite.benchmark("b", "something", unit: unit, state: state, input: { $0 }) { race in
          race.subject("Mine", setUp: { $0 }, run: { _, _, _ in 0 })
        }
      }
      return InstructionCounter.operations(of: suite.benchmarks[0], size: size)
    }
    XCTAssertEqual(operations(.kept), 1024..<2048)
    XCTAssertEqual(operations(.fresh(upTo: 10)), 5..<10)
    XCTAssertEqual(operations(.fresh(upTo: 1)), 0..<1, "a state that does one operation is set up alone, and does one")
    XCTAssertEqual(operations(.kept, unit: .element, size: 512), 2..<4)
    XCTAssertEqual(operations(.kept, unit: .element, size: 65_536), 1..<2)
  }
}
