import EditingSessions
import Foundation
import Journals
import UndoHistories

/// Measures what an editing session writes, and how long it takes to open.
///
/// Each session has its own folder.
@MainActor
enum SessionCount {
  /// The maximum number of bytes that any of 100 keystrokes adds to the log, if each is synchronized separately.
  static func bytesOfAKey(textByteCount: Int) async throws -> Double {
    let line = "some text in a line of its own\n"
    return try await withFolder { file, recovery in
      try Data(String(repeating: line, count: textByteCount / line.utf8.count).utf8).write(to: file)
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      // The first edit writes the snapshot.
      session.edit { $0.append("x") }
      try await session.synchronize()
      var most = 0
      for key in 0..<100 {
        let before = session.logByteCounts.written
        session.edit { $0.insert("x", atUTF8: key * 7919 * 13 % textByteCount) }
        try await session.synchronize()
        most = max(most, session.logByteCounts.written - before)
      }
      try await session.close()
      return Double(most)
    }
  }

  /// The size of the log for a recorded session that is repeated until it has this many keystrokes, and its opening
  /// time.
  struct Log {
    /// Bytes of the log for each keystroke, without the snapshot.
    var bytesOfAKey: Double
    /// Bytes of the next session's snapshot for each step, without the texts.
    var snapshotBytesOfAStep: Double
    /// The time that the next session takes to open.
    var opening: Double
  }

  static func log(of trace: EditingTrace, keys: Int) async throws -> Log {
    try await withFolder { file, recovery in
      var session: EditingSession<String>! = try await EditingSession(
        file: file, recovery: recovery, format: .text, new: trace.start, system: PosixFileSystem(),
        logByteLimit: .max / 4)
      var count = 0
      while count < keys {
        if count > 0 { session.edit("Begin anew") { $0.set(trace.start) } }
        for edit in trace.edits {
          session.edit { $0.replaceSubrange(utf8: edit.range, with: edit.text) }
          count += 1
          // Synchronize after every 16 keystrokes, which is about once per second of typing.
          if count % 16 == 0 { try await session.synchronize() }
        }
      }
      try await session.synchronize()
      let counts = session.logByteCounts
      let (text, steps) = (session.currentItem, session.history.undoCount)
      session = nil
      let clock = ContinuousClock()
      let start = clock.now
      session = try await EditingSession(
        file: file, recovery: recovery, format: .text, new: trace.start, system: PosixFileSystem(), logByteLimit: 0)
      let opening = start.duration(to: clock.now) / .seconds(1)
      guard session.currentItem == text, session.history.undoCount == steps else {
        throw CocoaError(.fileReadCorruptFile)
      }
      session.edit("Last") { $0.append("x") }
      try await session.synchronize()
      let rounds = count / max(1, trace.edits.count)
      let deleted = trace.edits.reduce(0) { $0 + $1.range.count } * rounds + trace.end.utf8.count * (rounds - 1)
      let beside = session.logByteCounts.snapshot - deleted - session.currentItem.utf8.count
      try await session.close()
      return Log(
        bytesOfAKey: Double(counts.written - counts.snapshot) / Double(count),
        snapshotBytesOfAStep: Double(beside) / Double(steps), opening: opening)
    }
  }

  /// How long a session of a large text keeps the main actor, in seconds.
  struct Pauses {
    /// The first edit during a save.
    var edit: Double
    /// The longest time between two turns of another task.
    var longest: Double
  }

  static func pauses(textByteCount: Int) async throws -> Pauses {
    let line = "some text in a line of its own\n"
    return try await withFolder { file, recovery in
      try Data(String(repeating: line, count: textByteCount / line.utf8.count).utf8).write(to: file)
      let clock = ContinuousClock()
      let watching = Task {
        var (longest, last) = (Duration.zero, clock.now)
        while !Task.isCancelled {
          await Task.yield()
          let now = clock.now
          (longest, last) = (max(longest, last.duration(to: now)), now)
        }
        return longest
      }
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.edit { $0.append("x") }
      try await session.synchronize()
      let saving = Task { try await session.save() }
      // The save has begun, and has the text.
      while case .edited = session.state { await Task.yield() }
      let edit = clock.measure { session.edit { $0.insert("x", atUTF8: 0) } }
      try await saving.value
      try await session.close()
      watching.cancel()
      return Pauses(edit: edit / .seconds(1), longest: await watching.value / .seconds(1))
    }
  }

  private static func withFolder<Result>(
    _ body: (_ file: URL, _ recovery: URL) async throws -> Result
  ) async throws -> Result {
    let folder = FileManager.default.temporaryDirectory.appending(path: "bench-\(UUID())")
    defer { try? FileManager.default.removeItem(at: folder) }
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
    return try await body(folder.appending(path: "note.txt"), folder.appending(path: "recovery"))
  }
}
