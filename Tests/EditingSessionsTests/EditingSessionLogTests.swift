import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// The log of a session: writes that fail, where the log is, and how it is rewritten.
@MainActor
final class EditingSessionLogTests: XCTestCase {
  // MARK: Failed writes

  func testLogCatchesUpAfterWritesHaveFailed() async throws {
    let folder = try TemporaryFolder()
    let isFull = Flag()
    let system = ScriptedFileSystem { call, _ in
      isFull.isSet && [.append, .overwrite, .createFile].contains(call) ? .failure(ENOSPC) : nil
    }
    let session = try await open(folder, system)
    session.edit { $0.append("a") }
    await assertDurable(session, true)
    isFull.set(true)
    session.edit("b") { $0.append("b") }
    await assertDurable(session, false)
    // There is nothing new to write, but the failure is reported until a write succeeds.
    let trying = Task { await session.isSynchronized() }
    let hasTried = Flag()
    Task {
      _ = await trying.value
      hasTried.set(true)
    }
    while !hasTried.isSet {
      XCTAssertNotNil(session.logFailure)
      await Task.yield()
    }
    guard case .log(let error)? = session.logFailure?.reason else {
      return XCTFail("\(String(describing: session.logFailure))")
    }
    XCTAssertEqual(error.reason, .deviceFull)
    isFull.set(false)
    await assertDurable(session, true)
    XCTAssertNil(session.logFailure)
    session.edit("c") { $0.append("c") }
    try await session.close()

    let next = try await open(folder)
    XCTAssertEqual(next.history.currentItem, "abc")
    XCTAssertEqual(next.history.undoCount, 3)
    try await next.close()
  }

  func testSynchronizeThrowsTheFailureOfTheLog() async throws {
    let folder = try TemporaryFolder()
    let isFull = Flag(true)
    let session = try await open(
      folder,
      ScriptedFileSystem { call, _ in
        isFull.isSet && [.append, .overwrite, .createFile].contains(call) ? .failure(ENOSPC) : nil
      })
    session.edit { $0.append("a") }
    expectEqual(await refusal { try await session.synchronize() }, "log")
    isFull.set(false)
    try await session.synchronize()
    try await session.close()
  }

  func testSessionStaysOpenIfItsLogCannotBeWritten() async throws {
    let folder = try TemporaryFolder()
    let isFull = Flag()
    let system = ScriptedFileSystem { call, _ in
      isFull.isSet && [.append, .overwrite, .createFile].contains(call) ? .failure(ENOSPC) : nil
    }
    let session = try await open(folder, system)
    isFull.set(true)
    session.edit { $0.append("a") }
    expectEqual(await refusal { try await session.close() }, "log")
    isFull.set(false)
    try await session.close()
    let next = try await open(folder)
    XCTAssertEqual(next.history.currentItem, "a")
    try await next.close()
  }

  /// Writes fail while the log is rewritten, with edits in between.
  func testNextSessionHasAllStepsAfterFailedWrites() async throws {
    var random = SeededRandom.announced("failing logs")
    for _ in 0..<40 {
      let folder = try TemporaryFolder(isInMemory: true)
      let isFailing = Flag()
      let system = ScriptedFileSystem { call, _ in
        [.append, .overwrite, .createFile].contains(call) && isFailing.take() ? .failure(EIO) : nil
      }
      // With this limit, the log is rewritten again and again.
      let session = try await open(folder, system, logByteLimit: 500)
      for _ in 0..<60 {
        for _ in 0..<random.int(in: 1..<4) {
          let text = String(repeating: "\(random.int(in: 0..<10))", count: random.int(in: 1..<200))
          session.edit("Set") { $0.set(text) }
          if random.chance(oneIn: 3) { await Task.yield() }
        }
        isFailing.set(random.chance(oneIn: 3))
        if random.chance(oneIn: 2) { await session.isSynchronized() }
      }
      isFailing.set(false)
      while await !session.isSynchronized() {}
      let expected = moment(session.history)
      try await session.close()
      let next = try await open(folder)
      XCTAssert(moment(next.history) == expected, "\(next.history.undoCount) of \(session.history.undoCount) steps")
      try await next.close()
    }
  }

