import EditingSessions
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Closing a session within a limit of time if its file can't be written for a long time.
@MainActor
final class EditingSessionLimitTests: XCTestCase {
  /// A disk that doesn't answer some calls until its gate opens.
  private struct Hanging: Sendable {
    let isHung = Flag()
    let isReached = Flag()
    let gate = BlockingGate()
    let clock = ManualClock()
    let system: ScriptedFileSystem

    init(_ calls: Set<ScriptedFileSystem.Call>) {
      let (isHung, isReached, gate) = (isHung, isReached, gate)
      system = ScriptedFileSystem { call, _ in
        if calls.contains(call), isHung.isSet {
          isReached.set(true)
          gate.pass()
        }
        return nil
      }
    }
  }

  /// A session with the document "12" and the file "1"; its disk hangs.
  private func open(_ folder: TemporaryFolder, _ disk: Hanging) async throws -> EditingSession<String> {
    let session = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: disk.system,
      clock: disk.clock)
    session.autosave = .seconds(1_000_000)
    session.edit("1") { $0.append("1") }
    try await session.save()
    session.edit("2") { $0.append("2") }
    try await session.synchronize()
    disk.isHung.set(true)
    return session
  }

  /// Closes a session with a limit, and advances the clock meanwhile.
  private func close(_ session: EditingSession<String>, _ clock: ManualClock) async throws {
    let hasClosed = Flag()
    let closing = Task {
      defer { hasClosed.set(true) }
      try await session.close(within: .milliseconds(1))
    }
    @Sendable
    nonisolated func hasClosedByNow() -> Bool {
      if clock.sleeperCount > 0 { clock.advance(by: .milliseconds(1)) }
      return hasClosed.isSet
    }
    try await until(hasClosedByNow())
    try await closing.value
  }

  func testCloseWithALimitFailsASaveThatHangs() async throws {
    let folder = try TemporaryFolder()
    let disk = Hanging([.createFile])
    let session = try await open(folder, disk)
    let saving = Task { try await session.save() }
    try await until(disk.isReached.isSet)
    try await close(session, disk.clock)
    expectEqual(await refusal { try await saving.value }, "file")
    disk.gate.open()
  }

  func testCloseWithALimitReturnsIfReadsHangToo() async throws {
    let folder = try TemporaryFolder()
    let disk = Hanging([.createFile, .openFile])
    let session = try await open(folder, disk)
    try await close(session, disk.clock)
    disk.gate.open()
  }

  func testCloseWithALimitEndsAReloadOrAResolutionThatHangs() async throws {
    let calls: [@MainActor (EditingSession<String>) async throws -> Void] = [
      { _ = try await $0.reload() }, { try await $0.resolve(.theirs) },
    ]
    for call in calls {
      let folder = try TemporaryFolder()
      let disk = Hanging([.openFile])
      let session = try await open(folder, disk)
      session.autosave = nil
      let reading = Task { try await call(session) }
      try await until(disk.isReached.isSet)
      try await close(session, disk.clock)
      expectEqual(await refusal { try await reading.value }, "file")
      disk.gate.open()
    }
  }

  func testSecondCloseHasItsOwnLimit() async throws {
    let folder = try TemporaryFolder()
    let disk = Hanging([.createFile])
    let session = try await open(folder, disk)
    let first = Task { try await session.close() }
    try await until(disk.isReached.isSet)
    try await close(session, disk.clock)
    try await first.value
    disk.gate.open()
  }

  func testFileWrittenAfterTheLimitDoesNotConflict() async throws {
    let folder = try TemporaryFolder()
    let disk = Hanging([.createFile])
    let session = try await open(folder, disk)
    session.autosave = nil
    let saving = Task { try await session.save() }
    try await until(disk.isReached.isSet)
    session.edit("3") { $0.append("3") }
    try await session.synchronize()
    try await close(session, disk.clock)
    expectEqual(await refusal { try await saving.value }, "file")
    XCTAssertEqual(folder.text("note.txt"), "1")
    disk.gate.open()
    try await until(folder.text("note.txt") == "12")
    let next = try await EditingSession(file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    XCTAssertEqual(next.currentItem, "123")
    if case .edited = next.state {} else { XCTFail("\(next.state)") }
    try await next.close()
  }

  /// The file stays busy, so the writer retries again and again.
  func testCloseWithALimitKeepsUnwrittenEditsInTheLog() async throws {
    let folder = try TemporaryFolder()
    let isBusy = Flag()
    let system = ScriptedFileSystem { call, _ in
      isBusy.isSet && [.moveFile, .moveFileToFree, .exchangeFiles, .linkFile].contains(call) ? .failure(EBUSY) : nil
    }
    let clock = ManualClock()
    let session = try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: system, clock: clock)
    session.autosave = .seconds(1_000)
    session.edit("a") { $0.append("a") }
    XCTAssertTrue(session.isDirty)
    try await session.synchronize()
    isBusy.set(true)
    try await close(session, clock)
    // An attempt that was under way at the limit may still end later, but the file is still busy then.
    XCTAssertNil(folder.text("note.txt"))
    let next = try await EditingSession(file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text)
    XCTAssertEqual(next.currentItem, "a")
    XCTAssertEqual(next.history.undoLabel, "a")
    XCTAssertTrue(next.isDirty)
    try await next.close()
  }
}
