import AllocationCounter
import FileChanges
import Foundation

/// Saves of ever new files, by eight tasks, to a target that is slower than they are: what waits meanwhile, and where.
struct SlowFileSaving: Sendable {
  static let byteCount = 100_000

  let saves: Int
  let delay: Duration
  let waitingByteLimit: Int

  /// The most that was seen after any save.
  struct Peaks: Sendable {
    var waitingBytes = 0
    var journalBytes = 0
    /// What the whole process had allocated besides; nil where that is not seen.
    var heapBytes: Int?
    /// Files written, in the end.
    var written = 0

    fileprivate mutating func rise(to waitingBytes: Int, journalBytes: Int) {
      self.waitingBytes = max(self.waitingBytes, waitingBytes)
      self.journalBytes = max(self.journalBytes, journalBytes)
    }
  }

  func peaks(hasJournal: Bool) async throws -> Peaks {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let journal = folder.appending(path: "journal")
    let writer = try await writer(hasJournal ? FileChange.Path(journal) : nil)
    allocation_counter_start()
    var outcome = try await withThrowingTaskGroup(of: Peaks.self) { group in
      for task in 0..<8 {
        group.addTask {
          var peaks = Peaks()
          for save in stride(from: task, to: saves, by: 8) {
            let contents = Data(repeating: UInt8(truncatingIfNeeded: save), count: Self.byteCount)
            try await writer.submit(.write(contents, to: folder.appending(path: "\(save)")))
            let waiting = await writer.progress.waitingBytes
            let attributes = try? FileManager.default.attributesOfItem(atPath: journal.path)
            peaks.rise(to: waiting, journalBytes: attributes?[.size] as? Int ?? 0)
          }
          return peaks
        }
      }
      return try await group.reduce(into: Peaks()) { $0.rise(to: $1.waitingBytes, journalBytes: $1.journalBytes) }
    }
    try await writer.flush()
    let counted = allocation_counter_stop()
    outcome.heapBytes = MemoryPass.isSupported && counted.live_is_exact ? Int(counted.peak_bytes) : nil
    outcome.written = await writer.progress.written
    try await writer.shutdown()
    return outcome
  }

  private func writer(_ journal: FileChange.Path?) async throws -> FileChangeWriter {
    let configuration = FileChangeWriter.Configuration(waitingByteLimit: waitingByteLimit)
    let (clock, random, system) = (
      ContinuousClock(), SystemRandomNumberGenerator(), SlowFileSystem(delay: delay)
    )
    guard let journal else {
      return FileChangeWriter(configuration: configuration, clock: clock, random: random, system: system)
    }
    return try await FileChangeWriter(
      journal: journal, configuration: configuration, clock: clock, random: random, system: system)
  }
}

/// What waited, a row for each way.
struct SlowFileSavingTable {
  var rows = Table(columns: [
    Table.Column(title: "", alignment: .left), Table.Column(title: "limit"), Table.Column(title: "waiting"),
    Table.Column(title: "allocated"), Table.Column(title: "journal"), Table.Column(title: "written"),
  ])

  mutating func append(_ peaks: SlowFileSaving.Peaks, of saving: SlowFileSaving, hasJournal: Bool) {
    rows.append([
      Table.Cell(hasJournal ? "with a journal" : "in memory"),
      Table.Cell(saving.waitingByteLimit == .max ? "none" : Format.bytes(saving.waitingByteLimit)),
      Table.Cell(Format.bytes(peaks.waitingBytes)),
      Table.Cell(peaks.heapBytes.map(Format.bytes) ?? "n/a"),
      Table.Cell(hasJournal ? Format.bytes(peaks.journalBytes) : ""),
      Table.Cell(Format.grouped(peaks.written)),
    ])
  }
}
