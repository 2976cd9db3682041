import EditingSessions
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// The log is rewritten even while a step is open, and the step stays open.
@MainActor
final class EditingSessionOpenStepTests: XCTestCase {
  private struct Note: Codable, Sendable, Equatable, UndoArchivable {
    var title = "", text = String(repeating: "x", count: 5_000)
    var caret = 0, width = 0

    static let undoParts: [UndoPart<Note>] = [
      UndoPart("title", \.title), UndoPart("text", \.text), UndoPart("caret", \.caret), UndoPart("width", \.width),
    ]
  }

  private func open(_ folder: TemporaryFolder, restores: Bool = true) async throws -> EditingSession<Note> {
    try await EditingSession(
      file: folder.file("note.json"), recovery: folder.file("recovery"), format: .json(Note.self), new: Note(),
      system: PosixFileSystem(), logByteLimit: 1_000
    ) { if restores { $0.restoreOnUndo(\.caret) } }
  }

  /// A session with an undo step, a redo step, and an open step.
  private func begun(_ folder: TemporaryFolder) async throws -> (EditingSession<Note>, UndoHistory<Note>.OpenStep) {
    let session = try await open(folder)
    session.edit("Before") { $0.title.append("before") }
    session.edit("Undone") { $0.title.append("undone") }
    session.undo()
    return (session, session.history.beginStep("Long"))
  }

  /// The byte count of the log, without the zeros at its end.
  private func size(_ folder: TemporaryFolder) throws -> Int {
    let recovery = folder.file("recovery")
    return try FileManager.default.contentsOfDirectory(atPath: recovery.path).reduce(0) {
      // A file that has just replaced another may have been renamed again.
      let data = try? Data(contentsOf: recovery.appending(path: $1))
      return $0 + (data?.lastIndex { $0 != 0 } ?? 0)
    }
  }

  private func assertSameSteps(
    _ folder: TemporaryFolder, _ session: EditingSession<Note>, line: UInt = #line
  ) async throws {
    let next = try await open(try folder.copy())
    XCTAssertTrue(next.recovery.isIntact, line: line)
    XCTAssertEqual(next.currentItem, session.currentItem, line: line)
    XCTAssertEqual(next.history.steps.map(\.label), session.history.steps.map(\.label), line: line)
    XCTAssertEqual(next.history.undoCount, session.history.undoCount, line: line)
    var history = session.history
    while history.undo() != nil {
      XCTAssertNotNil(next.undo(), line: line)
      XCTAssertEqual(next.currentItem, history.currentItem, line: line)
    }
    while history.redo() != nil {
      XCTAssertNotNil(next.redo(), line: line)
      XCTAssertEqual(next.currentItem, history.currentItem, line: line)
    }
    try await next.close()
  }

  /// Makes many edits in one open step, and writes some bytes to the log for each.
  ///
  /// - Returns: The largest size of the log.
  private func drag(_ session: EditingSession<Note>, _ count: Int, _ folder: TemporaryFolder) async throws -> Int {
    var largest = 0
    for number in 0..<count {
      session.edit {
        if number % 2 == 0 {
          $0.text.insert("abcdefghijklmnopqrstuvwxyz0123456789", atUTF8: 0)
        } else {
          $0.text.removeSubrange(utf8: 0..<36)
        }
        $0.caret = number
      }
      if number % 50 == 0 {
        await session.isSynchronized()
        largest = max(largest, try size(folder))
      }
    }
    await session.isSynchronized()
    return max(largest, try size(folder))
  }

  func testLogOfASliderStaysSmallWhileAStepIsOpen() async throws {
    for restores in [true, false] {
      let folder = try TemporaryFolder(isInMemory: true)
      let session = try await open(folder, restores: restores)
      let step = session.history.beginStep("Slide")
      for number in 0..<4_000 {
        session.edit { $0.width = number }
        if number % 200 == 0 { await session.isSynchronized() }
      }
      await session.isSynchronized()
      // The bound allows for the document and the step, twice that size, and what is written meanwhile.
      XCTAssertLessThan(try size(folder), 6 * session.currentItem.text.utf8.count)
      XCTAssertLessThan(session.history.byteCount, 200)
      try await assertSameSteps(folder, session)
      XCTAssertTrue(session.history.endStep(step))
      XCTAssertEqual(session.history.undoCount, 1)
      try await session.close()
    }
  }

  /// The step keeps every replaced range of a text.
  func testLogOfATextIsSmallerThanTheOpenStep() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder)
    let step = session.history.beginStep("Long")
    let largest = try await drag(session, 2_000, folder)
    XCTAssertLessThan(largest, session.history.byteCount)
    XCTAssertTrue(session.history.endStep(step))
    try await session.close()
  }

  func testTextAndOpenStepSurviveAKill() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (session, step) = try await begun(folder)
    for _ in 0..<4 {
      _ = try await drag(session, 201, folder)
      XCTAssertEqual(session.history.steps.map(\.label), ["Before", "Long"])
      try await assertSameSteps(folder, session)
    }
    XCTAssertTrue(session.history.endStep(step))
    session.edit("Behind") { $0.title.append("behind") }
    session.undo()
    await session.isSynchronized()
    try await assertSameSteps(folder, session)
    try await session.close()
  }

  func testCancellingALongStepRestoresTheRedoSteps() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (session, step) = try await begun(folder)
    _ = try await drag(session, 1_001, folder)
    XCTAssertTrue(session.history.cancelStep(step))
    XCTAssertEqual(session.history.redoCount, 1)
    await session.isSynchronized()
    try await assertSameSteps(folder, session)
    session.edit("Behind") { $0.title.append("behind") }
    await session.isSynchronized()
    try await assertSameSteps(folder, session)
    try await session.close()
  }

  func testRemovingTheLogDoesNotEndAnOpenStep() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder)
    session.edit("Before") { $0.title.append("before") }
    await session.isSynchronized()
    let step = session.history.beginStep("Long")
    session.edit { $0.title.append("a") }
    await session.isSynchronized()
    // Remove the log, so that it begins anew.
    try FileManager.default.removeItem(at: folder.file("recovery"))
    try FileManager.default.createDirectory(
      at: folder.file("recovery"), withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
    session.edit { $0.title.append("b") }
    await session.isSynchronized()
    XCTAssertTrue(session.history.endStep(step))
    XCTAssertEqual(session.history.steps.map(\.label), ["Before", "Long"])
    await session.isSynchronized()
    try await assertSameSteps(folder, session)
    try await session.close()
  }

  func testEditsInAnOpenStepAreLoggedIfUndoIsOff() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    func open(_ folder: TemporaryFolder) async throws -> EditingSession<Note> {
      try await EditingSession(
        file: folder.file("note.json"), recovery: folder.file("recovery"), format: .json(Note.self), new: Note(),
        system: PosixFileSystem(), logByteLimit: 1_000
      ) { $0.limit = .steps(0) }
    }
    let session = try await open(folder)
    let step = session.history.beginStep("Long")
    _ = try await drag(session, 1_001, folder)
    for isOpen in [true, false] {
      let next = try await open(try folder.copy())
      XCTAssertTrue(next.recovery.isIntact)
      XCTAssertEqual(next.currentItem, session.currentItem)
      XCTAssertFalse(next.history.canUndo)
      try await next.close()
      if isOpen { session.history.endStep(step) }
      session.edit { $0.title.append("behind") }
      await session.isSynchronized()
    }
    try await session.close()
  }
}
