import XCTest

/// Reading pages and doc comments as Markdown.
final class DocumentTests: XCTestCase {
  func testBlocksHaveTheirLanguageAndLine() {
    let page = Document(path: "page.md", text: "one\n```swift\nlet a = 1\n```\n~~~text\n```\n~~~\n")
    XCTAssertEqual(page.blocks.map(\.language), ["swift", "text"])
    XCTAssertEqual(page.blocks.map(\.line), [3, 6])
    XCTAssertEqual(page.blocks.map(\.code), ["let a = 1\n", "```\n"])
    XCTAssertEqual(page.prose.map(\.line), [1, 8])
    XCTAssert(page.problems.isEmpty)
  }

  func testDocCommentsAreReadAsMarkdown() {
    let source = """
      /// A summary.
      ///
      /// ```swift
      /// if true {
      ///   print(1)
      /// }
      /// ```
      let code = "```swift"
      """
    let document = Document(path: "Sources/A/A.swift", text: source)
    XCTAssertEqual(document.blocks.map(\.code), ["if true {\n  print(1)\n}\n"])
    XCTAssertEqual(document.blocks.map(\.line), [4])
    XCTAssert(document.problems.isEmpty)
  }

  func testUnclosedFenceIsReportedAtItsLine() {
    let page = Document(path: "page.md", text: "one\n```swift\nlet a = 1\n")
    XCTAssertEqual(page.problems.map(\.line), [2])
    let source = Document(path: "A.swift", text: "/// ```swift\n/// let a = 1\nlet b = 1\n/// ```swift\n/// ```\n")
    XCTAssertEqual(source.problems.map(\.line), [1])
    XCTAssertEqual(source.blocks.map(\.line), [5])
  }

  func testAnchorsAreSpelledAsOnGitHub() {
    let page = Document(
      path: "page.md",
      text: "# What `bench` does, and why\n## Again\n## Again\n### The [map](docs/README.md) #\n```sh\n# none\n```\n")
    XCTAssertEqual(page.anchors, ["what-bench-does-and-why", "again", "again-1", "the-map"])
  }
}
