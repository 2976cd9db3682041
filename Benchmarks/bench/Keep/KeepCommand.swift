import Foundation

/// `bench keep RUN.json --out DIR`: adds a run to a folder of kept runs, and updates the tables that compare them, and
/// the figures of the README.
enum KeepCommand {
  struct Settings {
    var run = ""
    /// The path of a run of `bench check` on the same machine.
    var check: String?
    var folder: String?
    var readme: String?
  }

  static var options: [Option<Settings>] {
    [
      .value(
        "--out", "DIR", "The folder of kept runs: docs/measurements. Needed.",
        expects: "a path", parse: { $0 }, apply: { $0.folder = $1 }),
      .value(
        "--bars", "CHECK.json", "Take the bars and the instructions of this run of bench check, too.",
        expects: "a path", parse: { $0 }, apply: { $0.check = $1 }),
      .value(
        "--readme", "README.md", "Put the figures of this run into the README, and its chart into docs beside it.",
        expects: "a path", parse: { $0 }, apply: { $0.readme = $1 }),
    ]
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    guard let path = settings.folder else { throw Failure(.usage, "--out is missing; see 'bench keep --help'") }
    let run = try ResultsFile.read(settings.run)
    var check: Results?
    if let path = settings.check { check = try ResultsFile.read(path) }
    for (results, path) in [(run, settings.run)] + (check.map { [($0, settings.check ?? "")] } ?? []) {
      if let flaw = KeptRun.flaws(of: results).first {
        throw Failure(.invalidRun, "\(path) is not kept: \(flaw)")
      }
    }
    if let check, !check.environment.isOfSameMachine(as: run.environment) {
      throw Failure(.nothingToCompare, "the runs are of two machines, or of two builds")
    }
    let kept = KeptRun(run, with: check)
    do { try ResultsFile.write([(kept.name, kept.encoded())], to: path) } catch let failure as Failure {
      throw failure
    } catch {
      throw Failure(.dataError, "the run cannot be encoded: \(error)")
    }
    let machines = try Machines(in: URL(fileURLWithPath: path, isDirectory: true))
    try ResultsFile.write(machines.tables.map { ($0.name, Data($0.text.utf8)) }, to: path)
    if let readme = settings.readme { try update(readme, with: kept) }
    console.print(
      "\(kept.name), machines.csv and ratios.csv of \(Format.counted(machines.runs.count, "machine")) in \(path)")
    return .success
  }

  /// Replaces the figures of a README, and its chart.
  private static func update(_ path: String, with run: KeptRun) throws(Failure) {
    let url = URL(fileURLWithPath: path)
    guard let readme = try? String(contentsOf: url, encoding: .utf8),
      let text = ReadmeFigures(results: run.results, file: run.name).inserted(into: readme)
    else { throw Failure(.dataError, "\(path) cannot be read, or has no chart and no link to how it is measured") }
    let folder = url.deletingLastPathComponent()
    try ResultsFile.write([(url.lastPathComponent, Data(text.utf8))], to: folder.path)
    let charts = RenderCommand.files(for: run.results).filter { $0.name == ReadmeFigures.chart }
    try ResultsFile.write(charts.map { ($0.name, Data($0.text.utf8)) }, to: folder.appending(path: "docs").path)
  }
}

extension Environment {
  /// Whether both environments are of the same machine.
  fileprivate func isOfSameMachine(as other: Environment) -> Bool {
    differences(from: other).isEmpty && processor == other.processor && layout == other.layout
      && commit == other.commit
  }
}
