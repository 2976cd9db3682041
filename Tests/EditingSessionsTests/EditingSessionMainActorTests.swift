import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Every system call waits until the main actor has run in the meantime: one that is made there would wait for itself.
@MainActor
final class EditingSessionMainActorTests: XCTestCase {
  func testNoCallWaitsForADeviceOnTheMainActor() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (recovery, file) = (folder.file("recovery"), folder.file("note.txt"))
    let device = SlowDevice()
    let releasing = Task { await device.releaseCalls() }

    let session = try await EditingSession(
      file: file, recovery: recovery, format: .text, system: device.system, logByteLimit: 2000)
    for number in 0..<200 {
      // The document has the edit before any call is made for it.
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

/// A device whose calls each wait until the main actor lets them go on.
private final class SlowDevice: @unchecked Sendable {
  private let condition = NSCondition()
  private var (waitingCount, isOver) = (0, false)
  /// How many calls may go on.
  private var permits = 0
  private(set) var releasedCount = 0
  /// Those would wait for themselves, and are noted instead.
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

  /// Lets one call after the other go on, each between two other tasks of the main actor.
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
