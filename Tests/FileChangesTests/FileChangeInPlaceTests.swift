import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

#if canImport(Glibc)
  import Glibc
#endif

/// Files that are written in place, because no other file can take their place.
final class FileChangeInPlaceTests: XCTestCase {
  private let old = "The old contents of the file, which are long."
  private let new = "New contents"

  /// A folder for the file, and one for the copies, which doesn't exist yet.
  private func makeFolders() throws -> (folder: TemporaryFolder, copies: TemporaryFolder, options: FileChange.Options) {
    let (folder, copies) = (try TemporaryFolder(isInMemory: true), try TemporaryFolder(isInMemory: true))
    var options = FileChange.Options()
    options.fallback = .inPlace(keepingCopyIn: copies.file("copies"))
    return (folder, copies, options)
  }

  private func copies(_ folder: TemporaryFolder) -> [String] {
    (try? FileManager.default.contentsOfDirectory(atPath: folder.file("copies").path)) ?? []
  }

  /// A file system on which no other file takes the place of "a".
  private func mounted(
    _ fault: @escaping @Sendable (FileSystemCall, Int) -> ScriptedFileSystem.Fault? = { _, _ in nil }
  )
    -> ScriptedFileSystem
  {
    ScriptedFileSystem { call, number in
      fault(call, number) ?? ([.moveFile, .exchangeFiles].contains(call) ? .failure(EBUSY) : nil)
    }
  }

  private func number(_ folder: TemporaryFolder) throws -> UInt64? {
    try FileChange.Version(of: folder.file("a")).stamp?.number
  }

  func testFileThatCannotBeReplacedIsWrittenInPlace() throws {
    for contents in [new, old + old, ""] {
      let (folder, copies, options) = try makeFolders()
      try folder.put(old, "a", permissions: 0o640)
      let number = try number(folder)
      XCTAssertNil(FileChange.write(contents, to: folder.path("a")).refusal(options, in: mounted()))
      XCTAssertEqual(folder.text("a"), contents)
      XCTAssertEqual(try self.number(folder), number)
      XCTAssertEqual(folder.permissions("a"), 0o640)
      XCTAssertEqual(folder.names, ["a"])
      XCTAssertEqual(self.copies(copies), [])
      XCTAssertEqual(copies.permissions("copies"), 0o700)
    }
  }

  func testWithoutTheOptionTheErrorSaysSo() throws {
    let folder = try TemporaryFolder(["a": old])
    for change in [
      FileChange.write(new, to: folder.path("a")),
      .write(new, to: folder.path("a")).based(on: try .init(of: folder.file("a"))),
    ] {
      let error = change.refusal(in: mounted())
      XCTAssertEqual(error?.reason, .notReplaceable)
      XCTAssertEqual(error?.isTransient, false)
      XCTAssertTrue(error?.description.contains("in place") ?? false)
    }
    XCTAssertEqual(folder.text("a"), old)
    XCTAssertEqual(folder.names, ["a"])
  }

  func testFileThatCanBeReplacedIsReplaced() throws {
    let (folder, copies, options) = try makeFolders()
    try folder.put(old, "a")
    let number = try number(folder)
    XCTAssertNil(FileChange.write(new, to: folder.path("a")).refusal(options))
    XCTAssertNotEqual(try self.number(folder), number)
    XCTAssertEqual(copies.names, [])
  }

  func testReadOnlyFileIsNotWrittenInPlaceUnlessAskedTo() throws {
    let (folder, copies, options) = try makeFolders()
    try folder.put(old, "a", permissions: 0o444)
    XCTAssertEqual(
      FileChange.write(new, to: folder.path("a")).refusal(options, in: mounted())?.reason, .permissionDenied)
    XCTAssertEqual(folder.text("a"), old)
    XCTAssertEqual(copies.names, [])
  }

  func testFileChangedByAnotherProgramIsNotOverwritten() throws {
    let (folder, copies, options) = try makeFolders()
    try folder.put(old, "a")
    let version = try FileChange.Version(of: folder.file("a"))
    try Data("theirs".utf8).write(to: folder.file("a"))
    let error = FileChange.write(new, to: folder.path("a")).based(on: version).refusal(options, in: mounted())
    XCTAssertEqual(error?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "theirs")
    XCTAssertEqual(self.copies(copies), [])
  }

