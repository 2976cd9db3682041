/// The benchmarks to measure, and their sizes.
struct Selection {
  /// Names of suites, in upper or lower case.
  ///
  /// Empty for all suites.
  var suites: [String] = []
  /// A pattern that the ids must match.
  var filter: Pattern?
  /// Sizes that replace those of the benchmarks.
  var sizes: [Int]?

  /// A regular expression and its source text.
  struct Pattern {
    let text: String
    private let regex: Regex<AnyRegexOutput>

    init(_ text: String) throws {
      self.text = text
      regex = try Regex(text)
    }

    func matches(_ id: String) -> Bool {
      id.firstMatch(of: regex) != nil
    }
  }

  /// A benchmark at a size, or without a size if it has no n.
  struct Work {
    let benchmark: Benchmark
    let size: Int?
  }

  /// The selected benchmarks.
  ///
  /// Throws if there are none.
  func benchmarks(of all: [Suite] = Suite.all) throws(Failure) -> [Benchmark] {
    let benchmarks =
      all.filter { suite in suites.isEmpty || suites.contains { $0.lowercased() == suite.name.lowercased() } }
      .flatMap(\.benchmarks)
      .filter { filter?.matches($0.id) ?? true }
    guard !benchmarks.isEmpty else {
      throw Failure(.usage, "no benchmark has an id that '\(filter?.text ?? "")' matches; see 'bench list'")
    }
    return benchmarks
  }

  /// The selected benchmarks at each of their sizes.
  func cases(quickly: Bool, of all: [Suite] = Suite.all) throws(Failure) -> [Work] {
    try benchmarks(of: all).flatMap { benchmark in
      benchmark.sizes.chosen(quickly: quickly, asked: sizes).map { Work(benchmark: benchmark, size: $0) }
    }
  }
}
