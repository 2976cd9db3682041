/// The results of one invocation.
///
/// They are written as JSON, and tables are printed from them.
///
/// The JSON has these members under these names. A change that a reader of the old version would misread needs a new
/// `schema`. An additional member doesn't.
struct Results: Codable, Equatable {
  var schema = 1
  var kind: Kind
  var environment: Environment
  var selfTest: SelfTest?
  var cases: [Case] = []
  /// Nanoseconds that the core takes for a fixed calculation if no other program uses it.
  var fastestPace: Double?
  /// How times grow with the size; absent until a suite is done.
  var growth: [Growth]?
  /// The verdicts on the bars.
  ///
  /// Absent unless they were checked.
  var bars: [Verdict]?
  /// The contents of the sinks.
  ///
  /// Writing them to the file prevents the measured work from being optimized away.
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
    /// Absent if the benchmark has no n.
    var size: Int?
    var lanes: [Lane]
    /// The reason if there are no figures.
    var problem: String?
  }

  /// A contender of a case.
  struct Lane: Codable, Equatable {
    var contender: Contender
    /// The figures of each process.
    ///
    /// Absent if there are none, and in a kept run.
    var processes: [Process]?
    /// The combined time of the processes.
    var time: Time?
    /// How many times as long as the subject the contender took.
    ///
    /// Absent for the subject.
    var ratio: Ratio?
    var memory: Memory?
    /// Instructions per unit.
    ///
    /// Absent if they were not counted.
    var instructions: Double?
    var marks: [Mark] = []
  }

  /// The time of one process, in nanoseconds per operation or element, with details of the measurement.
  struct Process: Codable, Equatable {
    var median: Double
    var medianAbsoluteDeviation: Double
    /// Absent for the subject, and if the subject took no time.
    var ratio: Ratio?
    var rounds: Int
    /// Operations in a batch.
    ///
    /// Each round runs one batch.
    var operations: Int
    /// How often the process was preempted while it measured the case.
    var interruptions: Int?
    /// Rounds that do not count because another program used the core.
    var disturbedRounds: Int?
    /// The slowest pace of the core; see `fastestPace`.
    var pace: Double?
  }

  /// A time in nanoseconds per operation or element.
  struct Time: Codable, Equatable {
    var median: Double
    var medianAbsoluteDeviation: Double
  }

  /// How many times as long as the subject a contender took, with the bounds of 95 % confidence.
  struct Ratio: Codable, Equatable {
    var median: Double
    var low: Double
    var high: Double

    /// Half the width of the interval, as a fraction of the median.
    var relativeWidth: Double { (high - low) / 2 / median }
  }

  /// The allocations.
  struct Memory: Codable, Equatable {
    /// The number of operations that the next three figures are for.
    var operations: Int
    var allocations: Int
    /// The sum of the requested sizes.
    var requestedBytes: Int
    /// How much the state grew during the operations.
    var grownBytes: Int?
    /// The bytes that the state held after its set-up.
    var liveBytes: Int?
    /// The maximum that the state held during its set-up and the operations.
    var peakBytes: Int?
  }

  /// A reason to doubt a figure.
  enum Mark: String, Codable, CaseIterable {
    /// Less than a fifth of a nanosecond: most likely the compiler removed the work.
    case optimisedAway = "optimised away?"
    /// The interval of the ratio is wide or, without a ratio, the deviation of the time.
    case unstable
    /// The time was up after less than a quarter of the rounds.
    case fewRounds = "few rounds"
    /// Other programs interrupted most of the processes, or shared the core with them all the time.
    case busy = "busy machine"
    /// The contender was too slow at a smaller size, so this size was not measured.
    case cutOff = "cut off"

    /// The sign of the mark in a table.
    var sign: String {
      switch self {
      case .optimisedAway: "o"
      case .unstable: "u"
      case .fewRounds: "f"
      case .busy: "b"
      case .cutOff: "c"
      }
    }

    /// The explanation of the sign, which is printed below the tables.
    var note: String {
      switch self {
      case .optimisedAway: "less than 0.2 ns: most likely the compiler took the work away"
      case .unstable: "unstable: the interval is wider than ± 10 %"
      case .fewRounds: "few rounds: the time was up before a quarter of them was done"
      case .busy: "busy machine: other programs used the core meanwhile"
      case .cutOff: "cut off: an operation took too long at a smaller size"
      }
    }
  }
}
