import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// A file that another program has changed without changing its size or modification time.
final class FileChangeTimeTests: XCTestCase {
  /// Overwrites the file with as many bytes, and restores its modification time, as `touch -r` and `rsync -t` do.
  private func forge(_ text: String, in folder: TemporaryFolder) throws {
    let path = folder.file("a").path
    var status = stat()
    XCTAssertEqual(unsafe stat(path, &status), 0)
    let descriptor = unsafe open(path, O_WRONLY)
    XCTAssertEqual(unsafe pwrite(descriptor, text, text.utf8.count, 0), text.utf8.count)
    #if canImport(Darwin)
      let times = [status.st_atimespec, status.st_mtimespec]
    #else
      let times = [status.st_atim, status.st_mtim]
    #endif
    XCTAssertEqual(unsafe futimens(descriptor, times), 0)
    close(descriptor)
    XCTAssertEqual(Int(status.st_size), text.utf8.count)
  }

  private func makeFolder() throws -> (TemporaryFolder, FileChange.Path, FileChange.Version) {
    let folder = try TemporaryFolder(["a": "read"])
    return (folder, folder.path("a"), try FileChange.Version(of: folder.path("a")))
  }

  func testWriteAndRemovalOfAForgedFileAreConflicts() throws {
    let (folder, path, base) = try makeFolder()
    try forge("them", in: folder)
    XCTAssertNotEqual(try FileChange.Version(of: path), base)
    XCTAssertEqual(FileChange.write("mine", to: path).based(on: base).refusal()?.isConflict, true)
    XCTAssertEqual(FileChange.remove(path).based(on: base).refusal()?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "them")
  }

  func testBatchOfAForgedFileIsAConflict() async throws {
    let (folder, path, base) = try makeFolder()
    try forge("them", in: folder)
    let writer = FileChangeWriter()
    try await writer.submit(batch: [
      FileChange.write("mine", to: path).based(on: base), .write("b", to: folder.path("b")),
    ])
    let unwritten = await unwritten { try await writer.flush() }
    XCTAssertEqual(unwritten?.failures.first?.error.isConflict, true)
    XCTAssertEqual(folder.text("a"), "them")
    _ = await self.unwritten { try await writer.close() }
  }

