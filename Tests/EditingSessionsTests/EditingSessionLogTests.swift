import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// The log of a session: what cannot be written, and what was damaged.
@MainActor
final class EditingSessionLogTests: XCTestCase {
  // MARK: What cannot be written

  func testALogThatCouldNotBeWrittenHasAllAsSoonAsItCan() async throws {
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
    // With nothing new to write.
    await assertDurable(session, false)
    guard case .log(let error)? = session.logFailure?.reason else {
      return XCTFail("\(String(describing: session.logFailure))")
    }
    XCTAssertEqual(error.reason, .noSpace)
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

  func testASessionThatCannotKeepItsStepsStaysOpen() async throws {
    let folder = try TemporaryFolder()
    let isFull = Flag()
    let system = ScriptedFileSystem { call, _ in
      isFull.isSet && [.append, .overwrite, .createFile].contains(call) ? .failure(ENOSPC) : nil
    }
    let session = try await open(folder, system)
    isFull.set(true)
    session.edit { $0.append("a") }
    do throws(EditingSessionError) {
      try await session.close()
      XCTFail("it was closed")
    } catch {
      guard case .log = error.reason else { return XCTFail("\(error)") }
    }
    isFull.set(false)
    try await session.close()
    let next = try await open(folder)
    XCTAssertEqual(next.history.currentItem, "a")
    try await next.close()
  }

  /// Writes that fail while the log begins anew, with edits between.
  func testWhatWasDurableIsThereWhicheverWritesFail() async throws {
    var random = SeededRandom(seed: .random(in: .min ... .max))
    print("failing logs from seed \(random.seed)")
    for _ in 0..<40 {
      let folder = try TemporaryFolder(isInMemory: true)
      let isFailing = Flag()
      let system = ScriptedFileSystem { call, _ in
        [.append, .overwrite, .createFile].contains(call) && isFailing.take() ? .failure(EIO) : nil
      }
      // The log begins anew again and again.
      let session = try await open(folder, system, logByteLimit: 500)
      for _ in 0..<60 {
        for _ in 0..<random.int(in: 1..<4) {
          let text = String(repeating: "\(random.int(in: 0..<10))", count: random.int(in: 1..<200))
          session.edit("Set") { $0.set(text) }
          if random.chance(oneIn: 3) { await Task.yield() }
        }
        isFailing.set(random.chance(oneIn: 3))
        if random.chance(oneIn: 2) { await session.durable() }
      }
      isFailing.set(false)
      while await !session.durable() {}
      let expected = moment(session.history)
      try await session.close()
      let next = try await open(folder)
      XCTAssert(moment(next.history) == expected, "\(next.history.undoCount) of \(session.history.undoCount) steps")
      try await next.close()
    }
  }

  // MARK: Beginning anew

  func testALogThatBeginsAnewEndsNoGesture() async throws {
    let folder = try TemporaryFolder()
    let session = try await open(folder, logByteLimit: 1000)
    let step = session.beginStep("Drag")
    for number in 0..<300 {
      session.edit { $0.set(String(repeating: "\(number % 10)", count: 100)) }
      if number % 20 == 0 { await session.durable() }
    }
    await session.durable()
    XCTAssert(session.endStep(step))
    XCTAssertEqual(session.history.undoCount, 1)
    session.edit { $0.set("") }
    try await session.close()
    let next = try await open(folder)
    XCTAssertEqual(next.history.steps.map(\.label), ["Drag", nil])
    try await next.close()
  }

  // MARK: Damage

  /// Cut off anywhere, or with any bit flipped, a log gives a moment of the session, and says when it is damaged.
  func testADamagedLogGivesWhatStandsBeforeTheDamage() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder)
    var moments: [[String]] = [moment(session.history)]
    for number in 0..<8 {
      switch number % 4 {
      case 0: session.edit("\(number)") { $0.append("\(number)") }
      case 1: session.edit { $0.insert("x", atUTF8: 0) }
      case 2: session.undo()
      default: session.redo()
      }
      moments.append(moment(session.history))
      await session.durable()
    }
    let name = try XCTUnwrap(
      FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path).first { $0.hasSuffix(".session") })
    let whole = Array(try Data(contentsOf: folder.file("recovery/\(name)")))
    let log = Array(whole.prefix((whole.lastIndex { $0 != 0 } ?? 0) + 1))
    try await session.close()

    let isThorough = ProcessInfo.processInfo.environment["UNSAVED_KILLS"].flatMap { Int($0) } ?? 0 >= 1000
    var damaged = stride(from: 0, through: log.count, by: isThorough ? 1 : 5).map { Array(log.prefix($0)) }
    for bit in stride(from: 0, to: 8 * log.count, by: isThorough ? 1 : 37) {
      var bytes = log
      bytes[bit / 8] ^= 1 << (bit % 8)
      damaged.append(bytes + [UInt8](repeating: 0, count: 100))
    }
    for bytes in damaged {
      try? FileManager.default.removeItem(at: folder.file("recovery"))
      try FileManager.default.createDirectory(
        at: folder.file("recovery"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
      try Data(bytes).write(to: folder.file("recovery/\(name)"))
      unsafe chmod(folder.file("recovery/\(name)").path, 0o600)
      let next: EditingSession<String>
      do throws(EditingSessionError) { next = try await open(folder) } catch {
        // A version that is newer.
        guard case .log(let error) = error.reason, error.reason == .newerJournal else { return XCTFail("\(error)") }
        continue
      }
      XCTAssert(moments.contains(moment(next.history)), "\(moment(next.history))")
      try await next.close()
    }
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

  private func assertDurable(_ session: EditingSession<String>, _ expected: Bool, line: UInt = #line) async {
    let isDurable = await session.durable()
    XCTAssertEqual(isDurable, expected, line: line)
  }
}
