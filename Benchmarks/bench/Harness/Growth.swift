import Foundation

extension Results {
  /// How the time of a contender grows with the size n: as n to the power of `exponent`.
  struct Growth: Codable, Equatable {
    var suite: String
    var benchmark: String
    var contender: String
    /// The exponent of the time for one operation, or for one element if the benchmark's unit is the element.
    var exponent: Double
    /// The bounds of the exponent with 95 % confidence.
    ///
    /// Absent for a single process.
    var low: Double?
    var high: Double?
    /// The sizes that were used: the upper half of those measured.
    var sizes: [Int]
  }
}

extension Results.Growth {
  /// The minimum number of sizes for a line.
  static let fewestSizes = 3

  /// The growth of every contender that has enough sizes.
  static func all(in cases: some Collection<Results.Case>) -> [Results.Growth] {
    var growth: [Results.Growth] = []
    var rest = cases[...]
    while let first = rest.first {
      let series = rest.prefix { $0.id == first.id }
      for lane in first.lanes {
        if let one = Results.Growth(of: lane.contender.name, in: Array(series)) { growth.append(one) }
      }
      rest = rest[series.endIndex...]
    }
    return growth
  }

  /// Fits log t to log n for each process, and takes the median of the slopes and its bootstrap interval.
  ///
  /// Small sizes are left out because they show the cost of a call and of the caches, not the growth.
  private init?(of contender: String, in series: [Results.Case]) {
    let points = series.compactMap { result -> (size: Int, processes: [Results.Process])? in
      guard let size = result.size, let lane = result.lanes.first(where: { $0.contender.name == contender }),
        let processes = lane.processes, !lane.marks.contains(.optimisedAway)
      else { return nil }
      return (size, processes)
    }.sorted { $0.size < $1.size }
    let upper = points.suffix(max(Self.fewestSizes, (points.count + 1) / 2))
    guard upper.count >= Self.fewestSizes, let processes = upper.map(\.processes.count).min() else { return nil }
    let slopes = (0..<processes).compactMap { process in
      Line(through: upper.map { (log(Double($0.size)), log($0.processes[process].median)) })?.slope
    }
    guard slopes.allSatisfy(\.isFinite), let sample = Sample(slopes) else { return nil }
    let interval = sample.count > 1 ? sample.bootstrapInterval() : nil
    self.init(
      suite: series[0].suite, benchmark: series[0].benchmark, contender: contender,
      exponent: sample.median.hundredths, low: interval?.lowerBound.hundredths,
      high: interval?.upperBound.hundredths, sizes: upper.map(\.size))
  }

  /// A text such as `n^1.02 (0.98 to 1.05)`.
  var description: String {
    func text(_ value: Double) -> String { String(format: "%.2f", value) }
    guard let low, let high else { return "~ n^\(text(exponent))" }
    return "~ n^\(text(exponent)) (\(text(low)) to \(text(high)))"
  }
}

extension Double {
  fileprivate var hundredths: Double { (self * 100).rounded() / 100 + 0 }  // Adding 0 avoids "-0.00".
}