  func testFailedBatchDoesNotTakeAForgedFileForItsOwn() async throws {
    let (folder, path, base) = try makeFolder()
    let isForged = Flag()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      guard call == .createFile, !isForged.isSet else { return nil }
      isForged.set(true)
      do { try self.forge("them", in: folder) } catch { XCTFail("\(error)") }
      return nil
    }
    let writer = FileChangeWriter(system: system)
    system.arm()
    try await writer.submit(batch: [
      FileChange.write("mine", to: path).based(on: base), .write("b", to: folder.path("b")),
    ])
    for _ in 0..<2 {
      let unwritten = await unwritten { try await writer.flush() }
      XCTAssertEqual(unwritten?.failures.first?.error.isConflict, true)
      XCTAssertEqual(folder.text("a"), "them")
      await writer.retryFailures()
    }
    XCTAssertTrue(isForged.isSet)
    _ = await self.unwritten { try await writer.close() }
  }

  func testHandleDetectsAForgedFileInEveryCall() async throws {
    let (folder, path, _) = try makeFolder()
    let writer = FileChangeWriter()
    let file = try await writer.file(at: path)
    _ = try await file.contents()
    try forge("them", in: folder)
    try await file.save("mine")
    expectEqual(await failureOfWriting(file)?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "them")
    let theirs = try await file.otherVersion()
    try forge("they", in: folder)
    expectEqual(await reason { try await file.accept(theirs) }, .changedByAnother)
    try await file.save(Data("mine".utf8), over: theirs)
    expectEqual(await failureOfWriting(file)?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "they")
    try await file.accept(try await file.otherVersion())
    try await file.save("mine")
    try await file.flush()
    try forge("them", in: folder)
    try await file.save("more")
    expectEqual(await failureOfWriting(file)?.isConflict, true, "also over what the writer itself has written")
    XCTAssertEqual(folder.text("a"), "them")
    _ = await unwritten { try await writer.close() }
  }

  func testClockThatWasSetBackLosesNoChange() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    // The file and the journal are of the future.
    let future = Date(timeIntervalSinceNow: 1_000_000)
    try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: folder.file("a").path)
    try await leave([.write("new", to: folder.path("a")).based(on: .init(of: folder.file("a")))], in: folder)
    func system(_ fault: ScriptedFileSystem.Fault? = nil) -> ScriptedFileSystem {
      let system = ScriptedFileSystem { call, _ in call == .exchangeFiles ? fault : nil }
      system.secondsAhead = -1_000_000
      return system
    }
    try await journaledWriter(in: folder, system: system()).close()
    XCTAssertEqual(folder.text("a"), "new")
    try FileManager.default.setAttributes([.modificationDate: future], ofItemAtPath: folder.file("a").path)
    let change = FileChange.write("in place", to: folder.path("a")).based(on: try .init(of: folder.file("a")))
    let options = FileChange.Options(fallback: .inPlace(keepingCopyIn: folder.url))
    XCTAssertNil(change.refusal(options, in: system(.failure(EBUSY))))
    XCTAssertEqual(folder.texts, ["a": "in place"])
  }

  func testNewChangeTimeAloneIsNotAConflictIfTheContentsAreKnown() async throws {
    let (folder, path, base) = try makeFolder()
    let writer = FileChangeWriter()
    let file = try await writer.file(at: path)
    _ = try await file.contents()
    let theirs = try await file.otherVersion()
    XCTAssertEqual(unsafe chmod(path.string, 0o600), 0)
    try await file.accept(theirs)
    XCTAssertEqual(unsafe chmod(path.string, 0o640), 0)
    try await file.save("mine")
    try await file.flush()
    XCTAssertEqual(folder.permissions("a"), 0o640)
    try FileManager.default.linkItem(at: folder.file("a"), to: folder.file("link"))
    try await file.save("more")
    try await file.flush()
    XCTAssertEqual([folder.text("a"), folder.text("link")], ["more", "mine"])
    try await writer.close()
    try folder.put("read", "b")
    let unknown = try FileChange.Version(of: folder.path("b"))
    XCTAssertEqual(unsafe chmod(folder.path("b").string, 0o600), 0)
    XCTAssertEqual(FileChange.write("mine", to: folder.path("b")).based(on: unknown).refusal()?.isConflict, true)
    XCTAssertEqual(FileChange.write("mine", to: path).based(on: base).refusal()?.isConflict, true)
  }

  func testWriterKnowsItsOwnVersionAfterEveryKindOfChange() async throws {
    let folder = try TemporaryFolder()
    let writer = FileChangeWriter()
    func check(_ name: String, _ text: String) async throws {
      let file = try await writer.file(at: folder.path(name))
      try await file.save(text)
      try await file.flush()
      XCTAssertEqual(folder.text(name), text)
    }
    try await check("a", "1")
    try await check("a", "2")
    try await writer.submit(.write("3", to: folder.path("a")))
    try await writer.flush()
    try await check("a", "4")
    try await writer.submit(batch: [.write("5", to: folder.path("a")), .write("6", to: folder.path("b"))])
    try await writer.flush()
    try await check("a", "7")
    try await check("b", "8")
    try await writer.submit(batch: [.remove(folder.path("b")), .move(folder.path("a"), to: folder.path("c"))])
    try await writer.flush()
    try await check("c", "9")
    try await check("a", "10")
    try await writer.close()
  }

  func testRolledBackBatchCanBeRetried() async throws {
    let (folder, path, base) = try makeFolder()
    let isFull = Flag(true)
    let system = ScriptedFileSystem { call, _ in
      call == .exchangeFiles && isFull.isSet ? .failure(ENOSPC) : nil
    }
    let writer = FileChangeWriter(clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    try await writer.submit(batch: [
      .write("b", to: folder.path("b")), FileChange.write("mine", to: path).based(on: base),
    ])
    expectEqual(await unwritten { try await writer.flush() }?.failures.first?.error.reason, .deviceFull)
    XCTAssertEqual(folder.text("a"), "read")
    XCTAssertEqual(folder.names, ["a"])
    isFull.set(false)
    await writer.retryFailures()
    try await writer.flush()
    XCTAssertEqual(folder.text("a"), "mine")
    try await writer.close()
  }
}
