/// A promise of the design: what is read from a measurement, and what it may be.
struct Bar {
  /// Its topic, and what tells it from the others of that topic.
  let id: String
  let reading: Reading
  let relation: Relation
  let limit: Double
  /// What stands beside it: larger sizes, and contenders that it does not judge by.
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

    /// The one of these that is hardest to defend; nil for none.
    func worst<Element>(of elements: [Element], by value: (Element) -> Double, limit: Double) -> Element? {
      switch self {
      case .atLeast: elements.min { value($0) < value($1) }
      case .atMost: elements.max { value($0) < value($1) }
      case .exactly: elements.max { abs(value($0) - limit) < abs(value($1) - limit) }
      }
    }
  }

  /// Figures that are measured and printed, and hold or break nothing.
  struct Shown {
    let figure: Figure
    /// Benchmarks, and the sizes of each.
    let ids: [String]
    var sizes: [Int] = []
  }

  /// Where a figure comes from.
  enum Reading {
    /// A figure of the subject of these benchmarks, at each of these sizes (none: where n means nothing).
    case figure(Figure, of: [String], at: [Int] = [])
    /// What is computed once, and needs no race.
    case probe(unit: Unit, Probe)
  }

  enum Figure: Equatable {
    /// How many times as long the contender takes.
    case speedup(over: String)
    /// How many times as long as the contender it takes.
    case cost(against: String)
    /// Bytes held after the set-up, as a multiple of the contender's.
    case liveBytes(against: String)
    /// Allocations for one operation.
    case allocations
    /// Instructions for one operation, where they can be counted.
    case instructions

    var contender: String? {
      switch self {
      case .speedup(let name), .cost(let name), .liveBytes(let name): name
      case .allocations, .instructions: nil
      }
    }

    var isTime: Bool {
      switch self {
      case .speedup, .cost: true
      case .liveBytes, .allocations, .instructions: false
      }
    }

    /// A value of it in words, where what it is compared with is not said elsewhere.
    func phrase(_ text: String) -> String {
      switch self {
      case .speedup(let name): "\(name) takes \(text)"
      case .cost(let name), .liveBytes(let name): "\(text) of \(name)"
      case .allocations: "\(text) allocations"
      case .instructions: "\(text) instructions"
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

  /// Contenders that exist with the trait Peers only.
  static let contendersOfPeers: Set = ["Deque and Set", "OrderedSet"]

  /// The figure that is judged; nil for a probe.
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
  /// How a bar stands.
  struct Verdict: Codable, Equatable {
    var id: String
    /// The worst figure of all that the bar reads; absent where there is none.
    var measured: Double?
    /// As it is printed; `n/a` where nothing was measured.
    var measuredText: String
    var relation: String
    var limit: Double
    var limitText: String
    var outcome: Outcome
    /// Where the worst figure was measured.
    var place: String?
    /// What is missing, or doubtful.
    var remarks: [String] = []
    /// Larger sizes, other contenders, and instructions where they were asked for; absent for none.
    var shown: [Shown]?

    enum Outcome: String, Codable {
      case held
      case short
      case needsPeers = "needs Peers"
      case needsValgrind = "needs valgrind"
      case needsSQLite = "needs SQLite"
    }

    /// A figure that nothing is judged by.
    struct Shown: Codable, Equatable {
      /// Where it was measured.
      var place: String
      /// Absent where it could not be measured.
      var measured: Double?
      /// With what it is compared with.
      var text: String
      /// How many times the judged figure of the same benchmark it is; absent where there is none.
      var growth: Double?
    }
  }
}
