import Foundation

/// A logarithmic axis, which maps positive values to coordinates.
struct Axis {
  /// The values at the ends of the axis.
  let domain: ClosedRange<Double>
  /// The coordinates at the ends of the axis.
  ///
  /// The first may be the larger one.
  let start: Double
  let end: Double

  /// Makes an axis for some values, with space at both ends.
  init(covering values: [Double], from start: Double, to end: Double) {
    let usable = values.filter { $0.isFinite && $0 > 0 }
    let (low, high) = (usable.min() ?? 1, usable.max() ?? 1)
    domain = low / 1.15...max(high * 1.15, low * 2)
    self.start = start
    self.end = end
  }

  func callAsFunction(_ value: Double) -> Double {
    let part = log(value / domain.lowerBound) / log(domain.upperBound / domain.lowerBound)
    return start + (end - start) * min(1, max(0, part))
  }

  /// Between two and eight round values for grid lines.
  var ticks: [Double] {
    let decades = log10(domain.upperBound / domain.lowerBound)
    let multiples = decades <= 1 ? [1, 1.5, 2, 3, 5, 7] : decades <= 2.4 ? [1, 2, 5] : [1.0]
    let first = Int(floor(log10(domain.lowerBound)))
    let last = Int(ceil(log10(domain.upperBound)))
    let all = (first...last).flatMap { exponent in multiples.map { $0 * pow(10, Double(exponent)) } }
    let inside = all.filter(domain.contains)
    // If there are too many decades, only some of them get a tick.
    return inside.enumerated().filter { $0.offset.isMultiple(of: (inside.count + 7) / 8) }.map(\.element)
  }

  /// A time in a suitable unit.
  static func time(_ nanoseconds: Double) -> String { Format.time(nanoseconds, short) }

  /// A size: 64, 4,096, 1.05M.
  static func size(_ size: Double) -> String {
    size >= 1e6 ? short(size / 1e6) + "M" : short(size)
  }

  /// A number with three significant digits, without trailing zeros.
  private static func short(_ value: Double) -> String {
    if abs(value) >= 1000 { return Format.grouped(Int(value.rounded())) }
    return String(format: "%.3g", value)
  }
}
