import XCTest

/// The page about names that wrappers take lists every public member.
final class TakenNamesTests: XCTestCase {
  private let wrappers = ["Dirtyable", "Draft", "DraftBinding", "ObservableDraft", "Partial", "UndoHistory"]

  func testPageHasEveryNameThatAWrapperTakes() throws {
    let documents = try Checkout.documents()
    let page = try XCTUnwrap(documents.first { $0.path.hasSuffix("/NamesThatWrappersTake.md") })
    let list = try XCTUnwrap(documents.first { $0.path == "docs/public-api.md" })
    for wrapper in wrappers {
      let row = try XCTUnwrap(page.prose.first { $0.text.hasPrefix("| ``\(wrapper)`` |") }, wrapper).text
      let taken = row.matches(of: /`(\w+)`/).map { String($0.1) }
      let names = try members(of: wrapper, in: list)
      XCTAssertGreaterThan(names.count, 5, wrapper)
      XCTAssertEqual(names.subtracting(taken).sorted(), [], "\(page.path): \(wrapper) takes these, too")
    }
  }

  /// The names of the properties and methods below the heading of a type.
  private func members(of type: String, in list: Document) throws -> Set<String> {
    let heading = try XCTUnwrap(list.prose.first { $0.text == "## \(type)" }, type).line
    let block = try XCTUnwrap(list.blocks.first { $0.line > heading })
    return Set(block.code.matches(of: /\b(?:var|let|func) (\w+)/).map { String($0.1) })
  }
}
