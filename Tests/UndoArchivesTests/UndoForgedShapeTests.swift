import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Forged archives that are nested so deep that to read them as they come would take all of the stack, or for ever.
final class UndoForgedShapeTests: XCTestCase {
  private struct Note: Codable, UndoArchivable {
    var title = "abc"

    static var undoParts: [UndoPart<Note>] { [UndoPart("title", \.title)] }
  }

  /// An archive with one part, and a step of one edit of that.
  private func read(_ part: String, _ edit: [UInt8]) throws(UndoFormError) {
    let name = bytes(part.utf8.count) + Array(part.utf8)
    // The version, no pieces, a digest, nothing else that is known, a type of one part, no saved point, nothing
    // restored, and one step; behind it no redo, no branches, no origins and a digest.
    _ = try UndoHistory<Note>.Archive(
      [1, 0, 0, 0, 1, 1] + name + [0, 0, 0, 1, 1 << 5, 1 << 2] + edit + [0, 0, 0, 0], .json)
  }

  private func bytes(_ number: Int) -> [UInt8] {
    number < 0x80 ? [UInt8(number)] : [UInt8(number & 0x7f) | 0x80] + bytes(number >> 7)
  }

  private func expectDamage(_ part: String, _ edit: [UInt8], line: UInt = #line) {
    XCTAssertThrowsError(try read(part, edit), line: line) {
      guard case .damaged? = $0 as? UndoFormError else { return XCTFail("\($0)", line: line) }
    }
  }

  func testValuesAroundFieldsOfALostPartAreNoneAroundOthers() throws {
    let field: [UInt8] = [14, 0, 2, 4, 0]
    try read("lost:i", field + [1, 2])
    expectDamage("lost:i", field + field + [1, 2])
    expectDamage("lost:i", [[UInt8]](repeating: field, count: 100_000).flatMap(\.self) + [1, 2])
  }

  func testFieldsOfALostPartAreNotReadAtAnyDepth() throws {
    func fields(_ depth: Int) -> [UInt8] {
      (0..<depth).reduce([4, 0]) { edit, _ in [13, 0] + bytes(edit.count) + edit }
    }
    try read("lost:i", fields(8))
    expectDamage("lost:i", fields(10_000))
  }

  func testValuesInValuesAreNotReadAtAnyDepth() throws {
    func read(_ part: String, _ letter: String, _ depth: Int) throws {
      try self.read(part + String(repeating: letter, count: depth) + "i", [0] + Array(repeating: 1, count: depth) + [2])
    }
    for part in ["lost:", "title:"] {
      for letter in ["?", "*"] {
        try read(part, letter, 3)
        // Not too deep to be skipped, but to be a type.
        try read(part, letter, 64)
        XCTAssertThrowsError(try read(part, letter, 10_000)) { XCTAssertTrue($0 is UndoFormError) }
      }
    }
  }
}
