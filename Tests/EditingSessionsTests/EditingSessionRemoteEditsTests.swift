import EditingSessions
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Changes that another program writes to the file of an open or a closed session.
@MainActor
final class EditingSessionRemoteEditsTests: XCTestCase, NoteSessions {
  private struct Item: UndoArchivable, Identifiable, Sendable, Equatable {
    var id = 0
    var name = ""

    static let undoParts = [UndoPart<Item>("id", \.id), UndoPart("name", \.name)]
  }

  private struct Note: UndoArchivable, Sendable, Equatable {
    var title = ""
    var items: [Item] = []

    static let undoParts = [UndoPart<Note>("title", \.title), UndoPart("items", \.items)]
  }

  /// A document without named parts.
  private struct Plain: Codable, Sendable, Equatable {
    var title = "", body = "", count = 0
  }

  /// A document with numbers and flags, which take no memory of their own.
  private struct View: Codable, Sendable, Equatable {
    struct Frame: Codable, Sendable, Equatable { var x = 0.0, y = 0.0 }

    var title = ""
    var frame = Frame()
    var isBold = false, isItalic = false
  }

  func testTypingDuringAReloadIsNotTakenForARemoteChange() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      let reloading = Task { try await session.reload() }
      await Task.yield()
      session.edit { $0.append("two\n") }
      expectEqual(try await reloading.value, false)
      try await session.close()
    }
  }

  // MARK: Without unsaved edits

  func testRewrittenFileWithTheSameTextIsNotAChange() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      var isChanged = try await session.reload()
      XCTAssertFalse(isChanged)
      try write("one\n", file)
      session.edit { $0.append("two\n") }
      isChanged = try await session.reload()
      XCTAssertFalse(isChanged)
      try write("one\n", file)
      try await session.save()
      XCTAssertEqual(try text(file), "one\ntwo\n")
      try await session.close()
    }
  }

  // MARK: With unsaved edits

  func testReloadMergesBothEditsAndUndoSkipsTheRemoteOne() async throws {
    try await withFile("one\ntwo\nthree\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.insert("my ", atUTF8: 4) }
      try write("ONE\ntwo\nthree\nfour\n", file)
      try await session.reload()
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      XCTAssertEqual(session.currentItem, "ONE\nmy two\nthree\nfour\n")
      XCTAssertEqual(session.history.steps.map(\.label), ["Mine"])
      session.undo()
      XCTAssertEqual(session.currentItem, "ONE\ntwo\nthree\nfour\n")
      XCTAssert(isSaved(session), "the saved point is what they wrote")
      session.redo()
      try await session.save()
      XCTAssertEqual(try text(file), "ONE\nmy two\nthree\nfour\n")
      try await session.close()
    }
  }

  func testSaveMergesTheRemoteEditFirst() async throws {
    try await withFile("one\ntwo\nthree\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("mine\n") }
      try write("theirs\none\ntwo\nthree\n", file)
      try await session.save()
      XCTAssert(isSaved(session) && !session.history.isDirty)
      XCTAssertEqual(try text(file), "theirs\none\ntwo\nthree\nmine\n")
      session.undo()
      XCTAssertEqual(session.currentItem, "theirs\none\ntwo\nthree\n")
      XCTAssertFalse(isSaved(session))
      try await session.close()
    }
  }

  func testTypingContinuesItsStepAcrossAnAutosaveAndAReload() async throws {
    try await withFile("one\ntwo\n") { file, recovery in
      let clock = ManualClock()
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: PosixFileSystem(), clock: clock)
      session.autosave = .seconds(2)
      session.edit { $0.append("a") }
      await clock.waitForSleepers(1)
      clock.advance(by: .seconds(2))
      try await until(await session.isSaved)
      session.edit { $0.append("b") }
      try write("ONE\ntwo\na", file)
      try await session.reload()
      session.edit { $0.append("c") }
      XCTAssertEqual(session.currentItem, "ONE\ntwo\nabc")
      XCTAssertEqual(session.history.undoCount, 1)
      try await session.close()
      XCTAssertEqual(try text(file), "ONE\ntwo\nabc")
      let next = try await open(file, recovery)
      XCTAssertEqual(next.history.undoCount, 1)
      next.undo()
      XCTAssertEqual(next.currentItem, "ONE\ntwo\n")
      try await next.close()
    }
  }

  func testEditsThatCancelOutAreSavedAfterAReload() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      session.edit("Cut") { $0.set("one\n") }
      XCTAssertFalse(isSaved(session), "the session has not read the file yet")
      expectEqual(try await session.reload(), false)
      XCTAssert(isSaved(session))
      try await session.close()
      // The next session knows what the file had, so it sees what the other program has changed.
      try write("zero\none\n", file)
      let next = try await open(file, recovery)
      XCTAssertFalse(next.hasConflict)
      XCTAssertEqual(next.currentItem, "zero\none\n")
      XCTAssertEqual(next.history.undoCount, 3)
      try await next.close()
    }
  }

  func testFailureEndsIfTheFileHasTheDocument() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      try FileManager.default.removeItem(at: file)
      try FileManager.default.createDirectory(at: file, withIntermediateDirectories: false)
      expect(await refusal { try await session.save() } != nil)
      try FileManager.default.removeItem(at: file)
      try write("one\n", file)
      session.edit("Cut") { $0.set("one\n") }
      try await session.reload()
      XCTAssert(isSaved(session))
      session.edit { $0.append("three\n") }
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      try await session.save()
      try await session.close()
    }
  }

  func testElementsAreMergedByTheirIdentities() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.json"), folder.file("recovery"))
    let note = Note(items: [Item(id: 1, name: "Flour"), Item(id: 2, name: "Milk"), Item(id: 3, name: "Eggs")])
    let session = try await EditingSession(file: file, recovery: recovery, format: .json(Note.self), new: note)
    try await session.save()
    session.edit { $0.items[1].name.append(", cold") }
    session.edit { $0.title = "Mine" }
    let (salt, flour) = (Item(id: 4, name: "Salt"), Item(id: 1, name: "Flour"))
    let theirs = Note(items: [salt, flour, Item(id: 2, name: "Milk"), Item(id: 3, name: "6 Eggs")])
    try JSONEncoder().encode(theirs).write(to: file)
    try await session.reload()
    let both = [salt, flour, Item(id: 2, name: "Milk, cold"), Item(id: 3, name: "6 Eggs")]
    XCTAssertEqual(session.currentItem, Note(title: "Mine", items: both))
    session.history.go(to: .step(0))
    XCTAssertEqual(session.currentItem, theirs)
    XCTAssert(isSaved(session), "their encoder may write the same document with other bytes")
    try await session.close()
  }

  func testEditsOfUnnamedPropertiesAreMerged() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.json"), folder.file("recovery"))
    let session = try await EditingSession(file: file, recovery: recovery, format: .json(Plain.self), new: Plain())
    try await session.save()
    session.edit { $0.title = "mine" }
    try JSONEncoder().encode(Plain(body: "theirs", count: 3)).write(to: file)
    try await session.reload()
    await session.isSynchronized()
    let next = try await afterAKill(file, recovery, .json(Plain.self))
    for session in [session, next] {
      XCTAssertEqual(session.currentItem, Plain(title: "mine", body: "theirs", count: 3))
      session.undo()
      XCTAssertEqual(session.currentItem, Plain(body: "theirs", count: 3))
      try await session.close()
    }
  }

  func testRemoteNumbersAndFlagsBlockTheSameStepsAfterAKill() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("view.json"), folder.file("recovery"))
    let session = try await EditingSession(file: file, recovery: recovery, format: .json(View.self), new: View())
    session.edit { $0.frame.x = 5 }
    session.edit { $0.isBold = true }
    try await session.save()
    session.edit { $0.title = "mine" }
    try JSONEncoder().encode(View(frame: .init(x: 5, y: 7), isBold: true, isItalic: true)).write(to: file)
    try await session.reload()
    for _ in 0..<2 { session.undo() }
    session.edit { $0.title = "typed" }
    await session.isSynchronized()
    let next = try await afterAKill(file, recovery, .json(View.self))
    XCTAssertTrue(next.recovery.isIntact)
    repeat {
      XCTAssertEqual(next.currentItem, session.currentItem)
      XCTAssertEqual(next.history.canUndo, session.history.canUndo)
      next.undo()
    } while session.undo() != nil
    XCTAssertEqual(next.currentItem, session.currentItem)
    for session in [session, next] { try await session.close() }
  }

  func testSaveMergesNumbersAndFlagsOfBothSides() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("view.json"), folder.file("recovery"))
    let session = try await EditingSession(file: file, recovery: recovery, format: .json(View.self), new: View())
    try await session.save()
    session.edit { $0.frame.x = 5 }
    session.edit { $0.isBold = true }
    try JSONEncoder().encode(View(frame: .init(y: 7), isItalic: true)).write(to: file)
    try await session.save()
    XCTAssertEqual(session.currentItem, View(frame: .init(x: 5, y: 7), isBold: true, isItalic: true))
    try await session.close()
  }

  /// Another session, with the log as a kill would leave it.
  private func afterAKill<Document>(
    _ file: URL, _ recovery: URL, _ format: EditingFormat<Document>
  ) async throws -> EditingSession<Document> {
    // The copy isn't locked.
    let copy = recovery.deletingLastPathComponent().appending(path: "copy-\(UUID())")
    try TemporaryFolder.copy(recovery, to: copy)
    return try await EditingSession(file: file, recovery: copy, format: format)
  }

  // MARK: Conflicts

  func testEditsOfOneLineByBothSidesConflict() async throws {
    try await withFile("one\ntwo\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.set("one\nmine\n") }
      try write("one\ntheirs\n", file)
      await assertConflict { () throws(EditingSessionError) in try await session.reload() }
      guard case .conflict = session.state else { return XCTFail("\(session.state)") }
      XCTAssertEqual(session.currentItem, "one\nmine\n")
      await assertConflict { () throws(EditingSessionError) in try await session.save() }
      XCTAssertEqual(try text(file), "one\ntheirs\n")
      try await session.resolve(.merged("one\nboth\n"))
      XCTAssertEqual(try text(file), "one\nboth\n")
      XCTAssert(isSaved(session))
      try await session.close()
    }
  }

  func testConflictEndsIfMyEditIsUndone() async throws {
    try await withFile("one\ntwo\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.set("one\nmine\n") }
      try write("one\ntheirs\n", file)
      await assertConflict { () throws(EditingSessionError) in try await session.save() }
      session.undo()
      try await session.reload()
      XCTAssertEqual(session.currentItem, "one\ntheirs\n")
      XCTAssert(isSaved(session))
      try await session.close()
    }
  }

  func testUnreadableFileIsOverwrittenOnlyByAResolution() async throws {
    for resolution in [EditingSession<String>.Resolution.mine, .merged("mine")] {
      try await withFile("old") { file, recovery in
        let session = try await open(file, recovery)
        session.edit { $0.set("mine") }
        try Data([0xff, 0xfe]).write(to: file)
        await assertConflict { () throws(EditingSessionError) in try await session.save() }
        expectEqual(await refusal { try await session.resolve(.theirs) }, "unreadable")
        XCTAssertEqual(try Data(contentsOf: file), Data([0xff, 0xfe]))
        try await session.resolve(resolution)
        XCTAssert(isSaved(session))
        XCTAssertEqual(try text(file), "mine")
        try await session.close()
      }
    }
  }

  func testUnwritableDocumentStillMergesRemoteEdits() async throws {
    struct Point: Codable, Sendable, Equatable { var x = 0.0, title = "" }
    try await withFile("{}") { file, recovery in
      try write(#"{"x": 0, "title": ""}"#, file)
      let session = try await EditingSession(file: file, recovery: recovery, format: .json(Point.self))
      session.edit { $0.x = .infinity }
      try write(#"{"x": 0, "title": "theirs"}"#, file)
      try await session.reload()
      XCTAssertEqual(session.currentItem, Point(x: .infinity, title: "theirs"))
      XCTAssertFalse(isSaved(session))
      session.undo()
      try await session.save()
      XCTAssertEqual(session.currentItem, Point(title: "theirs"))
      try await session.close()
    }
  }

  func testRemovedFileIsAConflict() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      try FileManager.default.removeItem(at: file)
      await assertConflict { () throws(EditingSessionError) in try await session.reload() }
      try await session.resolve(.mine)
      XCTAssertEqual(try text(file), "one\n")
      try await session.close()
    }
  }

  func testEqualChangeByBothSidesIsSaved() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      try write("one\ntwo\n", file)
      try await session.reload()
      XCTAssert(isSaved(session))
      session.undo()
      XCTAssertEqual(session.currentItem, "one\n")
      XCTAssertFalse(isSaved(session))
      try await session.close()
    }
  }

  // MARK: Remote edits and undo

  func testRemoteEditThatBlocksUndoIsRecordedAsAStep() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.set("mine\n") }
      session.history.applyRemote { $0.set("theirs\n") }
      await session.isSynchronized()
      for session in [session, try await afterAKill(file, recovery, .text)] {
        XCTAssertNil(session.undo())
        XCTAssertNotNil(session.history.blockingRemoteEdit)
        XCTAssert(session.history.recordRemoteEdit())
        session.undo()
        XCTAssertEqual(session.currentItem, "mine\n")
        session.undo()
        XCTAssertEqual(session.currentItem, "one\n")
        try await session.close()
      }
    }
  }

  func testServerEditsAreNotRecordedAsSteps() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("mine\n") }
      session.history.applyRemote { $0.insert("server\n", atUTF8: 0) }
      XCTAssertFalse(isSaved(session))
      try await session.close()
      let next = try await open(file, recovery)
      next.undo()
      XCTAssertEqual(next.currentItem, "server\none\n")
      XCTAssertFalse(isSaved(next))
      try await next.close()
    }
  }

  // MARK: The next session

  func testNextSessionMergesARemoteEditWithUnsavedEdits() async throws {
    for savesFirst in [false, true] {
      try await withFile("one\ntwo\nthree\n") { file, recovery in
        let session = try await open(file, recovery)
        if savesFirst {
          session.edit("Saved") { $0.append("four\n") }
          try await session.save()
        }
        session.edit("Mine") { $0.insert("my ", atUTF8: 4) }
        try await session.close()
        let base = try text(file)
        try write("ONE" + base.dropFirst(3), file)
        let next = try await open(file, recovery)
        XCTAssert(next.recovered.wasChangedByAnother && next.recovery.hasUnfinishedChanges)
        guard case .edited = next.state else { return XCTFail("\(next.state)") }
        XCTAssertEqual(next.currentItem, "ONE\nmy " + base.dropFirst(4))
        next.undo()
        XCTAssertEqual(next.currentItem, "ONE" + base.dropFirst(3))
        next.redo()
        try await next.close()
        // Open it again: the log of the session before has the file's text.
        let last = try await open(file, recovery)
        XCTAssertFalse(last.recovered.wasChangedByAnother)
        try await last.save()
        XCTAssertEqual(try text(file), "ONE\nmy " + base.dropFirst(4))
        try await last.close()
      }
    }
  }

  func testNextSessionMergesARemoteEditAfterTheLimitHasDroppedTheSavedPoint() async throws {
    try await withFile("a\n") { file, recovery in
      var session: EditingSession<String>? = try await open(file, recovery)
      session?.history.limit = .steps(1)
      for line in ["b\n", "c\n"] { session?.edit("Line") { $0.append(line) } }
      XCTAssertEqual(session?.history.undoCount, 1)
      try await session?.synchronize()
      session = nil
      try write("their a\n", file)
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "their a\nb\nc\n")
      XCTAssertFalse(next.hasConflict)
    }
  }

  func testKillAfterAMergeLosesNothing() async throws {
    try await withFile("one\ntwo\nthree\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("First") { $0.insert("my ", atUTF8: 4) }
      session.edit("Second") { $0.append("four\n") }
      session.undo()
      try write("ONE\ntwo\nthree\n", file)
      try await session.reload()
      await session.isSynchronized()
      let next = try await afterAKill(file, recovery, .text)
      guard case .edited = next.state else { return XCTFail("\(next.state)") }
      for session in [session, next] {
        XCTAssertEqual(session.currentItem, "ONE\nmy two\nthree\n")
        session.redo()
        XCTAssertEqual(session.currentItem, "ONE\nmy two\nthree\nfour\n")
        session.history.go(to: .step(0))
        XCTAssertEqual(session.currentItem, "ONE\ntwo\nthree\n")
        try await session.close()
      }
    }
  }

  func testRewrittenLogKeepsRemoteEdits() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: PosixFileSystem(), clock: ManualClock(),
        logByteLimit: 500)
      session.edit("Mine") { $0.set("mine\n") }
      session.history.applyRemote { $0.set("theirs\n") }
      for number in 0..<200 {
        session.edit("\(number)") { $0.append("\(number)\n") }
        if number % 10 == 0 { await session.isSynchronized() }
      }
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.history.undoCount, 200)
      next.history.go(to: .step(0))
      XCTAssertEqual(next.currentItem, "theirs\n")
      XCTAssertEqual(next.history.blockingRemoteEdit, session.history.obstacleBelow)
      XCTAssert(next.history.recordRemoteEdit())
      next.undo()
      next.undo()
      XCTAssertEqual(next.currentItem, "one\n")
      try await next.close()
    }
  }

  func testClosedSessionKeepsADocumentWhoseFileWasRemoved() async throws {
    try await withFile("old") { file, recovery in
      let session = try await open(file, recovery)
      session.keepsSteps = false
      session.edit { $0.append(" and new") }
      try await session.save()
      try FileManager.default.removeItem(at: file)
      _ = try? await session.reload()
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "old and new")
      try await next.close()
    }
  }

  func testClosedSessionKeepsAnUneditedDocumentWhoseFileIsGone() async throws {
    for theirs in [nil, Data([0xff, 0xfe])] {
      try await withFile("old") { file, recovery in
        let session = try await open(file, recovery)
        try FileManager.default.removeItem(at: file)
        try theirs?.write(to: file)
        _ = try? await session.reload()
        guard case .conflict = session.state else { return XCTFail("\(session.state)") }
        try await session.close()
        try? FileManager.default.removeItem(at: file)
        let next = try await open(file, recovery)
        XCTAssertEqual(next.currentItem, "old")
        try await next.close()
      }
    }
  }

  func testDocumentWhoseFileWasRemovedIsDurable() async throws {
    try await withFile("old") { file, recovery in
      let session = try await open(file, recovery)
      try FileManager.default.removeItem(at: file)
      _ = try? await session.reload()
      expect(await session.isSynchronized())
      let next = try await afterAKill(file, recovery, .text)
      XCTAssertEqual(next.currentItem, "old")
      try await next.close()
      try await session.close()
    }
  }

  func testFailureEndsIfTheFileHasTheFailedSave() async throws {
    let (folder, isBroken) = (try TemporaryFolder(), Flag())
    let (file, recovery) = (folder.file("note.txt"), folder.file("recovery"))
    try write("one\n", file)
    let system = ScriptedFileSystem { call, _ in
      call == .synchronizeFolder && isBroken.isSet ? .failure(EACCES) : nil
    }
    let session = try await EditingSession(file: file, recovery: recovery, format: .text, system: system)
    session.edit { $0.append("two\n") }
    await session.isSynchronized()
    isBroken.set(true)
    try? await session.save()
    isBroken.set(false)
    guard case .failed = session.state else { return XCTFail("\(session.state)") }
    XCTAssertEqual(try text(file), "one\ntwo\n")
    try await session.reload()
    XCTAssert(isSaved(session))
    session.edit { $0.append("three\n") }
    guard case .edited = session.state else { return XCTFail("\(session.state)") }
    try await session.close()
  }
}

extension UndoHistory {
  /// The remote edit that blocks undo below the last step that can be undone.
  fileprivate var obstacleBelow: UndoStepID? {
    var copy = self
    while copy.undo() != nil {}
    return copy.blockingRemoteEdit
  }
}
