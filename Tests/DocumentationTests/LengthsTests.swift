import XCTest

/// What a newcomer reads first is short: the README, each article, and the editors that they begin with.
final class LengthsTests: XCTestCase {
  func testReadmeHasAtMost1000Words() throws {
    XCTAssertLessThanOrEqual(try document("README.md").wordCount, 1000)
  }

  func testNoArticleIsLongerThan900Words() throws {
    let articles = try Checkout.documents().filter(\.isArticle)
    XCTAssertGreaterThan(articles.count, 1)
    for article in articles { XCTAssertLessThanOrEqual(article.wordCount, 900, article.path) }
  }

  /// The first lines that anybody sees are an editor, and how it is killed; `.ci/consumer` does so.
  func testReadmeBeginsWithAnEditorOfTenLines() throws {
    let blocks = try document("README.md").blocks.prefix(2).map(\.code)
    XCTAssert(blocks[0].contains("EditingSession"))
    XCTAssertLessThanOrEqual(lineCount(blocks[0]), 10)
    XCTAssert(blocks[1].hasPrefix("$ editor\n") && blocks[1].contains("\n$ kill -9\n"))
  }

  /// An editor that loses nothing is short: its users write no more than this.
  func testEditorOfTheArticleHasFortyLines() throws {
    let article = try document("Sources/Unsaved/Unsaved.docc/SavingWithoutLosing.md")
    let editor = try XCTUnwrap(article.blocks.first { $0.code.contains("class Editor") })
    XCTAssertLessThanOrEqual(lineCount(editor.code), 40)
  }

  private func lineCount(_ code: String) -> Int {
    code.split(separator: "\n", omittingEmptySubsequences: false).count - 1
  }

  private func document(_ path: String) throws -> Document {
    try XCTUnwrap(Checkout.documents().first { $0.path == path }, path)
  }
}
