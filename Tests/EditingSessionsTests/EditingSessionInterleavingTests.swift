import EditingSessions
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Calls that a session receives while it is busy with another one.
@MainActor
final class EditingSessionInterleavingTests: XCTestCase {
  private func withSession(
    clock: any Clock<Duration> = ContinuousClock(),
    _ body: (EditingSession<String>, TemporaryFolder) async throws -> Void
  ) async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    try await body(try await open(folder, clock), folder)
  }

  private func open(
    _ folder: TemporaryFolder, _ clock: any Clock<Duration> = ContinuousClock()
  ) async throws -> EditingSession<String> {
    try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: PosixFileSystem(),
      clock: clock)
  }

  private func isSaved(_ session: EditingSession<String>) -> Bool {
    if case .saved = session.state { true } else { false }
  }

  // MARK: Closing

  func testSaveWhileTheSessionClosesWritesTheFileOrThrows() async throws {
    for delay in 0..<24 {
      try await withSession { session, folder in
        session.edit { $0.append("mine") }
        let closing = Task { try await session.close() }
        for _ in 0..<delay { await Task.yield() }
        do throws(EditingSessionError) {
          try await session.save()
          XCTAssertEqual(folder.text("note.txt"), "mine")
          XCTAssert(isSaved(session), "\(session.state)")
        } catch {
          guard case .closed = error.reason else { return XCTFail("\(delay): \(error)") }
        }
        try await closing.value
        expect(await session.isSynchronized())
        let next = try await open(folder)
        XCTAssertEqual(next.currentItem, "mine")
        XCTAssertEqual(isSaved(next), isSaved(session))
        try await next.close()
      }
    }
  }

  /// A document whose encoding waits while `isHeld` is set.
  private struct Held: Codable, Sendable {
    static let isHeld = Flag()
    var text = ""

    init() {}
    init(from decoder: any Decoder) throws { text = try decoder.singleValueContainer().decode(String.self) }

    func encode(to encoder: any Encoder) throws {
      let start = ContinuousClock.now
      while Self.isHeld.isSet, .now < start + .seconds(5) {}
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  func testSynchronizeReturnsAfterTheSessionHasClosed() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (isFull, isClosing) = (Flag(), Flag())
    let system = ScriptedFileSystem { call, _ in
      guard isFull.isSet, [.append, .overwrite, .createFile].contains(call) else { return nil }
      // Hold the next snapshot until the session has closed.
      if isClosing.isSet { Held.isHeld.set(true) }
      return .failure(ENOSPC)
    }
    let session = try await EditingSession(
      file: folder.file("held.json"), recovery: folder.file("recovery"), format: .json(Held.self), new: Held(),
      system: system, clock: ManualClock())
    session.keepsSteps = false
    session.edit { $0.text = "a" }
    try await session.save()
    await session.isSynchronized()
    isFull.set(true)
    session.edit { $0.text = "b" }
    session.undo()
    await session.isSynchronized()
    // Closing and synchronizing wait for the same snapshot. Its failure ends the session, even if another snapshot was
    // requested before.
    Held.isHeld.set(true)
    let closing = Task { try await session.close() }
    for _ in 0..<100 { await Task.yield() }
    let isAnswered = Flag()
    let waiting = Task {
      // The second call is made before the log is closed.
      for _ in 0..<2 { await session.isSynchronized() }
      isAnswered.set(true)
    }
    for _ in 0..<100 { await Task.yield() }
    isClosing.set(true)
    Held.isHeld.set(false)
    try await closing.value
    XCTAssertTrue(Held.isHeld.isSet)
    try await until(isAnswered.isSet)
    Held.isHeld.set(false)
    await waiting.value
  }

  func testEditsDuringAnAutosaveAndACloseAreInTheLog() async throws {
    for count in 0..<24 {
      try await withSession { session, folder in
        session.autosave = .zero
        session.edit { $0.append("a") }
        let closing = Task { try await session.close() }
        for _ in 0..<count {
          session.edit { $0.append("b") }
          await Task.yield()
        }
        try await closing.value
        // Wait for what was begun before the session closed.
        await session.isSynchronized()
        if case .failed(let error) = session.state { XCTFail("\(count): \(error)") }
        let next = try await open(folder)
        XCTAssertEqual(next.currentItem, session.currentItem)
        try await next.close()
      }
    }
  }

  func testReloadWhileTheSessionClosesCompletesOrThrows() async throws {
    for delay in 0..<24 {
      try await withSession { session, folder in
        session.edit { $0.append("a\nb\n") }
        try await session.save()
        try folder.put("0\na\nb\n", "note.txt")
        let closing = Task { try await session.close() }
        for _ in 0..<delay { await Task.yield() }
        do throws(EditingSessionError) { try await session.reload() } catch {
          guard case .closed = error.reason else { return XCTFail("\(delay): \(error)") }
          return try await closing.value
        }
        try await closing.value
        XCTAssertEqual(session.currentItem, "0\na\nb\n", "\(delay)")
        XCTAssert(isSaved(session))
      }
    }
  }

  // MARK: Resolving

  func testSaveWhileTheirsIsTakenKeepsFileAndDocumentEqual() async throws {
    for delay in 0..<24 {
      try await withSession { session, folder in
        session.edit { $0.append("theirs") }
        try await session.save()
        session.edit { $0.set("mine") }
        let resolving = Task { try await session.resolve(.theirs) }
        for _ in 0..<delay { await Task.yield() }
        try await session.save()
        try await resolving.value
        XCTAssert(isSaved(session))
        XCTAssertEqual(folder.text("note.txt"), session.currentItem, "\(delay)")
        try await session.close()
      }
    }
  }

  func testResolvingAConflictEndsTheOpenStep() async throws {
    for resolution in [EditingSession<String>.Resolution.mine, .theirs, .merged("both")] {
      try await withSession { session, folder in
        session.edit { $0.append("old") }
        try folder.put("theirs", "note.txt")
        try? await session.save()
        XCTAssert(session.hasConflict)
        let gesture = session.history.beginStep("Drag")
        session.edit { $0.append(", dragged") }
        try await session.resolve(resolution)
        XCTAssertFalse(session.history.cancelStep(gesture))
        XCTAssertEqual(folder.text("note.txt"), session.currentItem)
        var texts = [session.currentItem]
        while session.undo() != nil { texts.append(session.currentItem) }
        XCTAssert(texts.contains("theirs") && texts.contains("old, dragged"), "\(texts)")
        try await session.close()
      }
    }
  }

  // MARK: Autosave

  func testAnAutosaveThatIsTurnedOffSavesNothing() async throws {
    let clock = ManualClock()
    try await withSession(clock: clock) { session, folder in
      session.autosave = .seconds(2)
      session.edit { $0.append("a") }
      await clock.waitForSleepers(1)
      session.autosave = nil
      try await until(clock.sleeperCount == 0)
      session.edit { $0.append("b") }
      guard case .edited = session.state else { return XCTFail("\(session.state)") }
      try await session.close()
      XCTAssertNil(folder.text("note.txt"))
    }
  }

  func testChangedAutosaveDelayAppliesToAWaitingAutosave() async throws {
    let clock = ManualClock()
    try await withSession(clock: clock) { session, folder in
      // This delay is too long for a clock.
      session.autosave = .seconds(Int64.max)
      session.edit { $0.append("a") }
      await clock.waitForSleepers(1)
      session.autosave = .seconds(1)
      try await until(clock.sleeperCount == 1)
      clock.advance(by: .seconds(1))
      while !isSaved(session) {
        await Task.yield()
        if clock.sleeperCount == 1 { clock.advance(by: .seconds(1)) }
      }
      XCTAssertEqual(folder.text("note.txt"), "a")
      try await session.close()
    }
  }

  func testAutosaveDelayTooLongForTheClockDoesNotTrap() async throws {
    try await withSession { session, folder in
      session.autosave = .seconds(Int64.max)
      session.edit { $0.append("a") }
      for _ in 0..<100 { await Task.yield() }
      try await session.close()
      XCTAssertEqual(folder.text("note.txt"), "a")
    }
  }

  func testEditsBeforeASessionIsReleasedAreInTheLog() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let isHeld = Flag(true)
    let system = ScriptedFileSystem { call, _ in
      while isHeld.isSet, [.append, .overwrite, .createFile].contains(call) { sched_yield() }
      return nil
    }
    var session: EditingSession<String>? = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: system)
    session?.edit { $0.append("a") }
    for _ in 0..<100 { await Task.yield() }
    session?.edit { $0.append("b") }
    session = nil
    isHeld.set(false)
    var next: EditingSession<String>?
    // The log is released when nothing refers to it any more.
    while next == nil { next = try? await open(folder) }
    XCTAssertEqual(next?.currentItem, "ab")
    try await next?.close()
  }

  func testReleasedSessionIsLoggedOnceTheDeviceHasSpace() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (isFull, clock) = (Flag(true), ManualClock())
    let system = ScriptedFileSystem { call, _ in
      isFull.isSet && [.append, .overwrite].contains(call) ? .failure(ENOSPC) : nil
    }
    var session: EditingSession<String>? = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: system, clock: clock)
    session?.edit { $0.append("a") }
    session = nil
    // The first write has failed.
    await clock.waitForSleepers(1)
    isFull.set(false)
    clock.advanceToNextDeadline()
    var next: EditingSession<String>?
    while next == nil { next = try? await open(folder) }
    XCTAssertEqual(next?.currentItem, "a")
    try await next?.close()
  }
}
