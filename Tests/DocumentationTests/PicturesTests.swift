import XCTest

/// Readers who can't see a picture, who prefer dark pages, or who prefer reduced motion also understand it.
final class PicturesTests: XCTestCase {
  func testEveryPictureHasATitleAndColorsForDarkPages() throws {
    let pictures = try pictures()
    XCTAssertGreaterThan(pictures.count, 2)
    for (path, text) in pictures {
      XCTAssertNotNil(text.firstMatch(of: /<title>[^<]+<\/title>/), "\(path): no title")
      XCTAssert(text.contains("prefers-color-scheme:dark"), "\(path): no colors for dark pages")
    }
  }

  func testPicturesAreStillForReadersWhoPreferReducedMotion() throws {
    for (path, text) in try pictures() where text.contains("animation") {
      let still = try XCTUnwrap(text.split(separator: "@media (prefers-reduced-motion:no-preference)").first)
      XCTAssertFalse(still.contains("animation"), "\(path): an animation outside of the media query")
    }
  }

  func testEveryPictureOnAPageHasAText() throws {
    for document in try Checkout.documents() {
      let text = document.prose.map(\.text).joined(separator: "\n")
      XCTAssertNil(text.firstMatch(of: /!\[\s*\]\(/), "\(document.path): a picture without a text")
    }
  }

  /// The pictures of the pages, with their paths in the checkout.
  private func pictures() throws -> [(path: String, text: String)] {
    try ["docs", "Sources/Unsaved/Unsaved.docc"].flatMap { folder in
      let url = Checkout.root.appending(path: folder)
      return try FileManager.default.contentsOfDirectory(atPath: url.path).sorted().filter { $0.hasSuffix(".svg") }
        .map { ("\(folder)/\($0)", try String(contentsOf: url.appending(path: $0), encoding: .utf8)) }
    }
  }
}
