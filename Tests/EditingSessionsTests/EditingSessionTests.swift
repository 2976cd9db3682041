import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// The behavior of a session that its users see, on real files.
@MainActor
final class EditingSessionTests: XCTestCase {
  private struct Note: UndoArchivable, Sendable, Equatable {
    var title = ""
    var lines: [String] = []
    var caret = 0

    static let undoParts = [
      UndoPart<Note>("title", \.title), UndoPart("lines", \.lines), UndoPart("caret", \.caret),
    ]
  }

  private func withFolder(_ body: (URL, URL) async throws -> Void) async throws {
    let folder = try TemporaryFolder()
    try await body(folder.file("note.txt"), folder.file("recovery"))
  }

  private func saved(_ session: EditingSession<String>) async {
    while true {
      if case .saved = session.state { return }
      await Task.yield()
    }
  }

  private func text(_ file: URL) throws -> String { try String(contentsOf: file, encoding: .utf8) }

  func testGoingBeyondStepsHiddenByARemoteEditFails() async throws {
    let folder = try TemporaryFolder()
    let session = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    for step in ["a", "b", "c"] { session.edit(step) { $0.set("\(step)\n") } }
    let count = session.history.steps.count
    XCTAssertFalse(session.history.go(to: .step(count + 1)))
    session.history.applyRemote { $0.set("theirs\n") }
    session.history.go(to: .step(0))
    XCTAssertFalse(session.history.go(to: .step(count + 1)))
    XCTAssertFalse(session.history.go(to: .step(-1)))
    try await session.close()
  }

