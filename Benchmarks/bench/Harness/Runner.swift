/// Measures cases one after another, each in several processes, and reports each of them.
///
/// Each process measures all cases of a suite before the next process starts. A disturbance of some seconds therefore
/// affects only one process of a case. Cases whose processes disagree get more processes, until they agree or the
/// maximum is reached.
struct Runner<Measurers: Workers> {
  let kind: Results.Kind
  /// Nil if only memory is measured.
  let plan: Plan?
  /// How many processes measure each case: the lower bound if they agree, at most the upper bound if they don't.
  var processes: ClosedRange<Int>
  /// The time for all cases.
  ///
  /// The remaining time is divided among the remaining cases.
  var budget: Duration?
  /// The recorded trace that the benchmarks of traces replay.
  var trace: String?
  /// Counts instructions, if requested and possible.
  var instructions: InstructionCounter?
  /// Whether to count the instructions of a contender of a case.
  var countsInstructions: (Results.Case, Contender) -> Bool = { _, _ in true }
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

  /// Measures all cases.
  ///
  /// Those of one suite must follow each other, with the sizes of a benchmark in ascending order.
  func run(_ works: [Selection.Work], observer: inout some RunObserver) throws(Failure) -> Results {
    let introduction: IntroductionTask.Answer
    do {
      introduction = try workers.perform(IntroductionTask())
    } catch {
      throw Failure(.invalidRun, "nothing can be measured: \(error.description)")
    }
    var results = Results(
      kind: kind, environment: introduction.environment, selfTest: introduction.selfTest,
      fastestPace: introduction.fastestPace)
    results.environment.arguments = Environment.current.arguments
    results.environment.processes = processes.lowerBound
    try observer.willStart(results)

    var state = State(start: clock.now, expected: works.count * processes.lowerBound)
    var first = 0
    while first < works.count {
      let suite = works[first...].prefix { $0.benchmark.suite == works[first].benchmark.suite }
      try run(suite, results: &results, state: &state, observer: &observer)
      first = suite.endIndex
    }
    return results
  }

  /// The progress of a run.
  private struct State {
    let start: SuspendingClock.Instant
    /// The number of measurements that are done, and the total.
    var done = 0
    var expected: Int
    /// The smallest size at which each contender of a benchmark was too slow.
    var outOfReach: [String: Int] = [:]
    var residue = Sink.residue
  }

  /// Measures the cases of one suite, which have the same indices as their results.
  private func run(
    _ suite: ArraySlice<Selection.Work>, results: inout Results, state: inout State,
    observer: inout some RunObserver
  ) throws(Failure) {
    results.cases += suite.map { Results.Case($0.benchmark, size: $0.size) }
    for process in 0..<processes.upperBound {
      let isExtra = process >= processes.lowerBound
      let pass = suite.indices.filter { results.cases[$0].problem == nil && !(isExtra && results.cases[$0].isSettled) }
      if isExtra { state.expected += pass.count }
      for index in pass {
        observer.willMeasure(
          suite[index], process: process, done: state.done, of: max(state.expected, state.done + 1))
        measure(suite[index], process: process, as: index, results: &results, state: &state)
        try observer.didMeasure(results)
      }
    }
    for index in suite.indices { judge(suite[index], as: index, in: &results) }
    if let instructions { count(instructions, suite, results: &results) }
    results.growth = (results.growth ?? []) + Results.Growth.all(in: results.cases[suite.indices])
    try observer.didFinish(Array(results.cases[suite.indices]), in: results)
  }

  /// Measures a case in another process.
  private func measure(
    _ work: Selection.Work, process: Int, as index: Int, results: inout Results, state: inout State
  ) {
    state.done += 1
    let plan = fitted(to: work).map { plan in
      let left = budget.map {
        max(.zero, $0 - state.start.duration(to: clock.now)) / max(1, state.expected - state.done + 1)
      }
      return plan.limited(to: left ?? plan.timeLimit)
    }
    func key(_ contender: String) -> String { "\(work.benchmark.id) \(contender)" }
    let slow = work.benchmark.contenders.map(\.name).filter {
      state.outOfReach[key($0)].map { $0 < work.size ?? 1 } ?? false
    }
    let task = CaseTask(
      benchmark: work.benchmark.id, size: work.size, plan: plan, process: process, fastestPace: results.fastestPace,
      sittingOut: Set(slow), trace: trace)
    do throws(Crash) {
      let answer = try workers.perform(task)
      results.fastestPace = [results.fastestPace, answer.fastestPace].compactMap(\.self).min()
      results.cases[index].add(answer.result)
      judge(work, as: index, in: &results)
      for contender in answer.cutOff {
        state.outOfReach[key(contender)] = min(work.size ?? 1, state.outOfReach[key(contender)] ?? .max)
      }
      state.residue = (state.residue &<< 1) ^ answer.residue
    } catch {
      results.cases[index].problem = "process \(process + 1): \(error.description)"
    }
    results.residue = String(state.residue, radix: 16)
  }

  private func fitted(to work: Selection.Work) -> Plan? { plan?.fitted(to: work.benchmark.state, size: work.size) }

  private func judge(_ work: Selection.Work, as index: Int, in results: inout Results) {
    guard let plan = fitted(to: work) else { return }
    results.cases[index].judge(fullRounds: plan.rounds, fastestPace: results.fastestPace)
  }

  private func count(_ counter: InstructionCounter, _ suite: ArraySlice<Selection.Work>, results: inout Results) {
    for index in suite.indices where results.cases[index].problem == nil {
      for lane in results.cases[index].lanes.indices where results.cases[index].lanes[lane].time != nil {
        let contender = results.cases[index].lanes[lane].contender
        guard countsInstructions(results.cases[index], contender) else { continue }
        results.cases[index].lanes[lane].instructions = counter.count(
          contender, of: suite[index].benchmark, size: suite[index].size, trace: trace)
      }
    }
  }
}

/// Observes the progress of a runner.
protocol RunObserver {
  mutating func willStart(_ results: Results) throws(Failure)
  mutating func willMeasure(_ work: Selection.Work, process: Int, done: Int, of count: Int)
  /// Called after each process of each case.
  mutating func didMeasure(_ results: Results) throws(Failure)
  /// Called after the last process of a suite.
  mutating func didFinish(_ suite: [Results.Case], in results: Results) throws(Failure)
}
