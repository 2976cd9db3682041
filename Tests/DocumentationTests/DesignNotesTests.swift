import XCTest

/// Every type and internal target has a design note with the same sections, and its dated experiments.
final class DesignNotesTests: XCTestCase {
  private let form = ["Problem", "Layout", "Invariants", "Operations", "Decisions", "Losses"]

  func testEveryTypeAndInternalTargetHasANoteAndExperiments() throws {
    XCTAssertEqual(try notes().map(\.path), Checkout.noted.map { "docs/design/\($0).md" })
    XCTAssertEqual(sections(of: try experiments()), Checkout.noted)
  }

  func testEveryNoteHasTheSameSections() throws {
    for note in try notes() {
      let headings = note.prose.map(\.text)
      let name = note.path.split(separator: "/").last?.dropLast(3) ?? ""
      XCTAssertEqual(headings.first, "# \(name)", note.path)
      XCTAssert(headings.dropFirst(2).first?.hasPrefix("`\(name)") == true, "\(note.path): no sentence says what it is")
      XCTAssertEqual(sections(of: note).filter(form.contains), form, note.path)
      for place in ["Sources/", "Tests/", "docs/experiments.md"] {
        XCTAssert(Links.files(linkedFrom: note).contains { $0.hasPrefix(place) }, "\(note.path): no link to \(place)")
      }
    }
  }

  func testExperimentsOfEveryTypeAreDatedAndLinkToItsNote() throws {
    let page = try experiments()
    let parts = page.prose.map(\.text).split { $0.hasPrefix("# ") || $0.hasPrefix("## ") }
    for part in parts.dropFirst() {
      let line = part.first { !$0.isEmpty } ?? ""
      XCTAssertNotNil(line.prefixMatch(of: /[A-Z][a-z]+ \d{4}, for the \[/), "no date: \(line)")
    }
    XCTAssertEqual(
      Links.files(linkedFrom: page).filter { $0.hasPrefix("docs/design/") }, Set(try notes().map(\.path)))
  }

  private func sections(of page: Document) -> [String] {
    page.prose.map(\.text).filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
  }

  private func notes() throws -> [Document] {
    try Checkout.documents().filter { $0.path.hasPrefix("docs/design/") }
  }

  private func experiments() throws -> Document {
    try XCTUnwrap(try Checkout.documents().first { $0.path == "docs/experiments.md" })
  }
}
