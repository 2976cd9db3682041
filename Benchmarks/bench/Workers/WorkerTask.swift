import Foundation

/// What a worker process is asked to do: it gets one task, answers it, and ends.
protocol WorkerTask: Codable {
  associatedtype Answer: Codable

  /// What the worker knows the task by.
  static var name: String { get }

  func perform() -> Answer
}

/// Who does tasks.
protocol Workers {
  /// Throws when the worker ended without an answer.
  func perform<Task: WorkerTask>(_ task: Task) throws(Crash) -> Task.Answer
}

/// How a worker ended that gave no answer.
struct Crash: Error, Equatable {
  let reason: String
  /// What it wrote to standard error, the last of it.
  let output: String

  var description: String { output.isEmpty ? reason : "\(reason): \(output)" }
}

/// Where, and how well, the workers measure.
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
  /// Absent where n means nothing.
  var size: Int?
  /// Nil when only memory is measured.
  var plan: Plan?
  /// Counted from 0; each shuffles its rounds otherwise.
  var process = 0
  /// The fastest pace of the core that is known.
  var fastestPace: Double?
  /// Contenders that were too slow at a smaller size.
  var sittingOut: Set<String> = []
  /// The recorded trace that the benchmark replays, if it does.
  var trace: String?

  /// What is the same in every process is done by the first alone.
  var isFirst: Bool { process == 0 }

  struct Answer: Codable {
    var result: Results.Case
    /// Contenders for which larger sizes are out of reach.
    var cutOff: Set<String> = []
    /// The fastest pace of the core that was seen.
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

/// How often this process had to make way for another, although it had work to do.
private var interruptions: Int {
  var usage = rusage()
  let thisProcess: Int32 = 0  // RUSAGE_SELF, which is of another type in each C library.
  return unsafe getrusage(thisProcess, &usage) == 0 ? Int(usage.ru_nivcsw) : 0
}

extension Benchmark {
  /// The benchmark with an id; those that replay a recorded trace exist where there is one.
  static func named(_ id: String, trace: String? = nil) -> Benchmark? {
    let benchmarks = id.hasPrefix("Trace.") ? replaying(trace) : Suite.all.flatMap(\.benchmarks)
    return benchmarks.first { $0.id == id }
  }

  /// Those that replay a recorded trace; none where there is none.
  static func replaying(_ trace: String?) -> [Benchmark] {
    guard let trace = trace.flatMap({ try? EditingTrace(path: $0) }) else { return [] }
    return TraceReport(replay: TraceReplay(trace: trace)).benchmarks
  }
}
