import Foundation

/// `bench saving`: compares durable saves with SQLite and atomic writes.
enum FileSavingCommand {
  struct Settings {
    /// How long each way is measured.
    var duration = Duration.seconds(5)
  }

  static var options: [Option<Settings>] {
    [
      .value(
        "--seconds", "S", "How long each way saves; 5 if not given.", expects: "a whole number from 1 to 60",
        parse: { Int($0).flatMap { (1...60).contains($0) ? $0 : nil } }, apply: { $0.duration = .seconds($1) })
    ]
  }

  static func run(_ settings: Settings, on console: Console) throws(Failure) -> ExitCode {
    try Build.current.requireFit()
    console.print(
      "Saves of 1 KB to \(FileManager.default.temporaryDirectory.path), each on the device when it returns, "
        + "for \(settings.duration) in each way: the device is most of it.\n")
    var table = DurableSavingTable()
    for saving in DurableSaving.all(for: settings.duration) {
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
}
