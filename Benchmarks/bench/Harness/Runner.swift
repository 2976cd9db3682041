/// Measures cases one after the other, each in several processes, and tells of each.
///
/// A suite is gone through from its first case to its last, and then again, as often as there are processes: what
/// disturbs the machine for some seconds disturbs one process of a case, and not all of them. Cases whose processes do
/// not agree then go on alone, until they do or have had their most.
struct Runner<Measurers: Workers> {
  let kind: Results.Kind
  /// Nil when only memory is measured.
  let plan: Plan?
  /// How many processes measure each case: at least so many, and at most so many where they do not agree.
  var processes: ClosedRange<Int>
  /// By when all cases should be done; what remains of it is shared out among the cases to come.
  var budget: Duration?
  /// The recorded trace that the benchmark of traces replays.
  var trace: String?
  /// Counts instructions besides, where that was asked for and is possible.
  var instructions: InstructionCounter?
  let workers: Measurers

  private let clock = SuspendingClock()

  init(
    kind: Results.Kind, plan: Plan?, processes: ClosedRange<Int> = 1...1, budget: Duration? = nil, trace: String? = nil,
    workers: Measurers
  ) {
    self.kind = kind
    self.plan = plan
    self.processes = processes
    self.budget = budget
    self.trace = trace
    self.workers = workers
  }

  /// Measures all that is given; cases of one suite follow each other, and a benchmark's sizes ascend.
  func run(_ works: [Selection.Work], observer: inout some RunObserver) throws(Failure) -> Results {
    let start = clock.now
    let introduction: IntroductionTask.Answer
    do {
      introduction = try workers.perform(IntroductionTask())
    } catch {
      throw Failure(.invalidRun, "nothing can be measured: \(error.description)")
    }
    var results = Results(kind: kind, environment: introduction.environment, selfTest: introduction.selfTest)
    results.environment.arguments = Environment.current.arguments
    results.environment.processes = processes.lowerBound
    try observer.willStart(results)

    var residue = Sink.residue
    var outOfReach: [String: Int] = [:]
    var done = 0
    var expected = works.count * processes.lowerBound
    var first = 0
    while first < works.count {
      let suite = works[first...].prefix { $0.benchmark.suite == works[first].benchmark.suite }
      results.cases += suite.map { Results.Case($0.benchmark, size: $0.size) }
      for process in 0..<processes.upperBound {
        let pass = zip(suite.indices, suite).filter { index, _ in
          results.cases[index].problem == nil && (process < processes.lowerBound || !results.cases[index].isSettled)
        }
        if process >= processes.lowerBound { expected += pass.count }
        for (index, work) in pass {
          observer.willMeasure(work, process: process, done: done, of: max(expected, done + 1))
          done += 1
          let plan = plan.map { plan in
            let left = budget.map { max(.zero, $0 - start.duration(to: clock.now)) / max(1, expected - done + 1) }
            return plan.fitted(to: work.benchmark.state, size: work.size).limited(to: left ?? plan.timeLimit)
          }
          func key(_ contender: String) -> String { "\(work.benchmark.id) \(contender)" }
          let slow = work.benchmark.contenders.map(\.name).filter {
            outOfReach[key($0)].map { $0 < work.size ?? 1 } ?? false
          }
          let task = CaseTask(
            benchmark: work.benchmark.id, size: work.size, plan: plan, process: process, sittingOut: Set(slow),
            trace: trace)
          do throws(Crash) {
            let answer = try workers.perform(task)
            results.cases[index].add(answer.result, fullRounds: plan?.rounds)
            for contender in answer.cutOff {
              outOfReach[key(contender)] = min(work.size ?? 1, outOfReach[key(contender)] ?? .max)
            }
            residue = (residue &<< 1) ^ answer.residue
          } catch {
            results.cases[index].problem = "process \(process + 1): \(error.description)"
          }
          results.residue = String(residue, radix: 16)
          try observer.didMeasure(results)
        }
      }
      if let instructions {
        for (index, work) in zip(suite.indices, suite) where results.cases[index].problem == nil {
          for lane in results.cases[index].lanes.indices where results.cases[index].lanes[lane].time != nil {
            let contender = results.cases[index].lanes[lane].contender
            results.cases[index].lanes[lane].instructions = instructions.count(
              contender, of: work.benchmark, size: work.size)
          }
        }
      }
      results.growth = (results.growth ?? []) + Results.Growth.all(in: results.cases[suite.indices])
      try observer.didFinish(Array(results.cases[suite.indices]), in: results)
      first = suite.endIndex
    }
    return results
  }
}

/// Is told what happens while a runner runs.
protocol RunObserver {
  mutating func willStart(_ results: Results) throws(Failure)
  mutating func willMeasure(_ work: Selection.Work, process: Int, done: Int, of count: Int)
  /// After each process of each case.
  mutating func didMeasure(_ results: Results) throws(Failure)
  /// After the last process of a suite.
  mutating func didFinish(_ suite: [Results.Case], in results: Results) throws(Failure)
}
