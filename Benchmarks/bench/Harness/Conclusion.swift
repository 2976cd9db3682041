/// The conclusion of a run in three sentences: where the subject is faster than other designs, where equal, and where
/// slower.
///
/// A comparison is between the subject and one peer at one size. Floors do less than any design can, and are counted
/// separately.
struct Conclusion {
  struct Comparison: Equatable {
    let suite: String
    /// The benchmark and its size.
    let title: String
    let operation: String
    let contender: String
    /// How many times as long as the subject the contender takes.
    let ratio: Double
    let isDoubtful: Bool
  }

  /// The largest ratios first.
  private(set) var faster: [Comparison] = []
  /// In the order of the suites.
  private(set) var equal: [Comparison] = []
  /// The smallest ratios first.
  private(set) var slower: [Comparison] = []
  /// The smallest ratios first.
  private(set) var floors: [Comparison] = []

  /// Whether a ratio is above, near or below 1.
  enum Side {
    case faster, equal, slower

    /// Ratios at most this far from 1 are called equal, and so are those whose interval contains 1.
    static let tolerance = 0.05

    init(_ ratio: Results.Ratio) {
      if ratio.low > 1, ratio.median > 1 + Self.tolerance {
        self = .faster
      } else if ratio.high < 1, ratio.median < 1 - Self.tolerance {
        self = .slower
      } else {
        self = .equal
      }
    }
  }

  /// Suites whose races don't compare a type with another design.
  private static let apart: Set = ["Harness", "Trace"]

  init(_ cases: [Results.Case]) {
    for result in cases where result.problem == nil && !Self.apart.contains(result.suite) {
      for lane in result.lanes where !lane.marks.contains(.optimisedAway) {
        guard let ratio = lane.ratio, ratio.median.isFinite, ratio.median > 0 else { continue }
        let comparison = Comparison(
          suite: result.suite, title: result.title, operation: result.operation, contender: lane.contender.name,
          ratio: ratio.median, isDoubtful: !lane.marks.isEmpty)
        if lane.contender.role == .floor {
          floors.append(comparison)
        } else {
          switch Side(ratio) {
          case .faster: faster.append(comparison)
          case .equal: equal.append(comparison)
          case .slower: slower.append(comparison)
          }
        }
      }
    }
    faster.sort { $0.ratio > $1.ratio }
    slower.sort { $0.ratio < $1.ratio }
    floors.sort { $0.ratio < $1.ratio }
  }

  var count: Int { faster.count + equal.count + slower.count }

  /// The sentences for faster, equal and slower, in this order.
  ///
  /// Empty if nothing was compared.
  var sentences: [String] { count == 0 ? [] : [fasterSentence, equalSentence, slowerSentence] }

  private var fasterSentence: String {
    guard let best = faster.first else { return "Faster in none of \(Format.counted(count, "comparison"))." }
    let median = faster[faster.count / 2]
    return "Faster in \(faster.count) of \(Format.counted(count, "comparison")) with other designs "
      + "(\(shares)), in half of them \(Format.ratio(median.ratio)) times or more; most of all in \(best.title) "
      + "(\(best.operation)), where \(best.contender) takes \(Self.factor(best, best.ratio)) times as long."
  }

  private var equalSentence: String {
    guard !equal.isEmpty else { return "Equal in none." }
    return "Equal in \(equal.count), within \(Int((100 * Side.tolerance).rounded())) % or what the run can tell: "
      + Self.list(equal.map { "\($0.title) (\($0.contender))" }) + "."
  }

  private var slowerSentence: String {
    guard let worst = slower.first else { return "Slower in none." }
    let others = slower.dropFirst().map { "\($0.title) (\(Self.factor($0, 1 / $0.ratio)), \($0.contender))" }
    return "Slower in \(slower.count): the worst is \(worst.title) (\(worst.operation)), which takes "
      + "\(Self.factor(worst, 1 / worst.ratio)) times as long as \(worst.contender)"
      + (others.isEmpty ? "" : "; then " + Self.list(others)) + "."
  }

  /// A note on the comparisons that the sentences leave out, or nil if there are none.
  var floorNote: String? {
    guard let worst = floors.first else { return nil }
    return "Not counted: \(Format.counted(floors.count, "comparison")) with a floor, which does less than any design "
      + "can. The subject takes at most \(Self.factor(worst, 1 / worst.ratio)) times as long as one: \(worst.title), "
      + "against \(worst.contender)."
  }

  /// For each suite, in how many comparisons the subject is faster.
  private var shares: String {
    let all = faster + equal + slower
    var suites: [String] = []
    for suite in all.map(\.suite).sorted() where suites.last != suite { suites.append(suite) }
    return suites.map { suite in
      "\(suite) \(faster.count { $0.suite == suite }) of \(all.count { $0.suite == suite })"
    }.joined(separator: ", ")
  }

  private static func factor(_ comparison: Comparison, _ factor: Double) -> String {
    Format.ratio(factor) + (comparison.isDoubtful ? "?" : "")
  }

  /// The first few items, and the number of the others.
  private static func list(_ items: [String], atMost most: Int = 3) -> String {
    let shown = items.prefix(most).joined(separator: ", ")
    return items.count > most ? shown + " and \(items.count - most) more" : shown
  }
}
