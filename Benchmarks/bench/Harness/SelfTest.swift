import AllocationCounter

/// A test of the harness, which runs before any measurement.
///
/// It checks that the same work takes the same time as itself, and that a thousand objects are a thousand allocations.
/// If the test fails, the run is marked invalid.
struct SelfTest: Codable, Equatable {
  /// The ratio of the times of the same work.
  var ratio: Results.Ratio
  /// Allocations counted for `objects` objects.
  ///
  /// Absent if allocations cannot be counted.
  var allocations: Int?
  /// The bytes that these allocations requested.
  var requestedBytes: Int?

  static let objects = 1000
  /// The size of an object with two words: Swift adds a header of two words.
  static let bytesOfAnObject = 4 * MemoryLayout<Int>.size
  /// How far the ratio may be from 1 if its interval does not contain 1.
  static let tolerance = 0.03
  /// The maximum number of attempts.
  ///
  /// On a shared machine, other programs may disturb the times, and other threads may allocate.
  static let attempts = 5

  /// The problems found, one sentence each.
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

  /// Runs the test, and repeats it if it fails, up to `attempts` times.
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
