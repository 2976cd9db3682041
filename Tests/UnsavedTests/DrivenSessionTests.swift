import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// A session whose Edit menu is driven by an undo driver.
@MainActor
final class DrivenSessionTests: XCTestCase {
  func testSessionLogsTheCallsOfAnUndoDriver() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.txt"), folder.file("recovery"))
    let text = String(repeating: "A long line.\n", count: 100)
    try Data(text.utf8).write(to: file)
    let session = try await EditingSession(file: file, recovery: recovery, format: .text)
    let driver = UndoDriver(session, \.history)
    session.edit("First") { $0.append("1") }
    try await session.synchronize()
    let old = session.logByteCounts.written
    XCTAssertEqual(driver.undoMenuItemTitle, "Undo First")
    driver.undo()
    XCTAssertEqual(session.currentItem, text)
    driver.redo()
    driver.beginUndoGrouping()
    session.history.edit.append("2")
    session.history.edit.insert("0", atUTF8: 0)
    driver.endUndoGrouping()
    XCTAssertEqual(driver.undoCount, 2)
    driver.undo()
    try await session.synchronize()
    XCTAssertLessThan(session.logByteCounts.written - old, 200)
    try await session.close()
    let next = try await EditingSession(file: file, recovery: recovery, format: .text)
    XCTAssert(next.history == session.history)
    XCTAssertEqual([next.history.undoCount, next.history.redoCount], [1, 1])
    try await next.close()
  }

  /// A composition that a session has logged is one step after the end of the program.
  func testSessionLogsTheTextOfAView() async throws {
    let folder = try TemporaryFolder()
    let (file, recovery) = (folder.file("note.txt"), folder.file("recovery"))
    try Data("one".utf8).write(to: file)
    let session = try await EditingSession(file: file, recovery: recovery, format: .text)
    var bridge = TextViewBridge()
    bridge.record("one ".utf16, in: &session.history.edit)
    for text in ["n", "ni", "你"] {
      bridge.record(("one " + text).utf16, marked: text == "你" ? nil : 4..<6, in: &session.history.edit)
    }
    let other = UndoDriver(session, \.history)
    other.undo()
    let update = bridge.update(from: "one 你".utf16, to: session.currentItem)
    XCTAssertEqual(update.replacements.map(\.range), [4..<5])
    XCTAssertEqual(bridge.redo(&session.history, text: \.self)?.replacements.map(\.text), ["你"])
    try await session.synchronize()
    try await session.close()
    let next = try await EditingSession(file: file, recovery: recovery, format: .text)
    XCTAssertEqual(next.currentItem, "one 你")
    XCTAssertEqual(next.history.undoCount, 2)
    next.undo()
    XCTAssertEqual(next.currentItem, "one ")
    try await next.close()
  }
}
