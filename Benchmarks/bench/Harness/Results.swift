/// What one invocation measured: what is written as JSON, and what tables are printed from.
///
/// The JSON has these members, under these names. A change that a reader of the old version would misread gets a new
/// `schema`; a member more does not.
struct Results: Codable, Equatable {
  var schema = 1
  var kind: Kind
  var environment: Environment
  var selfTest: SelfTest?
  var cases: [Case] = []
  /// Nanoseconds that the core takes for a fixed piece of arithmetic when nobody else uses it.
  var fastestPace: Double?
  /// How times grow with the size; absent until a suite is done.
  var growth: [Growth]?
  /// How the bars stand; absent unless they were checked.
  var bars: [Verdict]?
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
    /// What each process measured; absent where none did, and in a kept run.
    var processes: [Process]?
    /// What they say together.
    var time: Time?
    /// How many times as long as the subject it took; absent for the subject.
    var ratio: Ratio?
    var memory: Memory?
    /// Instructions a unit; absent where they were not, or could not be, counted.
    var instructions: Double?
    var marks: [Mark] = []
  }

  /// Nanoseconds an operation, or an element, of one process, and how often the rest was measured.
  struct Process: Codable, Equatable {
    var median: Double
    var medianAbsoluteDeviation: Double
    /// Absent for the subject, and where the subject took no time.
    var ratio: Ratio?
    var rounds: Int
    /// Operations in a batch, one of which is run in each round.
    var operations: Int
    /// How often the process had to make way for another while it measured the case.
    var interruptions: Int?
    /// Rounds that were run and do not count, because somebody else used the core meanwhile.
    var disturbedRounds: Int?
    /// How fast the core was, at the slowest; see `fastestPace`.
    var pace: Double?
  }

  /// Nanoseconds an operation, or an element.
  struct Time: Codable, Equatable {
    var median: Double
    var medianAbsoluteDeviation: Double
  }

  /// How many times as long as the subject something took, and what that lies between with 95 % confidence.
  struct Ratio: Codable, Equatable {
    var median: Double
    var low: Double
    var high: Double

    /// Half the width of the interval, as a part of the median.
    var relativeWidth: Double { (high - low) / 2 / median }
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
  enum Mark: String, Codable, CaseIterable {
    /// Less than a fifth of a nanosecond: most likely the compiler took the work away.
    case optimisedAway = "optimised away?"
    /// The interval of the ratio, or the deviation of the time, is wide.
    case unstable
    /// The time was up after less than a quarter of the rounds.
    case fewRounds = "few rounds"
    /// Others kept the processor from most of the processes, or shared it with them all the time.
    case busy = "busy machine"
    /// Too slow at a smaller size to be tried at this one.
    case cutOff = "cut off"

    /// What stands for it in a table.
    var sign: String {
      switch self {
      case .optimisedAway: "o"
      case .unstable: "u"
      case .fewRounds: "f"
      case .busy: "b"
      case .cutOff: "c"
      }
    }

    /// What its sign means, once below the tables.
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
