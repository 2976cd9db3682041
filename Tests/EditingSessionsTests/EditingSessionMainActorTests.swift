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
    session.edit { $0.append("!") }
    try await session.save(as: folder.file("copy.txt"))
    session.edit { $0.append("!") }
    try await session.move(to: folder.file("moved.txt"))
    session.history.removeAllSteps()
    try await session.close()

    let next = try await EditingSession(
      file: folder.file("moved.txt"), recovery: recovery, format: .text, system: device.system, logByteLimit: 2000)
    XCTAssertEqual(next.history.currentItem, session.history.currentItem)
    try await next.close()
    device.end()
    await releasing.value
    XCTAssertGreaterThan(device.releasedCount, 100)
    XCTAssertEqual(device.callsOnTheMainThread, [])
  }

  /// The save has a copy of the text, so the first edit copies it, and no later one does.
  func testEditsDuringASaveCopyATextOnce() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let (gate, hasBegun) = (BlockingGate(), Flag())
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .append else { return nil }
      hasBegun.set(true)
      gate.pass()
      return nil
    }
    let file = try folder.put(String(repeating: "a", count: 1 << 20), "note.txt")
    let session = try await EditingSession(
      file: file, recovery: folder.file("recovery"), format: .text, system: system)
    func address() -> Int {
      unsafe session.currentItem.utf8.withContiguousStorageIfAvailable { Int(bitPattern: $0.baseAddress) } ?? 0
    }
    func copyCount() -> Int {
      var (count, last) = (0, address())
      for offset in 0..<50 {
        session.edit("Type") { $0.replaceSubrange(utf8: 100 * offset..<100 * offset + 1, with: "b") }
        let next = address()
        if next != last { count += 1 }
        last = next
      }
      return count
    }
    _ = copyCount()
    try await session.synchronize()
    system.arm()
    let saving = Task { try await session.save() }
    try await until(hasBegun.isSet)
    XCTAssertEqual(copyCount(), 1)
    system.disarm()
    gate.open()
    try await saving.value
    XCTAssertEqual(copyCount(), 0)
    try await session.close()
  }

  func testDocumentsAreEncodedAndDecodedOffTheMainActor() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let calls = Calls()
    let format = EditingFormat<String>(
      read: { data in
        calls.note("read")
        return String(decoding: data, as: UTF8.self)
      },
      write: { text in
        calls.note("write")
        return Data(text.utf8)
      })
    let file = try folder.put("a\nb\n", "note.txt")
    for round in 0..<2 {
      let session = try await EditingSession(file: file, recovery: folder.file("recovery"), format: format)
      session.edit { $0.append("c\n") }
      try await session.save()
      session.edit { $0.append("d\n") }
      try Data("A\nb\nc\n".utf8).write(to: file)
      try await session.reload()
      try await session.save()
      session.edit { $0.set("mine") }
      try Data("theirs".utf8).write(to: file)
      _ = await refusal { try await session.save() }
      try await session.resolve(round == 0 ? .mine : .theirs)
      session.edit { $0.append("!") }
      try await session.save(as: folder.file("copy-\(round).txt"))
      session.edit { $0.append("!") }
      // The next session reads the file beside the log.
      try await session.close()
      let next = try await EditingSession(
        file: folder.file("copy-\(round).txt"), recovery: folder.file("recovery"), format: format)
      try await next.close()
    }
    // Edits keep coming while another program's contents are applied.
    let session = try await EditingSession(file: file, recovery: folder.file("recovery"), format: format)
    session.currentItem = "a\nb\n"
    try await session.save()
    try Data("A\nb\n".utf8).write(to: file)
    calls.waitForEdits(true)
    let reloading = Task { try await session.reload() }
    while session.currentItem.hasPrefix("a") {
      session.edit { $0.append("c") }
      calls.noteEdit()
      await Task.yield()
    }
    calls.waitForEdits(false)
    let isReloaded = try await reloading.value
    XCTAssertTrue(isReloaded)
    XCTAssertTrue(session.currentItem.hasPrefix("A\nb\ncc"))
    XCTAssertFalse(session.hasConflict)
    try await session.close()
    XCTAssertGreaterThan(calls.counts["read"] ?? 0, 10)
    XCTAssertGreaterThan(calls.counts["write"] ?? 0, 10)
    XCTAssertEqual(calls.onTheMainThread, [])
  }
}

/// Calls of a format's closures.
private final class Calls: @unchecked Sendable {
  private let condition = NSCondition()
  private var (all, main): ([String: Int], [String]) = ([:], [])
  private var (editCount, waits) = (0, false)

  var counts: [String: Int] { condition.withLock { all } }
  var onTheMainThread: [String] { condition.withLock { main } }

  func noteEdit() {
    condition.withLock {
      editCount += 1
      condition.broadcast()
    }
  }

  /// Whether each call outside of the main thread ends only after another edit.
  func waitForEdits(_ waits: Bool) {
    condition.withLock {
      self.waits = waits
      condition.broadcast()
    }
  }

  func note(_ call: String) {
    condition.withLock {
      all[call, default: 0] += 1
      guard !Thread.isMainThread else { return main.append(call) }
      let count = editCount
      while waits, editCount == count { condition.wait() }
    }
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
