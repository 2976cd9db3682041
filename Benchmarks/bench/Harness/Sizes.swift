/// The sizes that a benchmark is measured at, and the size of the quick table.
struct Sizes: Equatable {
  /// The sizes in ascending order.
  ///
  /// Empty if the benchmark has no n.
  let all: [Int]
  let quick: Int?

  /// For a benchmark without n.
  ///
  /// Its size is 1.
  static let one = Sizes(all: [], quick: nil)

  /// Powers of two from the first to the last.
  static func doubling(_ first: Int, _ last: Int, quick: Int? = nil) -> Sizes {
    geometric(first, last, factor: 2, quick: quick)
  }

  /// Every second power of two from the first to the last.
  static func quadrupling(_ first: Int, _ last: Int, quick: Int? = nil) -> Sizes {
    geometric(first, last, factor: 4, quick: quick)
  }

  /// Sizes from one that fits in a cache line to one that fits in no cache.
  static let sweep = Sizes(all: [8] + quadrupling(16, 1 << 20).all, quick: nil)

  /// These sizes.
  static func exactly(_ sizes: Int..., quick: Int? = nil) -> Sizes {
    Sizes(all: sizes.sorted(), quick: quick)
  }

  private static func geometric(_ first: Int, _ last: Int, factor: Int, quick: Int?) -> Sizes {
    precondition(first > 0 && first <= last, "Sizes run from a positive number up")
    return Sizes(all: Array(sequence(first: first) { $0 * factor <= last ? $0 * factor : nil }), quick: quick)
  }

  private init(all: [Int], quick: Int?) {
    precondition(all.allSatisfy { $0 > 0 }, "A size is a positive number")
    self.all = all
    self.quick = quick ?? all.last { $0 <= 4096 } ?? all.first
  }

  /// The sizes to measure at: the requested ones, if there are any and the benchmark has an n.
  func chosen(quickly: Bool, asked: [Int]?) -> [Int?] {
    guard let quick else { return [nil] }
    if let asked { return asked }
    return quickly ? [quick] : all
  }
}