  /// After a kill at any call, a handle has the old contents or the new ones, and so has the file.
  func testKillAtAnyCallLeavesOldOrNewContents() async throws {
    for (before, after) in [(old, new), (new, old)] {
      for isBased in [false, true] {
        var (number, seen, isTorn) = (0, Set<String>(), false)
        while true {
          let (folder, copies, options) = try makeFolders()
          try folder.put(before, "a")
          let limit = number
          let dying = mounted { call, number in
            if number >= limit { return .death }
            // The file is written in several calls.
            return call == .overwrite ? .short(5) : nil
          }
          var change = FileChange.write(after, to: folder.path("a"))
          if isBased { change = change.based(on: try FileChange.Version(of: folder.file("a"))) }
          _ = change.refusal(options, in: dying)
          guard dying.isDead else { break }
          if ![before, after].contains(folder.text("a")) { isTorn = true }
          let file = try await FileChangeWriter(configuration: .init(options: options)).file(at: folder.file("a"))
          let text = try await newestText(file) ?? "nil"
          XCTAssertTrue([before, after].contains(text), "\(number): \(text)")
          XCTAssertEqual(folder.text("a"), text)
          XCTAssertEqual(self.copies(copies), [])
          seen.insert(text)
          number += 1
        }
        XCTAssertTrue(isTorn)
        XCTAssertEqual(seen, [before, after])
      }
    }
  }

  func testFailureOfAnyCallLeavesOldOrNewContents() throws {
    for error in faultErrors {
      for fault in [ScriptedFileSystem.Fault.failure(error), .lateFailure(error)] {
        var number = 0
        while true {
          let (folder, copies, options) = try makeFolders()
          try folder.put(old, "a")
          let limit = number
          let failing = mounted { call, number in
            if number == limit { return fault }
            return call == .overwrite ? .short(5) : nil
          }
          let error = FileChange.write(new, to: folder.path("a")).refusal(options, in: failing)
          guard failing.calls.count > number else { break }
          XCTAssertTrue([old, new].contains(folder.text("a")), "\(number), \(fault): \(folder.text("a") ?? "")")
          if error == nil { XCTAssertEqual(folder.text("a"), new) }
          // The copies that are left change nothing later.
          _ = try FileChange.Version(of: folder.file("a"), options: options)
          XCTAssertTrue([old, new].contains(folder.text("a")))
          XCTAssertEqual(self.copies(copies), [])
          number += 1
        }
        XCTAssertGreaterThan(number, 30)
      }
    }
  }

  /// A device may keep any part of what wasn't synchronized.
  func testPowerFailureLeavesOldOrNewContents() throws {
    try withSeeds(10) { random in
      let folder = try TemporaryFolder(isInMemory: true)
      let options = FileChange.Options(fallback: .inPlace(keepingCopyIn: folder.url))
      let (old, new) = (String(repeating: "old ", count: 700), String(repeating: "new", count: 900))
      let system = ScriptedFileSystem(isArmed: false, isRecording: true) { call, _ in
        call == .moveFile ? .failure(EBUSY) : nil
      }
      expect(FileChange.write(old, to: folder.path("a")).refusal(in: system) == nil)
      let start = system.device.effects.count
      system.arm()
      expect(FileChange.write(new, to: folder.path("a")).refusal(options, in: system) == nil)
      let device = system.device
      for _ in 0..<40 {
        let left = device.files(after: random.int(in: start..<device.effects.count + 1), using: &random)
        for name in folder.names where left[name] == nil { try FileManager.default.removeItem(at: folder.file(name)) }
        for (name, bytes) in left {
          // In place, because the copy knows the number of the file.
          if name != "a" { try Data().write(to: folder.file(name)) }
          let file = try FileHandle(forWritingTo: folder.file(name))
          try file.truncate(atOffset: 0)
          try file.write(contentsOf: Data(bytes))
          try file.close()
        }
        _ = try FileChange.Version(of: folder.file("a"), options: options)
        expect([old, new].contains(folder.text("a")), folder.text("a") ?? "nil")
      }
    }
  }

