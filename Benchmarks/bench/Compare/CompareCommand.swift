/// `bench compare BASE.json NEW.json`: reports what has become worse and what better.
///
/// Memory is compared exactly. For times, avoiding false alarms is more important than finding every change.
enum CompareCommand {
  struct Settings {
    var base = ""
    var new = ""
    /// The tolerated worsening of a time, as a fraction.
    var tolerance = 0.1
    var allowsUnlike = false
  }

  static var options: [Option<Settings>] {
    [
      .value(
        "--tolerance", "PERCENT", "By how much a ratio may be worse; 10 by default.",
        expects: "a number from 0 to 1000", parse: { Double($0).flatMap { (0...1000).contains($0) ? $0 : nil } },
        apply: { $0.tolerance = $1 / 100 }),
      .flag("--unlike", "Compare although link mode, hashing or toolchain differ.") { $0.allowsUnlike = true },
    ]
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    try run(
      base: ResultsFile.read(settings.base), new: ResultsFile.read(settings.new), settings, on: console)
  }

  static func run(
    base: Results, new: Results, _ settings: Settings, on console: Console
  ) throws(Failure) -> ExitCode {
    let differences = new.environment.differences(from: base.environment)
    if !differences.isEmpty, !settings.allowsUnlike {
      throw Failure(
        .nothingToCompare,
        "the runs are unlike (\(differences.joined(separator: "; "))); with --unlike they are compared all the same")
    }
    let comparison = Comparison(base: base, new: new, tolerance: settings.tolerance)
    for doubt in differences + new.environment.doubts(about: base.environment) {
      console.print(console.terminal.styled("Note: \(doubt).", .doubtful))
    }
    if !comparison.changes.isEmpty { console.print(table(comparison).rendered(for: console.terminal) + "\n") }
    for title in comparison.gone { console.print("Not in the new run: \(title)") }
    let invalid = (new.selfTest?.failures ?? []) + comparison.problems
    for problem in invalid { console.print(console.terminal.styled("INVALID: \(problem)", .doubtful)) }

    let counts = Comparison.Verdict.allCases.map { "\(comparison.count(of: $0)) \($0)" }.joined(separator: ", ")
    console.print("\(counts), of \(Format.counted(comparison.comparedCount, "comparison"))")
    if comparison.isWorse { return .fellShort }
    if !invalid.isEmpty { return .invalidRun }
    return comparison.comparedCount == 0 ? .nothingToCompare : .success
  }

  private static func table(_ comparison: Comparison) -> Table {
    var table = Table(columns: [
      Table.Column(title: "", alignment: .left), Table.Column(title: "case", alignment: .left),
      Table.Column(title: "figure", alignment: .left), Table.Column(title: "base"), Table.Column(title: "new"),
      Table.Column(title: "change", expendability: 1),
    ])
    for change in comparison.changes {
      table.append([
        Table.Cell("\(change.verdict)", style(change.verdict)),
        Table.Cell(change.place), Table.Cell(change.figure), Table.Cell(change.base), Table.Cell(change.new),
        Table.Cell(
          change.worsening.map { "\(Format.percent(abs($0))) \($0 > 0 ? "more" : "less")" } ?? "from zero", .dim),
      ])
    }
    return table
  }

  private static func style(_ verdict: Comparison.Verdict) -> Terminal.Style {
    switch verdict {
    case .worse: .doubtful
    case .better: .faster
    case .doubtful: .dim
    }
  }
}
