import FileChanges
import Foundation

/// A way to save files: so many saves, of so many files in turn, by so many tasks at a time.
struct FileSaving: Sendable {
  let title: String
  let saves: Int
  let files: Int
  let tasks: Int

  /// What is saved each time, so that it can be told which save is on disk in the end.
  private static func contents(_ save: Int) -> Data {
    Data(repeating: 7, count: 4096) + Data("save \(save)".utf8)
  }

  /// The ways of the table, with about so many saves each.
  static func all(saves: Int) -> [FileSaving] {
    [
      FileSaving(title: "as many files, by 8 tasks", saves: saves, files: saves, tasks: 8),
      FileSaving(title: "100 files in turn, by 8 tasks", saves: saves, files: min(100, saves), tasks: 8),
      FileSaving(title: "10 files in turn, by one task", saves: saves, files: min(10, saves), tasks: 1),
    ]
  }

  /// What came of it.
  struct Outcome: Sendable {
    let progress: FileChangeWriter.Progress
    /// From the first save until all is on disk.
    let time: Duration
    /// Whether the newest contents of every file were on disk in the end.
    let isNewest: Bool
  }

  /// Saves to the temporary folder.
  func outcome(hasJournal: Bool) async throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = FileChange.Path(folder.appending(path: "journal"))
    let writer = hasJournal ? try await FileChangeWriter(journal: journal) : FileChangeWriter()
    let urls = (0..<files).map { folder.appending(path: "\($0)") }
    let start = ContinuousClock.now
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask {
          // Each task has files of its own, so that it is known which save is the newest.
          for save in 0..<saves where save % files % tasks == task {
            try await writer.submit(.write(Self.contents(save), to: urls[save % files]))
          }
        }
      }
      try await group.waitForAll()
    }
    try await writer.flush()
    let time = ContinuousClock.now - start
    let progress = await writer.progress
    let isNewest = try urls.indices.allSatisfy { file in
      let newest = (saves - 1 - file) / files * files + file
      return try Data(contentsOf: urls[file]) == Self.contents(newest)
    }
    try await writer.shutdown()
    return Outcome(progress: progress, time: time, isNewest: isNewest)
  }
}
