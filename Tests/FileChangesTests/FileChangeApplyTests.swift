import FileChanges
import Foundation
import TestSupport
import XCTest

final class FileChangeApplyTests: XCTestCase {
  // MARK: Writing

  func testWriteCreatesTheFile() throws {
    let folder = try TemporaryFolder()
    try FileChange.write("Buy milk", to: folder.path("a")).apply()
    XCTAssertEqual(folder.text("a"), "Buy milk")
    XCTAssertEqual(folder.names, ["a"])
  }

  func testWriteReplacesTheFile() throws {
    let folder = try TemporaryFolder(["a": "a long text that was there before"])
    try FileChange.write("short", to: folder.path("a")).apply()
    XCTAssertEqual(folder.text("a"), "short")
    XCTAssertEqual(folder.names, ["a"])
  }

  func testContentsOfAnySizeAreWrittenInFull() throws {
    let folder = try TemporaryFolder()
    for size in [0, 1, 4096, 5_000_001] {
      // No buffer's size is a multiple of 251.
      let pattern = Data((0..<251).map { UInt8($0) })
      var contents = Data()
      while contents.count < size { contents.append(pattern.prefix(size - contents.count)) }
      try FileChange.write(contents, to: folder.path("a")).apply()
      XCTAssertEqual(try Data(contentsOf: folder.file("a")), contents)
    }
    let slice = Data([1, 2, 3, 4, 5])[2..<4]
    try FileChange.write(slice, to: folder.path("a")).apply()
    XCTAssertEqual(try Data(contentsOf: folder.file("a")), Data([3, 4]))
  }

  func testOpenReaderKeepsReadingTheOldFile() throws {
    let folder = try TemporaryFolder()
    let reader = try FileHandle(forReadingFrom: folder.put("old", "a"))
    try FileChange.write("new", to: folder.path("a")).apply()
    XCTAssertEqual(try reader.readToEnd(), Data("old".utf8))
  }

  func testLongestNameIsWrittenAndALongerOneIsRefused() throws {
    let folder = try TemporaryFolder()
    let longest = String(repeating: "n", count: 255)
    try FileChange.write("x", to: folder.path(longest)).apply()
    XCTAssertEqual(folder.names, [longest])
    assertFailure(.write("x", to: folder.path(longest + "n")), .nameTooLong)
    assertFailure(.remove(folder.path(longest + "n")), .nameTooLong)
    let deep = String(repeating: "d/", count: 3000)
    assertFailure(.write("x", to: folder.path(deep + "a")), .nameTooLong, .openFolder)
    XCTAssertEqual(folder.names, [longest])
  }

  func testComposedAndDecomposedNamesAreDifferentFiles() throws {
    let folder = try TemporaryFolder(["e\u{301}": "probe"])
    try XCTSkipIf(folder.text("\u{e9}") != nil, "this file system takes both for one name")
    try FileChange.write("composed", to: folder.path("\u{e9}")).apply()
    try FileChange.write("decomposed", to: folder.path("e\u{301}")).apply()
    XCTAssertEqual(folder.text("\u{e9}"), "composed")
    XCTAssertEqual(folder.text("e\u{301}"), "decomposed")
  }

  // MARK: Permissions

  func testFileKeepsItsPermissions() throws {
    let folder = try TemporaryFolder()
    for permissions in [0o600, 0o644, 0o755, 0o400, 0o666, 0o000] {
      try folder.put("old", "a", permissions: permissions)
      try FileChange.write("new", to: folder.path("a")).apply(options: .init(replacesReadOnly: true))
      XCTAssertEqual(folder.permissions("a"), permissions)
      try FileManager.default.removeItem(at: folder.file("a"))
    }
  }

