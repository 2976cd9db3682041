/// Measures cases one after the other, and tells of each.
struct Runner {
  let kind: Results.Kind
  /// Nil when only memory is measured.
  let plan: Plan?
  /// By when all cases should be done; what remains of it is shared out among the cases to come.
  var budget: Duration?

  private let clock = SuspendingClock()

  init(kind: Results.Kind, plan: Plan?, budget: Duration? = nil) {
    self.kind = kind
    self.plan = plan
    self.budget = budget
  }

  /// What happens while it runs.
  protocol Observer {
    mutating func willStart(_ results: Results) throws(Failure)
    mutating func willMeasure(_ benchmark: Benchmark, size: Int?, number: Int, of count: Int)
    mutating func didMeasure(_ case: Results.Case, in results: Results) throws(Failure)
  }

  /// Measures all that is selected.
  func run(_ selection: Selection, observer: inout some Observer) throws(Failure) -> Results {
    let start = clock.now
    let works = try selection.cases(quickly: kind != .full)
    var results = Results(kind: kind, environment: .current, selfTest: .run())
    try observer.willStart(results)
    var sittingOut: Set<String> = []
    for (number, work) in works.enumerated() {
      observer.willMeasure(work.benchmark, size: work.size, number: number, of: works.count)
      let plan = plan.map { plan in
        let left = budget.map { max(.zero, $0 - start.duration(to: clock.now)) / (works.count - number) }
        return plan.limited(to: left ?? plan.timeLimit)
      }
      let result = measure(work.benchmark, size: work.size, plan: plan, sittingOut: &sittingOut)
      results.cases.append(result)
      results.residue = String(Sink.residue, radix: 16)
      try observer.didMeasure(result, in: results)
    }
    return results
  }

  private func measure(_ benchmark: Benchmark, size: Int?, plan: Plan?, sittingOut: inout Set<String>) -> Results.Case {
    var result = Results.Case(
      suite: benchmark.suite, benchmark: benchmark.name, operation: benchmark.operation, unit: benchmark.unit,
      size: size, lanes: benchmark.contenders.map { Results.Lane(contender: $0) })
    func key(_ contender: Contender) -> String { "\(benchmark.id) \(contender.name)" }

    let n = size ?? 1
    let all = benchmark.makeLanes(n)
    let running = all.indices.filter { !sittingOut.contains(key(all[$0].contender)) }
    for index in all.indices where !running.contains(index) { result.lanes[index].marks.append(.cutOff) }

    if let disagreement = Self.disagreement(among: running.map { all[$0] }, of: benchmark) {
      result.problem = disagreement
      return result
    }
    if let plan {
      var pass = TimingPass(plan: plan)
      let times = Dictionary(
        uniqueKeysWithValues: zip(running, pass.measure(running.map { all[$0] }, state: benchmark.state)))
      for (index, lane) in times {
        result.lanes[index].time = Results.Time(lane, scale: benchmark.unit == .element ? n : 1)
        if index > 0, let subject = times[0] { result.lanes[index].ratio = Results.Ratio(of: subject, to: lane) }
        result.lanes[index].mark(fullRounds: plan.rounds)
        if lane.isCutOff { sittingOut.insert(key(all[index].contender)) }
      }
    }
    for index in running {
      result.lanes[index].memory = MemoryPass.measure(all[index], of: benchmark, size: n)
    }
    return result
  }

  /// Lets every lane do the same few operations; those that see something else are not doing the same work.
  static func disagreement(among lanes: [any Lane], of benchmark: Benchmark) -> String? {
    // Few, since a snapshot of something large may be kept for each.
    var operations = benchmark.unit == .element ? 1 : 16
    if case .fresh(let limit) = benchmark.state { operations = min(operations, limit) }
    let digests = lanes.map { lane in
      lane.renew()
      defer { lane.clear() }
      return lane.run(operations)
    }
    guard let index = digests.firstIndex(where: { $0 != digests[0] }) else { return nil }
    return "\(lanes[0].contender.name) and \(lanes[index].contender.name) do not see the same: "
      + "\(digests[0]) and \(digests[index]) after \(operations) operations"
  }
}
