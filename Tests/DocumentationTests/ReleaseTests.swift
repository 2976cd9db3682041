import XCTest

/// The files that a release needs agree with each other.
final class ReleaseTests: XCTestCase {
  private func text(_ path: String) throws -> String {
    try String(contentsOf: Checkout.root.appending(path: path), encoding: .utf8)
  }

  func testPackageIndexDocumentsEveryLibrary() throws {
    let sources = Checkout.root.appending(path: "Sources").path
    let libraries = try FileManager.default.contentsOfDirectory(atPath: sources).filter {
      !["Journals", "Sameness"].contains($0)
    }
    let lines = try text(".spi.yml").split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
    let targets = lines.drop { $0 != "- documentation_targets:" }.dropFirst().map { $0.replacing("- ", with: "") }
    XCTAssertEqual(targets.first, "Unsaved", "the articles come first")
    XCTAssertEqual(targets.sorted(), libraries.sorted())
  }

  func testReadmeNamesTheVersionOfTheChangelog() throws {
    let version = try XCTUnwrap(text("docs/CHANGELOG.md").firstMatch(of: #/\n## (\d+\.\d+\.\d+) — /#)).1
    let named = try text("README.md").matches(of: /from: "(\d+\.\d+\.\d+)"/).map(\.1)
    XCTAssertFalse(named.isEmpty)
    XCTAssertEqual(named.filter { $0 != version }, [])
  }
}
