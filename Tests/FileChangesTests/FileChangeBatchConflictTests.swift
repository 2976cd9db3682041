import FileChanges
import Foundation
import Journals
import PendingChanges
import TestSupport
import XCTest

/// A change has the same conflicts, and removes the same leftovers, alone and in a batch.
final class FileChangeBatchConflictTests: XCTestCase {
  /// Applies the change alone, and with another one in a batch.
  private func carryOut(
    _ make: (TemporaryFolder) throws -> FileChange, _ check: (TemporaryFolder) -> Void
  ) async throws {
    for isAlone in [true, false] {
      let folder = try TemporaryFolder()
      let change = try make(folder)
      let writer = FileChangeWriter()
      if isAlone {
        try await writer.submit(change)
      } else {
        try await writer.submit(batch: [change, .write("1", to: folder.path("other"))])
      }
      try await writer.close()
      check(folder)
    }
  }

  func testFileThatAlreadyHasTheNewContentsIsNotAConflict() async throws {
    try await carryOut { folder in
      try folder.put("old", "a")
      let version = try FileChange.Version(of: folder.path("a"))
      try folder.put("the same", "a")
      return .write("the same", to: folder.path("a")).based(on: version)
    } _: {
      XCTAssertEqual($0.text("a"), "the same")
    }
  }

  func testLinkToTheExpectedFileIsRemoved() async throws {
    try await carryOut { folder in
      try folder.put("text", "a")
      try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("a"))
      return .remove(folder.path("link")).based(on: try FileChange.Version(of: folder.path("link")))
    } _: { folder in
      XCTAssertFalse(folder.names.contains("link"))
      XCTAssertEqual(folder.text("a"), "text")
    }
  }

  func testLinkToTheExpectedFileIsMoved() async throws {
    try await carryOut { folder in
      try folder.put("text", "a")
      try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("a"))
      let version = try FileChange.Version(of: folder.path("link"))
      return .move(folder.path("link"), to: folder.path("moved")).based(on: version)
    } _: { folder in
      XCTAssertEqual(folder.names.filter { $0 != "other" }, ["a", "moved"])
      XCTAssertEqual(folder.text("moved"), "text")
    }
  }

  func testLinkThatNowLeadsToAnotherFileIsAConflict() async throws {
    for isMoved in [true, false] {
      let folder = try TemporaryFolder(["a": "text", "b": "another"])
      try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("a"))
      let version = try FileChange.Version(of: folder.path("link"))
      try FileManager.default.removeItem(at: folder.file("link"))
      try FileManager.default.createSymbolicLink(at: folder.file("link"), withDestinationURL: folder.file("b"))
      let link = folder.path("link")
      let change = isMoved ? FileChange.move(link, to: folder.path("moved")) : .remove(link)
      let writer = FileChangeWriter()
      try await writer.submit(batch: [change.based(on: version), .write("1", to: folder.path("other"))])
      let unwritten = await unwritten { try await writer.close() }
      XCTAssertEqual(unwritten?.failures.map(\.error.reason), [.changedByAnother])
      XCTAssertEqual(folder.names, ["a", "b", "link"])
    }
  }

  func testLeftoverOfAKilledProcessIsRemovedByChangesAndBatches() async throws {
    let name = ".unsaved-0123456789abcdef"
    try await carryOut { folder in
      try folder.put("torn", name)
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -7200)], ofItemAtPath: folder.file(name).path)
      return .write("new", to: folder.path("a"))
    } _: {
      XCTAssertFalse($0.names.contains(name))
    }
  }

  func testSingleChangeMakesOnlyTheNecessaryCalls() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let system = ScriptedFileSystem()
    try FileChange.write("new", to: folder.path("a")).apply(options: .init(), in: system)
    XCTAssertEqual(
      system.calls,
      [
        .openFolder, .inspect, .createFile, .lock, .append, .inspectFile, .openFile, .accessControlList,
        .accessControlList, .setPermissions, .attributeNames, .synchronizeFile, .finish, .moveFile, .synchronizeFolder,
      ])
    let removing = ScriptedFileSystem()
    try FileChange.remove(folder.path("a")).apply(options: .init(), in: removing)
    XCTAssertEqual(removing.calls, [.openFolder, .inspect, .removeFile, .synchronizeFolder])
  }

  func testHasherTreatsBytesTheSameWholeOrOneByOne() {
    // A path whose text isn't contiguous is hashed byte by byte.
    var (whole, single) = (Hasher(), Hasher())
    let bytes = Array("/a/café".utf8)
    unsafe bytes.withUnsafeBytes { unsafe whole.combine(bytes: $0) }
    for byte in bytes { single.combine(byte) }
    XCTAssertEqual(whole.finalize(), single.finalize())
  }
}
