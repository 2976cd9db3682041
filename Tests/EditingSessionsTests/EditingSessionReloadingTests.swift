import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// If nothing is unsaved, a change by another program becomes a step, so that undo restores the old document.
@MainActor
final class EditingSessionReloadingTests: XCTestCase, NoteSessions {
  private struct Plain: Codable, Sendable, Equatable { var title = "", body = "" }

  func testUndoOfAReloadRestoresTheOldText() async throws {
    try await withFile("one") { file, recovery in
      let session = try await open(file, recovery)
      try write("garbage", file)
      expect(try await session.reload() && isSaved(session) && !session.history.isDirty)
      XCTAssertEqual(session.history.steps.map(\.label), ["Reload"])
      session.undo()
      XCTAssertEqual(session.currentItem, "one")
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      session.redo()
      XCTAssertEqual(session.currentItem, "garbage")
      XCTAssert(isSaved(session))
      session.undo()
      try await session.save()
      XCTAssertEqual(try text(file), "one")
      try await session.close()
    }
  }

  func testUndoOfAReloadRestoresADocumentWithProperties() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.json"), folder.file("recovery"))
    let session = try await EditingSession(
      file: file, recovery: recovery, format: .json(Plain.self), new: Plain(title: "one"))
    try await session.save()
    try JSONEncoder().encode(Plain(body: "garbage")).write(to: file)
    try await session.reload()
    session.undo()
    XCTAssertEqual(session.currentItem, Plain(title: "one"))
    try await session.close()
    let next = try await EditingSession(file: file, recovery: recovery, format: .json(Plain.self))
    XCTAssertEqual(next.currentItem, Plain(title: "one"))
    next.redo()
    XCTAssertEqual(next.currentItem, Plain(body: "garbage"))
    try await next.close()
  }

  func testReloadStepKeepsTheDifferenceAlone() async throws {
    let lines = (1...1_000).map { "line \($0)" }
    var theirs = lines
    theirs[1] = "theirs"
    theirs[998] = "theirs, too"
    try await withFile(lines.joined(separator: "\n")) { [theirs] file, recovery in
      let session = try await open(file, recovery)
      try write(theirs.joined(separator: "\n"), file)
      try await session.reload()
      XCTAssertLessThan(session.history.byteCount, 500)
      session.undo()
      XCTAssertEqual(session.currentItem, lines.joined(separator: "\n"))
      try await session.close()
    }
    let folder = try TemporaryFolder()
    let (file, note) = (folder.file("note.json"), Plain(title: "one", body: lines.joined(separator: "\n")))
    let session = try await EditingSession(
      file: file, recovery: folder.file("recovery"), format: .json(Plain.self), new: note)
    try await session.save()
    try JSONEncoder().encode(Plain(title: "two", body: theirs.joined(separator: "\n"))).write(to: file)
    try await session.reload()
    XCTAssertEqual(session.history.steps.map(\.label), ["Reload"])
    XCTAssertLessThan(session.history.byteCount, 500)
    session.undo()
    XCTAssertEqual(session.currentItem, note)
    try await session.close()
  }

  func testStepsOfAReopeningAndOfAConflictKeepTheDifferenceAlone() async throws {
    let lines = (1...1_000).map { "line \($0)" }
    var theirs = lines
    theirs[1] = "theirs"
    theirs[998] = "theirs, too"
    let (mine, other) = (lines.joined(separator: "\n"), theirs.joined(separator: "\n"))
    try await withFile(mine) { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append(".") }
      try await session.save()
      try await session.close()
      try write(other, file)
      let next = try await open(file, recovery)
      XCTAssertEqual(next.history.steps.map(\.label), [nil, "Reload"])
      XCTAssertLessThan(next.history.byteCount, 600)
      // Both have changed this line.
      next.edit { $0.replaceSubrange(utf8: 0..<4, with: "mine") }
      try write("Line" + other.dropFirst(4), file)
      await assertConflict { () async throws(EditingSessionError) in try await next.save() }
      try await next.resolve(.mine)
      XCTAssertEqual(next.history.steps.suffix(2).map(\.label), ["Take Theirs", "Keep Mine"])
      XCTAssertLessThan(next.history.byteCount, 1_200)
      try await next.close()
    }
  }

  func testReloadDiscardsTheRedoSteps() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("two\n") }
      session.undo()
      try write("theirs\n", file)
      // The undo led to the saved point, so nothing is unsaved.
      try await session.reload()
      XCTAssertEqual([session.history.undoCount, session.history.redoCount], [1, 0])
      session.undo()
      XCTAssertEqual(session.currentItem, "one\n")
      try await session.close()
    }
  }

  func testReloadIsTheLatestStepEvenIfItCommutesWithOthers() async throws {
    try await withFile("one\ntwo\nthree\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("four\n") }
      try await session.save()
      try write("ONE\ntwo\nthree\nfour\n", file)
      try await session.reload()
      XCTAssertEqual(session.history.steps.map(\.label), ["Mine", "Reload"])
      session.undo()
      XCTAssertEqual(session.currentItem, "one\ntwo\nthree\nfour\n")
      session.undo()
      XCTAssertEqual(session.currentItem, "one\ntwo\nthree\n")
      try await session.close()
    }
  }

  func testSavingASavedDocumentRecordsARemoteChangeAsAStep() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit { $0.append("two\n") }
      try await session.save()
      try write("theirs\n", file)
      try await session.save()
      XCTAssertEqual(try text(file), "theirs\n")
      XCTAssert(isSaved(session) && !session.history.isDirty)
      session.undo()
      XCTAssertEqual(session.currentItem, "one\ntwo\n")
      XCTAssertFalse(isSaved(session))
      try await session.close()
    }
  }

  func testNextSessionHasTheReloadStep() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      try write("two\n", file)
      try await session.reload()
      session.edit("Mine") { $0.append("mine\n") }
      await session.isSynchronized()
      let copy = recovery.deletingLastPathComponent().appending(path: "copy")
      try TemporaryFolder.copy(recovery, to: copy)
      for session in [session, try await open(file, copy)] {
        XCTAssertTrue(session.recovery.isIntact)
        XCTAssertEqual(session.history.steps.map(\.label), ["Reload", "Mine"])
        session.undo()
        XCTAssertEqual(session.currentItem, "two\n")
        XCTAssert(!session.history.isDirty)
        session.undo()
        XCTAssertEqual(session.currentItem, "one\n")
        session.redo()
        session.redo()
        try await session.close()
      }
    }
  }

  func testChangeWrittenBetweenSessionsIsAStep() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("two\n") }
      try await session.save()
      try await session.close()
      try write("garbage\n", file)
      for _ in 0..<2 {
        let next = try await open(file, recovery)
        XCTAssert(next.recovered.wasChangedByAnother || next.history.redoCount > 0)
        XCTAssertEqual(next.history.steps.map(\.label), ["Mine", "Reload"])
        if isSaved(next) { next.undo() }
        XCTAssertEqual(next.currentItem, "one\ntwo\n")
        guard case .edited = next.state else { return XCTFail("\(next.state)") }
        try await next.close()
      }
    }
  }

  func testNextSessionUndoesAReloadToTheTextThatUndoReached() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Mine") { $0.append("two\n") }
      session.undo()
      try await session.close()
      try write("garbage\n", file)
      let next = try await open(file, recovery)
      XCTAssert(next.recovered.wasChangedByAnother && isSaved(next))
      XCTAssertEqual(next.history.steps.map(\.label), ["Reload"])
      next.undo()
      XCTAssertEqual(next.currentItem, "one\n")
      try await next.close()
    }
  }

  func testEditsThatCancelOutStayStepsBelowAReload() async throws {
    try await withFile("one\n") { file, recovery in
      let session = try await open(file, recovery)
      session.edit("Add") { $0.append("two\n") }
      session.edit("Remove") { $0.set("one\n") }
      try write("garbage\n", file)
      try await session.reload()
      XCTAssert(isSaved(session))
      XCTAssertEqual(session.history.steps.map(\.label), ["Add", "Remove", "Reload"])
      for text in ["one\n", "one\ntwo\n", "one\n"] {
        session.undo()
        XCTAssertEqual(session.currentItem, text)
      }
      try await session.close()
    }
  }

  func testSessionWithoutUndoReloadsAndIsSaved() async throws {
    try await withFile("one\n") { file, recovery in
      func open() async throws -> EditingSession<String> {
        try await EditingSession(file: file, recovery: recovery, format: .text) { $0.limit = .steps(0) }
      }
      let session = try await open()
      for letter in ["a", "b"] { session.edit { $0.append(letter) } }
      try await session.save()
      XCTAssert(isSaved(session) && !session.history.canUndo)
      try write("theirs\n", file)
      try await session.reload()
      XCTAssert(isSaved(session) && !session.history.canUndo)
      for letter in ["c", "d"] { session.edit { $0.append(letter) } }
      session.edit("All") {
        $0.append("e")
        $0.append("f")
      }
      try await session.close()
      let next = try await open()
      XCTAssertTrue(next.recovery.isIntact)
      XCTAssertEqual(next.currentItem, "theirs\ncdef")
      XCTAssertFalse(isSaved(next) || next.history.canUndo)
      try await next.save()
      try await next.close()
    }
  }
}
