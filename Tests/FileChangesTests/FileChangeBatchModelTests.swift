import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Compares random histories of batches and single changes to a simple model, while the process often ends.
final class FileChangeBatchModelTests: XCTestCase {
  func testBatchesAreAppliedWhollyOrNotAtAllAndInOrder() async throws {
    try await withSeeds(60) { random in
      var history = try BatchHistory(random: &random)
      for _ in 0..<Int.random(in: 1...4, using: &random) { try await history.live(&random) }
    }
  }

  // MARK: Damage

  /// The journals of two processes that were killed with this batch, before it began and in the middle of it.
  private func leftovers() async throws -> (TemporaryFolder, [FileChange], journals: [[UInt8]]) {
    let folder = try TemporaryFolder(isInMemory: true)
    for name in ["a", "b"] { try folder.put(name, name) }
    let changes: [FileChange] = [
      .write("new", to: folder.path("a")), .move(folder.path("b"), to: folder.path("c")),
    ]
    var journals: [[UInt8]] = []
    for call in [ScriptedFileSystem.Call.openFolder, .moveFile] {
      let (writer, kill) = try await mortalWriter(in: folder, dyingAt: call)
      try await writer.submit(batch: changes)
      await kill()
      journals.append(Array(try Data(contentsOf: folder.file("journal"))))
      // Restores the files for the next process.
      for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
      for name in ["a", "b"] { try folder.put(name, name) }
    }
    return (folder, changes, journals)
  }

  func testBatchFromADamagedJournalIsAppliedWhollyOrNotAtAll() async throws {
    let (folder, _, journals) = try await leftovers()
    let stride = Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "").map { $0 >= 1000 ? 1 : 13 } ?? 13
    for file in journals {
      // Only zeros follow the records.
      let journal = Array(file.prefix((file.lastIndex { $0 != 0 } ?? 0) + 1))
      var damaged: [[UInt8]] = (0...journal.count).map { Array(journal.prefix($0)) }
      for count in Swift.stride(from: 0, to: journal.count, by: stride) {
        damaged.append(journal.prefix(count) + [UInt8](repeating: 0, count: 4096))
      }
      for bit in Swift.stride(from: 0, to: 8 * journal.count, by: stride) {
        var bytes = journal
        bytes[bit / 8] ^= 1 << (bit % 8)
        damaged.append(bytes)
      }
      for bytes in damaged {
        for name in folder.names { try FileManager.default.removeItem(at: folder.file(name)) }
        for name in ["a", "b"] { try folder.put(name, name) }
        try Data(bytes).write(to: folder.file("journal"))
        unsafe chmod(folder.file("journal").path, 0o600)
        guard let writer = try? await journaledWriter(in: folder) else { continue }  // the damaged version looks newer
        try? await writer.close()
        let names = folder.names.filter { ["a", "b", "c"].contains($0) }
        let texts = names.map { folder.text($0) ?? "?" }
        let isAll = names == ["a", "c"] && texts == ["new", "b"]
        XCTAssertTrue(isAll || names == ["a", "b"] && texts == ["a", "b"], "\(names) \(texts)")
        XCTAssertFalse(folder.names.contains { $0.hasPrefix(".unsaved-") }, "\(folder.names)")
      }
    }
  }
}

private struct BatchHistory {
  private let folder: TemporaryFolder
  private let names: [String]
  /// The contents of each file after all accepted changes.
  private var state: [String: String] = [:]
  private var count = 0
  /// Whether calls of a process failed.
  private var hadFaults = false

  init(random: inout SeededRandom) throws {
    folder = try TemporaryFolder(isInMemory: true)
    names = (0..<Int.random(in: 2...5, using: &random)).map { "f\($0)" }
  }

