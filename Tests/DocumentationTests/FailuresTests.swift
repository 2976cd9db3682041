import Foundation
import XCTest

/// The page of failures names tests, which exist.
final class FailuresTests: XCTestCase {
  private static let page = "Sources/Unsaved/Unsaved.docc/Failures.md"

  /// The names in the last cell of each row of a table whose last column has tests.
  private func namedTests(in text: String) -> [String] {
    var (names, isTable): ([String], Bool) = ([], false)
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      let cells = line.split(separator: " | ").map { $0.trimmingCharacters(in: ["|", " "]) }
      guard line.hasPrefix("|"), let last = cells.last else {
        isTable = false
        continue
      }
      if ["test", "tests"].contains(last) { isTable = true }
      if isTable { names += last.matches(of: /`(\w+)`/).map { String($0.1) } }
    }
    return names
  }

  func testEveryNamedTestExists() throws {
    let page = try String(contentsOf: Checkout.root.appending(path: Self.page), encoding: .utf8)
    let names = namedTests(in: page)
    XCTAssertGreaterThan(names.count, 60)
    let tests = Checkout.root.appending(path: "Tests")
    var declared: Set<String> = []
    for case let path as String in FileManager.default.enumerator(atPath: tests.path) ?? .init()
    where path.hasSuffix("Tests.swift") {
      let source = try String(contentsOf: tests.appending(path: path), encoding: .utf8)
      declared.formUnion(source.matches(of: /(?:func|class|struct) (\w+)/).map { String($0.1) })
    }
    XCTAssertEqual(names.filter { !declared.contains($0) }, [])
  }

  func testNamesAreReadFromTheLastColumnOfTables() {
    let text = """
      | event | test |
      |---|---|
      | `kill` | `aTest`, `otherTests` of `Suite` |

      | a | b |
      | `x` | `y` |
      """
    XCTAssertEqual(namedTests(in: text), ["aTest", "otherTests", "Suite"])
  }
}
