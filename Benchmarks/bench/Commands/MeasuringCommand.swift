import Foundation

/// What `bench`, `bench run` and `bench memory` have in common: measure a selection, print a table for each suite,
/// and keep the results after every case.
enum MeasuringCommand {
  struct Settings {
    var kind: Results.Kind
    var selection = Selection()
    var jsonPath: String?
  }

  /// How long the quick table may take.
  static let quickBudget = Duration.seconds(80)

  static var selectionOptions: [Option<Settings>] {
    [
      .value(
        "--suite", "S", "Only this suite; may be given more than once.",
        expects: "one of \(Suite.all.map(\.name).joined(separator: ", "))",
        parse: { name in Suite.all.map(\.name).first { $0.lowercased() == name.lowercased() } },
        apply: { $0.selection.suites.append($1) }),
      .value(
        "--filter", "REGEX", "Only benchmarks with an id that this matches somewhere.",
        expects: "a regular expression", parse: { try? Selection.Pattern($0) }, apply: { $0.selection.filter = $1 }),
      .value(
        "--sizes", "N,N", "These sizes instead of each benchmark's own.",
        expects: "positive numbers, separated by commas", parse: sizes, apply: { $0.selection.sizes = $1 }),
      .value(
        "--json", "FILE", "Write all figures to this file, after every case.",
        expects: "a path", parse: { $0 }, apply: { $0.jsonPath = $1 }),
    ]
  }

  private static func sizes(_ text: String) -> [Int]? {
    let numbers = text.split(separator: ",", omittingEmptySubsequences: false).map { Int($0) }
    let valid = numbers.compactMap { $0 }.filter { (1...1 << 28).contains($0) }
    return valid.count == numbers.count ? Set(valid).sorted() : nil
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    try Build.current.requireFit()
    let runner =
      switch settings.kind {
      case .quick: Runner(kind: .quick, plan: .quick, budget: quickBudget)
      case .full: Runner(kind: .full, plan: .full)
      case .memory: Runner(kind: .memory, plan: nil)
      }
    var observer = Observer(console: console, jsonPath: settings.jsonPath)
    let results = try runner.run(settings.selection, observer: &observer)
    observer.printSuite()
    console.print("\n" + Report(terminal: console.terminal).verdict(results))
    return results.problems.isEmpty ? .success : .invalidRun
  }

  /// Prints and saves what the runner tells.
  private struct Observer: Runner.Observer {
    let console: Console
    let report: Report
    let progress: Progress
    let jsonPath: String?
    var file: ResultsFile?
    var suite: [Results.Case] = []

    init(console: Console, jsonPath: String?) {
      self.console = console
      self.jsonPath = jsonPath
      report = Report(terminal: console.terminal)
      progress = Progress(terminal: console.errorTerminal)
    }

    mutating func willStart(_ results: Results) throws(Failure) {
      if let jsonPath { file = try ResultsFile(path: jsonPath, results: results) }
      console.print(report.preamble(results))
    }

    mutating func willMeasure(_ benchmark: Benchmark, size: Int?, number: Int, of count: Int) {
      progress.show(benchmark.id + (size.map { " n=\(Format.grouped($0))" } ?? ""), done: number, of: count)
    }

    mutating func didMeasure(_ result: Results.Case, in results: Results) throws(Failure) {
      if let last = suite.last, last.suite != result.suite { printSuite() }
      suite.append(result)
      try file?.write(results)
    }

    mutating func printSuite() {
      progress.clear()
      guard let name = suite.first?.suite else { return }
      console.print("\n" + console.terminal.styled(name, .bold) + "\n" + report.table(of: suite))
      suite = []
    }
  }
}