  /// Runs a writer that submits until its process ends, and one that recovers from it.
  mutating func live(_ random: inout SeededRandom) async throws {
    let death = random.chance(oneIn: 5) ? Int.max : Int.random(in: 0..<500, using: &random)
    let isFaulty = random.chance(oneIn: 2)
    hadFaults = hadFaults || isFaulty
    let hasLinks = !random.chance(oneIn: 4)
    let faults = FaultSource(seed: random.next())
    let system = ScriptedFileSystem { call, number in
      if number >= death { return .death }
      if call == .linkFile, !hasLinks { return .failure(EPERM) }
      // Reads don't fail, because an unreadable journal is moved aside, which other tests cover.
      return isFaulty && call != .read && faults.next() ? .failure(EIO) : nil
    }
    var configuration = FileChangeWriter.Configuration(
      parallelFiles: Int.random(in: 1...3, using: &random),
      backoff: .init(attempts: 1000, firstDelay: .zero, longestDelay: .zero))
    configuration.firstPause = .zero
    configuration.journalByteLimit = [1, 500, 1 << 20].randomElement(using: &random)!
    // The changes that were refused after the last accepted one. They may come back until the journal is whole again.
    var refused: [[FileChange]] = []
    if let writer = try? await FileChangeWriter(
      journal: FileChange.Path(folder.file("journal")), configuration: configuration, clock: HastyClock(),
      random: SeededRandom(seed: 1), system: system)
    {
      for _ in 0..<Int.random(in: 1...25, using: &random) {
        let (changes, next) = self.changes(&random)
        do {
          if changes.count == 1, changes[0].target == nil {
            try await writer.submit(changes[0])
          } else {
            try await writer.submit(batch: changes)
          }
          (state, refused) = (next, [])
        } catch {
          // A failing journal refuses a change. If the process ends instead, the change may be applied or not.
          refused.append(changes)
          if system.isDead { break }
        }
      }
      try? await writer.close()
    }

    let next = try await FileChangeWriter(journal: FileChange.Path(folder.file("journal")))
    do {
      try await next.close()
    } catch {
      fail("\(error)")
    }
    // An unfinished rewrite of the journal stays for an hour. So does the new file of a write, with two numbers in its
    // name, if it could not be removed before another change displaced the write. The files of batches have three
    // numbers, and must not stay. If the group may write to the folder, and whether the group has other members could
    // not be found out, the journal is in a private folder.
    let privateFolder = ".unsaved-user-\(geteuid())"
    let left = folder.names.filter { name in
      if hadFaults, name == privateFolder { return false }
      let isOfWrite = name.hasPrefix(".unsaved-") && name.split(separator: "-").count == 3
      return !name.hasPrefix(".unsaved-journal-") && !(isFaulty && isOfWrite)
    }
    let found = Dictionary(uniqueKeysWithValues: left.map { ($0, folder.text($0) ?? "?") })
    var possible: Set = [state]
    for changes in refused { possible.formUnion(possible.compactMap { Self.apply(changes, to: $0) }) }
    expect(possible.contains(found), "\(found) is none of \(possible)")
    state = found
  }

  /// The files after the changes, or nil if one of the changes cannot be applied.
  private static func apply(_ changes: [FileChange], to files: [String: String]) -> [String: String]? {
    var files = files
    for change in changes {
      let name = change.path.url.lastPathComponent
      switch change.action {
      case .write(let data): files[name] = String(decoding: data, as: UTF8.self)
      case .remove: files[name] = nil
      case .move(let target):
        guard let text = files.removeValue(forKey: name) else { return nil }
        files[target.url.lastPathComponent] = text
      }
    }
    return files
  }

  /// Changes that can be applied after all earlier ones, and the files after them.
  private mutating func changes(_ random: inout SeededRandom) -> ([FileChange], [String: String]) {
    var (changes, next): ([FileChange], [String: String]) = ([], state)
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let name = names.randomElement(using: &random)!
      let path = FileChange.Path(folder.file(name))
      switch Int.random(in: 0..<3, using: &random) {
      case 0:
        count += 1
        let text = String(repeating: "x", count: count % 50) + "\(count)"
        changes.append(.write(text, to: path))
        next[name] = text
      case 1:
        changes.append(.remove(path))
        next[name] = nil
      default:
        guard let text = next[name], let free = names.filter({ next[$0] == nil }).randomElement(using: &random)
        else { continue }
        changes.append(.move(path, to: FileChange.Path(folder.file(free))))
        (next[name], next[free]) = (nil, text)
      }
    }
    guard !changes.isEmpty else { return self.changes(&random) }
    return (changes, next)
  }
}

/// Decides at random which calls fail.
///
/// Threads may share it.
private final class FaultSource: @unchecked Sendable {
  private let lock = NSLock()
  private var random: SeededRandom

  init(seed: UInt64) { random = SeededRandom(seed: seed) }

  func next() -> Bool { lock.withLock { random.chance(oneIn: 40) } }
}

extension FileChange {
  fileprivate var target: Path? {
    if case .move(let path) = action { path } else { nil }
  }
}

/// Ends each sleep after one yield, because the delays after so many failures would take minutes.
private struct HastyClock: Clock {
  var now: ContinuousClock.Instant { .now }
  var minimumResolution: Duration { .zero }

  func sleep(until deadline: ContinuousClock.Instant, tolerance: Duration?) async throws { await Task.yield() }
}
