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
      lanes[index].time = Results.Time((lanes[index].time?.processes ?? []) + (new.time?.processes ?? []))
      lanes[index].ratio = Results.Ratio((lanes[index].ratio?.processes ?? []) + (new.ratio?.processes ?? []))
      lanes[index].memory = lanes[index].memory ?? new.memory
      lanes[index].marks = new.marks
    }
  }

  /// Says anew what its processes say together, now that the fastest pace is known.
  ///
  /// - Parameter fullRounds: How many rounds each should have done.
  mutating func judge(fullRounds: Int, fastestPace: Double?) {
    for index in lanes.indices {
      guard let time = lanes[index].time else { continue }
      lanes[index].time = Results.Time(time.processes, fastestPace: fastestPace)
      lanes[index].ratio = lanes[index].ratio.flatMap { Results.Ratio($0.processes, fastestPace: fastestPace) }
      lanes[index].mark(fullRounds: fullRounds, fastestPace: fastestPace)
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
        disturbedRounds: times.disturbedRounds, pace: times.pace?.rounded5)
    ])
  }

  /// What all of these say together, but for those that were disturbed; nil for none.
  init?(_ processes: [Process], fastestPace: Double? = nil) {
    let counting = processes.leastDisturbed(fastestPace: fastestPace)
    guard let medians = Sample(counting.map(\.median)),
      let deviations = Sample(counting.map(\.medianAbsoluteDeviation))
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
        median: sample.median.rounded5, low: interval.lowerBound.rounded5, high: interval.upperBound.rounded5,
        pace: subject.pace?.rounded5)
    ])
  }

  /// What all of these say together, but for those that were disturbed; nil for none.
  ///
  /// A process is one observation, however many rounds it had: the rounds
  /// of one share a layout of memory.
  init?(_ processes: [Results.Interval], fastestPace: Double? = nil) {
    let counting = processes.leastDisturbed(fastestPace: fastestPace)
    guard let medians = Sample(counting.map(\.median)) else { return nil }
    guard counting.count > 1 else {
      self.init(median: counting[0].median, low: counting[0].low, high: counting[0].high, processes: processes)
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

  /// Marks what is doubtful about the figures.
  mutating func mark(fullRounds: Int, fastestPace: Double? = nil) {
    guard let time else { return }
    marks = []
    if time.median < Self.implausible { marks.append(.optimisedAway) }
    if time.processes.contains(where: { 4 * $0.rounds < fullRounds }) { marks.append(.fewRounds) }
    let width = ratio?.relativeWidth ?? time.medianAbsoluteDeviation / time.median
    if !(width <= Self.unstable) { marks.append(.unstable) }
    let counting = time.processes.leastDisturbed(fastestPace: fastestPace)
    let interrupted = counting.count { ($0.interruptions ?? 0) > $0.rounds / 2 }
    if 2 * interrupted > counting.count || !counting.allSatisfy({ $0.isQuiet(fastestPace: fastestPace) }) {
      marks.append(.busy)
    }
  }
}
