/// A goal of the design: a figure that is read from a measurement, and its limit.
struct Bar {
  /// The topic, followed by a word that distinguishes the bars of the topic.
  let id: String
  let reading: Reading
  let relation: Relation
  let limit: Double
  /// Figures that are shown but not judged: at larger sizes, and against other contenders.
  var shown: [Shown] = []

  enum Relation: String {
    case atLeast = ">="
    case atMost = "<="
    case exactly = "="

    func holds(_ measured: Double, _ limit: Double) -> Bool {
      switch self {
      case .atLeast: measured >= limit
      case .atMost: measured <= limit
      case .exactly: measured == limit
      }
    }

    /// The element that is farthest from fulfilling the relation, or nil if there are no elements.
    func worst<Element>(of elements: [Element], by value: (Element) -> Double, limit: Double) -> Element? {
      switch self {
      case .atLeast: elements.min { value($0) < value($1) }
      case .atMost: elements.max { value($0) < value($1) }
      case .exactly: elements.max { abs(value($0) - limit) < abs(value($1) - limit) }
      }
    }
  }

  /// Figures that are measured and printed but not judged.
  struct Shown {
    let figure: Figure
    /// The ids of benchmarks, which are all measured at `sizes`.
    let ids: [String]
    var sizes: [Int] = []
  }

  /// Where a figure comes from.
  enum Reading {
    /// A figure of the subject of these benchmarks, at each of these sizes. No sizes if the benchmark has no n.
    case figure(Figure, of: [String], at: [Int] = [])
    /// A value that is computed once, without a race.
    case probe(unit: Unit, Probe)
  }

  enum Figure: Equatable {
    /// How many times as long the contender takes.
    case speedup(over: String)
    /// How many times as long as the contender the subject takes.
    case cost(against: String)
    /// Bytes held after the set-up, as a multiple of the contender's.
    case liveBytes(against: String)
    /// Allocations for one operation.
    case allocations
    /// Instructions for one operation, if they can be counted.
    case instructions
    /// How many times the contender's instructions the subject takes, if they can be counted.
    case instructionCost(against: String)

    var contender: String? {
      switch self {
      case .speedup(let name), .cost(let name), .liveBytes(let name), .instructionCost(let name): name
      case .allocations, .instructions: nil
      }
    }

    var isTime: Bool {
      switch self {
      case .speedup, .cost: true
      case .liveBytes, .allocations, .instructions, .instructionCost: false
      }
    }

    var countsInstructions: Bool {
      switch self {
      case .instructions, .instructionCost: true
      case .speedup, .cost, .liveBytes, .allocations: false
      }
    }

    /// A value in words, including the contender that it is compared with.
    func phrase(_ text: String) -> String {
      switch self {
      case .speedup(let name): "\(name) takes \(text)"
      case .cost(let name), .liveBytes(let name): "\(text) of \(name)"
      case .allocations: "\(text) allocations"
      case .instructions: "\(text) instructions"
      case .instructionCost(let name): "\(text) of the instructions of \(name)"
      }
    }
  }

  enum Unit {
    case times
    case bytes
    case count
    case part
    case seconds
  }

  /// Contenders that exist only with the trait Peers.
  static let contendersOfPeers: Set = ["Deque and Set", "UniqueDeque and Set", "RigidDeque and Set", "OrderedSet"]

  /// The figure that is judged, or nil for a probe.
  var figure: Figure? {
    if case .figure(let figure, _, _) = reading { figure } else { nil }
  }

  var needsPeers: Bool { figure?.contender.map(Self.contendersOfPeers.contains) ?? false }

  var unit: Unit {
    switch reading {
    case .figure(.allocations, _, _), .figure(.instructions, _, _): .count
    case .figure: .times
    case .probe(let unit, _): unit
    }
  }

  private static func duration(_ seconds: Double) -> String {
    seconds < 0.1 ? Format.significant(seconds * 1000) + " ms" : Format.significant(seconds) + " s"
  }

  /// A value of this bar as it is printed.
  func text(_ value: Double) -> String {
    switch unit {
    case .times: Format.ratio(value) + "x"
    case .bytes: Format.significant(value) + " B"
    case .seconds: Self.duration(value)
    case .count: Format.significant(value)
    case .part: String(Format.percent(value))
    }
  }

  /// The relation and the limit as they are printed.
  var limitText: String {
    let isWhole = limit == limit.rounded() && (limit >= 1 || limit == 0)
    let number = isWhole ? Format.grouped(Int(limit)) : "\(limit)"
    return switch unit {
    case .times: "\(relation.rawValue) \(number)x"
    case .bytes: "\(relation.rawValue) \(number) B"
    case .count: "\(relation.rawValue) \(number)"
    case .part: "\(relation.rawValue) \(Format.percent(limit))"
    case .seconds: "\(relation.rawValue) \(Self.duration(limit))"
    }
  }
}

extension Results {
  /// The result of judging a bar.
  struct Verdict: Codable, Equatable {
    var id: String
    /// The worst figure that the bar reads, if there is one.
    var measured: Double?
    /// The worst figure as it is printed, or `n/a` if nothing was measured.
    var measuredText: String
    var relation: String
    var limit: Double
    var limitText: String
    var outcome: Outcome
    /// Where the worst figure was measured.
    var place: String?
    /// Missing and doubtful figures.
    var remarks: [String] = []
    /// Figures at larger sizes, against other contenders, and instructions if requested.
    ///
    /// Absent if there are none.
    var shown: [Shown]?

    enum Outcome: String, Codable {
      case held
      case short
      case needsPeers = "needs Peers"
      case needsValgrind = "needs valgrind"
      case needsSQLite = "needs SQLite"
    }

    /// A figure that is not judged.
    struct Shown: Codable, Equatable {
      /// The benchmark and size.
      var place: String
      /// Absent if it could not be measured.
      var measured: Double?
      /// The figure as it is printed, with the contender that it is compared with.
      var text: String
      /// The ratio to the judged figure of the same benchmark, if there is one.
      var growth: Double?
    }
  }
}
