import Foundation

extension Results.Case {
  /// Makes a case without figures.
  init(_ benchmark: Benchmark, size: Int?) {
    self.init(
      suite: benchmark.suite, benchmark: benchmark.name, operation: benchmark.operation, unit: benchmark.unit,
      size: size, lanes: benchmark.contenders.map { Results.Lane(contender: $0) })
  }

  var id: String { "\(suite).\(benchmark)" }

  /// The id, with the size if there is one.
  var title: String { id + (size.map { " n=\(Format.grouped($0))" } ?? "") }

  /// Whether the processes agree and those that count were undisturbed, so that another process would not improve a
  /// ratio much.
  var isSettled: Bool {
    lanes.allSatisfy { lane in
      !lane.marks.contains(.busy) && lane.ratio.map { $0.relativeWidth <= Results.Lane.settled } ?? true
    }
  }

  /// Adds the figures of another process.
  mutating func add(_ other: Results.Case) {
    problem = problem ?? other.problem
    for index in lanes.indices {
      let new = other.lanes[index]
      if let processes = new.processes { lanes[index].processes = (lanes[index].processes ?? []) + processes }
      lanes[index].memory = lanes[index].memory ?? new.memory
      lanes[index].marks = new.marks
    }
  }

  /// Combines the figures of the processes.
  ///
  /// - Parameter fullRounds: The number of rounds that each process should have done.
  mutating func judge(fullRounds: Int, fastestPace: Double?) {
    for index in lanes.indices { lanes[index].judge(fullRounds: fullRounds, fastestPace: fastestPace) }
  }
}

extension Results.Process {
  /// Makes the figures of one process, whose operations have `scale` units each.
  ///
  /// Nil without rounds.
  init?(_ times: TimingPass.Times, against subject: TimingPass.Times?, scale: Int = 1, interruptions: Int? = nil) {
    guard let sample = Sample(times.nanoseconds.map { $0 / Double(scale) }) else { return nil }
    self.init(
      median: sample.median.rounded5, medianAbsoluteDeviation: sample.medianAbsoluteDeviation.rounded5,
      ratio: subject.flatMap { Results.Ratio(of: $0, to: times) }, rounds: sample.count, operations: times.operations,
      interruptions: interruptions, disturbedRounds: times.disturbedRounds, pace: times.pace?.rounded5)
  }

  /// Whether no other program used the core, as far as known.
  func isQuiet(fastestPace: Double?) -> Bool {
    guard let pace, let fastestPace else { return true }
    return pace <= Timepiece.shared * fastestPace
  }
}

extension Results.Ratio {
  /// Makes the ratio of one process from its rounds.
  ///
  /// Nil without rounds, or if the subject took no time.
  init?(of subject: TimingPass.Times, to peer: TimingPass.Times) {
    let ratios = pairRatios(of: subject.nanoseconds, to: peer.nanoseconds)
    guard ratios.allSatisfy(\.isFinite), let sample = Sample(ratios) else { return nil }
    let interval = sample.medianInterval()
    self.init(
      median: sample.median.rounded5, low: interval.lowerBound.rounded5, high: interval.upperBound.rounded5)
  }

  /// Combines the ratios of several processes.
  ///
  /// Nil if there are none.
  ///
  /// A process is one observation, however many rounds it had, because its rounds share one memory layout.
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
  /// Figures below this many nanoseconds per operation are implausible.
  static let implausible = 0.2
  /// Figures with a relative width above this are marked as unstable.
  static let unstable = 0.1
  /// Figures with a relative width above this need another process.
  static let settled = 0.05
  /// The minimum number of processes that count, even if they were disturbed.
  private static let fewestProcesses = 3

  /// The range from the fastest process to the slowest.
  ///
  /// Nil without processes, as in a kept run.
  var times: ClosedRange<Double>? { Sample((processes ?? []).map(\.median))?.range }

  /// The range from the lowest ratio of a process to the highest.
  ///
  /// Nil without processes, as in a kept run.
  var ratios: ClosedRange<Double>? { Sample((processes ?? []).compactMap(\.ratio?.median))?.range }

  /// Combines the figures of the processes, and marks doubtful ones.
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

  /// The undisturbed processes or, if there are too few, the least disturbed ones.
  private static func leastDisturbed(_ processes: [Results.Process], _ fastestPace: Double?) -> [Results.Process] {
    let quiet = processes.filter { $0.isQuiet(fastestPace: fastestPace) }
    if quiet.count >= min(fewestProcesses, processes.count) { return quiet }
    return Array(processes.sorted { ($0.pace ?? 0) < ($1.pace ?? 0) }.prefix(fewestProcesses))
  }
}
