import EditingSessions
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Two sessions that edit one file at opposite ends, each with its own log and writer, as in two processes.
@MainActor
final class EditingSessionNeighborTests: XCTestCase, NoteSessions {
  /// A session whose system calls around the exchange of its file pause at random.
  private func session(_ name: String, in folder: TemporaryFolder) async throws -> EditingSession<String> {
    var random = SeededRandom.announced("pauses of the session \(name)")
    let pauses = (0..<1024).map { _ in random.chance(oneIn: 2) ? UInt32(random.int(in: 0..<1_000)) : 0 }
    let system = ScriptedFileSystem { call, number in
      if [.exchangeFiles, .inspect, .moveFile, .synchronizeFile].contains(call) { usleep(pauses[number % 1024]) }
      return nil
    }
    let session = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery \(name)"), format: .text,
      system: system)
    session.autosave = .milliseconds(1)
    return session
  }

  private func lines(_ text: String?) -> Set<Substring> { Set((text ?? "").split(separator: "\n")) }

  func testTwoAutosavingSessionsLoseNoLine() async throws {
    let rounds = Int(ProcessInfo.processInfo.environment["UNSAVED_SAVES"] ?? "") ?? 40
    var random = SeededRandom.announced("two sessions")
    let folder = try TemporaryFolder()
    try folder.put("middle\n", "note.txt")
    let (top, bottom) = try await (session("top", in: folder), session("bottom", in: folder))
    var typed: Set<Substring> = ["middle"]
    for round in 0..<rounds {
      top.edit { $0.insert("t\(round)\n", atUTF8: 0) }
      bottom.edit { $0.append("b\(round)\n") }
      typed.formUnion(["t\(round)", "b\(round)"])
      for _ in 0..<random.int(in: 0..<200) { await Task.yield() }
      // Sometimes both sessions save before the next round.
      if random.chance(oneIn: 4) {
        _ = (try? await top.save(), try? await bottom.save())
        let seen = lines(folder.text("note.txt")).union(lines(top.currentItem)).union(lines(bottom.currentItem))
        XCTAssertEqual(typed.subtracting(seen), [], "round \(round), seed \(random.seed)")
      }
    }
    // The first session saves twice, because it lacks what the second one adds.
    for session in [top, bottom, top] { try await session.save() }
    for session in [top, bottom] {
      try await session.reload()
      XCTAssert(isSaved(session), "\(session.state)")
      XCTAssertEqual(typed.subtracting(lines(session.currentItem)), [], "seed \(random.seed)")
      XCTAssertEqual(session.currentItem, folder.text("note.txt"))
    }
    XCTAssertEqual(folder.names.filter { $0.hasPrefix(".unsaved") }, [])
    try await top.close()
    try await bottom.close()
  }
}
