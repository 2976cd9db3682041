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

  /// Whether the processes agree, and none was disturbed that counts: no ratio would gain much by another.
  var isSettled: Bool {
    lanes.allSatisfy { lane in
      !lane.marks.contains(.busy) && lane.ratio.map { $0.relativeWidth <= Results.Lane.settled } ?? true
    }
  }

  /// Takes in what one more process measured of this case.
  mutating func add(_ other: Results.Case) {
    problem = problem ?? other.problem
    for index in lanes.indices {
      let new = other.lanes[index]
      if let processes = new.processes { lanes[index].processes = (lanes[index].processes ?? []) + processes }
      lanes[index].memory = lanes[index].memory ?? new.memory
      lanes[index].marks = new.marks
    }
  }

  /// Says what its processes say together, as far as the fastest pace is known.
  ///
  /// - Parameter fullRounds: How many rounds each should have done.
  mutating func judge(fullRounds: Int, fastestPace: Double?) {
    for index in lanes.indices { lanes[index].judge(fullRounds: fullRounds, fastestPace: fastestPace) }
  }
}

extension Results.Process {
  /// What one process measured, an operation being `scale` units; nil without rounds.
  init?(_ times: TimingPass.Times, against subject: TimingPass.Times?, scale: Int = 1, interruptions: Int? = nil) {
    guard let sample = Sample(times.nanoseconds.map { $0 / Double(scale) }) else { return nil }
    self.init(
      median: sample.median.rounded5, medianAbsoluteDeviation: sample.medianAbsoluteDeviation.rounded5,
      ratio: subject.flatMap { Results.Ratio(of: $0, to: times) }, rounds: sample.count, operations: times.operations,
      interruptions: interruptions, disturbedRounds: times.disturbedRounds, pace: times.pace?.rounded5)
  }

  /// Whether nobody else used the core, as far as that is known.
  func isQuiet(fastestPace: Double?) -> Bool {
    guard let pace, let fastestPace else { return true }
    return pace <= Timepiece.shared * fastestPace
  }
}

extension Results.Ratio {
  /// What one process measured, round by round; nil without rounds, and where the subject took no time.
  init?(of subject: TimingPass.Times, to peer: TimingPass.Times) {
    let ratios = pairRatios(of: subject.nanoseconds, to: peer.nanoseconds)
    guard ratios.allSatisfy(\.isFinite), let sample = Sample(ratios) else { return nil }
    let interval = sample.medianInterval()
    self.init(
      median: sample.median.rounded5, low: interval.lowerBound.rounded5, high: interval.upperBound.rounded5)
  }

  /// What those of several processes say together; nil for none.
  ///
  /// A process is one observation, however many rounds it had: the rounds of one share a layout of memory.
  init?(_ processes: [Results.Ratio]) {
    guard let medians = Sample(processes.map(\.median)) else { return nil }
    self = processes[0]
    guard processes.count > 1 else { return }
    let interval = medians.bootstrapInterval()
    self.init(
      median: medians.median.rounded5, low: interval.lowerBound.rounded5, high: interval.upperBound.rounded5)
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
  /// How many processes count, however much they were disturbed.
  private static let fewestProcesses = 3

  /// From the fastest process to the slowest; nil where none is kept.
  var times: ClosedRange<Double>? { Sample((processes ?? []).map(\.median))?.range }

  /// From the lowest ratio of a process to the highest; nil where none is kept.
  var ratios: ClosedRange<Double>? { Sample((processes ?? []).compactMap(\.ratio?.median))?.range }

  /// Says what the processes say together, and marks what is doubtful about that.
  mutating func judge(fullRounds: Int, fastestPace: Double?) {
    guard let processes else { return }
    let counting = Self.leastDisturbed(processes, fastestPace)
    guard let medians = Sample(counting.map(\.median)),
      let deviations = Sample(counting.map(\.medianAbsoluteDeviation))
    else { return }
    let time = Results.Time(
      median: medians.median.rounded5, medianAbsoluteDeviation: deviations.median.rounded5)
    self.time = time
    ratio = Results.Ratio(counting.compactMap(\.ratio))
    marks = []
    if time.median < Self.implausible { marks.append(.optimisedAway) }
    if processes.contains(where: { 4 * $0.rounds < fullRounds }) { marks.append(.fewRounds) }
    let width = ratio?.relativeWidth ?? time.medianAbsoluteDeviation / time.median
    if !(width <= Self.unstable) { marks.append(.unstable) }
    let interrupted = counting.count { ($0.interruptions ?? 0) > $0.rounds / 2 }
    if 2 * interrupted > counting.count || !counting.allSatisfy({ $0.isQuiet(fastestPace: fastestPace) }) {
      marks.append(.busy)
    }
  }

  /// Those that were not disturbed, or, if these are too few, those that were the least.
  private static func leastDisturbed(_ processes: [Results.Process], _ fastestPace: Double?) -> [Results.Process] {
    let quiet = processes.filter { $0.isQuiet(fastestPace: fastestPace) }
    if quiet.count >= min(fewestProcesses, processes.count) { return quiet }
    return Array(processes.sorted { ($0.pace ?? 0) < ($1.pace ?? 0) }.prefix(fewestProcesses))
  }
}
