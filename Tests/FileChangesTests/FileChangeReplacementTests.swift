import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The attributes that a new file takes over from the replaced one, and the folder in which it is made if its own
/// folder refuses it.
final class FileChangeReplacementTests: XCTestCase {
  private let system = PosixFileSystem()

  // MARK: Extended attributes

  /// The extended attributes of the file that `system` reports.
  private func attributes(of name: String, in folder: TemporaryFolder) throws -> [String: [UInt8]] {
    let parent = try system.openFolder(folder.url.path)
    let file = try system.openFile(name, in: parent)
    var values: [String: [UInt8]] = [:]
    for name in try system.attributeNames(of: file) { values[name] = try system.attribute(name, of: file) }
    return values
  }

  private func set(_ attributes: [String: [UInt8]], on name: String, in folder: TemporaryFolder) throws {
    let parent = try system.openFolder(folder.url.path)
    let file = try system.openFile(name, in: parent)
    do throws(SystemError) {
      for (name, value) in attributes { try system.setAttribute(name, to: value, of: file) }
    } catch {
      if error.isUnsupported { throw XCTSkip("this file system has no extended attributes") }
      throw error
    }
  }

  func testExtendedAttributesOfTheReplacedFileAreKept() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let expected: [String: [UInt8]] = [
      "user.note": Array("läuft".utf8), "user.empty": [], "user.large": (0..<2000).map { UInt8($0 % 256) },
    ]
    try set(expected, on: "a", in: folder)
    for text in ["new", "newer"] {
      try FileChange.write(text, to: folder.path("a")).apply()
      XCTAssertEqual(folder.text("a"), text)
      XCTAssertEqual(try attributes(of: "a", in: folder), expected)
    }
    // A new file has none.
    try FileChange.write("new", to: folder.path("b")).apply()
    XCTAssertEqual(try attributes(of: "b", in: folder), [:])
  }

  func testFileIsWrittenWithoutAttributesThatCannotBeCopied() throws {
    for (call, code) in [
      (ScriptedFileSystem.Call.openFile, EACCES), (.attributeNames, ENOTSUP), (.attributeNames, EPERM),
      (.setAttribute, EPERM), (.setAttribute, ENOTSUP),
    ] {
      let folder = try TemporaryFolder(["a": "old"])
      try set(["user.note": [1]], on: "a", in: folder)
      let system = ScriptedFileSystem { made, _ in made == call ? .failure(code) : nil }
      XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(in: system))
      XCTAssertEqual(folder.text("a"), "new")
    }
  }

  func testDeviceErrorDuringTheCopyOfAttributesKeepsTheOldFile() throws {
    for (call, code, reason) in [
      (ScriptedFileSystem.Call.setAttribute, ENOSPC, FileChangeError.Reason.deviceFull),
      (.attribute, EIO, .deviceFailure), (.attributeNames, EIO, .deviceFailure),
    ] {
      let folder = try TemporaryFolder(["a": "old"])
      try set(["user.note": [1]], on: "a", in: folder)
      let system = ScriptedFileSystem { made, _ in made == call ? .failure(code) : nil }
      let error = FileChange.write("new", to: folder.path("a")).refusal(in: system)
      XCTAssertEqual(error?.reason, reason)
      XCTAssertEqual(error?.path, folder.path("a"))
      XCTAssertEqual(folder.text("a"), "old")
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testAttributeRemovedByAnotherProgramMeanwhileIsNotKept() throws {
    #if canImport(Darwin)
      let gone = ENOATTR
    #else
      let gone = ENODATA
    #endif
    let folder = try TemporaryFolder(["a": "old"])
    try set(["user.a": [1], "user.b": [2]], on: "a", in: folder)
    let first = Countdown(1)
    let system = ScriptedFileSystem { call, _ in call == .attribute && first.next() ? .failure(gone) : nil }
    XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(in: system))
    XCTAssertEqual(try attributes(of: "a", in: folder).count, 1)
  }

  // MARK: A folder that refuses the temporary file

  /// A file system in which the folder of the file refuses new files, and `elsewhere` is the folder for replacements.
  private func sandbox(
    _ elsewhere: URL, dyingAt fault: (ScriptedFileSystem.Call, ScriptedFileSystem.Fault)? = nil
  ) -> ScriptedFileSystem {
    let refusal = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      if call == .createFile, refusal.next() { return .failure(EPERM) }
      return call == fault?.0 ? fault?.1 : nil
    }
    system.replacementFolder = { () throws(SystemError) in
      guard (try? FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)) != nil else {
        throw SystemError(code: EIO)
      }
      unsafe chmod(elsewhere.path, 0o700)
      return elsewhere.path
    }
    return system
  }

  func testTemporaryFileIsMadeElsewhereIfItsFolderRefusesIt() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o640)
    for (text, name) in [("new", "a"), ("made", "b")] {
      let system = sandbox(folder.file("elsewhere"))
      XCTAssertNil(FileChange.write(text, to: folder.path(name)).refusal(in: system))
      XCTAssertEqual(folder.text(name), text)
      XCTAssertTrue(system.calls.contains(.synchronizeFolder))
      XCTAssertFalse(folder.names.contains("elsewhere"), "\(folder.names)")
    }
    XCTAssertEqual(folder.permissions("a"), 0o640)
  }

  func testTemporaryFileMadeElsewhereReplacesOnlyTheExpectedFile() throws {
    for isChanged in [false, true] {
      let folder = try TemporaryFolder(["a": "old"])
      let change = FileChange.write("new", to: folder.path("a")).based(on: try FileChange.Version(of: folder.path("a")))
      let system = sandbox(folder.file("elsewhere"))
      let make = try XCTUnwrap(system.replacementFolder)
      system.replacementFolder = { () throws(SystemError) in
        if isChanged { _ = try? folder.put("theirs", "a") }
        return try make()
      }
      XCTAssertEqual(change.refusal(in: system)?.reason, isChanged ? .changedByAnother : nil)
      XCTAssertEqual(folder.text("a"), isChanged ? "theirs" : "new")
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testRefusalOfTheFolderIsReportedIfNoOtherFolderWorks() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let elsewhere = folder.file("elsewhere")
    let without = sandbox(elsewhere)
    without.replacementFolder = nil
    let others = sandbox(elsewhere)
    others.replacementFolder = { () throws(SystemError) in
      _ = try? FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: false)
      unsafe chmod(elsewhere.path, 0o777)
      return elsewhere.path
    }
    for system in [without, others, sandbox(elsewhere, dyingAt: (.moveFile, .failure(EXDEV)))] {
      let error = FileChange.write("new", to: folder.path("a")).refusal(in: system)
      XCTAssertEqual(error?.reason, .permissionDenied)
      XCTAssertEqual(error?.operation, .createTemporary)
      XCTAssertEqual(error?.code, EPERM)
      XCTAssertEqual(folder.text("a"), "old")
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testFailureInTheOtherFolderLeavesNothingBehind() throws {
    let folder = try TemporaryFolder(["a": "old"])
    for call in [ScriptedFileSystem.Call.append, .synchronizeFile, .finish, .moveFile] {
      let system = sandbox(folder.file("elsewhere"), dyingAt: (call, .failure(EIO)))
      let error = FileChange.write("new", to: folder.path("a")).refusal(in: system)
      XCTAssertEqual(error?.reason, .deviceFailure)
      XCTAssertEqual(folder.text("a"), "old")
      XCTAssertEqual(folder.names, ["a"])
    }
  }
}
