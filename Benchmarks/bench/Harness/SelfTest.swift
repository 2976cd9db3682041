import AllocationCounter

/// What the instrument measures of itself before it measures anything else.
///
/// Whether a thing takes as long as itself, and whether a thousand objects are a thousand allocations. A run on an
/// instrument that fails is marked invalid.
struct SelfTest: Codable, Equatable {
  /// How many times as long A took as A.
  var ratio: Results.Ratio
  /// Allocations counted for `objects` objects; absent where allocations cannot be counted.
  var allocations: Int?
  /// Bytes these asked for.
  var requestedBytes: Int?

  static let objects = 1000
  /// An object with two words, as Swift lays it out: two words of header before them.
  static let bytesOfAnObject = 4 * MemoryLayout<Int>.size
  /// What the ratio may be off by, where its interval does not take in 1.
  static let tolerance = 0.03
  /// How often it may be tried: on a shared machine something may come between, and another thread may allocate.
  static let attempts = 5

  /// What is wrong, a sentence each.
  var failures: [String] {
    var failures: [String] = []
    if !isClose, !(ratio.low...ratio.high).contains(1) {
      failures.append(
        "A takes \(Format.ratio(ratio.median)) times as long as A "
          + "(\(Format.ratio(ratio.low)) to \(Format.ratio(ratio.high)))")
    }
    if let allocations, allocations != Self.objects {
      failures.append("\(Self.objects) objects were counted as \(allocations) allocations")
    }
    if let requestedBytes, requestedBytes != Self.objects * Self.bytesOfAnObject {
      failures.append("\(Self.objects * Self.bytesOfAnObject) bytes were counted as \(requestedBytes)")
    }
    return failures
  }

  private var isClose: Bool { abs(ratio.median - 1) <= Self.tolerance }

  /// Measures; again, when it is not as it should be, as often as is reasonable.
  static func run() -> SelfTest {
    var test: SelfTest
    var attempt = 0
    repeat {
      let counted = countObjects()
      test = SelfTest(ratio: raceAgainstItself(), allocations: counted?.count, requestedBytes: counted?.bytes)
      attempt += 1
    } while (!test.isClose || !test.failures.isEmpty) && attempt < attempts
    return test
  }

  private static func raceAgainstItself() -> Results.Ratio {
    guard let same = Suite.harness.benchmarks.first(where: { $0.name == "same.words" }) else {
      preconditionFailure("The harness suite races A against A")
    }
    var pass = TimingPass(plan: .quick)
    let times = pass.measure(same.makeLanes(1), state: same.state)
    guard let ratio = Results.Ratio(of: times[0], to: times[1]) else { preconditionFailure("A plan has rounds") }
    return ratio
  }

  private static func countObjects() -> (count: Int, bytes: Int)? {
    guard MemoryPass.isSupported else { return nil }
    final class Pair {
      let first: Int
      let second: Int
      init(_ first: Int, _ second: Int) {
        self.first = first
        self.second = second
      }
    }
    var kept: [Pair] = []
    kept.reserveCapacity(objects)
    let counted = MemoryPass.counting {
      for number in 0..<objects { kept.append(Pair(number, number)) }
    }
    sink(kept.reduce(0) { $0 &+ $1.first &+ $1.second })
    return (Int(counted.allocations + counted.reallocations), Int(counted.requested_bytes))
  }
}
