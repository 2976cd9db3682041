import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Another program changes a file while a change that is based on a version is applied.
final class FileChangeExchangeTests: XCTestCase {
  /// A file system in which another program acts just before this call is made for the `turn`th time.
  private func system(
    before call: ScriptedFileSystem.Call, turn: Int = 1, _ act: @escaping () -> Void
  ) -> ScriptedFileSystem {
    let counter = Counter()
    return ScriptedFileSystem { made, _ in
      if made == call, counter.next() == turn { act() }
      return nil
    }
  }

  /// Replaces the file as an editor does.
  private func replace(_ folder: TemporaryFolder, by text: String) {
    XCTAssertNoThrow(try Data(text.utf8).write(to: folder.file("a"), options: .atomic))
  }

  func testFileReplacedAtAnyCallIsNeverLost() throws {
    for change in ["write", "remove"] {
      var number = 0
      while true {
        let folder = try TemporaryFolder(["a": "old"])
        let base = try FileChange.Version(of: folder.path("a"))
        let (counter, isReplaced) = (Counter(), Flag())
        let system = ScriptedFileSystem { _, _ in
          if counter.next() == number {
            try? Data("theirs".utf8).write(to: folder.file("a"), options: .atomic)
            isReplaced.set(true)
          }
          return nil
        }
        number += 1
        let new: FileChange = change == "write" ? .write("new", to: folder.path("a")) : .remove(folder.path("a"))
        let error = new.based(on: base).refusal(in: system)
        guard isReplaced.isSet else { break }
        withTrace("\(change), call \(number): \(system.calls)") {
          // A file that appears after the exchange, or after the removal, is newer and stays.
          expectEqual(folder.text("a"), "theirs")
          if let error { expectEqual(error.reason, .changedByAnother) }
          expectEqual(folder.names, ["a"])
          expectEqual(error?.keptPath, nil)
        }
      }
      XCTAssertGreaterThan(number, 6)
    }
  }

