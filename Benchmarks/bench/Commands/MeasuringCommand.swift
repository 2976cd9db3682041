import Foundation

/// The common part of `bench`, `bench run` and `bench memory`: measures a selection, prints the quick table or a table
/// for each suite, and saves the results after every case.
enum MeasuringCommand {
  struct Settings {
    var kind: Results.Kind
    var output = MeasuringObserver.Output.tables
    var selection = Selection()
    var jsonPath: String?
    var countsInstructions = false
    var workers = WorkerSettings()
  }

  /// The time limit of the quick table.
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

  /// The options of commands that measure time.
  static var timingOptions: [Option<Settings>] {
    [
      .flag("--sweep", "Sizes from 8 to 1,048,576 instead of each benchmark's own.") {
        $0.selection.sizes = Sizes.sweep.all
      },
      .flag("--instructions", "Count instructions too, by valgrind, where that is installed. Slow.") {
        $0.countsInstructions = true
      },
    ] + WorkerSettings.options(\.workers)
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    try Build.current.requireFit()
    return try run(settings, workers: settings.workers.processesForTasks, on: console)
  }

  static func run(_ settings: Settings, workers: some Workers, on console: Console) throws(Failure) -> ExitCode {
    var runner =
      switch settings.kind {
      case .quick:
        Runner(
          kind: .quick, plan: .quick, processes: settings.workers.range(or: 1...1), budget: quickBudget,
          workers: workers)
      case .full:
        Runner(kind: .full, plan: .full, processes: settings.workers.range(or: WorkerSettings.usual), workers: workers)
      case .memory: Runner(kind: .memory, plan: nil, workers: workers)
      }
    let counter = settings.countsInstructions ? InstructionCounter() : nil
    defer { counter?.remove() }
    runner.instructions = counter
    var observer = MeasuringObserver(console: console, jsonPath: settings.jsonPath, prints: settings.output)
    observer.report.countsInstructions = settings.countsInstructions
    var works = try settings.selection.cases(quickly: settings.kind != .full)
    if settings.output == .quickTable {
      works = works.filter { work in QuickTable.rows.contains { $0.id == work.benchmark.id } }
    }
    let results = try runner.run(works, observer: &observer)
    let report = Report(terminal: console.terminal)
    // The conclusion comes last, and also first where there is one table, unless the run is invalid.
    let conclusion = results.problems.isEmpty ? [report.conclusion(results)] : []
    let details: [String] =
      switch settings.output {
      case .quickTable: conclusion + [report.quickTable(results)]
      case .tables: [report.footnotes(results)]
      case .nothing: []
      }
    for part in details + [report.verdict(results)] + conclusion where !part.isEmpty { console.print("\n" + part) }
    return results.problems.isEmpty ? .success : .invalidRun
  }
}

/// Prints and saves the results of a runner.
struct MeasuringObserver: RunObserver {
  let console: Console
  var report: Report
  let progress: Progress
  let jsonPath: String?
  let prints: Output
  private var file: ResultsFile?

  enum Output {
    case nothing
    /// A table for each suite.
    case tables
    /// The quick table, at the end.
    case quickTable
  }

  init(console: Console, jsonPath: String?, prints: Output) {
    self.console = console
    self.jsonPath = jsonPath
    self.prints = prints
    report = Report(terminal: console.terminal)
    progress = Progress(terminal: console.errorTerminal)
  }

  mutating func willStart(_ results: Results) throws(Failure) {
    if let jsonPath { file = try ResultsFile(path: jsonPath, results: results) }
    if prints != .nothing { console.print(report.preamble(results)) }
  }

  mutating func willMeasure(_ work: Selection.Work, process: Int, done: Int, of count: Int) {
    let size = work.size.map { " n=\(Format.grouped($0))" } ?? ""
    let number = process > 0 ? " process \(process + 1)" : ""
    progress.show(work.benchmark.id + size + number, done: done, of: count)
  }

  mutating func didMeasure(_ results: Results) throws(Failure) {
    try file?.write(results)
  }

  mutating func didFinish(_ suite: [Results.Case], in results: Results) throws(Failure) {
    try file?.write(results)
    if prints != .nothing { progress.clear() }
    guard prints == .tables, let name = suite.first?.suite else { return }
    console.print("\n" + console.terminal.styled(name, .bold) + "\n" + report.table(of: suite))
    let growth = report.growth((results.growth ?? []).filter { $0.suite == name })
    if !growth.isEmpty { console.print("\n" + growth) }
  }
}
