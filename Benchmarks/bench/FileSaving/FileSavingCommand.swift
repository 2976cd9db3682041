import FileChanges
import Foundation

/// `bench saving`: saves files in several ways, with and without a journal, and counts what reaches the device.
enum FileSavingCommand {
  struct Settings {
    var saves = 4000
    /// How much longer each file takes than the device does; nil for the device alone.
    var delay: Duration?
    /// How long each way saves durably; nil for the other table.
    var duration: Duration?
  }

  static var options: [Option<Settings>] {
    [
      .value(
        "--saves", "N", "How often each way saves; 4000 if not given.", expects: "a whole number from 1 to 1,000,000",
        parse: { Int($0).flatMap { (1...1_000_000).contains($0) ? $0 : nil } }, apply: { $0.saves = $1 }),
      .value(
        "--slow", "MS", "Makes each file take so many milliseconds more, saves files of 100 KB, and shows what waits.",
        expects: "a whole number from 0 to 1,000",
        parse: { Int($0).flatMap { (0...1000).contains($0) ? $0 : nil } }, apply: { $0.delay = .milliseconds($1) }),
      .value(
        "--durable", "S",
        "Makes durable saves of 1 KB for so many seconds in each way, beside SQLite and atomic writes.",
        expects: "a whole number from 1 to 60",
        parse: { Int($0).flatMap { (1...60).contains($0) ? $0 : nil } }, apply: { $0.duration = .seconds($1) }),
    ]
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    try Build.current.requireFit()
    if let delay = settings.delay { return showWhatWaits(settings.saves, delay, on: console) }
    if let duration = settings.duration { return showDurableSaves(for: duration, on: console) }
    console.print(
      "Saves of 4 KB to \(FileManager.default.temporaryDirectory.path), one run of each: the device is most of it.\n")
    var table = FileSavingTable()
    for saving in FileSaving.all(saves: settings.saves) {
      table.rows.appendHeading(saving.title)
      for hasJournal in [false, true] {
        let outcome = blocking { try? await saving.outcome(hasJournal: hasJournal) }
        guard let outcome, outcome.isNewest else {
          console.print("INVALID: \(saving.title): the newest contents were not on disk in the end")
          return .invalidRun
        }
        table.append(outcome, of: saving, hasJournal: hasJournal)
      }
    }
    console.print(table.rows.rendered(for: console.terminal))
    return .success
  }

  private static func showDurableSaves(for duration: Duration, on console: Console) -> ExitCode {
    console.print(
      "Saves of 1 KB to \(FileManager.default.temporaryDirectory.path), each on the device when it returns, "
        + "for \(duration) in each way: the device is most of it.\n")
    var table = DurableSavingTable()
    for saving in DurableSaving.all(for: duration) {
      table.rows.appendHeading(saving.title)
      var outcomes: [DurableSaving.Way: DurableSaving.Outcome] = [:]
      for way in DurableSaving.Way.allCases { outcomes[way] = blocking { try? await saving.outcome(way) } }
      guard outcomes[.journal] != nil else {
        console.print("INVALID: \(saving.title): not every file was written")
        return .invalidRun
      }
      for way in DurableSaving.Way.allCases { table.append(outcomes[way], of: way, database: outcomes[.database]) }
    }
    console.print(table.rows.rendered(for: console.terminal))
    return .success
  }

  private static func showWhatWaits(_ saves: Int, _ delay: Duration, on console: Console) -> ExitCode {
    console.print(
      "\(Format.grouped(saves)) saves of \(Format.bytes(SlowFileSaving.byteCount)), each \(delay) slower: "
        + "the most that was there at a time.\n")
    var table = SlowFileSavingTable()
    for limit in [FileChangeWriter.Configuration().waitingByteLimit, .max] {
      let saving = SlowFileSaving(saves: saves, delay: delay, waitingByteLimit: limit)
      for hasJournal in [false, true] {
        let peaks = blocking { try? await saving.peaks(hasJournal: hasJournal) }
        guard let peaks, peaks.written == saves else {
          console.print("INVALID: not every file was written")
          return .invalidRun
        }
        table.append(peaks, of: saving, hasJournal: hasJournal)
      }
    }
    console.print(table.rows.rendered(for: console.terminal))
    return .success
  }
}

/// What reached the device, a row for each way.
struct FileSavingTable {
  var rows = Table(columns: [
    Table.Column(title: "", alignment: .left), Table.Column(title: "saves/s"), Table.Column(title: "written"),
    Table.Column(title: "coalesced"), Table.Column(title: "to files"), Table.Column(title: "to the journal"),
    Table.Column(title: "groups"), Table.Column(title: "saves/group"),
  ])

  mutating func append(_ outcome: FileSaving.Outcome, of saving: FileSaving, hasJournal: Bool) {
    let (progress, saves) = (outcome.progress, Double(saving.saves))
    let groups = progress.journalGroups
    rows.append([
      Table.Cell(hasJournal ? "with a journal" : "in memory"),
      Table.Cell(Format.significant(saves / (outcome.time / .seconds(1)))),
      Table.Cell(Format.percent(Double(progress.written) / saves)),
      Table.Cell(Format.percent(Double(progress.coalesced) / saves)),
      Table.Cell(Format.bytes(progress.bytesWritten)),
      Table.Cell(hasJournal ? Format.bytes(progress.journalBytes) : ""),
      Table.Cell(hasJournal ? Format.grouped(groups) : ""),
      Table.Cell(hasJournal ? Format.each(saving.saves, of: groups) : ""),
    ])
  }
}
