import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The copy of a file that is written in place, as version 1 of the format has it.
///
/// If a test fails here, the format has changed, and a file that was only partly written before an update of an app
/// can't be restored: `docs/releasing.md` says what to do.
final class FileChangeInPlaceGoldenTests: XCTestCase {
  private typealias Copy = FileChange._KeptCopy

  /// A copy of the contents "Buy milk" of `/unsaved-golden/a`, which were being replaced by "Sold out".
  ///
  /// Run this test with `UNSAVED_GOLDEN=1` to print such bytes.
  private static let copy = """
    VU5TQVZFREMBAAAAAQAAAAAAAAACAAAAAAAAAPz/////////BQAAAAAAAAAIAAAAAAAAAK4hKE6r
    G34GC3S68QgAAAAAAAAA56pXh/eVg3Tr5lehEQAAAD+At4MvdW5zYXZlZC1nb2xkZW4vYUJ1eSBt
    aWxr
    """

  private let (old, new) = (Data("Buy milk".utf8), Data("Sold out".utf8))

  private var remade: [UInt8] {
    let stamp = FileStamp(
      device: 1, number: 2, size: 8, seconds: -4, nanoseconds: 5, changeSeconds: 0, changeNanoseconds: 0)
    let copy = Copy(of: stamp, at: "/unsaved-golden/a", old: FileDigest(old), new: FileDigest(new))
    return copy.header + copy.path + Array(old)
  }

  func testCopyOfVersion1IsReadAsItWasWritten() async throws {
    let golden = try await GoldenFile(Self.copy) { remade }
    let (copy, contents) = try XCTUnwrap(Copy.read(golden.bytes))
    XCTAssertEqual(contents, old)
    XCTAssertEqual(copy.old, FileDigest(old))
    XCTAssertEqual(copy.new, FileDigest(new))
    XCTAssertEqual(copy.path, Array("/unsaved-golden/a".utf8))
    XCTAssertEqual(copy.stamp.device, 1)
    XCTAssertEqual(copy.stamp.number, 2)
    XCTAssertEqual(copy.stamp.seconds, -4)
    XCTAssertEqual(copy.stamp.nanoseconds, 5)
    XCTAssertEqual(golden.bytes, remade, "today's code writes the same copy in another way")
  }

  /// The golden copy, as if it were of the file, and of this version of the format.
  private func copy(of file: FileChange.Version, version: UInt32 = 1) async throws -> (name: String, bytes: [UInt8]) {
    var bytes = try await GoldenFile(Self.copy) { [] }.bytes
    let stamp = try XCTUnwrap(file.stamp)
    var fields: [UInt8] = []
    fields.append(littleEndian: version)
    for number in [stamp.device, stamp.number] { fields.append(littleEndian: number) }
    bytes.replaceSubrange(8..<28, with: fields)
    let end = Copy.headerByteCount - 4
    var checksum: [UInt8] = []
    checksum.append(littleEndian: Checksum.value(of: bytes[..<end]))
    bytes.replaceSubrange(end..<end + 4, with: checksum)
    return (Copy.namePrefix(of: stamp.identity) + "1", bytes)
  }

  func testFileIsRestoredFromACopyOfVersion1() async throws {
    let folder = try TemporaryFolder()
    let options = FileChange.Options(fallback: .inPlace(keepingCopyIn: folder.url))
    for (found, expected) in [("Sold ilk", "Buy milk"), ("Sold out", "Sold out"), ("Buy milk", "Buy milk")] {
      try folder.put(found, "a")
      let (name, bytes) = try await copy(of: .init(of: folder.file("a")))
      try folder.put(bytes, name)
      _ = try FileChange.Version(of: folder.file("a"), options: options)
      XCTAssertEqual(folder.text("a"), expected)
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  /// The file has a part of the new contents, and only the other version knows the old ones.
  func testFileWithACopyOfAnotherVersionIsLeftAlone() async throws {
    let folder = try TemporaryFolder()
    let options = FileChange.Options(fallback: .inPlace(keepingCopyIn: folder.url))
    let texts: [UInt32: String] = [0: "written by an older version", 2: "written by a newer version"]
    for (version, text) in texts {
      try folder.put("Sold ilk", "a")
      let (name, bytes) = try await copy(of: .init(of: folder.file("a")), version: version)
      try folder.put(bytes, name)
      let error = FileChange.write("b", to: folder.path("a")).refusal(options)
      XCTAssertTrue(error?.description.contains(text) ?? false, "\(error?.description ?? "no error")")
      XCTAssertEqual(error?.isTransient, false)
      XCTAssertThrowsError(try FileChange.Version(of: folder.file("a"), options: options))
      XCTAssertEqual(folder.text("a"), "Sold ilk")
      XCTAssertEqual([UInt8](try Data(contentsOf: folder.file(name))), bytes)
    }
  }
}
