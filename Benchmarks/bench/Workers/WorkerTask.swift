import Foundation

/// A task for a worker process.
///
/// A worker receives one task, answers it, and ends.
protocol WorkerTask: Codable {
  associatedtype Answer: Codable

  /// The name that identifies the type of task.
  static var name: String { get }

  func perform() -> Answer
}

/// A type that performs tasks.
protocol Workers {
  /// Performs a task. Throws if the worker ended without an answer.
  func perform<Task: WorkerTask>(_ task: Task) throws(Crash) -> Task.Answer
}

/// The failure of a worker that gave no answer.
struct Crash: Error, Equatable {
  let reason: String
  /// The worker's standard error, or a part of it.
  let output: String

  var description: String { output.isEmpty ? reason : "\(reason): \(output)" }
}

/// Returns the environment of the workers and the result of their self-test.
struct IntroductionTask: WorkerTask {
  static let name = "introduction"

  struct Answer: Codable {
    var environment: Environment
    var selfTest: SelfTest
    var fastestPace: Double?
  }

  func perform() -> Answer {
    Answer(
      environment: .current, selfTest: .run(), fastestPace: Timepiece.machine.fastestPace(of: 2000))
  }
}

/// Measures a case in one process.
struct CaseTask: WorkerTask {
  static let name = "case"

  var benchmark: String
  /// Absent if the benchmark has no n.
  var size: Int?
  /// Nil if only memory is measured.
  var plan: Plan?
  /// The number of the process, counted from 0.
  ///
  /// Each shuffles its rounds differently.
  var process = 0
  /// The fastest known pace of the core.
  var fastestPace: Double?
  /// Contenders that were too slow at a smaller size.
  var sittingOut: Set<String> = []
  /// The recorded trace, for a benchmark that replays one.
  var trace: String?

  /// Whether this is the first process, which alone does what is the same in every process.
  var isFirst: Bool { process == 0 }

  struct Answer: Codable {
    var result: Results.Case
    /// Contenders that are too slow for larger sizes.
    var cutOff: Set<String> = []
    /// The fastest pace of the core that was measured.
    var fastestPace: Double?
    var residue: UInt
  }

  func perform() -> Answer {
    guard let benchmark = Benchmark.named(self.benchmark, trace: trace) else {
      preconditionFailure("The worker knows no benchmark \(self.benchmark)")
    }
    return perform(benchmark)
  }

  func perform(_ benchmark: Benchmark) -> Answer {
    var answer = Answer(result: Results.Case(benchmark, size: size), residue: 0)
    defer { answer.residue = Sink.residue }
    let n = size ?? 1
    let all = benchmark.makeLanes(n)
    let running = all.indices.filter { !sittingOut.contains(all[$0].contender.name) }
    for index in all.indices where !running.contains(index) { answer.result.lanes[index].marks.append(.cutOff) }

    if isFirst, let disagreement = Agreement.disagreement(among: running.map { all[$0] }, of: benchmark) {
      answer.result.problem = disagreement
      return answer
    }
    if let plan {
      var pass = TimingPass(plan: plan, seed: UInt64(process + 1), fastestPace: fastestPace ?? .infinity)
      let before = interruptions
      let times = Dictionary(
        uniqueKeysWithValues: zip(running, pass.measure(running.map { all[$0] }, state: benchmark.state)))
      let interruptions = interruptions - before
      answer.fastestPace = pass.fastestPace
      for (index, lane) in times {
        let process = Results.Process(
          lane, against: index > 0 ? times[0] : nil, scale: benchmark.unit == .element ? n : 1,
          interruptions: interruptions)
        answer.result.lanes[index].processes = process.map { [$0] }
        if lane.isCutOff { answer.cutOff.insert(all[index].contender.name) }
      }
      answer.result.judge(fullRounds: plan.rounds, fastestPace: pass.fastestPace)
    }
    if isFirst {
      for index in running {
        answer.result.lanes[index].memory = MemoryPass.measure(all[index], of: benchmark, size: n)
      }
    }
    return answer
  }
}

/// How often this process was preempted.
private var interruptions: Int {
  var usage = rusage()
  let thisProcess: Int32 = 0  // RUSAGE_SELF, whose type differs between C libraries.
  return unsafe getrusage(thisProcess, &usage) == 0 ? Int(usage.ru_nivcsw) : 0
}

extension Benchmark {
  /// The benchmark with an id.
  ///
  /// Benchmarks that replay a recorded trace exist only if a trace is given.
  static func named(_ id: String, trace: String? = nil) -> Benchmark? {
    let benchmarks = id.hasPrefix("Trace.") ? replaying(trace) : Suite.all.flatMap(\.benchmarks)
    return benchmarks.first { $0.id == id }
  }

  /// The benchmarks that replay a recorded trace.
  ///
  /// Empty without a trace.
  static func replaying(_ trace: String?) -> [Benchmark] {
    guard let trace = trace.flatMap({ try? EditingTrace(path: $0) }) else { return [] }
    return TraceReport(replay: TraceReplay(trace: trace)).benchmarks
  }
}
