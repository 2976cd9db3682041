/// What one invocation measured: what is written as JSON, and what tables are printed from.
///
/// `docs/benchmarks.md` documents the JSON, version by version. A change that a reader of the old version would
/// misread gets a new `schema`; a member more does not.
struct Results: Codable, Equatable {
  var schema = 1
  var kind: Kind
  var environment: Environment
  var selfTest: SelfTest?
  var cases: [Case] = []
  /// What the sinks hold: that it is written down is what keeps the measured work from being optimised away.
  var residue = ""

  enum Kind: String, Codable {
    /// Few rounds, one size.
    case quick
    case full
    /// No times.
    case memory
  }

  /// A benchmark at a size.
  struct Case: Codable, Equatable {
    var suite: String
    var benchmark: String
    var operation: String
    var unit: Benchmark.Unit
    /// Absent where n means nothing.
    var size: Int?
    var lanes: [Lane]
    /// Why there are no figures.
    var problem: String?
  }

  /// A contender of a case.
  struct Lane: Codable, Equatable {
    var contender: Contender
    var time: Time?
    /// How many times as long as the subject it took; absent for the subject.
    var ratio: Ratio?
    var memory: Memory?
    var marks: [Mark] = []
  }

  /// Nanoseconds an operation, or an element.
  struct Time: Codable, Equatable {
    var median: Double
    var medianAbsoluteDeviation: Double
    /// What each process measured.
    var processes: [Process]

    struct Process: Codable, Equatable {
      var median: Double
      var medianAbsoluteDeviation: Double
      var rounds: Int
      /// Operations in a batch, one of which is run in each round.
      var operations: Int
    }
  }

  /// How many times as long as the subject something took.
  struct Ratio: Codable, Equatable {
    var median: Double
    var low: Double
    var high: Double
    /// What each process measured.
    var processes: [Interval]

    /// Half the width of the interval, as a part of the median.
    var relativeWidth: Double { (high - low) / 2 / median }
  }

  /// The median of the pair ratios of one process, and what it lies between with 95 % confidence.
  struct Interval: Codable, Equatable {
    var median: Double
    var low: Double
    var high: Double
  }

  /// What was asked of malloc.
  struct Memory: Codable, Equatable {
    /// Operations that the next three are for.
    var operations: Int
    var allocations: Int
    /// The sizes asked for, added up.
    var requestedBytes: Int
    /// How much more the state held after them.
    var grownBytes: Int?
    /// What the state held after its set-up.
    var liveBytes: Int?
    /// The most it held while set up and run.
    var peakBytes: Int?
  }

  /// What makes a figure doubtful.
  enum Mark: String, Codable {
    /// Less than a fifth of a nanosecond: most likely the compiler took the work away.
    case optimisedAway = "optimised away?"
    /// The interval of the ratio, or the deviation of the time, is wide.
    case unstable
    /// The time was up after few rounds.
    case fewRounds = "few rounds"
    /// Too slow at a smaller size to be tried at this one.
    case cutOff = "cut off"
  }
}

extension Results.Time {
  /// What one process measured, an operation being `scale` units; nil without rounds.
  init?(_ times: TimingPass.Times, scale: Int = 1) {
    guard let sample = Sample(times.nanoseconds.map { $0 / Double(scale) }) else { return nil }
    let process = Process(
      median: sample.median.toThousandths, medianAbsoluteDeviation: sample.medianAbsoluteDeviation.toThousandths,
      rounds: sample.count, operations: times.operations)
    self.init(
      median: process.median, medianAbsoluteDeviation: process.medianAbsoluteDeviation, processes: [process])
  }
}

extension Results.Ratio {
  /// What one process measured, round by round; nil without rounds, and where the subject took no time.
  init?(of subject: TimingPass.Times, to peer: TimingPass.Times) {
    let ratios = pairRatios(of: subject.nanoseconds, to: peer.nanoseconds)
    guard ratios.allSatisfy(\.isFinite), let sample = Sample(ratios) else { return nil }
    let interval = sample.medianInterval()
    self.init([
      Results.Interval(
        median: sample.median.toThousandths, low: interval.lowerBound.toThousandths,
        high: interval.upperBound.toThousandths)
    ])
  }

  private init(_ processes: [Results.Interval]) {
    self.init(median: processes[0].median, low: processes[0].low, high: processes[0].high, processes: processes)
  }
}

extension Double {
  /// Digits beyond this are noise.
  fileprivate var toThousandths: Double { (self * 1000).rounded() / 1000 }
}

extension Results.Lane {
  /// Figures below this many nanoseconds an operation are not believed.
  static let implausible = 0.2
  /// Relative widths above this are called unstable.
  static let unstable = 0.1

  /// Judges the figures, and marks what is doubtful about them.
  mutating func mark(fullRounds: Int) {
    guard let time else { return }
    if time.median < Self.implausible { marks.append(.optimisedAway) }
    if time.processes.contains(where: { $0.rounds < fullRounds }) { marks.append(.fewRounds) }
    let width = ratio?.relativeWidth ?? time.medianAbsoluteDeviation / time.median
    if width > Self.unstable { marks.append(.unstable) }
  }
}
