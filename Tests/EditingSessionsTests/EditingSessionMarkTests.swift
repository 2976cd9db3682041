import EditingSessions
import Foundation
import TestSupport
import XCTest

/// Files that begin with a byte order mark.
@MainActor
final class EditingSessionMarkTests: XCTestCase, NoteSessions {
  private let mark = "\u{FEFF}"

  private func bytes(_ file: URL) throws -> [UInt8] { [UInt8](try Data(contentsOf: file)) }

  func testMarkStaysInFrontOfInsertedText() async throws {
    try await withFile(mark + "a") { file, recovery in
      let session = try await open(file, recovery)
      XCTAssertEqual(session.currentItem, "a")
      session.edit { $0.insert("x", atUTF8: 0) }
      try await session.save()
      XCTAssertEqual(try bytes(file), [0xEF, 0xBB, 0xBF] + Array("xa".utf8))
      XCTAssertTrue(isSaved(session))
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertEqual(next.currentItem, "xa")
      XCTAssertTrue(isSaved(next))
      next.undo()
      try await next.save()
      XCTAssertEqual(try bytes(file), Array((mark + "a").utf8))
    }
  }

  func testMarkOfAJSONFileStays() async throws {
    try await withFile(mark + #"{"title": "t"}"#) { file, recovery in
      struct Note: Codable, Sendable { var title = "" }
      let session = try await EditingSession(file: file, recovery: recovery, format: .json(Note.self))
      session.currentItem.title = "u"
      try await session.save()
      XCTAssertEqual(Array(try bytes(file).prefix(4)), [0xEF, 0xBB, 0xBF, UInt8(ascii: "{")])
    }
  }

  func testMarkThatAnotherProgramAddsOrRemovesIsKept() async throws {
    try await withFile("a\nb\n") { file, recovery in
      let session = try await open(file, recovery)
      try write(mark + "a\nb\n", file)
      try await session.reload()
      XCTAssertEqual(session.currentItem, "a\nb\n")
      session.edit { $0.append("c\n") }
      try await session.save()
      XCTAssertEqual(try bytes(file), Array((mark + "a\nb\nc\n").utf8))
      session.edit { $0.append("d\n") }
      try write("A\nb\nc\n", file)
      try await session.save()
      XCTAssertEqual(try text(file), "A\nb\nc\nd\n")
    }
  }

  func testMarkThatIsRemovedBetweenSessionsDoesNotConflict() async throws {
    try await withFile(mark + "a\nb\n") { file, recovery in
      var session: EditingSession<String>? = try await open(file, recovery)
      session?.edit { $0.append("c\n") }
      try await session?.close()
      session = nil
      try write("A\nb\n", file)
      let next = try await open(file, recovery)
      XCTAssertFalse(next.hasConflict)
      XCTAssertEqual(next.currentItem, "A\nb\nc\n")
    }
  }
}