  func testWriteDropsSetuidAndSetgidBits() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o6755)
    try FileChange.write("new", to: folder.path("a")).apply()
    XCTAssertEqual(folder.permissions("a"), 0o755)
  }

  func testNewFileGetsItsPermissionsFromTheUmaskOrTheOptions() throws {
    let folder = try TemporaryFolder()
    // Tests of one process run one after the other, so no other test changes the umask.
    let mask = umask(0o027)
    defer { umask(mask) }
    try FileChange.write("new", to: folder.path("a")).apply()
    XCTAssertEqual(folder.permissions("a"), 0o640)
    try FileChange.write("new", to: folder.path("b")).apply(options: .init(newFilePermissions: 0o600))
    XCTAssertEqual(folder.permissions("b"), 0o600)
  }

  func testFileKeepsItsOwner() throws {
    try XCTSkipUnless(geteuid() == 0, "only root may give files away")
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o600)
    XCTAssertEqual(unsafe chown(folder.file("a").path, 1234, 2345), 0)
    try FileChange.write("new", to: folder.path("a")).apply()
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a").path)
    XCTAssertEqual(attributes[.ownerAccountID] as? Int, 1234)
    XCTAssertEqual(attributes[.groupOwnerAccountID] as? Int, 2345)
    XCTAssertEqual(folder.permissions("a"), 0o600)
  }

  // MARK: Removing

  func testRemoveRemovesAReadOnlyFile() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o400)
    try FileChange.remove(folder.path("a")).apply()
    XCTAssertEqual(folder.names, [])
  }

  func testRemovingAMissingFileSucceeds() throws {
    let folder = try TemporaryFolder()
    try FileChange.remove(folder.path("a")).apply()
    try FileChange.remove(folder.path("no such folder/a")).apply()
    XCTAssertEqual(folder.names, [])
  }

  // MARK: Other objects at the path

  func testFolderAtThePathIsNeitherReplacedNorRemoved() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    assertFailure(.write("x", to: folder.path("d")), .folder, .inspect)
    assertFailure(.remove(folder.path("d")), .folder, .inspect)
    XCTAssertEqual(folder.names, ["d"])
  }

  func testPipeAtThePathIsNeitherReplacedNorRemoved() throws {
    let folder = try TemporaryFolder()
    XCTAssertEqual(unsafe mkfifo(folder.file("p").path, 0o600), 0)
    assertFailure(.write("x", to: folder.path("p")), .notAFile)
    assertFailure(.remove(folder.path("p")), .notAFile)
    XCTAssertEqual(folder.names, ["p"])
  }

  func testWriteIntoAMissingFolderIsReported() throws {
    let folder = try TemporaryFolder()
    let error = assertFailure(.write("x", to: folder.path("gone/a")), .noSuchFolder, .openFolder)
    XCTAssertEqual(error?.path, folder.path("gone/a"))
    XCTAssertEqual(error?.code, ENOENT)
    XCTAssertEqual(
      error?.description,
      "\(folder.path("gone/a")): there is no such folder (errno 2) while opening the folder. "
        + "Create the folder, then try again.")
  }

  func testFileInPlaceOfTheFolderIsReportedAndLeftAlone() throws {
    let folder = try TemporaryFolder(["a": "file"])
    assertFailure(.write("x", to: folder.path("a/b")), .notAFolder)
    assertFailure(.remove(folder.path("a/b")), .notAFolder)
    XCTAssertEqual(folder.text("a"), "file")
  }

  // MARK: Paths

  func testInvalidPathsAreRefused() throws {
    let folder = try TemporaryFolder(["a": "old"])
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    let refused: [(FileChange.Path, FileChangeError.Reason)] = [
      ("a", .relativePath), ("", .relativePath), ("./a", .relativePath), ("/", .invalidPath),
      (folder.path("a\0b"), .invalidPath), (folder.path("d/../a"), .parentReference), ("/..", .parentReference),
    ]
    for (path, reason) in refused {
      assertFailure(.write("new", to: path), reason, .submit)
      assertFailure(.remove(path), reason, .submit)
    }
    XCTAssertEqual(folder.text("a"), "old")
    XCTAssertEqual(folder.names, ["a", "d"])
  }

  @discardableResult
  private func assertFailure(
    _ change: FileChange, _ reason: FileChangeError.Reason, _ operation: FileChangeError.Operation? = nil,
    file: StaticString = #filePath, line: UInt = #line
  ) -> FileChangeError? {
    guard let error = change.refusal() else {
      XCTFail("\(change) succeeded", file: file, line: line)
      return nil
    }
    XCTAssertEqual(error.reason, reason, "\(error)", file: file, line: line)
    if let operation { XCTAssertEqual(error.operation, operation, "\(error)", file: file, line: line) }
    XCTAssertFalse(error.isTransient, "\(error)", file: file, line: line)
    return error
  }
}
