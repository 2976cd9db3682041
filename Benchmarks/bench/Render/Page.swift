/// One page with every chart, and the same figures as tables.
///
/// It needs no other file.
struct Page {
  let results: Results
  let charts: Charts

  var html: String {
    let suites = results.cases.reduce(into: [String]()) { if $0.last != $1.suite { $0.append($1.suite) } }
    return """
      <!DOCTYPE html>
      <html lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <title>Benchmarks of Unsaved</title>
      <style>\(Self.style)</style>
      </head>
      <body>
      <header>
      <h1>Benchmarks of Unsaved</h1>
      \(environment)
      <nav>\(suites.map { "<a href=\"#\(escaped($0))\">\(escaped($0))</a>" }.joined(separator: " "))</nav>
      </header>
      <main>
      \(bars)\(suites.map(section).joined(separator: "\n"))
      </main>
      </body>
      </html>

      """
  }

  private var environment: String {
    let lines = Report(terminal: .plain).preamble(results).split(separator: "\n").map {
      "<p>\(escaped(String($0)))</p>"
    }
    let problems = results.problems.map { "<p class=\"bad\">Invalid: \(escaped($0))</p>" }
    return (lines + problems).joined(separator: "\n")
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
    let figures = charts.all.filter { $0.suite == suite }.map { chart in
      // A tall chart takes the rows of as many others beside it.
      let rows = max(1, Int((chart.drawing.height / LineChart.height).rounded()))
      return "<figure style=\"grid-row:span \(rows)\">\(chart.drawing.svg)</figure>"
    }
    let cases = results.cases.filter { $0.suite == suite }
    return """
      <section id="\(escaped(suite))">
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
          "<td\(Self.isText(title) ? "" : " class=\"n\"")>\(escaped(text))</td>"
        }
        rows.append("<tr>\(cells.joined())</tr>")
      }
    }
    let titles = Export.titles.map { "<th scope=\"col\"\(Self.isText($0) ? "" : " class=\"n\"")>\(escaped($0))</th>" }
    return
      "<table>\n<thead><tr>\(titles.joined())</tr></thead>\n<tbody>\(rows.joined(separator: "\n"))</tbody>\n</table>"
  }

  private static func isText(_ title: String) -> Bool { ["contender", "doubtful"].contains(title) }

  private func escaped(_ text: String) -> String { Drawing.escaped(text) }

  private static let style = """
    :root{color-scheme:light dark;--page:#f4f6f9;--ink:#1b2330;--soft:#5b6472;--line:#dde2e9;--link:#0b63ce;--bad:#b42318}
    @media (prefers-color-scheme:dark){:root{--page:#0d1015;--ink:#e8ecf2;--soft:#a3acba;--line:#2a313c;--link:#62a8ff;\
    --bad:#ff8f85}}
    body{margin:0 auto;padding:2rem 1.25rem 4rem;max-width:98rem;background:var(--page);color:var(--ink);\
    font:15px/1.5 system-ui,-apple-system,'Segoe UI',Roboto,sans-serif}
    h1{font-size:1.7rem;margin:0 0 .5rem}h2{font-size:1.25rem;margin:2.5rem 0 .75rem}
    header p{margin:.15rem 0;color:var(--soft)}.bad,header p.bad{color:var(--bad);font-weight:600}
    nav{margin-top:1rem}nav a{margin-right:.9rem}a{color:var(--link)}
    .charts{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,30rem),1fr));gap:1rem;align-items:start}
    figure{margin:0;border:1px solid var(--line);border-radius:10px;overflow:hidden}
    figure svg{display:block;width:100%;height:auto}
    details{margin-top:1rem}summary{cursor:pointer;color:var(--link)}
    .scroll{overflow-x:auto}table{border-collapse:collapse;font-size:.86rem;font-variant-numeric:tabular-nums;margin-top:.5rem}
    th,td{padding:.2rem .7rem;text-align:left;border-bottom:1px solid var(--line);white-space:nowrap}.n{text-align:right}
    """
}
