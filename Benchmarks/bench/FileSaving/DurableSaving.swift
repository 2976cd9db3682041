import FileChanges
import Foundation
import Journals

/// Measures durable saves of 1 KB: some parallel tasks save some files in turn for a given time, and each save is on
/// the device when it returns.
struct DurableSaving: Sendable {
  static let byteCount = 1024

  let files: Int
  let tasks: Int
  var duration = Duration.seconds(5)

  var title: String {
    "\(files == 1 ? "one file" : "\(Format.grouped(files)) files"), \(tasks) task\(tasks == 1 ? "" : "s")"
  }

  static func all(for duration: Duration) -> [DurableSaving] {
    [1, 1000].flatMap { files in
      [1, 8, 64].map { DurableSaving(files: files, tasks: $0, duration: duration) }
    }
  }

  enum Way: CaseIterable {
    case journal, database, lmdb, atomicWrites, calls

    var title: String {
      switch self {
      case .journal: "FileChangeWriter with a journal"
      case .database: "SQLite, WAL, synchronous=FULL"
      case .lmdb: "LMDB"
      case .atomicWrites: "Data.write(.atomic) and two fsyncs"
      case .calls: "pwrite and fdatasync of one file (floor)"
      }
    }
  }

  struct Outcome: Sendable {
    let saves: Int
    /// The time until the last save was on the device.
    let time: Duration
    /// The time until all files were written too.
    let timeWithFlush: Duration
    /// The bytes written to the device meanwhile, or nil if the system does not count them.
    let bytes: Int?

    var savesPerSecond: Double { Double(saves) / (time / .seconds(1)) }
    var savesPerSecondWithFlush: Double { Double(saves) / (timeWithFlush / .seconds(1)) }
  }

