import Foundation

/// `bench check`: measures the figures of the bars, and reports for each bar whether it is held.
enum CheckCommand {
  struct Settings {
    /// The beginning of the ids of the bars to check.
    var prefix = ""
    var jsonPath: String?
    /// The path of a recorded trace.
    ///
    /// Without one, `standardTrace` is used if it exists.
    var trace: String?
    /// Whether the instructions of times are counted too.
    var countsInstructions = false
    var workers = WorkerSettings()
  }

  /// The path of the trace relative to the working copy.
  ///
  /// The build scripts use the same path.
  static let standardTrace = "../shared/traces/sveltecomponent.json"
  static let traceIsMissing = "no recorded trace; name one by --trace FILE"

  static var options: [Option<Settings>] {
    [
      .value(
        "--filter", "PREFIX", "Only bars with an id that begins so.",
        expects: "the beginning of a bar's id (\(topics.joined(separator: ", ")))",
        parse: { prefix in Bar.all.contains { $0.id.hasPrefix(prefix) } ? prefix : nil }, apply: { $0.prefix = $1 }),
      .value(
        "--json", "FILE", "Write all figures and verdicts to this file, after every case.",
        expects: "a path", parse: { $0 }, apply: { $0.jsonPath = $1 }),
      .value(
        "--trace", "FILE", "A recorded editing session, for the bars that replay one.",
        expects: "a path", parse: { $0 }, apply: { $0.trace = $1 }),
      .flag("--instructions", "Show the instructions of every time too, by valgrind, where that is installed. Slow.") {
        $0.countsInstructions = true
      },
    ] + WorkerSettings.options(\.workers)
  }

  private static var topics: [String] {
    var topics: [String] = []
    for topic in Bar.all.compactMap({ $0.id.split(separator: ".").first.map(String.init) })
    where !topics.contains(topic) { topics.append(topic) }
    return topics
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    try Build.current.requireFit()
    if let trace = settings.trace { _ = try EditingTrace(path: trace) }
    let standard = FileManager.default.fileExists(atPath: standardTrace) ? standardTrace : nil
    let bars = Bar.all.filter { $0.id.hasPrefix(settings.prefix) }
    let isCounting = settings.countsInstructions || bars.contains { $0.figure?.countsInstructions ?? false }
    let counter = isCounting ? InstructionCounter() : nil
    defer { counter?.remove() }
    return try check(
      bars, trace: settings.trace ?? standard, processes: settings.workers.range(or: WorkerSettings.usual),
      jsonPath: settings.jsonPath, hasPeers: Build.hasPeers, counter: counter,
      showsInstructions: settings.countsInstructions, workers: settings.workers.processesForTasks, on: console)
  }

  /// Measures with these workers, prints the verdicts, and returns exit code 2 if a bar is short.
  ///
  /// - Parameters:
  ///   - counter: Nil if instructions cannot be counted.
  ///   - showsInstructions: Whether to count the instructions behind times too, and not only those that are judged.
  static func check(
    _ bars: [Bar], trace: String?, processes: ClosedRange<Int>, plan: Plan = .full, jsonPath: String?, hasPeers: Bool,
    counter: InstructionCounter? = nil, showsInstructions: Bool = false, workers: some Workers, on console: Console
  ) throws(Failure) -> ExitCode {
    let benchmarks = Suite.all.flatMap(\.benchmarks) + Benchmark.replaying(trace)

    var observer = MeasuringObserver(console: console, jsonPath: jsonPath, prints: .nothing)
    var runner = Runner(kind: .full, plan: plan, processes: processes, trace: trace, workers: workers)
    runner.instructions = counter
    runner.countsInstructions = { result, contender in
      bars.contains {
        $0.wantsInstructions(of: contender, in: result, among: benchmarks, everyTime: showsInstructions)
      }
    }
    var results = try runner.run(works(of: bars, among: benchmarks, hasPeers: hasPeers), observer: &observer)
    observer.progress.clear()

    let measured = Measured(
      benchmarks: benchmarks, cases: results.cases, hasPeers: hasPeers, countsInstructions: counter != nil,
      showsInstructions: showsInstructions)
    let width = bars.map(\.id.count).max() ?? 0
    var verdicts: [Results.Verdict] = []
    for bar in bars {
      var probed: Double?
      var crash: String?
      if case .probe(_, let probe) = bar.reading {
        do throws(Crash) {
          probed = try workers.perform(ProbeTask(probe: probe, trace: trace)).value
        } catch {
          crash = error.description
        }
      }
      var verdict = bar.verdict(on: measured, probed: probed)
      if let crash { verdict.remarks = [crash] }
      if trace == nil, verdict.remarks.contains(where: { $0.hasPrefix("no benchmark Trace.") }) {
        verdict.remarks = [traceIsMissing]
      }
      verdicts.append(verdict)
      console.print(line(verdict, idWidth: width, terminal: console.terminal))
    }
    results.bars = verdicts
    try observer.didMeasure(results)

    let invalid = results.selfTest?.failures ?? []
    for problem in invalid { console.print(console.terminal.styled("INVALID: \(problem)", .doubtful)) }
    func count(_ outcome: Results.Verdict.Outcome) -> Int { verdicts.count { $0.outcome == outcome } }
    let needing = count(.needsValgrind) > 0 ? ", \(count(.needsValgrind)) need valgrind" : ""
    let lacking = count(.needsSQLite) > 0 ? ", \(count(.needsSQLite)) need SQLite" : ""
    console.print("\(count(.held)) held, \(count(.short)) short, \(count(.needsPeers)) need Peers" + needing + lacking)
    if count(.short) > 0 { return .fellShort }
    return invalid.isEmpty ? .success : .invalidRun
  }

  /// The benchmarks and sizes that the bars read, each once, in the order of the suites.
  static func works(of bars: [Bar], among benchmarks: [Benchmark], hasPeers: Bool) -> [Selection.Work] {
    var sizes: [String: Set<Int?>] = [:]
    for bar in bars where hasPeers || !bar.needsPeers {
      let shown = bar.shownWorks(among: benchmarks).map(\.work)
      for work in bar.works(among: benchmarks).works + shown { sizes[work.benchmark.id, default: []].insert(work.size) }
    }
    return benchmarks.flatMap { benchmark in
      (sizes[benchmark.id] ?? []).sorted { $0 ?? 0 < $1 ?? 0 }.map {
        Selection.Work(benchmark: benchmark, size: $0)
      }
    }
  }

  /// The verdict in a line with what a user would notice, followed by lines with remarks.
  static func line(_ verdict: Results.Verdict, idWidth: Int, terminal: Terminal) -> String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    let style: Terminal.Style =
      switch verdict.outcome {
      case .held: .faster
      case .short: .doubtful
      case .needsPeers, .needsValgrind, .needsSQLite: .dim
      }
    var lines = [
      [padded(verdict.id, idWidth), padded(verdict.measuredText, 10), padded(verdict.limitText, 10)].joined(
        separator: "  ") + "  " + terminal.styled(verdict.outcome.rawValue, style)
        + (Bar.effect(of: verdict.id).map { terminal.styled("; \($0)", .dim) } ?? "")
    ]
    if verdict.outcome == .short, let place = verdict.place { lines.append("  at " + place) }
    lines += verdict.remarks.map { "  " + $0.replacing("\n", with: "\n  ") }
    lines += (verdict.shown ?? []).map { shown in
      let growth = shown.growth.map { ", growth " + Format.ratio($0) + "x" } ?? ""
      return terminal.styled("  shown: \(shown.place): \(shown.text)\(growth)", .dim)
    }
    return lines.joined(separator: "\n")
  }
}