  private struct Level: Codable, Sendable, Equatable {
    var value = 0

    func encode(to encoder: any Encoder) throws {
      guard value >= 0 else {
        throw EncodingError.invalidValue(value, .init(codingPath: encoder.codingPath, debugDescription: "below zero"))
      }
      var container = encoder.singleValueContainer()
      try container.encode(value)
    }

    init(_ value: Int) { self.value = value }

    init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int.self) }
  }

  private struct Sheet: Codable, Sendable, Equatable {
    var title = ""
    var level = Level(0)
  }

  func testUnencodableValueIsReportedAndLoggingResumesWithoutIt() async throws {
    let folder = try TemporaryFolder()
    let session = try await openSheet(folder)
    session.edit { $0.title.append("a") }
    await assertDurable(session, true)
    session.edit("Below") { $0.level.set(Level(-1)) }
    await assertDurable(session, false)
    guard case .unwritable? = session.logFailure?.reason else {
      return XCTFail("\(String(describing: session.logFailure))")
    }
    XCTAssert("\(session.logFailure!)".contains("cannot be written"))
    // The redo step has a value that can't be encoded, so the log has the document without its steps.
    session.undo()
    await assertDurable(session, true)
    session.edit { $0.title.append("b") }
    await assertDurable(session, true)
    XCTAssertNil(session.logFailure)
    try await session.close()

    let next = try await openSheet(folder)
    XCTAssertEqual(next.currentItem, Sheet(title: "ab"))
    XCTAssert(next.history.canUndo)
    try await next.close()
  }

  func testLogIsRewrittenAfterARenameWithUnknownResult() async throws {
    let (folder, isAway, isSilent) = (try TemporaryFolder(), Flag(), Flag())
    // A server renames the log, but reports a timeout, and doesn't answer for a while.
    let system = ScriptedFileSystem { call, _ in
      if call == .moveFile, isAway.isSet {
        isSilent.set(true)
        return .lateFailure(ETIMEDOUT)
      }
      return isSilent.isSet && call == .inspect ? .failure(ETIMEDOUT) : nil
    }
    let session = try await open(folder, system)
    isAway.set(true)
    session.edit { $0.append("a") }
    await assertDurable(session, false)
    for flag in [isAway, isSilent] { flag.set(false) }
    await assertDurable(session, true)
    session.edit { $0.append("b") }
    try await session.close()
    let next = try await open(folder)
    XCTAssertEqual(next.currentItem, "ab")
    try await next.close()
  }

  // MARK: The log's folder

  func testLogIsFoundAfterItsFolderMovedWithTheFile() async throws {
    let folder = try TemporaryFolder()
    let (old, new) = (folder.file("old"), folder.file("new"))
    try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
    func open(_ file: URL, _ recovery: URL) async throws -> EditingSession<String> {
      try await EditingSession(file: file, recovery: recovery, format: .text)
    }
    let session = try await open(old.appending(path: "note.txt"), old.appending(path: "logs"))
    session.edit { $0.append("a") }
    try await session.close()

    try FileManager.default.moveItem(at: old, to: new)
    let moved = try await open(new.appending(path: "note.txt"), new.appending(path: "logs"))
    XCTAssertEqual(moved.currentItem, "a")
    XCTAssertEqual(moved.history.undoCount, 1)
    moved.edit("b") { $0.append("b") }
    try await moved.close()

    // Another file with the old path doesn't get the log.
    try FileManager.default.createDirectory(at: old, withIntermediateDirectories: true)
    let other = try await open(old.appending(path: "note.txt"), new.appending(path: "logs"))
    XCTAssertFalse(other.recovered.hasLog)
    try await other.close()
  }

  // MARK: The document's file

  func testClockThatWasSetBackLosesNoEdit() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (try folder.put("a", "note.txt"), folder.file("recovery"))
    let session = try await EditingSession(file: file, recovery: recovery, format: .text)
    session.edit("First") { $0.append("b") }
    try await session.close()
    // The file and the log are of the future.
    let names = try FileManager.default.contentsOfDirectory(atPath: recovery.path)
    for path in [file.path] + names.map({ recovery.appending(path: $0).path }) {
      let future = Date(timeIntervalSinceNow: 1_000_000)
      try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: path)
    }
    let system = ScriptedFileSystem()
    system.secondsAhead = -1_000_000
    let next = try await EditingSession(file: file, recovery: recovery, format: .text, system: system)
    XCTAssertEqual(next.currentItem, "ab")
    XCTAssertEqual(next.history.steps.map(\.label), ["First"])
    XCTAssertFalse(next.hasConflict)
    try await next.save()
    XCTAssertEqual(folder.text("note.txt"), "ab")
    try await next.close()
  }

  func testOriginalFileTextIsKnownAfterManyFailedSaves() async throws {
    let folder = try TemporaryFolder()
    try folder.put("A", "note.txt")
    let isFailing = Flag()
    let system = ScriptedFileSystem { call, _ in
      isFailing.isSet && call == .attributeNames ? .failure(EROFS) : nil
    }
    let session = try await open(folder, system, logByteLimit: 1000)
    isFailing.set(true)
    for number in 0..<40 {
      session.edit("\(number)") { $0.append(String(repeating: "\(number % 10)", count: 100)) }
      do {
        try await session.save()
        XCTFail("it was saved")
      } catch {}
    }
    XCTAssertGreaterThan(session.logByteCounts.snapshot, 1000, "the log began anew")
    isFailing.set(false)
    try await session.close()
    let next = try await open(folder)
    XCTAssertFalse(next.recovered.wasChangedByAnother)
    XCTAssertTrue(next.recovery.hasUnfinishedChanges)
    guard case .edited = next.state else { return XCTFail("\(next.state)") }
    try await next.close()
  }

  // MARK: Rewriting

  func testRewritingTheLogDoesNotEndAnOpenStep() async throws {
    let folder = try TemporaryFolder()
    let session = try await open(folder, logByteLimit: 1000)
    let step = session.history.beginStep("Drag")
    for number in 0..<300 {
      session.edit { $0.set(String(repeating: "\(number % 10)", count: 100)) }
      if number % 20 == 0 { await session.isSynchronized() }
    }
    await session.isSynchronized()
    XCTAssert(session.history.endStep(step))
    XCTAssertEqual(session.history.undoCount, 1)
    session.edit { $0.set("") }
    try await session.close()
    let next = try await open(folder)
    XCTAssertEqual(next.history.steps.map(\.label), ["Drag", nil])
    try await next.close()
  }

  private func moment(_ history: UndoHistory<String>) -> [String] {
    var (back, forward) = (history, history)
    var texts = [history.currentItem, "undo"]
    while back.undo() != nil { texts.append(back.currentItem) }
    texts.append("redo")
    while forward.redo() != nil { texts.append(forward.currentItem) }
    return texts
  }

  private func open(
    _ folder: TemporaryFolder, _ system: any FileSystem = PosixFileSystem(), logByteLimit: Int = 1 << 20
  ) async throws(EditingSessionError) -> EditingSession<String> {
    try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: system,
      clock: ManualClock(), logByteLimit: logByteLimit)
  }

  private func openSheet(_ folder: TemporaryFolder) async throws(EditingSessionError) -> EditingSession<Sheet> {
    try await EditingSession(
      file: folder.file("sheet.json"), recovery: folder.file("recovery"), format: .json(Sheet.self), new: Sheet())
  }

  private func assertDurable<Document>(
    _ session: EditingSession<Document>, _ expected: Bool, line: UInt = #line
  ) async {
    expectEqual(await session.isSynchronized(), expected, line: line)
  }
}
