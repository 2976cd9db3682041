/// A promise of the design: what is read from a measurement, and what it may be.
struct Bar {
  /// Its topic, and what tells it from the others of that topic.
  let id: String
  let reading: Reading
  let relation: Relation
  let limit: Double

  enum Relation: String {
    case atLeast = ">="
    case atMost = "<="

    func holds(_ measured: Double, _ limit: Double) -> Bool {
      switch self {
      case .atLeast: measured >= limit
      case .atMost: measured <= limit
      }
    }

    /// The one of these that is hardest to defend; nil for none.
    func worst<Element>(of elements: [Element], by value: (Element) -> Double) -> Element? {
      switch self {
      case .atLeast: elements.min { value($0) < value($1) }
      case .atMost: elements.max { value($0) < value($1) }
      }
    }
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

    var contender: String? {
      switch self {
      case .speedup(let name), .cost(let name), .liveBytes(let name): name
      case .allocations: nil
      }
    }
  }

  enum Unit {
    case times
    case bytes
    case count
    case part
  }

  /// Contenders that exist with the trait Peers only.
  static let contendersOfPeers: Set = ["Deque and Set", "OrderedSet"]

  var needsPeers: Bool {
    if case .figure(let figure, _, _) = reading {
      figure.contender.map(Self.contendersOfPeers.contains) ?? false
    } else {
      false
    }
  }

  var unit: Unit {
    switch reading {
    case .figure(.allocations, _, _): .count
    case .figure: .times
    case .probe(let unit, _): unit
    }
  }

  /// A value of this bar as it is printed.
  func text(_ value: Double) -> String {
    switch unit {
    case .times: Format.ratio(value) + "x"
    case .bytes: Format.significant(value) + " B"
    case .count: Format.significant(value)
    case .part: String(Format.percent(value))
    }
  }

  /// The relation and the limit as they are printed.
  var limitText: String {
    let number = limit == limit.rounded() && limit >= 1 ? Format.grouped(Int(limit)) : "\(limit)"
    return switch unit {
    case .times: "\(relation.rawValue) \(number)x"
    case .bytes: "\(relation.rawValue) \(number) B"
    case .count: "\(relation.rawValue) \(limit == 0 ? "0" : number)"
    case .part: "\(relation.rawValue) \(Format.percent(limit))"
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

    enum Outcome: String, Codable {
      case held
      case short
      case needsPeers = "needs Peers"
    }
  }
}
