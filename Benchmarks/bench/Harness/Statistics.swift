/// Measured values of one kind, in order.
///
/// There is no mean: on a shared machine a mean measures the neighbours.
struct Sample {
  private let sorted: [Double]

  /// Nil without values.
  init?(_ values: some Sequence<Double>) {
    sorted = values.sorted()
    if sorted.isEmpty { return nil }
  }

  var count: Int { sorted.count }

  /// The value in the middle, or halfway between the two there.
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
  /// Whatever the distribution; the outermost two where there are too few to be that sure. For at most 1000 values.
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

/// How many times as long the second took as the first, pair by pair.
///
/// What slows a machine for a moment slows both of a pair,
/// and leaves their ratio.
func pairRatios(of subject: [Double], to peer: [Double]) -> [Double] {
  zip(subject, peer).map { $1 / $0 }
}
