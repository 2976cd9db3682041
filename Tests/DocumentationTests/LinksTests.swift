import XCTest

/// Every link and path of the documentation resolves, on every machine.
final class LinksTests: XCTestCase {
  func testEveryLinkAndPathResolves() throws {
    let documents = try Checkout.documents()
    let paths = documents.map(\.path)
    for page in ["README.md", "docs/README.md", "docs/architecture.md", "docs/developing.md"] {
      XCTAssert(paths.contains(page), "\(page) was not read")
    }
    for problem in Links(in: documents).problems { XCTFail("\(problem)") }
  }

  func testEveryPageIsListedInTheIndex() throws {
    let documents = try Checkout.documents()
    let map = try XCTUnwrap(documents.first { $0.path == "docs/README.md" })
    let pages = documents.map(\.path).filter { $0.hasPrefix("docs/") && $0 != map.path }
    XCTAssertEqual(pages.filter { !Links.files(linkedFrom: map).contains($0) }, [])
  }

  func testEveryArticleIsOnTheLandingPageAndInTheIndex() throws {
    let documents = try Checkout.documents()
    let articles = documents.map(\.path).filter { $0.hasPrefix("Sources/Unsaved/Unsaved.docc/") }
    let landing = try XCTUnwrap(documents.first { $0.path == "Sources/Unsaved/Unsaved.docc/Unsaved.md" })
    let map = try XCTUnwrap(documents.first { $0.path == "docs/README.md" })
    XCTAssertGreaterThan(articles.count, 1)
    XCTAssertEqual(articles.filter { $0 != landing.path && !Links.files(linkedFrom: landing).contains($0) }, [])
    XCTAssertEqual(articles.filter { !Links.files(linkedFrom: map).contains($0) }, [])
  }

  func testLinksToArticlesAreChecked() {
    let article = Document(
      path: "Sources/Unsaved/Unsaved.docc/A.md", text: "<doc:B>, [b](doc:B), (<doc:C>) and [c](<doc:C>)")
    let other = Document(path: "Sources/Unsaved/Unsaved.docc/B.md", text: "# B\n")
    let error = "Sources/Unsaved/Unsaved.docc/A.md:1: error: no such article: doc:C"
    XCTAssertEqual(Links(in: [article, other]).problems.map(\.description), [error, error])
    XCTAssertEqual(Links.files(linkedFrom: article), [other.path, "Sources/Unsaved/Unsaved.docc/C.md"])
    XCTAssertEqual(problems("<doc:B>"), ["docs/page.md:3: error: no such article: doc:B"])
  }

  func testValidLinksAreAccepted() {
    XCTAssertEqual(
      problems("[a](../README.md) ![b](other.md#two) <a href=\"other.md\"> [c](#page) [d](https://a.b)"), [])
    XCTAssertEqual(problems("`Sources/Unsaved/` `docs/design/<Type>.md` `Sources/` `a/b` `[x](none.md)`"), [])
    XCTAssertEqual(problems("```text\n[a](none.md)\n```"), [])
  }

  func testBrokenLinksAreFound() {
    XCTAssertEqual(problems("a [b](none.md) c"), ["docs/page.md:3: error: no such file: none.md"])
    XCTAssertEqual(problems("\n\n[b]: none.md"), ["docs/page.md:5: error: no such file: none.md"])
    XCTAssertEqual(problems("<img src=\"none.svg\">"), ["docs/page.md:3: error: no such file: none.svg"])
    XCTAssertEqual(problems("[b](other.md#three)"), ["docs/page.md:3: error: no such heading: other.md#three"])
    XCTAssertEqual(problems("[b](#three)"), ["docs/page.md:3: error: no such heading: #three"])
    XCTAssertEqual(problems("[b](../../a.md)"), ["docs/page.md:3: error: a link out of the package: ../../a.md"])
    XCTAssertEqual(problems("[b](file:a.md)"), ["docs/page.md:3: error: not a link to follow: file:a.md"])
  }

  func testBrokenPathsAreFound() {
    XCTAssertEqual(problems("see `Sources/None.swift`"), ["docs/page.md:3: error: no such path: Sources/None.swift"])
  }

  func testMachineSpecificPathsAreFound() {
    let path = "/" + "home/ada/notes"
    XCTAssertEqual(problems("see \(path)."), ["docs/page.md:3: error: a path of one machine: \(path)."])
    XCTAssertEqual(problems("```sh\ncd \(path)\n```"), ["docs/page.md:4: error: a path of one machine: \(path)"])
    XCTAssertEqual(problems("`/proc/self` and/or `docs/home/`").count, 1)
  }

  /// The problems of a page in `docs` whose text begins at line 3, next to a page `other.md` with a heading "Two".
  private func problems(_ text: String) -> [String] {
    let page = Document(path: "docs/page.md", text: "# Page\n\n\(text)\n")
    let other = Document(path: "docs/other.md", text: "# Other\n## Two\n")
    return Links(in: [page, other]).problems.map(\.description)
  }
}