  func testJournaledSaveIsWrittenAfterAKill() async throws {
    let (folder, copies, options) = try makeFolders()
    let journals = try TemporaryFolder()
    try folder.put(old, "a")
    var configuration = FileChangeWriter.Configuration(options: options)
    configuration.idleTime = .zero
    // The journal is renamed, and the file, which has an expected version, is exchanged.
    func system(_ last: FileSystemCall? = nil) -> ScriptedFileSystem {
      ScriptedFileSystem { call, _ in call == last ? .death : call == .exchangeFiles ? .failure(EBUSY) : nil }
    }
    let dying = system(.truncate)
    let writer = try await FileChangeWriter(
      journal: FileChange.Path(journals.file("journal")), configuration: configuration, system: dying)
    let file = try await writer.file(at: folder.file("a"))
    _ = try await file.contents()
    try await file.save(new)
    try await until(dying.isDead)
    try? await writer.close(within: .zero)
    XCTAssertFalse([old, new].contains(folder.text("a")))
    let other = try journals.copy()
    let next = try await FileChangeWriter(
      journal: FileChange.Path(other.file("journal")), configuration: configuration, system: system())
    let again = try await next.file(at: folder.file("a"))
    let text = try await newestText(again)
    XCTAssertEqual(text, new)
    try await next.close()
    XCTAssertEqual(folder.text("a"), new)
    XCTAssertEqual(self.copies(copies), [])
  }

  /// Kills the process while it writes the file in place, and returns what is left.
  private func leaveTorn(_ folder: TemporaryFolder, _ options: FileChange.Options) throws -> String? {
    try folder.put(old, "a")
    let dying = mounted { call, _ in call == .truncate ? .death : nil }
    XCTAssertNotNil(FileChange.write(new, to: folder.path("a")).refusal(options, in: dying))
    let torn = folder.text("a")
    XCTAssertFalse([old, new].contains(torn))
    return torn
  }

  func testFileThatAnotherThreadRestoresIsAwaited() throws {
    let (folder, copies, options) = try makeFolders()
    XCTAssertNotEqual(try leaveTorn(folder, options), old)
    let (goesOn, isOver) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let (isOld, writes) = (Flag(), Counter())
    let other = ScriptedFileSystem { call, _ in
      if call == .awaitLock { goesOn.signal() }
      return nil
    }
    let restoring = ScriptedFileSystem { [old] call, _ in
      if call == .overwrite, writes.next() == 1 {
        Thread.detachNewThread {
          _ = try? FileChange.Version(of: folder.path("a"), options: options, in: other)
          isOld.set(folder.text("a") == old)
          for semaphore in [goesOn, isOver] { semaphore.signal() }
        }
        goesOn.wait()
      }
      return nil
    }
    _ = try FileChange.Version(of: folder.path("a"), options: options, in: restoring)
    isOver.wait()
    XCTAssertTrue(isOld.isSet)
    XCTAssertEqual(self.copies(copies), [])
  }

  func testFileWithoutItsCopiesIsUsedAsItIs() throws {
    let (folder, copies, options) = try makeFolders()
    let torn = try leaveTorn(folder, options)
    try FileManager.default.removeItem(at: copies.file("copies"))
    let version = try FileChange.Version(of: folder.file("a"), options: options)
    XCTAssertEqual(folder.text("a"), torn)
    XCTAssertNil(FileChange.write(new, to: folder.path("a")).based(on: version).refusal(options, in: mounted()))
    XCTAssertEqual(folder.text("a"), new)
  }

  func testCopyOfAnotherUserOrAnotherFileIsNotRestored() throws {
    let (folder, copies, options) = try makeFolders()
    let torn = try leaveTorn(folder, options)
    let name = try XCTUnwrap(self.copies(copies).first)
    let copy = copies.file("copies/\(name)")
    let bytes = try Data(contentsOf: copy)
    // One flipped bit anywhere makes it unusable.
    for offset in [0, 9, 20, 50, 70, 90, 100, bytes.count - 1] {
      var damaged = bytes
      damaged[offset] ^= 4
      // The path counts only if the device has another number.
      if (92..<92 + folder.path("a").string.utf8.count).contains(offset) { continue }
      try damaged.write(to: copy)
      _ = try FileChange.Version(of: folder.file("a"), options: options)
      XCTAssertEqual(folder.text("a"), torn, "\(offset)")
    }
    if getuid() == 0 {
      try bytes.write(to: copy)
      XCTAssertEqual(unsafe chown(copy.path, 12345, 12345), 0)
      _ = try FileChange.Version(of: folder.file("a"), options: options)
      XCTAssertEqual(folder.text("a"), torn)
      XCTAssertEqual(unsafe chown(copy.path, 0, 0), 0)
    }
    try bytes.write(to: copy)
    _ = try FileChange.Version(of: folder.file("a"), options: options)
    XCTAssertEqual(folder.text("a"), old)
  }