  /// Saves in one way in a new folder.
  ///
  /// Returns nil if that way is not available, or a save failed.
  func outcome(_ way: Way) async throws -> Outcome? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    defer { try? FileManager.default.removeItem(at: folder) }
    let urls = (0..<files).map { folder.appending(path: "\($0)") }
    switch way {
    case .journal:
      let writer = try await FileChangeWriter(journal: FileChange.Path(folder.appending(path: "journal")))
      let paths = urls.map { FileChange.Path($0) }
      let outcome = try await outcome { contents, file in
        try await writer.submit(.write(contents, to: paths[file]))
        return true
      } finish: {
        try await writer.flush()
      }
      try await writer.close()
      let isThere = urls.prefix(outcome?.saves ?? 0).allSatisfy { (try? Data(contentsOf: $0).count) == Self.byteCount }
      return isThere ? outcome : nil
    case .database:
      guard let database = SQLite(folder.appending(path: "database").path) else { return nil }
      let paths = urls.map(\.path)
      return try await outcome { contents, file in database.save(contents, to: paths[file]) }
    case .lmdb:
      guard let database = LMDB(folder.appending(path: "database").path) else { return nil }
      let paths = urls.map(\.path)
      return try await outcome { contents, file in database.save(contents, to: paths[file]) }
    case .atomicWrites:
      return try await outcome { contents, file in
        try Self.replace(urls[file], with: contents)
        return true
      }
    case .calls:
      let saves = try SavesInOneFile(folder.appending(path: "saves"), count: files)
      return try await outcome { contents, file in
        try saves.save([UInt8](contents), at: file)
        return true
      }
    }
  }

  /// Writes a file atomically with Foundation, and synchronizes the file and its folder.
  static func replace(_ file: URL, with contents: Data) throws {
    let system = PosixFileSystem()
    try contents.write(to: file, options: .atomic)
    let folder = try system.openFolder(file.deletingLastPathComponent().path)
    try system.synchronizeFile(try system.openFile(file.lastPathComponent, in: folder))
    try system.synchronizeFolder(folder)
  }

  private func outcome(
    _ save: @escaping @Sendable (Data, Int) async throws -> Bool, finish: () async throws -> Void = {}
  ) async throws -> Outcome? {
    let before = Self.writtenBytes
    let start = ContinuousClock.now
    let counts = try await withThrowingTaskGroup(of: Int?.self) { group in
      for task in 0..<tasks {
        group.addTask {
          var contents = Data(repeating: 7, count: Self.byteCount)
          var count = 0
          while ContinuousClock.now - start < duration {
            contents[count % Self.byteCount] = UInt8(truncatingIfNeeded: count)
            guard try await save(contents, (task + count * tasks) % files) else { return nil }
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let time = ContinuousClock.now - start
    try await finish()
    let timeWithFlush = ContinuousClock.now - start
    let saves = counts.compactMap(\.self)
    guard saves.count == tasks else { return nil }
    return Outcome(
      saves: saves.reduce(0, +), time: time, timeWithFlush: timeWithFlush,
      bytes: Self.writtenBytes.flatMap { after in before.map { after - $0 } })
  }

  /// The bytes that all processes and the file system have written to the device of the temporary folder.
  private static var writtenBytes: Int? {
    let folder = FileManager.default.temporaryDirectory.path
    guard let device = (try? PosixFileSystem().lookUp(path: folder))?.identity.device,
      let statistics = try? String(contentsOfFile: "/proc/diskstats", encoding: .utf8)
    else { return nil }
    let major = (device >> 8) & 0xFFF
    let minor = (device & 0xFF) | ((device >> 12) & 0xFFF00)
    let lines = statistics.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    let number = ["\(major)", "\(minor)"]
    let fields = lines.first { $0.count > 9 && Array($0.prefix(2)) == number }
    // The system counts in units of 512 bytes, regardless of the device's sectors.
    return fields.flatMap { Int($0[9]) }.map { 512 * $0 }
  }

  /// The number of saves to a journal as a multiple of those in another way in the same run, or nil if that way is not
  /// available.
  func saves(comparedWith other: Way, rounds: Int = 2) async -> Double? {
    var saves: [Way: Double] = [:]
    for round in 0..<rounds {
      // Alternate which one is first, beginning with the one that may not be available.
      for way in round % 2 == 0 ? [other, .journal] : [.journal, other] {
        guard let outcome = try? await outcome(way) else { return nil }
        saves[way, default: 0] += outcome.savesPerSecond
      }
    }
    return saves[.journal, default: 0] / max(1, saves[other, default: 0])
  }
}

/// The least that a durable save takes: the contents of all files in one file, which already has its size.
private final class SavesInOneFile: @unchecked Sendable {
  private let lock = NSLock()
  private let system = PosixFileSystem()
  private let file: Descriptor

  init(_ url: URL, count: Int) throws {
    try Data(repeating: 0, count: count * DurableSaving.byteCount).write(to: url)
    let folder = try system.openFolder(url.deletingLastPathComponent().path)
    file = try system.openToOverwrite(url.lastPathComponent, in: folder)
    try system.synchronizeFile(file)
  }

  func save(_ contents: [UInt8], at index: Int) throws {
    try lock.withLock {
      try system.overwriteAll(contents, at: index * DurableSaving.byteCount, to: file)
      try system.synchronizeData(file)
    }
  }
}

/// A table of durable saves, with a row for each way.
struct DurableSavingTable {
  var rows = Table(columns: [
    Table.Column(title: "", alignment: .left), Table.Column(title: "saves/s"),
    Table.Column(title: "with the files written"), Table.Column(title: "of SQLite"),
    Table.Column(title: "device bytes/save"),
  ])

  mutating func append(_ outcome: DurableSaving.Outcome?, of way: DurableSaving.Way, database: DurableSaving.Outcome?) {
    guard let outcome else {
      rows.append([Table.Cell(way.title)] + Array(repeating: Table.Cell("n/a"), count: 4))
      return
    }
    let ratio = database.map { Format.ratio(outcome.savesPerSecond / $0.savesPerSecond) + "x" }
    rows.append([
      Table.Cell(way.title), Table.Cell(Format.significant(outcome.savesPerSecond)),
      Table.Cell(Format.significant(outcome.savesPerSecondWithFlush)), Table.Cell(ratio ?? "n/a"),
      Table.Cell(outcome.bytes.map { Format.each($0, of: outcome.saves) } ?? "n/a"),
    ])
  }
}
