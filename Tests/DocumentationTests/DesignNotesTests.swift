import XCTest

/// Every type has a design note, and all notes have one form.
final class DesignNotesTests: XCTestCase {
  private let form = ["Problem", "Layout", "Operations", "Decisions", "Losses"]

  func testEveryTypeHasANote() throws {
    XCTAssertEqual(try notes().map(\.path), Checkout.types.map { "docs/design/\($0).md" })
  }

  func testEveryNoteHasTheOneForm() throws {
    for note in try notes() {
      let headings = note.prose.map(\.text)
      let name = note.path.split(separator: "/").last?.dropLast(3) ?? ""
      XCTAssertEqual(headings.first, "# \(name)", note.path)
      XCTAssert(headings.dropFirst(2).first?.hasPrefix("`\(name)") == true, "\(note.path): no sentence says what it is")
      let sections = headings.filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
      XCTAssertEqual(sections.filter(form.contains), form, note.path)
      for folder in ["Sources", "Tests"] {
        XCTAssert(
          Links.files(linkedFrom: note).contains { $0.hasPrefix("\(folder)/") }, "\(note.path): no link to \(folder)")
      }
    }
  }

  private func notes() throws -> [Document] {
    try Checkout.documents().filter { $0.path.hasPrefix("docs/design/") }
  }
}
