/// Which benchmarks, at which sizes.
struct Selection {
  /// Names of suites in any case; empty for all.
  var suites: [String] = []
  /// What an id has to match somewhere.
  var filter: Pattern?
  /// Instead of a benchmark's own.
  var sizes: [Int]?

  /// A regular expression, with the text it came from.
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

  /// A benchmark at a size, or at none where n means nothing.
  struct Work {
    let benchmark: Benchmark
    let size: Int?
  }

  /// The benchmarks that are meant, of which there is at least one.
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

  /// The benchmarks that are meant, at each of their sizes.
  func cases(quickly: Bool, of all: [Suite] = Suite.all) throws(Failure) -> [Work] {
    try benchmarks(of: all).flatMap { benchmark in
      benchmark.sizes.chosen(quickly: quickly, asked: sizes).map { Work(benchmark: benchmark, size: $0) }
    }
  }
}
