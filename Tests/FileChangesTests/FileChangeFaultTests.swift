import FileChanges
import Foundation
import TestSupport
import XCTest

/// Failures of the system calls of a change.
final class FileChangeFaultTests: XCTestCase {
  private func apply(_ change: FileChange, in system: ScriptedFileSystem) -> FileChangeError? {
    change.refusal(in: system)
  }

  func testWriteMakesTheExpectedCallsInOrder() throws {
    let folder = try TemporaryFolder()
    let first = ScriptedFileSystem()
    XCTAssertNil(apply(.write("new", to: folder.path("a")), in: first))
    XCTAssertEqual(
      first.calls,
      [
        .openFolder, .inspect, .createFile, .lock, .append, .synchronizeFile, .finish, .moveFile, .synchronizeFolder,
      ])
    // These permissions differ from those of the temporary file, whatever the umask is.
    XCTAssertEqual(unsafe chmod(folder.file("a").path, 0o644), 0)
    let second = ScriptedFileSystem()
    XCTAssertNil(apply(.write("newer", to: folder.path("a")), in: second))
    XCTAssertEqual(
      second.calls,
      [
        .openFolder, .inspect, .createFile, .lock, .append, .inspectFile, .openFile, .accessControlList,
        .accessControlList, .setPermissions, .attributeNames, .synchronizeFile, .finish, .moveFile, .synchronizeFolder,
      ])
  }

