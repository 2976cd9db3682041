import Foundation

/// `bench render RESULTS.json --out DIR`: draws charts of times over sizes, as SVG.
enum RenderCommand {
  struct Settings {
    var results = ""
    var folder: String?
  }

  static var options: [Option<Settings>] {
    [
      .value(
        "--out", "DIR", "The folder for all files; made where it is missing. Needed.",
        expects: "a path", parse: { $0 }, apply: { $0.folder = $1 })
    ]
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    guard let path = settings.folder else {
      throw Failure(.usage, "--out is missing; see 'bench render --help'")
    }
    let files = files(for: try ResultsFile.read(settings.results))
    try ResultsFile.write(files.map { ($0.name, Data($0.text.utf8)) }, to: path)
    console.print("\(Format.counted(files.count, "chart")) in \(path)")
    return .success
  }

  /// Every chart with the name of its file, which contains no slashes.
  static func files(for results: Results) -> [(name: String, text: String)] {
    TimeChart.all(of: results).map { chart in
      let name = String(chart.id.map { $0.isLetter || $0.isNumber || ".-_".contains($0) ? $0 : "-" })
      return (name + ".time.svg", chart.drawing.svg)
    }
  }
}
