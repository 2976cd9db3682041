/// What one invocation measured: what is written as JSON, and what tables are printed from.
///
/// `docs/benchmarks.md` documents the JSON, version by version. A change that a reader of the old version would misread gets a new
/// `schema`; a member more does not.
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
    var ratio: Interval?
    var memory: Memory?
    var marks: [Mark] = []
  }

  /// Nanoseconds a unit.
  struct Time: Codable, Equatable {
    var median: Double
    var medianAbsoluteDeviation: Double
    /// Operations in a batch.
    var operations: Int
    /// For each process, the time of every round.
    var samples: [[Double]]
  }

  /// A median, and the values it lies between with 95 % confidence.
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
  /// Sums up what one process measured, an operation being `scale` units; nil without rounds.
  init?(_ times: TimingPass.Times, scale: Int) {
    let nanoseconds = times.nanoseconds.map { $0 / Double(scale) }
    guard let sample = Sample(nanoseconds) else { return nil }
    self.init(
      median: sample.median, medianAbsoluteDeviation: sample.medianAbsoluteDeviation, operations: times.operations,
      samples: [nanoseconds])
  }
}

extension Results.Interval {
  /// The pair ratios of a peer to the subject, over all processes; nil without pairs.
  init?(of subject: Results.Time, to peer: Results.Time) {
    let ratios = zip(subject.samples, peer.samples).flatMap { pairRatios(of: $0, to: $1) }
    guard let sample = Sample(ratios) else { return nil }
    let interval = sample.medianInterval()
    self.init(median: sample.median, low: interval.lowerBound, high: interval.upperBound)
  }

  /// Half its width, as a part of the median.
  var relativeWidth: Double { (high - low) / 2 / median }
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
    if time.samples.contains(where: { $0.count < fullRounds }) { marks.append(.fewRounds) }
    let width = ratio?.relativeWidth ?? time.medianAbsoluteDeviation / time.median
    if width > Self.unstable { marks.append(.unstable) }
  }
}
