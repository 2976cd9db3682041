import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The permissions and access control lists of files after a write, and the refusal to replace read-only files.
final class FileChangeRightsTests: XCTestCase {
  private let replacing = FileChange.Options(replacesReadOnly: true)

  // MARK: Read-only files

  func testReadOnlyFileIsNotReplaced() async throws {
    for permissions in [0o444, 0o400, 0o555, 0o464] {
      let folder = try TemporaryFolder()
      try folder.put("old", "a", permissions: permissions)
      let path = folder.path("a")
      let version = try FileChange.Version(of: path)
      XCTAssertEqual(FileChange.write("new", to: path).refusal()?.reason, .permissionDenied)
      XCTAssertEqual(FileChange.write("new", to: path).based(on: version).refusal()?.reason, .permissionDenied)
      let writer = FileChangeWriter()
      let file = try await writer.file(at: path)
      try await file.save("new")
      expectEqual(await failureOfWriting(file)?.reason, .permissionDenied)
      _ = await unwritten { try await writer.close() }
      let other = FileChangeWriter()
      try await other.submit(batch: [.write("b", to: folder.path("b")), .write("new", to: path)])
      let unwritten = await self.unwritten { try await other.close() }
      XCTAssertEqual(unwritten?.failures.map(\.error.reason), [.permissionDenied])
      XCTAssertEqual(folder.texts, ["a": "old"])
      XCTAssertEqual(folder.permissions("a"), permissions)
    }
  }

