import Foundation
import TestSupport
import Unsaved
import XCTest

/// Checks what the article about saving promises of its editor.
@MainActor final class SavingEditorTests: XCTestCase {
  func testTextTypedWhileClosingIsKeptOrCloseThrows() async throws {
    var seeds = SystemRandomNumberGenerator()
    let seed = seeds.next()
    print("typing while closing: 300 rounds from seed \(seed)")
    var (lost, refused) = (0, 0)
    for round in 0..<300 {
      var random = SeededRandom(seed: seed &+ UInt64(round))
      switch try await typeWhileClosing(&random) {
      case .kept: break
      case .refused: refused += 1
      case .lost: lost += 1
      }
    }
    XCTAssertEqual(lost, 0, "seed \(seed)")
    XCTAssertLessThan(refused, 300, "close threw each time")
  }

  private enum Outcome { case kept, refused, lost }

  /// Types while a session closes, and checks whether another session finds the text that the closed one shows.
  private func typeWhileClosing(_ random: inout SeededRandom) async throws -> Outcome {
    let folder = try TemporaryFolder(isInMemory: true)
    let (file, recovery) = (folder.file(random.chance(oneIn: 4) ? "gone/note" : "note"), folder.file("recovery"))
    let session = try await EditingSession(file: file, recovery: recovery, format: .text)
    if random.chance(oneIn: 2) { session.autosave = .seconds(60) }
    session.keepsSteps = random.chance(oneIn: 2)
    for number in 0..<random.int(in: 1..<4) { session.edit { $0.append("\(number)") } }
    if random.chance(oneIn: 8) { try FileManager.default.removeItem(at: recovery) }
    let pauses = (0..<random.int(in: 1..<60)).map { _ in random.int(in: 0..<60) }
    let typing = Task {
      for (number, pause) in pauses.enumerated() {
        for _ in 0..<pause { await Task.yield() }
        guard !Task.isCancelled else { return }
        session.edit { $0.append(" \(number)") }
      }
    }
    do {
      try await session.close()
    } catch {
      typing.cancel()
      return .refused
    }
    // Nothing is awaited since the close, because the process could have ended.
    let text = session.currentItem
    typing.cancel()
    await typing.value
    let next = try await EditingSession(file: file, recovery: recovery, format: .text)
    defer { Task { try? await next.close() } }
    return next.currentItem == text && session.currentItem == text ? .kept : .lost
  }

  func testAnEditOfAClosedSessionChangesNothing() async throws {
    let folder = try TemporaryFolder()
    let session = try await EditingSession(file: folder.file("note"), recovery: folder.file("recovery"), format: .text)
    session.edit("Append") { $0.append("a") }
    try await session.close()
    session.edit { $0.append("b") }
    session.currentItem = "c"
    session.undo()
    XCTAssertEqual(session.currentItem, "a")
    XCTAssertEqual(session.history.undoCount, 1)
  }
}
