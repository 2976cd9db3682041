import Foundation

extension Results.Case {
  /// Nothing measured yet.
  init(_ benchmark: Benchmark, size: Int?) {
    self.init(
      suite: benchmark.suite, benchmark: benchmark.name, operation: benchmark.operation, unit: benchmark.unit,
      size: size, lanes: benchmark.contenders.map { Results.Lane(contender: $0) })
  }

  var id: String { "\(suite).\(benchmark)" }

  /// The id with the size, where there is one.
  var title: String { id + (size.map { " n=\(Format.grouped($0))" } ?? "") }

  /// Whether the processes agree: no ratio would gain much by another.
  var isSettled: Bool {
    lanes.allSatisfy { lane in lane.ratio.map { $0.relativeWidth <= Results.Lane.settled } ?? true }
  }

  /// Takes in what one more process measured of this case; `fullRounds` is how many rounds it should have done.
  mutating func add(_ other: Results.Case, fullRounds: Int?) {
    problem = problem ?? other.problem
    for index in lanes.indices {
      let new = other.lanes[index]
      lanes[index].time = Results.Time((lanes[index].time?.processes ?? []) + (new.time?.processes ?? []))
      lanes[index].ratio = Results.Ratio((lanes[index].ratio?.processes ?? []) + (new.ratio?.processes ?? []))
      lanes[index].memory = lanes[index].memory ?? new.memory
      lanes[index].marks = new.marks
      if let fullRounds { lanes[index].mark(fullRounds: fullRounds) }
    }
  }
}

extension Results.Time {
  /// What one process measured, an operation being `scale` units; nil without rounds.
  init?(_ times: TimingPass.Times, scale: Int = 1, interruptions: Int? = nil) {
    guard let sample = Sample(times.nanoseconds.map { $0 / Double(scale) }) else { return nil }
    self.init([
      Process(
        median: sample.median.rounded5, medianAbsoluteDeviation: sample.medianAbsoluteDeviation.rounded5,
        rounds: sample.count, operations: times.operations, interruptions: interruptions,
        disturbedRounds: times.disturbedRounds, isDisturbed: times.isDisturbed)
    ])
  }

  /// What all of these say together; nil for none.
  init?(_ processes: [Process]) {
    guard let medians = Sample(processes.map(\.median)),
      let deviations = Sample(processes.map(\.medianAbsoluteDeviation))
    else { return nil }
    self.init(
      median: medians.median.rounded5, medianAbsoluteDeviation: deviations.median.rounded5, processes: processes)
  }

  /// From the fastest process to the slowest.
  var range: ClosedRange<Double> { Sample(processes.map(\.median))?.range ?? median...median }
}

extension Results.Ratio {
  /// What one process measured, round by round; nil without rounds, and where the subject took no time.
  init?(of subject: TimingPass.Times, to peer: TimingPass.Times) {
    let ratios = pairRatios(of: subject.nanoseconds, to: peer.nanoseconds)
    guard ratios.allSatisfy(\.isFinite), let sample = Sample(ratios) else { return nil }
    let interval = sample.medianInterval()
    self.init([
      Results.Interval(
        median: sample.median.rounded5, low: interval.lowerBound.rounded5, high: interval.upperBound.rounded5)
    ])
  }

  /// What all of these say together; nil for none.
  ///
  /// A process is one observation, however many rounds it had: the rounds
  /// of one share a layout of memory.
  init?(_ processes: [Results.Interval]) {
    guard let medians = Sample(processes.map(\.median)) else { return nil }
    guard processes.count > 1 else {
      self.init(median: processes[0].median, low: processes[0].low, high: processes[0].high, processes: processes)
      return
    }
    let interval = medians.bootstrapInterval()
    self.init(
      median: medians.median.rounded5, low: interval.lowerBound.rounded5, high: interval.upperBound.rounded5,
      processes: processes)
  }
}

extension Double {
  /// Digits beyond the fifth are noise.
  fileprivate var rounded5: Double {
    guard isFinite, self != 0 else { return self }
    let unit = pow(10, floor(log10(abs(self))) - 4)
    return unit < 1 ? (self / unit).rounded() / (1 / unit).rounded() : (self / unit).rounded() * unit
  }
}

extension Results.Lane {
  /// Figures below this many nanoseconds an operation are not believed.
  static let implausible = 0.2
  /// Relative widths above this are called unstable.
  static let unstable = 0.1
  /// Relative widths above this call for one more process.
  static let settled = 0.05

  /// Judges the figures, and marks what is doubtful about them.
  mutating func mark(fullRounds: Int) {
    guard let time else { return }
    marks = []
    if time.median < Self.implausible { marks.append(.optimisedAway) }
    if time.processes.contains(where: { $0.rounds < fullRounds }) { marks.append(.fewRounds) }
    let width = ratio?.relativeWidth ?? time.medianAbsoluteDeviation / time.median
    if !(width <= Self.unstable) { marks.append(.unstable) }
    let disturbed = time.processes.count { $0.isDisturbed ?? false || ($0.interruptions ?? 0) > $0.rounds / 2 }
    if 2 * disturbed > time.processes.count { marks.append(.busy) }
  }
}
