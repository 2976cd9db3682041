import Foundation
import Journals
import Outboxes
import PendingChanges

/// Counts the bytes and the groups that insertions into an outbox write.
///
/// The counts don't depend on the speed of the machine.
enum OutboxCount {
  /// The maximum number of bytes that any of 100 insertions writes beyond its payload, or nil if the journal cannot be
  /// written.
  static func bytesBeyondPayload(waiting: Int) async -> Double? {
    await withOutbox(PosixFileSystem()) { outbox in
      try await insert(waiting / 100, by: 100, outbox)
      var most = 0
      for step in 0..<100 {
        let change = Request(key: step * 97, text: String(repeating: "x", count: step))
        let before = await outbox.journalCounts.bytes
        try await outbox.insert(change)
        let payload = try JSONEncoder().encode(change).count
        most = max(most, await outbox.journalCounts.bytes - before - payload)
      }
      return Double(most)
    }
  }

  /// How many insertions share an fsync on a slow device, or nil if the journal cannot be written.
  static func insertsAGroup(tasks: Int, insertsEach: Int) async -> Double? {
    await withOutbox(SlowFileSystem(delay: .milliseconds(5))) { outbox in
      let before = await outbox.journalCounts.groups
      try await insert(insertsEach, by: tasks, outbox)
      return Double(tasks * insertsEach) / Double(await outbox.journalCounts.groups - before)
    }
  }

  private struct Request: PendingChange, Codable {
    var key: Int
    var text = "a change of a record"
  }

  private static func insert(_ count: Int, by tasks: Int, _ outbox: Outbox<Request>) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { for step in 0..<count { try await outbox.insert(Request(key: task * count + step)) } }
      }
      try await group.waitForAll()
    }
  }

  /// Runs `body` with an outbox that sends nothing.
  private static func withOutbox(
    _ system: some FileSystem, _ body: (Outbox<Request>) async throws -> Double
  ) async -> Double? {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      let outbox = try await Outbox<Request>(
        journal: folder.appending(path: "outbox"), configuration: .init(startsPaused: true), coding: .init(),
        clock: ContinuousClock(), system: system, send: { _ in .done })
      return try await body(outbox)
    } catch {
      return nil
    }
  }
}
