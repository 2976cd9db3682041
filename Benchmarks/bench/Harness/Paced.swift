/// What a process measured while its core had some pace.
protocol Paced {
  /// How fast the core was, at the slowest; nil where that was not taken.
  var pace: Double? { get }
}

extension Paced {
  /// Whether nobody else used the core, as far as that is known.
  func isQuiet(fastestPace: Double?) -> Bool {
    guard let pace, let fastestPace else { return true }
    return pace <= Timepiece.shared * fastestPace
  }
}

/// How many processes count, however much they were disturbed.
private let fewest = 3

extension Array where Element: Paced {
  /// Those that were not disturbed, or, if these are too few, those that were the least.
  func leastDisturbed(fastestPace: Double?) -> [Element] {
    let quiet = filter { $0.isQuiet(fastestPace: fastestPace) }
    if quiet.count >= Swift.min(fewest, count) { return quiet }
    return Array(sorted { ($0.pace ?? 0) < ($1.pace ?? 0) }.prefix(fewest))
  }
}