  func testReadOnlyFileIsReplacedIfAskedTo() async throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o444)
    XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(replacing))
    XCTAssertEqual(folder.text("a"), "new")
    let writer = FileChangeWriter(configuration: .init(options: replacing))
    try await writer.submit(batch: [.write("newer", to: folder.path("a"))])
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "newer")
    XCTAssertEqual(folder.permissions("a"), 0o444)
  }

  func testReadOnlyFileMayBeMovedAndRemoved() async throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o444)
    let writer = FileChangeWriter()
    try await writer.submit(batch: [.move(folder.path("a"), to: folder.path("b"))])
    // The file is not replaced under its new name, either.
    try await writer.submit(batch: [
      .move(folder.path("b"), to: folder.path("c")), .write("new", to: folder.path("c")),
    ])
    expectEqual(await self.unwritten { try await writer.close() }?.failures.map(\.error.reason), [.permissionDenied])
    XCTAssertEqual(folder.texts, ["b": "old"])
    try FileChange.remove(folder.path("b")).apply()
    XCTAssertEqual(folder.names, [])
  }

  func testFileWhoseOwnerCannotBeKeptIsReplacedOnlyIfAskedTo() throws {
    try XCTSkipUnless(geteuid() == 0, "only root can make a file of another user")
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o666)
    XCTAssertEqual(unsafe chown(folder.file("a").path, 1234, 2345), 0)
    let system = ScriptedFileSystem { call, _ in call == .setOwner ? .failure(EPERM) : nil }
    XCTAssertEqual(FileChange.write("new", to: folder.path("a")).refusal(in: system)?.reason, .permissionDenied)
    XCTAssertEqual(folder.texts, ["a": "old"])
    XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(replacing, in: system))
    XCTAssertEqual(folder.texts, ["a": "new"])
  }

  func testHandleReplacesAReadOnlyFileOnlyIfAskedTo() async throws {
    for isAsked in [false, true] {
      let folder = try TemporaryFolder()
      try folder.put("old", "a", permissions: 0o444)
      let options = FileChange.Options(replacesReadOnly: isAsked)
      let writer = FileChangeWriter(configuration: FileChangeWriter.Configuration(options: options))
      let file = try await writer.file(at: folder.path("a"))
      try await file.save("new")
      expectEqual(await failureOfWriting(file)?.reason, isAsked ? nil : .permissionDenied)
      XCTAssertEqual(folder.text("a"), isAsked ? "new" : "old")
      XCTAssertEqual(folder.permissions("a"), 0o444)
      _ = await unwritten { try await writer.close() }
    }
  }

  func testUnreadableFileIsReplacedIfItHasTheExpectedVersion() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o200)
    let version = try FileChange.Version(of: folder.path("a"))
    XCTAssertNil(FileChange.write("new", to: folder.path("a")).based(on: version).refusal())
    XCTAssertEqual(folder.permissions("a"), 0o200)
    XCTAssertEqual(unsafe chmod(folder.file("a").path, 0o600), 0)
    XCTAssertEqual(folder.texts, ["a": "new"])
  }

  // MARK: Access control lists

  #if os(Linux)
    private let system = PosixFileSystem()

    /// A list in the format of Linux: a version, then the kind, the bits and the user or group of each entry.
    private func list(_ entries: [(kind: UInt8, bits: UInt8, id: UInt32?)]) -> [UInt8] {
      entries.reduce(into: [2, 0, 0, 0]) { bytes, entry in
        let id = entry.id ?? .max
        bytes += [entry.kind, 0, entry.bits, 0] + (0..<4).map { UInt8(truncatingIfNeeded: id >> ($0 * 8)) }
      }
    }

    /// A list that gives rights to a user and none to the group.
    ///
    /// The file's group bits show the most that the list gives.
    private var groupRefused: [UInt8] {
      list([(0x01, 6, nil), (0x02, 6, 1234), (0x04, 0, nil), (0x10, 6, nil), (0x20, 0, nil)])
    }

    private func attribute(
      _ name: String = "", of folder: TemporaryFolder, _ list: [UInt8], as attribute: String
    ) throws {
      let parent = try system.openFolder(folder.url.path)
      let file = try name.isEmpty ? system.openFolder(folder.url.path) : system.openFile(name, in: parent)
      do throws(SystemError) {
        try system.setAttribute(attribute, to: list, of: file)
      } catch {
        if error.isUnsupported { throw XCTSkip("this file system has no access control lists") }
        throw error
      }
    }

    private func list(of name: String, in folder: TemporaryFolder) throws -> [UInt8]? {
      let parent = try system.openFolder(folder.url.path)
      return try system.accessControlList(of: try system.openFile(name, in: parent))
    }

    func testFileKeepsItsAccessControlList() async throws {
      let folder = try TemporaryFolder()
      let refused = list([(0x01, 6, nil), (0x02, 0, 1234), (0x04, 4, nil), (0x10, 4, nil), (0x20, 4, nil)])
      for (expected, permissions) in [(groupRefused, 0o660), (refused, 0o644)] {
        try folder.put("old", "a")
        try attribute("a", of: folder, expected, as: "system.posix_acl_access")
        XCTAssertEqual(folder.permissions("a"), permissions)
        try FileChange.write("new", to: folder.path("a")).apply()
        XCTAssertEqual(folder.text("a"), "new")
        XCTAssertEqual(try list(of: "a", in: folder), expected)
        let writer = FileChangeWriter()
        let moved = folder.path("b")
        try await writer.submit(batch: [.move(folder.path("a"), to: moved), .write("x", to: moved)])
        try await writer.close()
        XCTAssertEqual(folder.texts, ["b": "x"])
        XCTAssertEqual(try list(of: "b", in: folder), expected)
        XCTAssertEqual(folder.permissions("b"), permissions)
        try FileManager.default.removeItem(at: folder.file("b"))
      }
    }

    func testFileWhoseListCannotBeKeptIsOnlyForItsOwner() throws {
      let folder = try TemporaryFolder()
      for (call, code) in [
        (ScriptedFileSystem.Call.setAccessControlList, EPERM), (.setAccessControlList, ENOTSUP),
        (.accessControlList, EACCES), (.openFile, EACCES),
      ] {
        try folder.put("old", "a")
        try attribute("a", of: folder, groupRefused, as: "system.posix_acl_access")
        let system = ScriptedFileSystem { made, _ in made == call ? .failure(code) : nil }
        XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(in: system))
        XCTAssertEqual(folder.text("a"), "new")
        XCTAssertEqual(folder.permissions("a"), 0o600)
        XCTAssertNil(try list(of: "a", in: folder))
        try FileManager.default.removeItem(at: folder.file("a"))
      }
    }

    func testTransientErrorKeepsTheOldFileAndItsList() throws {
      let folder = try TemporaryFolder(["a": "old"])
      try attribute("a", of: folder, groupRefused, as: "system.posix_acl_access")
      for (call, code) in [(ScriptedFileSystem.Call.openFile, EMFILE), (.setAccessControlList, EIO)] {
        let system = ScriptedFileSystem { made, _ in made == call ? .failure(code) : nil }
        XCTAssertNotNil(FileChange.write("new", to: folder.path("a")).refusal(in: system))
      }
      XCTAssertEqual(folder.texts, ["a": "old"])
      XCTAssertEqual(try list(of: "a", in: folder), groupRefused)
    }

    func testListIsDroppedIfTheGroupCannotBeKept() throws {
      try XCTSkipUnless(geteuid() == 0, "only root can make a file of another group")
      let folder = try TemporaryFolder(["a": "old"])
      XCTAssertEqual(unsafe chown(folder.file("a").path, 0, 2345), 0)
      try attribute("a", of: folder, groupRefused, as: "system.posix_acl_access")
      let system = ScriptedFileSystem { call, _ in call == .setOwner ? .failure(EPERM) : nil }
      XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(in: system))
      XCTAssertEqual(folder.permissions("a"), 0o600)
      XCTAssertNil(try list(of: "a", in: folder))
    }

    func testFileWithoutAListGetsNoneFromItsFolder() throws {
      let folder = try TemporaryFolder(["a": "old"])
      try attribute(of: folder, groupRefused, as: "system.posix_acl_default")
      try FileChange.write("new", to: folder.path("a")).apply()
      XCTAssertNil(try list(of: "a", in: folder))
      XCTAssertEqual(folder.permissions("a"), 0o644)
      // A new file gets the folder's default list, as a new file of any program does.
      try FileChange.write("new", to: folder.path("b")).apply()
      XCTAssertNotNil(try list(of: "b", in: folder))
    }
  #endif
}
