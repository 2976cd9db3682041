import Foundation
import XCTest

/// Compiles every `swift` block of the pages and doc comments, and the blocks of a part of an article together.
final class ExamplesTests: XCTestCase {
  func testEveryExampleCompiles() async throws {
    let documents = try Checkout.documents()
    XCTAssertEqual(documents.flatMap(\.problems).map(\.description), [])
    let scripts = documents.flatMap(\.scripts)
    XCTAssertFalse(scripts.isEmpty)
    for problem in try await compiler().problems(in: scripts) { XCTFail(problem) }
  }

  /// Checks the examples that must not compile: each line that ends with `// error: …` has that error.
  func testEveryRefusedExampleIsRefused() async throws {
    let examples = try Checkout.documents().flatMap(\.blocks).filter { $0.language == "swift-refused" }
    XCTAssertFalse(examples.isEmpty)
    for example in examples {
      let expected = example.code.split(separator: "\n").compactMap { line in
        line.firstMatch(of: /\/\/ (error: .+)$/).map { String($0.1) }
      }
      XCTAssertFalse(expected.isEmpty, "\(example.path):\(example.line): nothing says why this is refused")
      let found = try await errors(in: [[example]]).map { $0.replacing(/^.+?:\d+:\d+:\s/, with: "") }
      XCTAssertEqual(found, expected, "\(example.path):\(example.line)")
    }
  }

  func testReadmeShowsEveryType() throws {
    let readme = try XCTUnwrap(Checkout.documents().first { $0.path == "README.md" })
    let examples = readme.blocks.filter { $0.language == "swift" }.map(\.code).joined()
    XCTAssertEqual(Checkout.types.filter { !examples.contains($0) }, [])
  }

  func testBrokenExampleIsReportedWithItsLocation() async throws {
    let page = Document(
      path: "docs/page.md",
      text: """
        # Page

        ```swift
        let right = Date()
        ```
        ```text
        let skipped: Int = "not Swift to compile"
        ```
        ```swift
        let first = 1
        let second: Int = "two"
        ```
        """)
    let errors = try await errors(in: page.scripts)
    XCTAssertEqual(
      errors, ["docs/page.md:11:19: error: cannot convert value of type 'String' to specified type 'Int'"])
  }

  func testErrorsAfterTypeCheckingAreFound() async throws {
    let errors = try await errors(in: [[block("func answer() -> Int {\n}\nprint(answer())", line: 7)]])
    XCTAssertEqual(errors, ["docs/page.md:8:1: error: missing return in global function expected to return 'Int'"])
  }

  func testExamplesSeeTheLibraryAndNotEachOther() async throws {
    let blocks = [block("import UniqueQueues\nlet shared = 1"), block("print(shared)", line: 5)]
    let errors = try await errors(in: blocks.map { [$0] })
    XCTAssertEqual(errors, ["docs/page.md:5:7: error: cannot find 'shared' in scope"])
  }

  func testBlocksOfAPartOfAnArticleAreOneScript() async throws {
    let text = """
      # Article

      ## Overview

      ```swift
      let first = 1
      ```

      And then:

      ```swift
      print(first)
      print(second)
      ```

      ## Another part

      ```swift
      let first = 2
      print(first)
      ```
      """
    let article = Document(path: "Sources/Unsaved/Unsaved.docc/Article.md", text: text)
    let errors = try await errors(in: article.scripts)
    XCTAssertEqual(
      errors, ["Sources/Unsaved/Unsaved.docc/Article.md:13:7: error: cannot find 'second' in scope"])
    XCTAssertEqual(article.scripts.map(\.count), [2, 1])
    XCTAssertEqual(Document(path: "docs/page.md", text: text).scripts.count, 3)
  }

  func testErrorsOfAllExamplesAreReported() async throws {
    let count = 2 * ProcessInfo.processInfo.activeProcessorCount + 1
    let errors = try await errors(in: (1...count).map { [block("wrong\($0)", line: $0)] })
    XCTAssertEqual(errors.count, count)
  }

  private func block(_ code: String, line: Int = 1) -> Document.Block {
    Document.Block(path: "docs/page.md", line: line, language: "swift", code: code)
  }

  /// The first line of each error.
  private func errors(in scripts: [[Document.Block]]) async throws -> [String] {
    try await compiler().problems(in: scripts).map { String($0.prefix { $0 != "\n" }) }
  }

  private func compiler() throws -> Compiler {
    #if DEBUG
      do {
        return try Compiler(modulesNear: Bundle(for: Self.self).bundleURL)
      } catch Compiler.Unavailable.noCompiler {
        throw XCTSkip("examples were not compiled: there is no swiftc on PATH")
      }
    #else
      throw XCTSkip("the tests that are not optimized compile them")
    #endif
  }
}