  func testFileReplacedJustBeforeTheExchangeIsPutBack() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let base = try FileChange.Version(of: folder.path("a"))
    let system = system(before: .exchangeFiles) { self.replace(folder, by: "theirs") }
    XCTAssertEqual(FileChange.write("new", to: folder.path("a")).based(on: base).refusal(in: system)?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "theirs")
    XCTAssertEqual(folder.names, ["a"])
    XCTAssertEqual(
      Array(system.calls.suffix(11)),
      [
        .awaitLock, .inspect, .moveFile, .exchangeFiles, .inspect, .exchangeFiles, .inspect, .removeFile,
        .synchronizeFolder, .unlock, .removeFile,
      ])
  }

  func testFileWrittenInPlaceJustBeforeTheExchangeIsPutBack() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let base = try FileChange.Version(of: folder.path("a"))
    let system = system(before: .exchangeFiles) { try? Data("theirs".utf8).write(to: folder.file("a")) }
    XCTAssertEqual(FileChange.write("new", to: folder.path("a")).based(on: base).refusal(in: system)?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "theirs")
    XCTAssertEqual(folder.names, ["a"])
  }

  /// A network file system may report an error although it has exchanged the files.
  func testExchangeThatReportsAnErrorAfterAllIsLookedAt() throws {
    for isReplaced in [false, true] {
      let folder = try TemporaryFolder(["a": "old"])
      let base = try FileChange.Version(of: folder.path("a"))
      let counter = Counter()
      let system = ScriptedFileSystem { call, _ in
        guard call == .exchangeFiles, counter.next() == 1 else { return nil }
        if isReplaced { self.replace(folder, by: "theirs") }
        return .lateFailure(EIO)
      }
      let error = FileChange.write("new", to: folder.path("a")).based(on: base).refusal(in: system)
      XCTAssertEqual(error?.isConflict, isReplaced ? true : nil)
      XCTAssertEqual(folder.text("a"), isReplaced ? "theirs" : "new")
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testFileReplacedAgainWhileAnExchangeIsUndoneIsKept() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let base = try FileChange.Version(of: folder.path("a"))
    let counter = Counter()
    let system = ScriptedFileSystem { call, _ in
      if call == .exchangeFiles { self.replace(folder, by: "theirs \(counter.next())") }
      return nil
    }
    let error = try XCTUnwrap(FileChange.write("new", to: folder.path("a")).based(on: base).refusal(in: system))
    XCTAssertTrue(error.isConflict)
    let kept = try XCTUnwrap(error.keptPath)
    XCTAssertEqual(try String(contentsOf: kept.url, encoding: .utf8), "theirs 2")
    XCTAssertEqual(folder.text("a"), "theirs 1")
    XCTAssertTrue(error.description.contains(kept.string))
    XCTAssertEqual(folder.names.count, 2)
    // No sweeper removes the kept file.
    let later = ScriptedFileSystem()
    later.secondsAhead = 100_000
    try FileChange.write("b", to: folder.path("b")).apply(options: .init(), in: later, sweeper: Sweeper())
    XCTAssertEqual(try String(contentsOf: kept.url, encoding: .utf8), "theirs 2")
  }

  func testForeignWriteAfterTheRenameIsNotTakenForOurVersion() throws {
    for isBased in [false, true] {
      let folder = try TemporaryFolder(["a": "old"])
      let base = try FileChange.Version(of: folder.path("a"))
      let (isReplaced, version) = (Flag(), NotedVersion())
      let system = ScriptedFileSystem { call, _ in
        // The next inspection reads the version of the new file.
        if folder.text("a") == "ours", call == .inspect || call == .inspectFile, isBased ? isReplaced.take() : true {
          try? Data("their text".utf8).write(to: folder.file("a"))
        }
        // One more inspection belongs to the exchange.
        if call == .removeFile { isReplaced.set(true) }
        return nil
      }
      let change = FileChange.write("ours", to: folder.path("a"))
      try (isBased ? change.based(on: base) : change).apply(options: .init(), in: system) { version.set($0) }
      XCTAssertEqual(folder.text("a"), "their text")
      XCTAssertNotEqual(version.value, try FileChange.Version(of: folder.path("a")))
    }
  }

  func testFileRemovedJustBeforeTheExchangeIsAConflictAndStaysRemoved() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let base = try FileChange.Version(of: folder.path("a"))
    let system = system(before: .exchangeFiles) { try? FileManager.default.removeItem(at: folder.file("a")) }
    XCTAssertEqual(FileChange.write("new", to: folder.path("a")).based(on: base).refusal(in: system)?.isConflict, true)
    XCTAssertEqual(folder.names, [])
  }

  func testFileThatAppearsWhereNoneIsExpectedIsAConflict() throws {
    // EINVAL: the file system has no rename to a free name, so a link is made instead.
    for isWithoutRename in [false, true] {
      let folder = try TemporaryFolder()
      let call = isWithoutRename ? ScriptedFileSystem.Call.linkFile : .moveFileToFree
      let system = ScriptedFileSystem { made, _ in
        if made == call { self.replace(folder, by: "theirs") }
        return made == .moveFileToFree && isWithoutRename ? .failure(EINVAL) : nil
      }
      let error = FileChange.write("new", to: folder.path("a")).based(on: .absent).refusal(in: system)
      XCTAssertEqual(error?.isConflict, true)
      XCTAssertEqual(folder.text("a"), "theirs")
      XCTAssertEqual(folder.names, ["a"])
    }
  }

  func testConflictsAreDetectedWithoutExchangeLocksOrLongNames() throws {
    let faults: [[ScriptedFileSystem.Call: Int32]] = [
      [.awaitLock: ENOTSUP], [.awaitLock: EBADF], [.exchangeFiles: EINVAL], [.exchangeFiles: ENOSYS],
      [.moveFileToFree: EINVAL], [.moveFileToFree: EINVAL, .linkFile: EPERM],
    ]
    for fault in faults {
      let folder = try TemporaryFolder()
      let path = folder.path("a")
      let script = ScriptedFileSystem { call, _ in fault[call].map { .failure($0) } }
      XCTAssertNil(FileChange.write("one", to: path).based(on: .absent).refusal(in: script))
      let base = try FileChange.Version(of: path)
      XCTAssertNil(FileChange.write("two", to: path).based(on: base).refusal(in: script))
      XCTAssertEqual(folder.text("a"), "two")
      XCTAssertEqual(FileChange.write("three", to: path).based(on: base).refusal(in: script)?.isConflict, true)
      XCTAssertEqual(FileChange.remove(path).based(on: base).refusal(in: script)?.isConflict, true)
      XCTAssertNil(FileChange.remove(path).based(on: try FileChange.Version(of: path)).refusal(in: script))
      XCTAssertEqual(folder.names, [])
    }
    // The name is so long that the longer name of a displaced file does not fit.
    let folder = try TemporaryFolder()
    let path = folder.path(String(repeating: "n", count: 250))
    XCTAssertNil(FileChange.write("one", to: path).based(on: .absent).refusal())
    XCTAssertNil(FileChange.write("two", to: path).based(on: try FileChange.Version(of: path)).refusal())
    XCTAssertNil(FileChange.remove(path).based(on: try FileChange.Version(of: path)).refusal())
    XCTAssertEqual(folder.names, [])
  }

  func testLockedFolderIsATransientFailure() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let base = try FileChange.Version(of: folder.path("a"))
    let system = ScriptedFileSystem { call, _ in call == .awaitLock ? .failure(EWOULDBLOCK) : nil }
    let error = FileChange.write("new", to: folder.path("a")).based(on: base).refusal(in: system)
    XCTAssertEqual(error?.reason, .busy)
    XCTAssertEqual(error?.isTransient, true)
    XCTAssertEqual(folder.text("a"), "old")
    XCTAssertEqual(folder.names, ["a"])
  }

  func testOldOrNewFileIsThereWhicheverCallFails() throws {
    for change in ["write", "remove"] {
      var number = 0
      while true {
        let folder = try TemporaryFolder(["a": "old"])
        let base = try FileChange.Version(of: folder.path("a"))
        let system = ScriptedFileSystem { _, made in made == number ? .failure(EIO) : nil }
        let new: FileChange = change == "write" ? .write("new", to: folder.path("a")) : .remove(folder.path("a"))
        let error = new.based(on: base).refusal(in: system)
        guard number < system.calls.count else { break }
        withTrace("\(change), call \(number): \(system.calls)") {
          let wasDone = system.calls[number] == .synchronizeFolder
          let done = change == "write" ? "new" : nil
          if let error {
            expectEqual(error.reason, .deviceFailure)
            expectEqual(folder.text("a"), wasDone ? done : "old")
            expectEqual(folder.names, wasDone && change == "remove" ? [] : ["a"])
          } else {
            expectEqual(folder.text("a"), done)
          }
        }
        number += 1
      }
    }
  }

  func testSweeperCleansUpAfterAChangeThatFailsTwice() throws {
    for change in ["write", "remove"] {
      let folder = try TemporaryFolder(["a": "old"])
      let base = try FileChange.Version(of: folder.path("a"))
      let isAway = Flag()
      let system = ScriptedFileSystem { call, _ in
        if isAway.isSet, call == .inspect || call == .moveFileToFree { return .failure(EIO) }
        if call == (change == "write" ? .exchangeFiles : .moveFile) { isAway.set(true) }
        return nil
      }
      let new: FileChange = change == "write" ? .write("new", to: folder.path("a")) : .remove(folder.path("a"))
      let error = new.based(on: base).refusal(in: system)
      XCTAssertEqual(error?.reason, .deviceFailure)
      XCTAssertEqual(error?.keptPath, nil)
      XCTAssertEqual(folder.text("a"), change == "write" ? "old" : nil)
      try FileChange.write("b", to: folder.path("b")).apply(options: .init(), in: PosixFileSystem(), sweeper: Sweeper())
      XCTAssertEqual(folder.texts, change == "write" ? ["a": "old", "b": "b"] : ["b": "b"])
    }
  }

  func testSweeperLosesNothingAfterAKillAtAnyCall() throws {
    for (change, isReplaced) in [("write", false), ("write", true), ("remove", false), ("remove", true)] {
      var number = 0
      while true {
        let folder = try TemporaryFolder(["a": "old"])
        let base = try FileChange.Version(of: folder.path("a"))
        let counter = Counter()
        let system = ScriptedFileSystem { call, made in
          // The last call before the file is displaced.
          let isLast = change == "write" ? call == .exchangeFiles : call == .moveFile
          if isReplaced, isLast, counter.next() == 1 { self.replace(folder, by: "theirs") }
          return made == number ? .death : nil
        }
        let new: FileChange = change == "write" ? .write("new", to: folder.path("a")) : .remove(folder.path("a"))
        _ = new.based(on: base).refusal(in: system)
        guard system.isDead else { break }
        number += 1
        let later = ScriptedFileSystem()
        later.secondsAhead = 10_000
        try FileChange.write("b", to: folder.path("b")).apply(options: .init(), in: later, sweeper: Sweeper())
        withTrace("\(change), replaced \(isReplaced), call \(number): \(system.calls)") {
          expectEqual(folder.names.filter { $0 != "a" }, ["b"])
          if isReplaced, counter.isUsed {
            expectEqual(folder.text("a"), "theirs")
          } else {
            let done = change == "write" ? "new" : nil
            expect(folder.text("a") == "old" || folder.text("a") == done)
          }
        }
      }
    }
  }

  func testBatchDetectsAFileReplacedJustBeforeItsRename() async throws {
    for call in [ScriptedFileSystem.Call.exchangeFiles, .moveFile] {
      let folder = try TemporaryFolder()
      for name in ["a", "b", "c"] { try folder.put("old " + name, name) }
      let versions = try ["a", "b", "c"].map { try FileChange.Version(of: folder.path($0)) }
      let isArmed = Counter()
      let system = ScriptedFileSystem { made, _ in
        if made == call, isArmed.next() == 1 { self.replace(folder, by: "theirs") }
        return nil
      }
      let writer = FileChangeWriter(clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
      let first: FileChange = call == .exchangeFiles ? .write("new", to: folder.path("a")) : .remove(folder.path("a"))
      try await writer.submit(batch: [
        first.based(on: versions[0]), FileChange.write("new", to: folder.path("b")).based(on: versions[1]),
        FileChange.remove(folder.path("c")).based(on: versions[2]),
      ])
      let unwritten = await unwritten { try await writer.flush() }
      XCTAssertEqual(unwritten?.failures.first?.error.isConflict, true)
      XCTAssertEqual(["a", "b", "c"].map { folder.text($0) }, ["theirs", "old b", "old c"])
      XCTAssertEqual(folder.names, ["a", "b", "c"])
      _ = await self.unwritten { try await writer.close() }
    }
  }

  func testHandleDetectsAFileReplacedJustBeforeTheExchange() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let system = system(before: .exchangeFiles) { self.replace(folder, by: "theirs") }
    let writer = FileChangeWriter(clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    let file = try await writer.file(at: folder.path("a"))
    try await file.save("mine")
    expectEqual(await failureOfWriting(file)?.isConflict, true)
    XCTAssertEqual(folder.text("a"), "theirs")
    try await file.save(Data("mine".utf8), over: try await file.otherVersion())
    try await file.flush()
    try await file.save("mine again")
    try await file.flush()
    XCTAssertEqual(folder.text("a"), "mine again")
    try await writer.close()
  }
}

/// The version that a change has reported.
private final class NotedVersion: @unchecked Sendable {
  private(set) var value: FileChange.Version?

  func set(_ version: FileChange.Version) { value = version }
}
