import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Logs that are cut off anywhere, or in which any bit is flipped.
///
/// `UNSAVED_KILLS=1000` cuts a long log at 1,000 places, and flips each bit of a short one.
@MainActor
final class EditingSessionDamageTests: XCTestCase {
  private let isThorough = ProcessInfo.processInfo.environment["UNSAVED_KILLS"].flatMap { Int($0) } ?? 0 >= 1000

  /// The log has everything that was reported as durable, and whatever follows is also a moment of the session.
  func testTruncatedLogHasAllDurableEdits() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await open(folder)
    var random = SeededRandom.announced("a log to be cut")
    var numbers = [Moment(session.history): 0]
    /// The length of the log when this many edits were durable.
    var durable: [(byteCount: Int, number: Int)] = []
    for number in 1...10_000 {
      session.act(&random)
      numbers[Moment(session.history)] = number
      guard number % 7 == 0 else { continue }
      await session.isSynchronized()
      durable.append((session.logByteCounts.written, number))
    }
    let (name, log) = try wholeLog(in: folder)
    let header = JournalHeader.byteCount
    try await session.close()

    for count in stride(from: 0, through: log.count, by: log.count / (isThorough ? 1000 : 40)) {
      try put(log.prefix(count), name, in: folder)
      let next = try await open(folder)
      let latest = durable.last { header + $0.byteCount <= count }?.number ?? 0
      let found = try XCTUnwrap(numbers[Moment(next.history)], "cut at \(count) of \(log.count)")
      XCTAssertGreaterThanOrEqual(found, latest, "cut at \(count) of \(log.count)")
      try await next.close()
    }
  }

  func testDamagedLogRestoresAMomentOfTheSession() async throws {
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
      await session.isSynchronized()
    }
    let (name, log) = try wholeLog(in: folder)
    try await session.close()

    var damaged = stride(from: 0, through: log.count, by: isThorough ? 1 : 5).map { Array(log.prefix($0)) }
    for bit in stride(from: 0, to: 8 * log.count, by: isThorough ? 1 : 37) {
      var bytes = log
      bytes[bit / 8] ^= 1 << (bit % 8)
      damaged.append(bytes + [UInt8](repeating: 0, count: 100))
    }
    for bytes in damaged {
      try put(bytes, name, in: folder)
      let next: EditingSession<String>
      do throws(EditingSessionError) { next = try await open(folder) } catch {
        // The flipped bit makes the log one of a newer version.
        guard case .log(let error) = error.reason, error.reason == .newerJournal else { return XCTFail("\(error)") }
        continue
      }
      XCTAssert(moments.contains(moment(next.history)), "\(moment(next.history))")
      try await next.close()
    }
  }

  // MARK: Log files

  /// The log file, without the zeros at its end.
  private func wholeLog(in folder: TemporaryFolder) throws -> (name: String, bytes: [UInt8]) {
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path)
    let name = try XCTUnwrap(names.first { $0.hasSuffix(".session") })
    let bytes = Array(try Data(contentsOf: folder.file("recovery/\(name)")))
    return (name, Array(bytes.prefix((bytes.lastIndex { $0 != 0 } ?? 0) + 1)))
  }

  /// Writes this log, and removes all others.
  private func put(_ log: some Sequence<UInt8>, _ name: String, in folder: TemporaryFolder) throws {
    try? FileManager.default.removeItem(at: folder.file("recovery"))
    try FileManager.default.createDirectory(
      at: folder.file("recovery"), withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    try Data(log).write(to: folder.file("recovery/\(name)"))
    unsafe chmod(folder.file("recovery/\(name)").path, 0o600)
  }

  private func moment(_ history: UndoHistory<String>) -> [String] {
    var (back, forward) = (history, history)
    var texts = [history.currentItem, "undo"]
    while back.undo() != nil { texts.append(back.currentItem) }
    texts.append("redo")
    while forward.redo() != nil { texts.append(forward.currentItem) }
    return texts
  }

  private func open(_ folder: TemporaryFolder) async throws(EditingSessionError) -> EditingSession<String> {
    try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: PosixFileSystem(),
      clock: ManualClock())
  }
}

/// Identifies a moment of a long session.
private struct Moment: Hashable {
  var text: String
  var (undoCount, redoCount) = (0, 0)
  var (undoLabel, redoLabel): (String?, String?)

  init(_ history: UndoHistory<String>) {
    text = history.currentItem
    (undoCount, redoCount) = (history.undoCount, history.redoCount)
    (undoLabel, redoLabel) = (history.undoLabel, history.redoLabel)
  }
}

extension EditingSession where Document == String {
  /// Performs a random action of a user.
  fileprivate func act(_ random: inout SeededRandom) {
    let (letter, count) = ("\(random.int(in: 0..<10))", history.currentItem.utf8.count)
    switch random.int(in: 0..<12) {
    case 0: undo()
    case 1: redo()
    case 2:
      edit("Label \(letter)") { text in
        text.append(letter)
        text.insert(letter, atUTF8: 0)
      }
    case 3 where count > 3: edit { $0.removeSubrange(utf8: 1..<2) }
    case 4 where count > 200: edit { $0.set("") }
    case 5: edit { $0.insert(letter, atUTF8: random.int(in: 0..<count + 1)) }
    default: edit { $0.append(letter) }
    }
  }
}
