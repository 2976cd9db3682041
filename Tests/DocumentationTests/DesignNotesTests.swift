import XCTest

/// Every type and internal target has a design note with the same sections, and a dated page of experiments.
final class DesignNotesTests: XCTestCase {
  private let form = ["Problem", "Layout", "Invariants", "Operations", "Decisions", "Losses"]

  func testEveryTypeAndInternalTargetHasANoteAndExperiments() throws {
    for folder in ["design", "experiments"] {
      XCTAssertEqual(try pages(in: folder).map(\.path), Checkout.noted.map { "docs/\(folder)/\($0).md" })
    }
  }

  func testEveryNoteHasTheSameSections() throws {
    for note in try pages(in: "design") {
      let headings = note.prose.map(\.text)
      let name = note.path.split(separator: "/").last?.dropLast(3) ?? ""
      XCTAssertEqual(headings.first, "# \(name)", note.path)
      XCTAssert(headings.dropFirst(2).first?.hasPrefix("`\(name)") == true, "\(note.path): no sentence says what it is")
      XCTAssertEqual(sections(of: note).filter(form.contains), form, note.path)
      for folder in ["Sources", "Tests", "docs/experiments"] {
        XCTAssert(
          Links.files(linkedFrom: note).contains { $0.hasPrefix("\(folder)/") }, "\(note.path): no link to \(folder)")
      }
    }
  }

  func testEveryExperimentIsDated() throws {
    for page in try pages(in: "experiments") {
      let sections = sections(of: page)
      XCTAssertFalse(sections.isEmpty, page.path)
      let undated = sections.filter { $0.prefixMatch(of: /\d{4}-\d{2}(-\d{2})?: \S/) == nil }
      XCTAssertEqual(undated, [], page.path)
      XCTAssert(
        Links.files(linkedFrom: page).contains(page.path.replacing("docs/experiments/", with: "docs/design/")),
        "\(page.path): no link to its note")
    }
  }

  private func sections(of page: Document) -> [String] {
    page.prose.map(\.text).filter { $0.hasPrefix("## ") }.map { String($0.dropFirst(3)) }
  }

  private func pages(in folder: String) throws -> [Document] {
    try Checkout.documents().filter { $0.path.hasPrefix("docs/\(folder)/") }
  }
}
