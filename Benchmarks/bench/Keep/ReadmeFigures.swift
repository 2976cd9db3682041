import Foundation

/// The figures of a kept run for the README: a chart, and two tables below it.
struct ReadmeFigures {
  let results: Results
  /// The name of the run's file in `docs/measurements`.
  let file: String

  /// A row of a table: a benchmark, the contender that it is compared with, and both in words.
  private struct Row {
    let id: String
    var size: Int?
    let words: String
    let contender: String
    let otherWords: String
  }

  private static let snapshots = "a snapshot for each edit, 16 kept"

  private static let faster =
    [(1000, "1,000"), (32_768, "32,768"), (1_000_000, "a million")].map { size, words in
      Row(
        id: "UndoHistory.element", size: size, words: "change one of \(words) numbers, with undo",
        contender: snapshots, otherWords: "a snapshot")
    }
    + [(1000, "1 KB"), (32_768, "32 KB"), (1_000_000, "1 MB")].map { size, words in
      Row(
        id: "UndoHistory.typing", size: size, words: "type a key in a text of \(words), with undo",
        contender: snapshots, otherWords: "a snapshot")
    }
    + [
      Row(
        id: "Partial.set.Int", words: "set a number in a form", contender: "dictionary",
        otherWords: "a dictionary of `Any`"),
      Row(
        id: "UniqueQueue.steady.Int", size: 1024, words: "queue one of 1,024 jobs, once", contender: "Set and Array",
        otherWords: "`Set` and `Array`"),
      saves(8000, words: "one of 8,000 saves of 100 files, on disk when acknowledged, by 8 tasks"),
    ]

  private static let slower = [
    Row(
      id: "UndoHistory.field", words: "set a number, with undo", contender: "no undo at all", otherWords: "without undo"
    ),
    Row(
      id: "EditingSession.field", words: "set a number in a session, with its log", contender: "history alone",
      otherWords: "in its history alone"),
    Row(
      id: "Dirtyable.round.small", words: "edit and save a struct of two numbers",
      contender: "original and edited copy", otherWords: "an original and a copy"),
    Row(
      id: "Dirtyable.rebase", words: "merge a form of 40 strings with a newer one", contender: "key paths in an array",
      otherWords: "listed fields alone, by key paths"),
    Row(
      id: "Draft.commit", words: "edit a draft of 40 strings and commit it", contender: "copy, edit, assign",
      otherWords: "copy, edit and assign"),
    Row(
      id: "Partial.set.Int", words: "set a number in a form", contender: "optionals",
      otherWords: "a struct of optionals"),
    Row(
      id: "Partial.set.String", words: "set a string in a form", contender: "optionals",
      otherWords: "a struct of optionals"),
    saves(200, words: "one of 200 saves of 100 files, on disk when acknowledged, by 8 tasks"),
  ]

  private static func saves(_ size: Int, words: String) -> Row {
    Row(
      id: "FileChangeWriter.journal", size: size, words: words, contender: DurableSaving.Way.database.title,
      otherWords: "SQLite, a transaction for each")
  }

  /// The name of the chart, in `docs`.
  static let chart = "UndoHistory.element.time.svg"

  /// The lines of the README between its chart and its next section.
  var text: String {
    let environment = results.environment
    let processor = environment.cpu + (environment.cpuModel.map { " (\($0))" } ?? "")
    let date = environment.date.formatted(
      .verbatim(
        "\(day: .defaultDigits) \(month: .wide) \(year: .defaultDigits)", locale: Locale(identifier: "en"),
        timeZone: .gmt, calendar: Calendar(identifier: .gregorian)))
    return """
      The chart and the tables come from [one run](docs/measurements/\(file)): \(processor), \
      \(Format.counted(environment.cores, "core")), Swift \(environment.swift), \(date). A factor is the median of pairs \
      of measurements, so it can differ from the quotient of the times.

      \(table(Self.faster, ["Task", "Unsaved", "The usual way", "Times as fast"]) { $0 })
      ### Where Unsaved is slower

      \(table(Self.slower, ["Task", "Unsaved", "Otherwise", "Times as long"]) { 1 / $0 })
      """
  }

  private func table(_ rows: [Row], _ titles: [String], _ factor: (Double) -> Double) -> String {
    var lines = ["| \(titles.joined(separator: " | ")) |", "|---|--:|---|--:|"]
    for row in rows {
      guard
        let result = results.cases.first(where: { $0.id == row.id && (row.size == nil || $0.size == row.size) }),
        let time = result.lanes.first?.time,
        let other = result.lanes.first(where: { $0.contender.name == row.contender }),
        let otherTime = other.time, let ratio = other.ratio
      else { continue }
      let cells = [
        row.words, Format.time(time.median), "\(row.otherWords): \(Format.time(otherTime.median))",
        Format.ratio(factor(ratio.median)),
      ]
      lines.append("| \(cells.joined(separator: " | ")) |")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// The README with these figures in place of its old ones; nil if it has no place for them.
  func inserted(into readme: String) -> String? {
    guard let chart = readme.range(of: "](docs/\(Self.chart))\n\n"),
      let end = readme.range(of: "\n[How it is measured]", range: chart.upperBound..<readme.endIndex)
    else { return nil }
    return readme[..<chart.upperBound] + text + readme[end.lowerBound...]
  }
}
