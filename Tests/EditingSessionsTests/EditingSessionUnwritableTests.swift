import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// A value of the user's that refuses to be written.
@MainActor
final class EditingSessionUnwritableTests: XCTestCase {
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

  func testWhatCannotBeWrittenIsToldAndTheRestIsWrittenOnceItIsGone() async throws {
    let folder = try TemporaryFolder()
    let session = try await open(folder)
    session.edit { $0.title.append("a") }
    await assertDurable(session, true)
    session.edit("Below") { $0.level.set(Level(-1)) }
    await assertDurable(session, false)
    guard case .unwritable? = session.logFailure?.reason else {
      return XCTFail("\(String(describing: session.logFailure))")
    }
    XCTAssert("\(session.logFailure!)".contains("cannot be written"))
    // The step could be redone, and its value cannot be written either.
    session.undo()
    await assertDurable(session, false)
    session.edit { $0.title.append("b") }
    await assertDurable(session, true)
    XCTAssertNil(session.logFailure)
    try await session.close()

    let next = try await open(folder)
    XCTAssertEqual(next.currentItem, Sheet(title: "ab"))
    XCTAssert(next.history.canUndo)
    try await next.close()
  }

  private func open(_ folder: TemporaryFolder) async throws(EditingSessionError) -> EditingSession<Sheet> {
    try await EditingSession(
      file: folder.file("sheet.json"), recovery: folder.file("recovery"), format: .json(Sheet.self), new: Sheet())
  }

  private func assertDurable(_ session: EditingSession<Sheet>, _ expected: Bool, line: UInt = #line) async {
    let isDurable = await session.durable()
    XCTAssertEqual(isDurable, expected, line: line)
  }
}