  #if canImport(Glibc)
    func testMountedFileIsWrittenInPlace() async throws {
      let (folder, copies, options) = try makeFolders()
      try folder.put(old, "a")
      let path = folder.file("a").path
      let result = unsafe mount(path, path, nil, UInt(MS_BIND), nil)
      try XCTSkipIf(result != 0, "mounting is not permitted here (errno \(errno))")
      defer { _ = unsafe umount2(path, Int32(MNT_DETACH)) }
      XCTAssertEqual(FileChange.write(new, to: folder.path("a")).refusal()?.reason, .notReplaceable)
      let version = try FileChange.Version(of: folder.file("a"))
      XCTAssertEqual(
        FileChange.write(new, to: folder.path("a")).based(on: version).refusal()?.reason, .notReplaceable)
      XCTAssertEqual(FileChange.remove(folder.path("a")).refusal()?.reason, .notReplaceable)
      let writer = FileChangeWriter(configuration: .init(options: options))
      try await writer.submit(batch: [.write(new, to: folder.path("a")), .write(new, to: folder.path("b"))])
      let unwritten = await unwritten { try await writer.flush() }
      XCTAssertEqual(unwritten?.failures.first?.error.reason, .notReplaceable)
      await writer.removeFailures()
      for batch in [[FileChange.remove(folder.path("a"))], [.move(folder.path("a"), to: folder.path("b"))]] {
        try await writer.submit(batch: batch + [.write(new, to: folder.path("c"))])
        let unwritten = await self.unwritten { try await writer.flush() }
        XCTAssertEqual(unwritten?.failures.first?.error.reason, .notReplaceable)
        await writer.removeFailures()
      }
      XCTAssertEqual(folder.text("a"), old)
      XCTAssertEqual(folder.names, ["a"])

      let file = try await writer.file(at: folder.file("a"))
      for text in [new, old + old, new] {
        try await file.save(text)
        try await file.flush()
        XCTAssertEqual(folder.text("a"), text)
      }
      try Data("theirs".utf8).write(to: folder.file("a"))
      try await file.save(new)
      let error = await reason { try await file.flush() }
      XCTAssertEqual(error, .changedByAnother)
      XCTAssertEqual(folder.text("a"), "theirs")
      XCTAssertEqual(self.copies(copies), [])
      XCTAssertEqual(folder.names, ["a"])
    }

    func testFileInAFolderThatAcceptsNoFilesIsWrittenInPlace() throws {
      try XCTSkipIf(geteuid() != 0, "only root can mount")
      let (folder, copies, options) = try makeFolders()
      let disk = folder.file("disk")
      try FileManager.default.createDirectory(at: disk, withIntermediateDirectories: false)
      let result = unsafe mount("tmpfs", disk.path, "tmpfs", 0, nil)
      try XCTSkipIf(result != 0, "mounting is not permitted here (errno \(errno))")
      defer { _ = unsafe umount2(disk.path, Int32(MNT_DETACH)) }
      // A writable file in a read-only folder, as in a container.
      try folder.put(old, "disk/a")
      try folder.put(old, "outside")
      let file = folder.file("disk/a").path
      XCTAssertEqual(unsafe mount(folder.file("outside").path, file, nil, UInt(MS_BIND), nil), 0)
      defer { _ = unsafe umount2(file, Int32(MNT_DETACH)) }
      XCTAssertEqual(unsafe mount("tmpfs", disk.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil), 0)
      XCTAssertEqual(FileChange.write(new, to: folder.path("disk/a")).refusal()?.reason, .readOnly)
      XCTAssertNil(FileChange.write(new, to: folder.path("disk/a")).refusal(options))
      XCTAssertEqual(folder.text("outside"), new)
      XCTAssertEqual(self.copies(copies), [])
    }
  #endif
}
