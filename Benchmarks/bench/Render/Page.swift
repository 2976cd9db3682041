/// One page with the verdict, every chart, and the same figures as tables.
///
/// It needs no other file. The first screen is the verdict, on a phone too; what was measured how stands at the end.
struct Page {
  let results: Results
  let charts: Charts

  var html: String {
    let suites = results.cases.reduce(into: [String]()) { if $0.last != $1.suite { $0.append($1.suite) } }
    let links = suites.map { "<a href=\"#\(escaped($0))\">\(escaped($0))</a>" }.joined(separator: " ")
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title>Benchmarks of Unsaved</title>
      <style>\(Palette.style)
      \(PageStyle.text)</style>
      </head>
      <body>
      <header>
      <h1>Benchmarks of Unsaved</h1>
      <p class="machine">\(escaped(results.environment.processor)) · Swift \(escaped(results.environment.swift))</p>
      \(problems)\(verdict)<nav>\(links)</nav>
      </header>
      <main>
      \(legend)\(bars)\(suites.map(section).joined(separator: "\n"))
      </main>
      <footer>
      <h2>About this run</h2>
      \(environment)
      </footer>
      </body>
      </html>

      """
  }

  private var problems: String {
    results.problems.map { "<p class=\"bad\">Invalid: \(escaped($0))</p>\n" }.joined()
  }

  /// Three parts, each with its count and its sentence; empty where nothing was compared.
  private var verdict: String {
    let conclusion = Conclusion(results.cases)
    guard conclusion.count > 0, results.problems.isEmpty else { return "" }
    let counts = [conclusion.faster.count, conclusion.equal.count, conclusion.slower.count]
    let parts = zip(zip(["faster", "equal", "slower"], counts), conclusion.sentences).map { part, sentence in
      "<section class=\"\(part.0)\"><h2><b>\(part.1)</b> \(part.0)</h2><p>\(escaped(sentence))</p></section>"
    }
    return "<div class=\"verdict\">\n\(parts.joined(separator: "\n"))\n</div>\n"
  }

  /// What colours and signs mean, once for all charts and tables.
  private var legend: String {
    let keys = [
      ("faster", "Unsaved is faster than this design"), ("slower", "Unsaved is slower"),
      ("floor", "a floor: it does less than any design can"),
    ].map { style, text in "<li><i class=\"\(style)\"></i>\(text)</li>" }
    let notes = [
      "A bar ends at the factor; the thin line on it is the interval with 95 % confidence.",
      "In charts over sizes, the band spans the processes, a dashed line is a floor, a hollow point is doubtful.",
    ].map { "<li>\($0)</li>" }
    let signs = ([Report.legend(of: results.cases)] + Report.footnotes(results)).map { "<li>\(escaped($0))</li>" }
    return """
      <details class="legend" open="open"><summary>How to read the charts</summary>
      <ul class="keys">\(keys.joined())</ul>
      <ul>\(notes.joined())</ul>
      </details>
      <details class="legend"><summary>How to read the tables</summary>
      <ul>\(signs.joined())</ul>
      </details>

      """
  }

  private var environment: String {
    Report(terminal: .plain).preamble(results).split(separator: "\n").map { "<p>\(escaped(String($0)))</p>" }
      .joined(separator: "\n")
  }

  private var bars: String {
    guard let verdicts = results.bars else { return "" }
    let rows = verdicts.map { verdict in
      "<tr><td>\(escaped(verdict.id))</td><td class=\"n\">\(escaped(verdict.measuredText))</td>"
        + "<td class=\"n\">\(escaped(verdict.limitText))</td>"
        + "<td class=\"\(verdict.outcome == .short ? "bad" : "")\">\(verdict.outcome.rawValue)</td></tr>"
    }
    return """
      <section><h2>Bars</h2>
      <div class="scroll"><table>
      <thead><tr><th>bar</th><th class="n">measured</th><th class="n">limit</th><th></th></tr></thead>
      <tbody>\(rows.joined(separator: "\n"))</tbody>
      </table></div></section>

      """
  }

  private func section(_ suite: String) -> String {
    let figures = charts.all.filter { $0.suite == suite }.map { entry in
      let drawings = DrawingWidth.allCases.map { width in
        "<div class=\"\(width)\">\(entry.chart.drawing(width).partOfPage)</div>"
      }
      return "<figure>\(drawings.joined())</figure>"
    }
    let cases = results.cases.filter { $0.suite == suite }
    return """
      <section id="\(escaped(suite))"\(figures.count == 1 ? " class=\"single\"" : "")>
      <h2>\(escaped(suite))</h2>
      <div class="charts">\(figures.joined(separator: "\n"))</div>
      <details\(figures.isEmpty ? " open=\"open\"" : "")><summary>All figures of \(escaped(suite))</summary>
      <div class="scroll">\(table(cases))</div>
      </details>
      </section>
      """
  }

  private func table(_ cases: [Results.Case]) -> String {
    var rows: [String] = []
    var last = ""
    for result in cases {
      if result.id != last {
        last = result.id
        let each = result.unit == .element ? " (times for each element)" : ""
        rows.append(
          "<tr><th colspan=\"\(Export.titles.count)\" scope=\"rowgroup\">"
            + "\(escaped(result.benchmark)): \(escaped(result.operation + each))</th></tr>")
      }
      for row in Export.rows(of: result) {
        let cells = zip(Export.titles, row).map { title, text in
          "<td\(Export.isText(title) ? "" : " class=\"n\"")>\(escaped(text))</td>"
        }
        rows.append("<tr>\(cells.joined())</tr>")
      }
    }
    let titles = Export.titles.map {
      "<th scope=\"col\"\(Export.isText($0) ? "" : " class=\"n\"")>\(escaped($0))</th>"
    }
    return
      "<table>\n<thead><tr>\(titles.joined())</tr></thead>\n<tbody>\(rows.joined(separator: "\n"))</tbody>\n</table>"
  }

  private func escaped(_ text: String) -> String { Drawing.escaped(text) }
}
