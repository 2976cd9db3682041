import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Every system call waits for the main actor to run, so a call on the main actor would wait for itself.
@MainActor
final class EditingSessionMainActorTests: XCTestCase {
  func testSystemCallsAreMadeOffTheMainActor() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (recovery, file) = (folder.file("recovery"), folder.file("note.txt"))
    let device = SlowDevice()
    let releasing = Task { await device.releaseCalls() }

    let session = try await EditingSession(
      file: file, recovery: recovery, format: .text, system: device.system, logByteLimit: 2000)
    for number in 0..<200 {
      // The document has the edit before any system call is made for it.
      session.edit { $0.append("\(number % 10)") }
      XCTAssertEqual(session.history.currentItem.utf8.count, number + 1)
      if number % 20 == 0 { session.undo() }
      if number % 20 == 0 { session.redo() }
      if number % 50 == 0 { await session.isSynchronized() }
    }
    try await session.save()
    try Data("theirs".utf8).write(to: file)
    session.edit { $0.set("mine") }
    do {
      try await session.save()
      XCTFail("no conflict")
    } catch {
      guard case .conflict = error.reason else { throw error }
    }
    try await session.resolve(.mine)
    try await session.close()

    let next = try await EditingSession(
      file: file, recovery: recovery, format: .text, system: device.system, logByteLimit: 2000)
    XCTAssertEqual(next.history.currentItem, session.history.currentItem)
    try await next.close()
    device.end()
    await releasing.value
    XCTAssertGreaterThan(device.releasedCount, 100)
    XCTAssertEqual(device.callsOnTheMainThread, [])
  }
}

/// A device on which each call waits until the main actor permits it.
private final class SlowDevice: @unchecked Sendable {
  private let condition = NSCondition()
  private var (waitingCount, isOver) = (0, false)
  /// The number of waiting calls that may continue.
  private var permits = 0
  private(set) var releasedCount = 0
  /// These calls would wait for themselves, so they are listed instead.
  private(set) var callsOnTheMainThread: [String] = []
  private(set) lazy var system = ScriptedFileSystem { [unowned self] call, _ in
    wait("\(call)")
    return nil
  }

  private func wait(_ call: String) {
    condition.withLock {
      guard !Thread.isMainThread else { return callsOnTheMainThread.append(call) }
      waitingCount += 1
      while permits == 0, !isOver { condition.wait() }
      permits -= 1
      waitingCount -= 1
    }
  }

  /// Permits one call after the other, with other tasks of the main actor in between.
  @MainActor func releaseCalls() async {
    while !condition.withLock({ isOver }) {
      condition.withLock {
        guard waitingCount > permits else { return }
        permits += 1
        releasedCount += 1
        condition.signal()
      }
      await Task.yield()
    }
  }

  func end() {
    condition.withLock {
      isOver = true
      condition.broadcast()
    }
  }
}
