import Foundation
import XCTest

/// Every `swift` block of the pages and the doc comments compiles, each on its own.
final class ExamplesTests: XCTestCase {
  func testEveryExampleCompiles() async throws {
    let documents = try Checkout.documents()
    XCTAssertEqual(documents.flatMap(\.problems).map(\.description), [])
    let examples = documents.flatMap(\.blocks).filter { $0.language == "swift" }
    for problem in try await compiler().problems(in: examples) { XCTFail(problem) }
  }

  func testBrokenExampleIsNamedWithItsPlace() async throws {
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
    let problems = try await compiler().problems(in: page.blocks.filter { $0.language == "swift" })
    XCTAssertEqual(problems.count, 1)
    XCTAssert(problems[0].hasPrefix("docs/page.md:11:19: error: cannot convert value of type 'String'"), problems[0])
  }

  func testErrorsAfterTypeCheckingAreFound() async throws {
    let block = Document.Block(
      path: "docs/page.md", line: 7, language: "swift", code: "func answer() -> Int {\n}\nprint(answer())")
    let problems = try await compiler().problems(in: [block])
    XCTAssertEqual(problems.count, 1)
    XCTAssert(problems[0].hasPrefix("docs/page.md:8:1: error: missing return"), problems[0])
  }

  func testExamplesSeeTheLibraryAndNotEachOther() async throws {
    let blocks = ["import UniqueQueues\nlet shared = 1\nprint(shared)", "print(shared)"].map {
      Document.Block(path: "docs/page.md", line: 1, language: "swift", code: $0)
    }
    let problems = try await compiler().problems(in: blocks)
    XCTAssertEqual(problems.count, 1)
    XCTAssert(problems[0].contains("cannot find 'shared' in scope"), problems[0])
  }

  private func compiler() throws -> Compiler {
    do {
      return try Compiler(modulesNear: Bundle(for: Self.self).bundleURL)
    } catch Compiler.Unavailable.noCompiler {
      throw XCTSkip("examples were not compiled: there is no swiftc on PATH")
    }
  }
}
