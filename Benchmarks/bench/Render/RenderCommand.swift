import Foundation

/// `bench render RESULTS.json --out DIR`: charts as SVG, a page with all of them, and tables.
enum RenderCommand {
  struct Settings {
    var results = ""
    var folder: String?
    var makesPNGs = false
  }

  static var options: [Option<Settings>] {
    [
      .value(
        "--out", "DIR", "The folder for all files; made where it is missing. Needed.",
        expects: "a path", parse: { $0 }, apply: { $0.folder = $1 }),
      .flag("--png", "Make a PNG of each chart as well, by rsvg-convert, which has to be installed.") {
        $0.makesPNGs = true
      },
    ]
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    guard let path = settings.folder else {
      throw Failure(.usage, "--out is missing; see 'bench render --help'")
    }
    let results = try ResultsFile.read(settings.results)
    let folder = URL(fileURLWithPath: path, isDirectory: true)
    let files = files(for: results)
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic) }
    } catch {
      throw Failure(.cannotCreate, "cannot write into \(path): \(error.localizedDescription)")
    }
    console.print(
      "\(Format.counted(files.count { $0.name.hasSuffix(".svg") }, "chart")), index.html, results.md and results.csv "
        + "in \(path)")
    if settings.makesPNGs { try makePNGs(of: files.map(\.name).filter { $0.hasSuffix(".svg") }, in: folder) }
    return .success
  }

  /// Draws each chart twice as large, for screens with small dots; always on light ground.
  private static func makePNGs(of charts: [String], in folder: URL) throws(Failure) {
    let converter = Tool("rsvg-convert")
    guard converter.succeeds("--version") else {
      throw Failure(.cannotCreate, "cannot make PNGs: rsvg-convert is not installed; the SVG files are there")
    }
    for chart in charts {
      let source = folder.appending(path: chart)
      let target = source.deletingPathExtension().appendingPathExtension("png")
      guard converter.succeeds("--zoom=2", "--output=" + target.path, source.path) else {
        throw Failure(
          .cannotCreate, "cannot make \(target.lastPathComponent): rsvg-convert failed; the SVG file is there")
      }
    }
  }

  /// Every file, by its name.
  static func files(for results: Results) -> [(name: String, text: String)] {
    let charts = Charts(results)
    let export = Export(results: results)
    return [
      ("index.html", Page(results: results, charts: charts).html), ("results.md", export.markdown),
      ("results.csv", export.csv),
    ] + charts.all.map { (fileName($0.name) + ".svg", $0.drawing.svg) }
  }

  /// A name that no file system takes for a path.
  private static func fileName(_ name: String) -> String {
    String(name.map { $0.isLetter || $0.isNumber || ".-_".contains($0) ? $0 : "-" })
  }
}
