import Foundation
import Journals
import TestSupport
import XCTest

/// The guarantees of the system calls that the other types rely on.
final class PosixFileSystemTests: XCTestCase {
  private let system = PosixFileSystem()

  func testCreateFileRefusesAnExistingName() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "new")
    let descriptor = try system.openFolder(folder.url.path)
    for name in ["a", "link"] {
      do throws(SystemError) {
        _ = try system.createFile(name, permissions: 0o600, in: descriptor)
        XCTFail("\(name) was created")
      } catch {
        XCTAssertEqual(error, .exists)
      }
    }
    XCTAssertEqual(folder.text("a"), "old")
    XCTAssertNil(folder.text("new"))
  }

  func testLookUpOfAPathReturnsIdentityAndSize() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a")
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "a")
    let descriptor = try system.openFolder(folder.url.path)
    for name in ["a", "link"] {
      let found = try system.lookUp(path: folder.file(name).path)
      let status = try system.inspect(name, in: descriptor)
      XCTAssertEqual(found.identity, status.identity)
      XCTAssertEqual(found.size, status.stamp.size)
    }
    // A file on another device.
    let devices = try system.openFolder("/dev")
    XCTAssertEqual(try system.lookUp(path: "/dev/null").identity, try system.inspect("null", in: devices).identity)
    for path in [folder.file("b").path, folder.file("a/b").path, ""] {
      XCTAssertThrowsError(try system.lookUp(path: path), path)
    }
  }

  #if os(Linux)
    // Once a process has read a file's times, the kernel updates the file's metadata with each write, which is slower.
    func testLookUpOfAPathDoesNotReadFileTimes() throws {
      let folder = try TemporaryFolder()
      try folder.put("old", "a")
      XCTAssertEqual(UnsafeFileLookup.lookUp(path: folder.file("a").path)?.size, 3)
    }
  #endif

  #if os(Linux)
    func testFolderThatCannotBeSynchronizedIsNoError() throws {
      let processes = try system.openFolder("/proc")
      XCTAssertNoThrow(try system.synchronizeFolder(processes))
    }
  #endif

  func testInspectionDoesNotFollowLinks() throws {
    let folder = try TemporaryFolder()
    try folder.put("old", "a", permissions: 0o640)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "a")
    let descriptor = try system.openFolder(folder.url.path)
    XCTAssertEqual(try system.inspect("a", in: descriptor).kind, .file)
    XCTAssertEqual(try system.inspect("a", in: descriptor).permissions, 0o640)
    XCTAssertEqual(try system.inspect("link", in: descriptor).kind, .symbolicLink)
    XCTAssertEqual(try system.inspect(".", in: descriptor).kind, .folder)
    XCTAssertEqual(try system.inspect(descriptor).kind, .folder)
  }

  func testLinkTargetOfAnyLengthIsReadCompletely() throws {
    let folder = try TemporaryFolder()
    let descriptor = try system.openFolder(folder.url.path)
    for length in [1, 255, 4095] {
      let target = String(repeating: "ab/", count: 1365).prefix(length)
      try FileManager.default.createSymbolicLink(
        atPath: folder.file("link").path, withDestinationPath: String(target))
      XCTAssertEqual(try system.linkTarget("link", in: descriptor), String(target))
      try FileManager.default.removeItem(at: folder.file("link"))
    }
  }

  func testAppendWritesContentsFromAnOffset() throws {
    let folder = try TemporaryFolder()
    let descriptor = try system.openFolder(folder.url.path)
    let file = try system.createFile("a", permissions: 0o600, in: descriptor)
    let contents = Data("0123456789".utf8)[2...]
    XCTAssertEqual(try system.append(contents, from: 3, to: file), 5)
    XCTAssertEqual(try system.append(contents, from: 8, to: file), 0)
    try system.finish(file)
    XCTAssertEqual(folder.text("a"), "56789")
  }

  func testLockOfAFolderIsAwaitedUpToALimit() throws {
    let folder = try TemporaryFolder()
    let (path, system) = (folder.url.path, system)
    // Often enough for the lock that comes too late to come first and last.
    for _ in 0..<100 {
      let holder = try system.openFolder(path)
      try system.awaitLock(of: holder)
      do {
        let impatient = try system.openFolder(path)
        do throws(SystemError) {
          try system.awaitLock(of: impatient, withinMilliseconds: 0)
          XCTFail("two have the lock")
        } catch {
          XCTAssertEqual(error, .locked)
        }
      }
      let (isLocked, isOver) = (Flag(), DispatchSemaphore(value: 0))
      Thread.detachNewThread {
        let patient = try? system.openFolder(path)
        if let patient, (try? system.awaitLock(of: patient, withinMilliseconds: 20_000)) != nil { isLocked.set(true) }
        isOver.signal()
      }
      XCTAssertFalse(isLocked.isSet)
      try system.unlock(holder)
      isOver.wait()
      guard isLocked.isSet else { return XCTFail("the lock that came too late is kept") }
    }
  }

  func testInterruptedCallIsRetried() throws {
    var codes: [Int32] = [EINTR, EINTR, 0, EINTR, ENOSPC]
    func call() -> Int32 {
      errno = codes.removeFirst()
      return errno == 0 ? 7 : -1
    }
    XCTAssertEqual(try system.checked(call()), 7)
    XCTAssertThrowsError(try system.checked(call())) { XCTAssertEqual($0 as? SystemError, SystemError(code: ENOSPC)) }
    XCTAssertEqual(codes, [])
  }
}
