/// Measured values of one kind, in order.
///
/// A mean is left out, because on a shared machine it measures the other programs.
struct Sample {
  private let sorted: [Double]

  /// Nil without values.
  init?(_ values: some Sequence<Double>) {
    sorted = values.sorted()
    if sorted.isEmpty { return nil }
  }

  var count: Int { sorted.count }

  /// The middle value, or the mean of the two middle values.
  var median: Double {
    let middle = sorted.count / 2
    return sorted.count.isMultiple(of: 2) ? (sorted[middle - 1] + sorted[middle]) / 2 : sorted[middle]
  }

  /// The median distance from the median.
  var medianAbsoluteDeviation: Double {
    let median = median
    return Sample(sorted.lazy.map { abs($0 - median) })?.median ?? 0
  }

  /// The narrowest symmetric pair of values between which the true median lies with at least this confidence.
  ///
  /// Holds for any distribution. If there are too few values for this confidence, the result is their range. There may
  /// be at most 1000 values.
  ///
  /// The number of values below the true median is binomial (n, ½), so the k-th value from either end lies beyond the
  /// median with probability P(X < k) (David and Nagaraja, "Order Statistics", 7.1).
  func medianInterval(confidence: Double = 0.95) -> ClosedRange<Double> {
    precondition(count <= 1000, "2 to the power of -count is zero for so many values")
    let allowed = (1 - confidence) / 2
    var probability = Double(sign: .plus, exponent: -count, significand: 1)  // P(X = 0)
    var cumulated = probability
    var leftOut = 0
    while leftOut < (count - 1) / 2 {
      probability *= Double(count - leftOut) / Double(leftOut + 1)
      cumulated += probability
      if cumulated > allowed { break }
      leftOut += 1
    }
    return sorted[leftOut]...sorted[count - 1 - leftOut]
  }
}

extension Sample {
  /// The bounds of the median with this confidence, found by resampling the values.
  ///
  /// Uses percentiles (Efron and Tibshirani, "An Introduction to the Bootstrap", 13.3). The same values always give the
  /// same interval. Meant for few values, each from its own process: for up to five, the result is their range.
  func bootstrapInterval(confidence: Double = 0.95) -> ClosedRange<Double> {
    guard count > 5 else { return range }
    var random = SplitMix64(seed: 1)
    let medians = (0..<Self.resamples).map { _ in
      Sample((0..<count).map { _ in sorted[Int(random.next(upperBound: UInt64(count)))] })?.median ?? 0
    }.sorted()
    let leftOut = Int(Double(Self.resamples) * (1 - confidence) / 2)
    return medians[leftOut]...medians[medians.count - 1 - leftOut]
  }

  private static let resamples = 2000

  /// The range from the smallest value to the largest.
  var range: ClosedRange<Double> { sorted[0]...sorted[count - 1] }
}

/// A straight line through points.
struct Line: Equatable {
  let slope: Double

  /// The line with the least sum of squared distances.
  ///
  /// Nil for fewer than two different values of x.
  init?(through points: [(x: Double, y: Double)]) {
    let count = Double(points.count)
    let middle = (x: points.reduce(0) { $0 + $1.x } / count, y: points.reduce(0) { $0 + $1.y } / count)
    let width = points.reduce(0) { $0 + ($1.x - middle.x) * ($1.x - middle.x) }
    guard width > 0 else { return nil }
    slope = points.reduce(0) { $0 + ($1.x - middle.x) * ($1.y - middle.y) } / width
  }
}

/// How many times as long as the first the second took, for each pair.
///
/// A brief slowdown of the machine affects both times of a pair, so their ratio stays the same.
func pairRatios(of subject: [Double], to peer: [Double]) -> [Double] {
  zip(subject, peer).map { $1 / $0 }
}
