import FileChanges
import Foundation
import TestSupport
import XCTest

final class FileChangeTests: XCTestCase {
  func testPathDropsRedundantSlashesAndDots() {
    XCTAssertEqual(FileChange.Path("/a//b/./c/").string, "/a/b/c")
    XCTAssertEqual(FileChange.Path("//a").string, "/a")
    XCTAssertEqual(FileChange.Path("/").string, "/")
    XCTAssertEqual(FileChange.Path("").string, "")
    XCTAssertEqual(FileChange.Path("a/./b").string, "a/b")
    XCTAssertEqual(FileChange.Path("/a/../b").string, "/a/../b")
    XCTAssertEqual(FileChange.Path("/a/.hidden/..b").string, "/a/.hidden/..b")
  }

  func testEveryShortPathEqualsItsJoinedComponents() {
    var spellings = [""]
    var longest = spellings
    for _ in 0..<6 {
      longest = longest.flatMap { old in ["/", ".", "a", "\0"].map { old + $0 } }
      spellings += longest
    }
    for spelling in spellings {
      let components = spelling.split(separator: "/").filter { $0 != "." }
      let root = spelling.hasPrefix("/") ? "/" : ""
      let path = FileChange.Path(spelling)
      XCTAssertEqual(path.string, root + components.joined(separator: "/"), spelling)
      let objection: FileChangeError.Reason? =
        if root.isEmpty {
          .relativePath
        } else if components.isEmpty || spelling.contains("\0") {
          .invalidPath
        } else {
          components.contains("..") ? .parentReference : nil
        }
      XCTAssertEqual(path.objection, objection, spelling)
    }
  }

  func testPathIsSplitAtBytesAndNotAtCharacters() {
    // The slash and the accent form one Character.
    XCTAssertEqual(FileChange.Path("/a/\u{301}b").string.utf8.count, "/a/\u{301}b".utf8.count)
    XCTAssertEqual(FileChange.Path("/a//\u{301}b"), "/a/\u{301}b")
    XCTAssertEqual(FileChange.Path("/\u{301}.").string.utf8.count, 4)
  }

  func testPathOfAURLIsPercentDecoded() {
    XCTAssertEqual(FileChange.Path(URL(filePath: "/a b/ü%20.txt")).string, "/a b/ü%20.txt")
    XCTAssertEqual(FileChange.Path(URL(filePath: "/a/b", directoryHint: .isDirectory)).string, "/a/b")
    XCTAssertEqual(FileChange.Path(URL(filePath: "/a b/ü%20.txt")).url.path, "/a b/ü%20.txt")
    let base = URL(filePath: "/a b", directoryHint: .isDirectory)
    XCTAssertEqual(FileChange.Path(URL(filePath: "c", relativeTo: base)).string, "/a b/c")
  }

  func testURLMayNameLocalhost() throws {
    let url = try XCTUnwrap(URL(string: "file://localhost/a/b"))
    XCTAssertEqual(FileChange.Path(url).string, "/a/b")
  }

  func testPathsAreEqualIfTheirBytesAreEqual() {
    let (composed, decomposed) = ("/caf\u{e9}", "/cafe\u{301}")
    XCTAssertEqual(composed, decomposed)
    checkHashable(equivalenceClasses: [
      [FileChange.Path(composed), FileChange.Path("/." + composed)], [FileChange.Path(decomposed)], ["/cafe"], ["/"],
      [""],
    ])
  }

  func testChangesAreEqualIfPathAndActionAreEqual() {
    checkHashable(equivalenceClasses: [
      [FileChange.write("x", to: "/a"), .write(Data("x".utf8), to: URL(filePath: "/a"))],
      [.write("y", to: "/a")], [.write("x", to: "/b")], [.write("", to: "/a")],
      [.remove("/a"), .remove(URL(filePath: "/a"))],
    ])
  }

  func testChangesOfOneFileHaveTheSameKey() {
    XCTAssertEqual(FileChange.write("x", to: "/a").key, FileChange.remove("/a").key)
  }

  func testDescriptionAndDumpHideTheContents() {
    let change = FileChange.write("secret", to: "/a")
    XCTAssertEqual(change.description, "write 6 bytes to /a")
    XCTAssertEqual(FileChange.remove("/a").description, "remove /a")
    var text = ""
    dump(change, to: &text)
    print(String(reflecting: change), to: &text)
    XCTAssertFalse(text.contains("secret"))
    XCTAssertFalse(text.contains("115"), "the bytes of the contents")
  }

  func testChangesSurviveEncodingAndDecoding() throws {
    try checkCodable(FileChange.write("x", to: "/a"))
    try checkCodable(FileChange.write("", to: "/cafe\u{301}"))
    try checkCodable(FileChange.write(Data([0, 255]), to: "../relative"))
    try checkCodable(FileChange.remove("/a"))
  }

  func testDecodingRefusesUnclearInput() {
    let neither = "one of the keys 'write', 'remove' and 'move'"
    expectDecodingError(FileChange.self, from: "{}", mentioning: neither)
    expectDecodingError(FileChange.self, from: #"{"contents":"eA=="}"#, mentioning: neither)
    expectDecodingError(
      FileChange.self, from: #"{"write":"/a","remove":"/a","contents":"eA=="}"#, mentioning: neither)
    // A write without its contents must not be taken for a removal.
    expectDecodingError(FileChange.self, from: #"{"write":"/a"}"#, mentioning: "contents")
    expectDecodingError(FileChange.self, from: #"{"remove":"/a","contents":"eA=="}"#, mentioning: "contents")
    for input in [#"{"write":"/a","contents":7}"#, #"{"remove":null}"#, #"{"remove":7}"#, "[]", #""/a""#] {
      expectDecodingError(FileChange.self, from: input)
    }
  }

  func testDecodedPathIsNormalized() throws {
    let change = try JSONDecoder().decode(FileChange.self, from: Data(#"{"remove":"/a//./b/"}"#.utf8))
    XCTAssertEqual(change, .remove("/a/b"))
  }
}
