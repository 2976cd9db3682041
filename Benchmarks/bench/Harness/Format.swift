import Foundation

/// Formats numbers for printing.
enum Format {
  /// Printed in place of a figure that could not be measured.
  static let absent = "n/a"

  /// A number with three significant digits and separated thousands.
  static func significant(_ value: Double) -> String {
    guard value.isFinite else { return absent }
    let magnitude = abs(value)
    if magnitude == 0 { return "0" }
    let decimals = magnitude < 0.995 ? 3 : magnitude < 9.995 ? 2 : magnitude < 99.95 ? 1 : 0
    if decimals == 0 { return grouped(Int(value.rounded())) }
    return String(format: "%.\(decimals)f", value)
  }

  /// A ratio, with a fraction unless it is large.
  static func ratio(_ value: Double) -> String {
    guard value.isFinite else { return absent }
    return abs(value) < 99.95 ? String(format: abs(value) < 9.995 ? "%.2f" : "%.1f", value) : significant(value)
  }

  /// A whole number with separated thousands.
  static func grouped(_ value: Int) -> String {
    var digits = String(value.magnitude)
    var groups: [Substring] = []
    while digits.count > 3 {
      groups.append(digits.suffix(3))
      digits = String(digits.dropLast(3))
    }
    groups.append(digits[...])
    return (value < 0 ? "-" : "") + groups.reversed().joined(separator: ",")
  }

  /// A count with its noun, which must have a regular plural.
  static func counted(_ count: Int, _ noun: String) -> String {
    "\(grouped(count)) \(noun)\(count == 1 ? "" : "s")"
  }

  /// A quotient, printed as a whole number if the division is exact.
  static func each(_ total: Int, of count: Int) -> String {
    total.isMultiple(of: count) ? grouped(total / count) : significant(Double(total) / Double(count))
  }

  /// A number of bytes.
  static func bytes(_ value: Int) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var scaled = Double(value)
    var unit = 0
    while abs(scaled) >= 1024, unit < units.count - 1 {
      scaled /= 1024
      unit += 1
    }
    return unit == 0 ? "\(value) B" : "\(significant(scaled)) \(units[unit])"
  }

  /// A number of nanoseconds, in a unit that fits.
  static func time(_ nanoseconds: Double, _ number: (Double) -> String = significant) -> String {
    let units = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")]
    // Three digits are shown, so 999.6 ns are 1.00 µs.
    for (size, name) in units where nanoseconds >= size * 0.9995 { return number(nanoseconds / size) + " " + name }
    return number(nanoseconds) + " ns"
  }

  /// A fraction as a percentage.
  static func percent(_ part: Double) -> String {
    guard part.isFinite else { return absent }
    return String(format: part < 0.0995 ? "%.1f%%" : "%.0f%%", part * 100)
  }
}