  func testALinkToAFolderLeadsToTheSameLog() async throws {
    let folder = try TemporaryFolder()
    let (real, link, recovery) = (folder.file("real"), folder.file("link"), folder.file("recovery"))
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: real)
    // At first, neither the file's folder nor the link's destination exists.
    for (index, parent) in [link, real, link].enumerated() {
      let file = parent.appending(path: "notes/note.txt")
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      XCTAssertEqual(session.history.currentItem, String(repeating: "a", count: index))
      session.edit { $0.append("a") }
      try await session.close()
      let notes = real.appending(path: "notes")
      if index == 0 { try FileManager.default.createDirectory(at: notes, withIntermediateDirectories: true) }
    }
  }

  func testEditWithARolledBackTransactionCannotBeRedone() async throws {
    struct Refusal: Error {}
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      for letter in ["a", "b", "c"] {
        session.edit { edit in
          edit.append(letter)
          try? edit.transaction { edit throws in
            edit.append("-")
            throw Refusal()
          }
        }
        XCTAssertNil(session.redo())
      }
      XCTAssertEqual([session.currentItem, "\(session.history.undoCount)"], ["abc", "1"])
      session.undo()
      XCTAssertEqual(session.currentItem, "")
      try await session.close()
    }
  }

  func testAnEditIsSavedAndTheStepsOutliveTheSession() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.edit { $0.append("Buy", as: .typing) }
      session.edit { $0.append(" milk", as: .typing) }
      session.edit("Shout") { $0.append("!") }
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      try await session.save()
      guard case .saved = session.state else { return XCTFail("\(session.state)") }
      XCTAssertEqual(try text(file), "Buy milk!")
      session.undo()
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      session.redo()
      guard case .saved = session.state else { return XCTFail("\(session.state)") }
      session.undo()
      try await session.close()

      let next = try await EditingSession(file: file, recovery: recovery, format: .text)
      XCTAssertEqual(next.history.currentItem, "Buy milk")
      XCTAssertEqual(next.history.undoCount, 1)
      XCTAssertEqual(next.history.redoLabel, "Shout")
      XCTAssert(next.recovered.hasLog && next.recovery.hasUnfinishedChanges)
      next.redo()
      XCTAssert(!next.history.isDirty)
      XCTAssertEqual(next.history.currentItem, "Buy milk!")
      try await next.close()
    }
  }

  func testDurableEditsSurviveAKill() async throws {
    try await withFolder { file, recovery in
      let copy = recovery.deletingLastPathComponent().appending(path: "copy")
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .json(Note.self), new: Note(), configure: { $0.restoreOnUndo(\.caret) })
      session.edit("Name") { $0.title = "Friday" }
      session.edit { note in
        note.lines.append("Milk")
        note.caret = 4
      }
      session.undo()
      expect(await session.isSynchronized())
      // A copy is like the log after a kill: it isn't locked.
      try TemporaryFolder.copy(recovery, to: copy)
      let next = try await EditingSession(
        file: file, recovery: copy, format: .json(Note.self), new: Note(), configure: { $0.restoreOnUndo(\.caret) })
      XCTAssertEqual(next.history.currentItem, session.history.currentItem)
      XCTAssertEqual(next.history.undoLabel, "Name")
      XCTAssertEqual(next.history.redoCount, 1)
      next.redo()
      session.redo()
      XCTAssertEqual(next.history.currentItem, session.history.currentItem)
      try await next.close()
      try await session.close()
    }
  }

  func testErrorSaysThatAnotherSessionHasTheFileOpen() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      do {
        _ = try await EditingSession(file: file, recovery: recovery, format: .text)
        XCTFail("two sessions have one file")
      } catch {
        let words = "another session has the file open. Close it there, then open it again."
        XCTAssertEqual("\(error)", "\(file.path): \(words)")
      }
      try await session.close()
    }
  }

  /// Other versions of an app may restore other values than the version that wrote the log.
  func testSessionMayRestoreOtherValuesThanTheLastOne() async throws {
    for isKilled in [false, true] {
      try await withFolder { file, recovery in
        func open(
          _ recovery: URL, _ configure: @escaping @Sendable (inout UndoHistory<Note>) -> Void
        ) async throws -> EditingSession<Note> {
          try await EditingSession(
            file: file, recovery: recovery, format: .json(Note.self), new: Note(), configure: configure)
        }
        let old = try await open(recovery) { $0.restoreOnUndo(\.caret) }
        old.edit { $0.title.append("abc") }
        old.edit { $0.caret = 3 }
        old.edit("Line") { $0.lines.append("one") }
        old.edit { $0.title.append("def") }
        old.edit { $0.caret = 6 }
        for _ in 0..<3 { old.undo() }
        for _ in 0..<2 { old.redo() }
        let isDurable = await old.isSynchronized()
        XCTAssert(isDurable)
        let copy = recovery.deletingLastPathComponent().appending(path: "copy")
        try TemporaryFolder.copy(recovery, to: copy)
        let note = old.history.currentItem
        try await old.close()

        let recovery = isKilled ? copy : recovery
        let versions: [(isCaretCarried: Bool, configure: @Sendable (inout UndoHistory<Note>) -> Void)] = [
          (
            true,
            { history in
              history.restoreOnUndo(\.caret)
              history.restoreOnUndo(\.title)
            }
          ), (false, { _ in }), (false, { $0.restoreOnUndo(\.lines) }), (true, { $0.restoreOnUndo(\.caret) }),
        ]
        for version in versions {
          let session = try await open(recovery, version.configure)
          XCTAssertTrue(session.recovery.isIntact)
          XCTAssertNil(session.recovery.setAside)
          XCTAssertEqual(session.history.currentItem, note)
          XCTAssertEqual([session.history.undoCount, session.history.redoCount], [2, 1])
          XCTAssertEqual(session.history.undoLabel, "Line")
          session.edit { $0.caret = 1 }
          XCTAssertEqual(session.history.undoCount, version.isCaretCarried ? 2 : 3)
          if version.isCaretCarried { session.edit { $0.caret = note.caret } } else { session.undo() }
          while session.undo() != nil {}
          XCTAssertEqual(session.history.title, "")
          XCTAssertEqual(session.history.lines, [])
          session.redo()
          session.redo()
          XCTAssertEqual(session.history.title, note.title)
          XCTAssertEqual(session.history.lines, note.lines)
          session.edit { $0.caret = note.caret }
          if !version.isCaretCarried { while session.history.undoCount > 2 { session.undo() } }
          expect(await session.isSynchronized())
          try await session.close()
        }
      }
    }
  }

  func testTextOfAnotherProgramIsAStepIfNothingWasUnsaved() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.edit { $0.append("mine") }
      try await session.save()
      try await session.close()
      try Data("theirs".utf8).write(to: file)

      let next = try await EditingSession(file: file, recovery: recovery, format: .text)
      XCTAssertEqual(next.history.currentItem, "theirs")
      XCTAssert(next.recovered.wasChangedByAnother)
      guard case .saved = next.state else { return XCTFail("\(next.state)") }
      try await next.close()
      try Data("other text".utf8).write(to: file)

      let last = try await EditingSession(file: file, recovery: recovery, format: .text)
      XCTAssertEqual(last.history.currentItem, "other text")
      for text in ["theirs", "mine", ""] {
        last.undo()
        XCTAssertEqual(last.history.currentItem, text)
      }
      try await last.close()
    }
  }

  func testResolvingAConflictKeepsBothTextsAsSteps() async throws {
    for resolution in [EditingSession<String>.Resolution.mine, .theirs, .merged("mine and theirs")] {
      try await withFolder { file, recovery in
        try Data("old".utf8).write(to: file)
        let session = try await EditingSession(file: file, recovery: recovery, format: .text)
        session.edit { $0.set("mine") }
        try Data("theirs".utf8).write(to: file)
        expectEqual(await refusal { try await session.save() }, "conflict")
        guard case .conflict = session.state, session.hasConflict else { return XCTFail("\(session.state)") }
        XCTAssertEqual(try text(file), "theirs")
        try await session.resolve(resolution)
        XCTAssertFalse(session.hasConflict)
        guard case .saved = session.state else { return XCTFail("\(session.state)") }
        XCTAssertEqual(try text(file), session.history.currentItem)
        var texts = [session.history.currentItem]
        while session.undo() != nil { texts.append(session.history.currentItem) }
        XCTAssert(texts.contains("mine") && texts.contains("theirs") && texts.contains("old"), "\(texts)")
        try await session.close()
      }
    }
  }

  func testConflictIsFoundWhenOpening() async throws {
    try await withFolder { file, recovery in
      try Data("old".utf8).write(to: file)
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.edit { $0.set("mine") }
      try await session.close()
      try Data("theirs".utf8).write(to: file)
      let next = try await EditingSession(file: file, recovery: recovery, format: .text)
      guard case .conflict = next.state else { return XCTFail("\(next.state)") }
      XCTAssertEqual(next.history.currentItem, "mine")
      expect(await refusal { try await next.save() } != nil)
      XCTAssertEqual(try text(file), "theirs")
      try await next.resolve(.mine)
      XCTAssertEqual(try text(file), "mine")
      try await next.close()
    }
  }

  func testAutosaveWritesAfterTheDelaySinceTheFirstEdit() async throws {
    try await withFolder { file, recovery in
      let clock = ManualClock()
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: PosixFileSystem(), clock: clock)
      session.autosave = .seconds(2)
      session.edit { $0.append("a") }
      await clock.waitForSleepers(1)
      session.edit { $0.append("b") }
      clock.advance(by: .seconds(2))
      await saved(session)
      XCTAssertEqual(try text(file), "ab")
      // Typing continues the step.
      session.edit { $0.append("c") }
      XCTAssertEqual(session.history.undoCount, 1)
      session.autosave = nil
      try await session.close()
    }
  }

  func testAllStepsSurviveRewritingTheLog() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      let line = String(repeating: "A line of some length. ", count: 40)
      for number in 0..<4_000 {
        session.edit("Line") { $0.set("\(number) \(line)") }
        if number % 100 == 0 { await session.isSynchronized() }
      }
      await session.isSynchronized()
      try await session.close()
      let next = try await EditingSession(file: file, recovery: recovery, format: .text)
      XCTAssertEqual(next.history.currentItem, session.history.currentItem)
      XCTAssertEqual(next.history.undoCount, 4_000)
      try await next.close()
    }
  }

  func testTheNextSessionMayHaveASmallerLimit() async throws {
    try await withFolder { file, recovery in
      for last in ["x", "y"] {
        let session = try await EditingSession(file: file, recovery: recovery, format: .text)
        for number in 0..<10 { session.edit("Number") { $0.append("\(number)") } }
        session.history.go(to: .step(8))
        session.edit("Last") { $0.append(last) }
        try await session.close()
      }
      let next = try await EditingSession(
        file: file, recovery: recovery, format: .text, configure: { $0.limit = .steps(3) })
      XCTAssertEqual(next.history.currentItem, "01234567y")
      XCTAssertEqual(next.history.undoCount, 3)
      XCTAssertTrue(next.recovery.isIntact)
      try await next.close()
    }
  }

  func testSecondSessionOfAFileIsRefused() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      expectEqual(await refusal { _ = try await EditingSession(file: file, recovery: recovery, format: .text) }, "log")
      try await session.close()
    }
  }

  /// After a kill or the release of a session, its log is closed a moment later.
  func testOpeningWaitsForTheLogOfASessionThatCloses() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.edit { $0.append("a") }
      let clock = ManualClock()
      let opening = Task { @MainActor in
        try await EditingSession(
          file: file, recovery: recovery, format: .text, system: PosixFileSystem(), clock: clock)
      }
      await clock.waitForSleepers(1)
      try await session.close()
      clock.advance(by: .milliseconds(10))
      let next = try await opening.value
      XCTAssertEqual(next.history.currentItem, "a")
      try await next.close()
    }
  }

  func testClosedSessionLeavesNoLogIfKeepsStepsIsFalse() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.keepsSteps = false
      session.edit { $0.append("a") }
      try await session.save()
      try await session.close()
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: recovery.path), [])
    }
  }

  func testEditAfterASaveBeginsIsNotSaved() async throws {
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .text)
      session.edit("a") { $0.append("a") }
      let saving = Task { @MainActor in try await session.save() }
      let editing = Task { @MainActor in session.edit("b") { $0.append("b") } }
      try await saving.value
      await editing.value
      XCTAssertEqual(try text(file), "a")
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      session.undo()
      guard case .saved = session.state else { return XCTFail("\(session.state)") }
      try await session.close()
    }
  }

  /// A separate thread writes the document, so later keys may be in the log before the file is written.
  func testEditAfterASaveBeginsIsUnsavedInTheNextSession() async throws {
    try await withFolder { file, recovery in
      let format = EditingFormat<String>(
        read: { String(decoding: $0, as: UTF8.self) },
        write: { text in
          // Wait for the edit after the save.
          while !FileManager.default.fileExists(atPath: "\(file.path).go") {}
          return Data(text.utf8)
        })
      let session = try await EditingSession(file: file, recovery: recovery, format: format, new: "")
      session.edit("a") { $0.append("a") }
      let saving = Task { @MainActor in try await session.save() }
      try await until(await !session.history.savesInFlight.isEmpty)
      session.edit("b") { $0.append("b") }
      try Data().write(to: URL(filePath: "\(file.path).go"))
      try await saving.value
      try await session.close()

      let next = try await EditingSession(file: file, recovery: recovery, format: .text)
      XCTAssertEqual(next.history.currentItem, "ab")
      XCTAssertEqual(try text(file), "a")
      guard case .edited = next.state else { return XCTFail("\(next.state)") }
      next.undo()
      try await next.close()
    }
  }

  func testUndoneEditsAreNotUnsavedInTheNextSession() async throws {
    let folder = try TemporaryFolder()
    func open() async throws -> EditingSession<String> {
      try await EditingSession(file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    }
    let session = try await open()
    session.edit { $0.append("a") }
    try await session.save()
    session.edit("More") { $0.append("b") }
    session.undo()
    guard case .saved = session.state else { return XCTFail("\(session.state)") }
    try await session.close()
    let next = try await open()
    XCTAssertFalse(next.recovery.hasUnfinishedChanges)
    guard case .saved = next.state else { return XCTFail("\(next.state)") }
    XCTAssertEqual(next.history.redoLabel, "More")
    try await next.close()
  }

  func testOpenStepWithoutEditsLeavesTheDocumentSaved() async throws {
    try await withFolder { file, recovery in
      let clock = ManualClock()
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: PosixFileSystem(), clock: clock)
      session.autosave = .seconds(2)
      session.edit { $0.append("a") }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(2))
      await saved(session)
      let step = session.history.beginStep("Drag")
      guard case .saved = session.state else { return XCTFail("\(session.state)") }
      XCTAssert(session.history.endStep(step))
      guard case .saved = session.state else { return XCTFail("\(session.state)") }
      try await session.close()
    }
  }

  func testAFileOfAnotherEncodingIsRefused() async throws {
    try await withFolder { file, recovery in
      try Data([0xff, 0xfe, 0x41]).write(to: file)
      do throws(EditingSessionError) {
        _ = try await EditingSession(file: file, recovery: recovery, format: .text)
        XCTFail("it was read")
      } catch {
        guard case .unreadable = error.reason else { return XCTFail("\(error)") }
      }
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: recovery.path), [], "no log was created")
    }
  }

  func testALogOfAnotherTypeIsKept() async throws {
    struct Other: Codable, Sendable { var name: Int }
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .json(Note.self), new: Note())
      session.edit { $0.title = "a" }
      try await session.close()
      let next = try await EditingSession(
        file: file, recovery: recovery, format: .json(Other.self), new: Other(name: 1))
      let kept = try XCTUnwrap(next.recovery.setAside)
      XCTAssert(FileManager.default.fileExists(atPath: kept.path))
      XCTAssertFalse(next.recovery.isIntact)
      try await next.close()
    }
  }

  func testLogThatCannotBeMovedAsideIsLeftUnchanged() async throws {
    struct Other: Codable, Sendable { var name: Int }
    try await withFolder { file, recovery in
      let session = try await EditingSession(file: file, recovery: recovery, format: .json(Note.self), new: Note())
      session.edit { $0.title = "a" }
      try await session.close()
      let names = try FileManager.default.contentsOfDirectory(atPath: recovery.path)
      let system = ScriptedFileSystem { call, _ in
        call == .linkFile || call == .moveFile ? .failure(EACCES) : nil
      }
      let next = try await EditingSession(
        file: file, recovery: recovery, format: .json(Other.self), new: Other(name: 1), system: system,
        clock: ManualClock())
      guard case .log(let cause)? = next.logFailure?.reason else { return XCTFail("there is no failure") }
      XCTAssertEqual(cause.reason, .permissionDenied)
      next.edit { $0.name = 2 }
      system.disarm()
      expectEqual(await next.isSynchronized(), false, "a log that was not read must not be overwritten")
      try await next.save()
      try await next.close()
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: recovery.path), names)
    }
  }
}