  func testRemovalMakesTheExpectedCallsInOrder() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let system = ScriptedFileSystem()
    XCTAssertNil(apply(.remove(folder.path("a")), in: system))
    XCTAssertEqual(system.calls, [.openFolder, .inspect, .removeFile, .synchronizeFolder])
    let absent = ScriptedFileSystem()
    XCTAssertNil(apply(.remove(folder.path("a")), in: absent))
    // An earlier attempt may have removed the file without reaching the device.
    XCTAssertEqual(absent.calls, [.openFolder, .inspect, .synchronizeFolder])
  }

  func testFailedWriteLeavesNothingBehindWhicheverCallFails() throws {
    let folder = try TemporaryFolder()
    for isNew in [true, false] {
      var failing = 0
      while true {
        if isNew { try? FileManager.default.removeItem(at: folder.file("a")) } else { try folder.put("old", "a") }
        let system = ScriptedFileSystem { _, number in number == failing ? .failure(EIO) : nil }
        let error = apply(.write("new", to: folder.path("a")), in: system)
        guard let error else {
          // The file is written even if the lock fails.
          guard failing < system.calls.count, system.calls[failing] == .lock else { break }
          expectEqual(folder.text("a"), "new")
          failing += 1
          continue
        }
        withTrace("call \(failing) (\(system.calls[failing])), new file: \(isNew)") {
          expectEqual(error.reason, .deviceFailure)
          expect(error.isTransient)
          expectEqual(error.path, folder.path("a"))
          let wasReplaced = system.calls[failing] == .synchronizeFolder
          expectEqual(error.operation == .synchronizeFolder, wasReplaced)
          expectEqual(folder.text("a"), wasReplaced ? "new" : isNew ? nil : "old")
          expectEqual(folder.names, isNew && !wasReplaced ? [] : ["a"])
          // Contents in the cache after a failed sync are not trusted, so the next attempt writes all of them again.
          expectEqual(apply(.write("newer", to: folder.path("a")), in: ScriptedFileSystem()), nil)
          expectEqual(folder.text("a"), "newer")
        }
        failing += 1
      }
      XCTAssertEqual(failing, isNew ? 9 : 15, "every call was made to fail")
    }
    XCTAssertEqual(openDescriptors(in: folder), 0)
  }

  func testRemovalCanBeRepeatedWhicheverCallFails() throws {
    let folder = try TemporaryFolder()
    for failing in 0..<4 {
      try folder.put("old", "a")
      let system = ScriptedFileSystem { _, number in number == failing ? .failure(EIO) : nil }
      XCTAssertEqual(apply(.remove(folder.path("a")), in: system)?.reason, .deviceFailure)
      XCTAssertEqual(folder.text("a"), failing == 3 ? nil : "old")
      XCTAssertNil(apply(.remove(folder.path("a")), in: ScriptedFileSystem()))
      XCTAssertNil(folder.text("a"))
    }
    XCTAssertEqual(openDescriptors(in: folder), 0)
  }

  func testShortWritesAreContinued() throws {
    let folder = try TemporaryFolder()
    let contents = Data((0..<1000).map { UInt8(truncatingIfNeeded: $0) })
    let system = ScriptedFileSystem { call, number in
      call == .append ? .short(1 + number % 7) : nil
    }
    XCTAssertNil(apply(.write(contents, to: folder.path("a")), in: system))
    XCTAssertEqual(try Data(contentsOf: folder.file("a")), contents)
  }

  func testWriteThatMakesNoProgressFails() throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem { call, _ in call == .append ? .short(0) : nil }
    let error = apply(.write("new", to: folder.path("a")), in: system)
    XCTAssertEqual(error?.reason, .deviceFailure)
    XCTAssertEqual(error?.operation, .write)
    XCTAssertEqual(folder.names, [])
    XCTAssertNil(apply(.write("", to: folder.path("a")), in: system))
  }

  func testExistingFileWithTheTemporaryNameIsNotTouched() throws {
    let folder = try TemporaryFolder()
    let first = Countdown(1)
    let once = ScriptedFileSystem { call, _ in call == .createFile && first.next() ? .failure(EEXIST) : nil }
    XCTAssertNil(apply(.write("new", to: folder.path("a")), in: once))
    XCTAssertEqual(folder.text("a"), "new")
    let always = ScriptedFileSystem { call, _ in call == .createFile ? .failure(EEXIST) : nil }
    let error = apply(.write("newer", to: folder.path("a")), in: always)
    XCTAssertEqual(error?.operation, .createTemporary)
    XCTAssertFalse(always.calls.contains(.removeFile))
    XCTAssertEqual(folder.text("a"), "new")
  }

  func testErrorOfCloseFailsTheWrite() throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem { call, _ in call == .finish ? .failure(EDQUOT) : nil }
    XCTAssertEqual(apply(.write("new", to: folder.path("a")), in: system)?.reason, .deviceFull)
    XCTAssertEqual(folder.names, [])
  }

  func testFailedCleanupDoesNotHideTheFailure() throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem { call, _ in
      switch call {
      case .synchronizeFile: .failure(ENOSPC)
      case .removeFile: .failure(EIO)
      default: nil
      }
    }
    XCTAssertEqual(apply(.write("new", to: folder.path("a")), in: system)?.reason, .deviceFull)
    XCTAssertNil(folder.text("a"))
  }

  func testRemovalSucceedsIfAnotherProgramRemovesTheFileFirst() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let system = ScriptedFileSystem { call, _ in call == .removeFile ? .lateFailure(ENOENT) : nil }
    XCTAssertNil(apply(.remove(folder.path("a")), in: system))
    XCTAssertEqual(system.calls.last, .synchronizeFolder)
  }

  func testFolderThatVanishesDuringAWriteIsReported() throws {
    for vanishing in [ScriptedFileSystem.Call.createFile, .inspect] {
      let folder = try TemporaryFolder()
      let inner = folder.file("d")
      try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: false)
      let system = ScriptedFileSystem { call, _ in
        if call == vanishing { try? FileManager.default.removeItem(at: inner) }
        return nil
      }
      let error = apply(.write("new", to: folder.path("d/a")), in: system)
      XCTAssertEqual(error?.reason, .noSuchFolder)
      XCTAssertEqual(error?.operation, .createTemporary)
      XCTAssertEqual(folder.names, [])
    }
  }

  func testWriteFollowsAFolderThatIsRenamedMeanwhile() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    let system = ScriptedFileSystem { call, _ in
      if call == .append {
        try? FileManager.default.moveItem(at: folder.file("d"), to: folder.file("moved"))
        try? FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
      }
      return nil
    }
    XCTAssertNil(apply(.write("new", to: folder.path("d/a")), in: system))
    XCTAssertEqual(folder.text("moved/a"), "new")
    XCTAssertNil(folder.text("d/a"))
  }

  func testFolderThatAppearsAtThePathDuringAWriteStays() throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem { call, _ in
      if call == .moveFile {
        try? FileManager.default.createDirectory(at: folder.file("a"), withIntermediateDirectories: false)
      }
      return nil
    }
    XCTAssertEqual(apply(.write("new", to: folder.path("a")), in: system)?.reason, .folder)
    XCTAssertEqual(folder.names, ["a"])
    XCTAssertNil(folder.text("a"))
  }

  func testVanishedTemporaryFileIsATransientFailure() throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem { call, _ in
      if call == .moveFile { for name in folder.names { try? FileManager.default.removeItem(at: folder.file(name)) } }
      return nil
    }
    let error = apply(.write("new", to: folder.path("a")), in: system)
    XCTAssertEqual(error?.reason, .temporaryVanished)
    XCTAssertEqual(error?.isTransient, true)
  }

  func testPermissionsAreReducedIfTheGroupCannotBeKept() throws {
    try XCTSkipUnless(geteuid() == 0, "only root can make a file of another user")
    let folder = try TemporaryFolder()
    // Members of the old group are now among the others, so both get only the rights that both had.
    let cases = [(1, 0o664, 0o664), (2, 0o664, 0o644), (1, 0o604, 0o604), (2, 0o604, 0o600)]
    for (failures, permissions, expected) in cases {
      try folder.put("old", "a", permissions: permissions)
      XCTAssertEqual(unsafe chown(folder.file("a").path, 1234, 2345), 0)
      let refusals = Countdown(failures)
      let system = ScriptedFileSystem { call, _ in
        call == .setOwner && refusals.next() ? .failure(EPERM) : nil
      }
      let options = FileChange.Options(replacesReadOnly: true)
      XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal(options, in: system))
      XCTAssertEqual(folder.permissions("a"), expected)
    }
  }

  func testTemporaryFileIsReadableOnlyByItsOwner() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o644)
    let system = ScriptedFileSystem { call, _ in
      if call == .append {
        let temporary = folder.names.first { $0.hasPrefix(".unsaved-") }
        XCTAssertEqual(temporary.flatMap(folder.permissions), 0o600)
      }
      return nil
    }
    XCTAssertNil(apply(.write("new", to: folder.path("a")), in: system))
    XCTAssertEqual(folder.permissions("a"), 0o644)
  }

  func testErrorsNeverShowTheContents() throws {
    let folder = try TemporaryFolder()
    for call in ScriptedFileSystem.Call.allCases {
      let system = ScriptedFileSystem { made, _ in made == call ? .failure(ENOSPC) : nil }
      guard let error = apply(.write("secret", to: folder.path("a")), in: system) else { continue }
      var text = "\(error) \(String(reflecting: error))"
      dump(error, to: &text)
      XCTAssertFalse(text.contains("secret"), text)
      XCTAssertTrue(text.contains(folder.path("a").string), text)
    }
  }

  /// The number of open descriptors of the folder and its files, or 0 if the system has no `/proc`.
  ///
  /// Other descriptors are not counted, because the threads of the process open and close them.
  private func openDescriptors(in folder: TemporaryFolder) -> Int {
    let numbers = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
    return numbers.count { number in
      let place = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + number)
      return place?.contains(folder.url.lastPathComponent) ?? false
    }
  }
}
