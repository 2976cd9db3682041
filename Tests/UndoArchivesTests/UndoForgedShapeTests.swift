import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Forged archives that are nested so deeply that naive reading would overflow the stack or never end.
final class UndoForgedShapeTests: XCTestCase {
  private struct Note: Codable, UndoArchivable {
    var title = "abc"

    static var undoParts: [UndoPart<Note>] { [UndoPart("title", \.title)] }
  }

  /// Reads an archive with one part, and with a step of one edit of that part.
  private func read(_ part: String, _ edit: [UInt8]) throws(UndoFormError) {
    let name = bytes(part.utf8.count) + Array(part.utf8)
    // The version, no pieces, a digest, no other digests, a type of one part, no saved point, no restored values, and
    // one step. After the step come no redo steps, no branches, no origins, and a digest.
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

  func testNestedEnclosingValuesOfALostPartAreDamage() throws {
    let field: [UInt8] = [14, 0, 2, 4, 0]
    try read("lost:i", field + [1, 2])
    expectDamage("lost:i", field + field + [1, 2])
    expectDamage("lost:i", [[UInt8]](repeating: field, count: 100_000).flatMap(\.self) + [1, 2])
  }

  func testDeeplyNestedFieldsOfALostPartAreDamage() throws {
    func fields(_ depth: Int) -> [UInt8] {
      (0..<depth).reduce([4, 0]) { edit, _ in [13, 0] + bytes(edit.count) + edit }
    }
    try read("lost:i", fields(8))
    expectDamage("lost:i", fields(10_000))
  }

  func testDeeplyNestedOptionalsAndArraysAreRefused() throws {
    func read(_ part: String, _ letter: String, _ depth: Int) throws {
      try self.read(part + String(repeating: letter, count: depth) + "i", [0] + Array(repeating: 1, count: depth) + [2])
    }
    for part in ["lost:", "title:"] {
      for letter in ["?", "*"] {
        try read(part, letter, 3)
        // This depth can be skipped, but it is too deep for a type.
        try read(part, letter, 64)
        XCTAssertThrowsError(try read(part, letter, 10_000)) { XCTAssertTrue($0 is UndoFormError) }
      }
    }
  }
}
