import Foundation
import Journals
import TestSupport
import XCTest

/// A journal's file, whose records are lines of text.
final class JournalFileTests: XCTestCase {
  private func file(in folder: TemporaryFolder) -> JournalWorker {
    JournalWorker(folder.file("journal").path, system: PosixFileSystem())
  }

  private func write(_ lines: [Line], from sequence: UInt64 = 1, isWhole: Bool = false) -> JournalWrite<Line> {
    let records = lines.enumerated().map { Record(sequence: sequence + UInt64($0.offset), body: $0.element) }
    return JournalWrite(records: records, isWhole: isWhole, isSynchronized: true)
  }

  private func open(_ file: JournalWorker) async throws -> JournalContentsOnOpen<Line> {
    try await file.open(newWriter: 7)
  }

  func testCommittedRecordsAreReadByTheNextOpening() async throws {
    let folder = try TemporaryFolder()
    let first = file(in: folder)
    expectEqual(try await open(first).contents.records, [])
    let errors = [
      await first.commit(write(["a", "b"], isWhole: true)), await first.commit(write(["c"], from: 3)),
    ]
    XCTAssertEqual(errors, [nil, nil])
    await first.close(removing: false)
    let second = file(in: folder)
    let found = try await open(second)
    XCTAssertEqual(found.contents.records.map(\.body), ["a", "b", "c"])
    XCTAssertEqual(found.contents.writer, 7)
    XCTAssertFalse(found.isDamaged)
    await second.close(removing: true)
    XCTAssertEqual(folder.names, [])
  }

  // MARK: Releasing

  func testOpeningWaitsUntilTheJournalIsUnlocked() async throws {
    for isClosed in [true, false] {
      let (folder, clock) = (try TemporaryFolder(), ManualClock())
      var first: JournalWorker? = file(in: folder)
      _ = try await open(try XCTUnwrap(first))
      let release = try XCTUnwrap(first?.release)
      let waiting = Task { await release.waitForEnd(within: .seconds(1), by: clock) }
      await clock.waitForSleepers(1)
      XCTAssertFalse(release.isOver)
      if isClosed { await first?.close(removing: false) }
      first = nil
      await waiting.value
      XCTAssertTrue(release.isOver)
      let second = file(in: folder)
      _ = try await open(second)
      await release.waitForEnd(within: .seconds(1), by: clock)
      await second.close(removing: true)
    }
  }

  func testOpeningWaitsNoLongerThanTheLimitForARelease() async throws {
    let (folder, clock) = (try TemporaryFolder(), ManualClock())
    let journal = file(in: folder)
    _ = try await open(journal)
    let waiting = Task { await journal.release.waitForEnd(within: .seconds(1), by: clock) }
    await clock.waitForSleepers(1)
    waiting.cancel()
    clock.advanceToNextDeadline()
    await waiting.value
    XCTAssertFalse(journal.release.isOver)
    await journal.close(removing: true)
  }

  func testRewritingKeepsOnlyTheGivenRecords() async throws {
    let folder = try TemporaryFolder()
    let first = file(in: folder)
    _ = try await open(first)
    _ = await first.commit(write(["a", "b"], isWhole: true))
    _ = await first.commit(write(["b"], from: 2, isWhole: true))
    await first.close(removing: false)
    let second = file(in: folder)
    expectEqual(try await open(second).contents.records, [Record(sequence: 2, body: "b")])
    XCTAssertEqual(folder.names, ["journal"])
  }

  func testRenameThatReportsAnErrorButTookEffectSucceeds() async throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem(isArmed: false) { call, _ in call == .moveFile ? .lateFailure(EIO) : nil }
    let first = JournalWorker(folder.file("journal").path, system: system)
    _ = try await open(first)
    _ = await first.commit(write(["a"], isWhole: true))
    system.arm()
    let errors = [
      await first.commit(write(["b"], from: 2, isWhole: true)), await first.commit(write(["c"], from: 3)),
    ]
    XCTAssertEqual(errors, [nil, nil])
    await first.close(removing: false)
    let second = file(in: folder)
    expectEqual(try await open(second).contents.records.map(\.body), ["b", "c"])
  }

  func testRewritingAlternatesBetweenTwoFiles() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let system = ScriptedFileSystem()
    let journal = JournalWorker(folder.file("journal").path, system: system)
    _ = try await open(journal)
    var numbers: [UInt64] = []
    for sequence: UInt64 in 1...6 {
      let line = Line(text: String(repeating: "\(sequence)", count: sequence % 2 == 0 ? 10 : 50_000))
      let errors = [
        await journal.commit(write([line], from: sequence, isWhole: true)),
        await journal.commit(write(["x"], from: sequence + 1)),
      ]
      XCTAssertEqual(errors, [nil, nil])
      numbers.append(try number(folder))
      let contents = try Contents([UInt8](Data(contentsOf: folder.file("journal"))))
      XCTAssertEqual(contents.records.map(\.body), [line, "x"])
      XCTAssertEqual(contents.damage, [], "nothing is left of what the file was before")
    }
    XCTAssertEqual(Set(numbers).count, 2)
    XCTAssertEqual(numbers[0], numbers[2])
    XCTAssertEqual(numbers[1], numbers[5])
    XCTAssertEqual(system.calls.count { $0 == .createFile }, 2)
    XCTAssertEqual(folder.names.count, 2)
    await journal.close(removing: false)
    XCTAssertEqual(folder.names, ["journal"])
  }

  private func number(_ folder: TemporaryFolder) throws -> UInt64 {
    try PosixFileSystem().lookUp(path: folder.file("journal").path).identity.number
  }

  func testFileThatMayStillBeTheJournalIsNotOverwritten() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let system = ScriptedFileSystem(isArmed: false) { call, _ in call == .synchronizeFolder ? .failure(EIO) : nil }
    let journal = JournalWorker(folder.file("journal").path, system: system)
    _ = try await open(journal)
    _ = await journal.commit(write(["a"], isWhole: true))
    // The link keeps the file reachable, whatever name it has.
    try FileManager.default.linkItem(at: folder.file("journal"), to: folder.file("first"))
    let bytes = try Data(contentsOf: folder.file("first"))
    system.arm()
    for sequence: UInt64 in 2...5 {
      expect(await journal.commit(write(["b"], from: sequence, isWhole: true)) != nil)
    }
    XCTAssertEqual(try Data(contentsOf: folder.file("first")), bytes)
    await journal.close(removing: true)
  }

  func testKillDuringARewriteLosesNothingAndLeavesNoExtraFiles() async throws {
    var call = 0
    var isOver = false
    while !isOver {
      let folder = try TemporaryFolder(isInMemory: true)
      let death = call
      let system = ScriptedFileSystem { _, number in number >= death ? .death : nil }
      let journal = JournalWorker(folder.file("journal").path, system: system)
      var acknowledged: UInt64 = 0
      if (try? await open(journal)) != nil {
        for sequence: UInt64 in 1...4 {
          let error = await journal.commit(write(["a"], from: sequence, isWhole: true))
          if error == nil { acknowledged = sequence }
        }
        await journal.close(removing: false)
      }
      isOver = !system.isDead
      let next = file(in: folder)
      let found = try await open(next)
      XCTAssertGreaterThanOrEqual(found.contents.records.last?.sequence ?? 0, acknowledged)
      XCTAssertFalse(found.isDamaged)
      expect(await next.commit(write(["b"], from: 9, isWhole: true)) == nil)
      await next.close(removing: false)
      XCTAssertEqual(folder.names, ["journal"], "call \(call)")
      call += 1
    }
    XCTAssertGreaterThan(call, 30)
  }

  func testNewFoldersAreSynchronized() async throws {
    let folder = try TemporaryFolder()
    let system = ScriptedFileSystem()
    let path = folder.file("a/b//c/journal").path
    let journal = JournalWorker(path, system: system)
    expectEqual(try await journal.open(newWriter: 7, makesFolder: true, as: Line.self).contents.records, [])
    let isMaking: Set<ScriptedFileSystem.Call> = [.makeFolder, .synchronizeFolder]
    let calls = system.calls.filter(isMaking.contains)
    XCTAssertEqual(
      calls.prefix(6),
      [.makeFolder, .synchronizeFolder, .makeFolder, .synchronizeFolder, .makeFolder, .synchronizeFolder])
    await journal.close(removing: true)
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a/b/c").path)
    XCTAssertEqual(attributes[.posixPermissions] as? NSNumber, 0o700)
    let again = ScriptedFileSystem()
    let other = JournalWorker(path, system: again)
    _ = try await other.open(newWriter: 7, makesFolder: true, as: Line.self)
    XCTAssertFalse(again.calls.contains(.makeFolder))
    await other.close(removing: true)
  }

  /// Otherwise its journal is in a folder that only the user can open.
  func testFolderOfThePrivateGroupIsUsedIfItHasNoAccessControlList() async throws {
    try XCTSkipUnless(PosixFileSystem().isPrivateGroup(getegid()), "the user has no group alone")
    let cases: [(permissions: mode_t, ofList: Int32?, isUsed: Bool)] = [
      (0o770, nil, true), (0o770, EIO, false), (0o772, nil, false),
    ]
    for (permissions, code, isUsed) in cases {
      let folder = try TemporaryFolder()
      XCTAssertEqual(unsafe chmod(folder.url.path, permissions), 0)
      let system = ScriptedFileSystem { call, _ in call == .accessControlList ? code.map { .failure($0) } : nil }
      let journal = JournalWorker(folder.file("journal").path, system: system)
      _ = try? await open(journal)
      XCTAssertEqual(folder.names.contains("journal"), isUsed)
      await journal.close(removing: true)
    }
  }

  func testFailureToMakeAFolderIsReportedAndLeavesNoFolder() async throws {
    let folder = try TemporaryFolder()
    for (call, code) in [(ScriptedFileSystem.Call.makeFolder, EACCES), (.synchronizeFolder, EIO)] {
      let system = ScriptedFileSystem { made, _ in made == call ? .failure(code) : nil }
      let journal = JournalWorker(folder.file("a/journal").path, system: system)
      do {
        _ = try await journal.open(newWriter: 7, makesFolder: true, as: Line.self)
        XCTFail("no error")
      } catch {
        XCTAssertEqual(error, JournalError(step: .openFolder, reason: .system(SystemError(code: code))))
      }
      // A folder that is left would be taken for one that was synchronized.
      XCTAssertEqual(folder.names, [])
    }
  }

  func testSecondWorkerCannotOpenTheFile() async throws {
    let folder = try TemporaryFolder()
    let (first, second) = (file(in: folder), file(in: folder))
    _ = try await open(first)
    do {
      _ = try await open(second)
      XCTFail("two have the journal")
    } catch {
      XCTAssertEqual(error as? JournalError, JournalError(step: .open, reason: .inUse))
    }
    await first.close(removing: false)
    _ = try await open(second)
  }

  func testFirstWriteMovesADamagedFileAside() async throws {
    let folder = try TemporaryFolder()
    try folder.put("Dear diary, this is no journal at all.", "journal", permissions: 0o600)
    let journal = file(in: folder)
    expect(try await open(journal).isDamaged)
    expect(await journal.setAside() == nil)
    expect(await journal.commit(write(["a"], isWhole: true)) == nil)
    let name = await journal.setAside()
    XCTAssertEqual(folder.names, ["journal", try XCTUnwrap(name)].sorted())
    XCTAssertEqual(folder.text(try XCTUnwrap(name)), "Dear diary, this is no journal at all.")
  }

  func testTruncatedFileIsRewrittenBeforeACommitSucceeds() async throws {
    for size in [0, 10, 70, 5000] {
      let folder = try TemporaryFolder()
      let journal = file(in: folder)
      _ = try await open(journal)
      let path = folder.file("journal").path
      _ = await journal.commit(write(["a", "b", "c"], isWhole: true))
      let contents = try Data(contentsOf: folder.file("journal"))
      XCTAssertEqual(unsafe truncate(path, off_t(size)), 0)
      let refused = await journal.commit(write(["d"], from: 4))
      XCTAssertEqual(refused, JournalError(step: .write, reason: .vanished), "\(size) bytes")
      expect(await journal.commit(write(["a", "b", "c", "d"], isWhole: true)) == nil)
      expect(await journal.commit(write(["e"], from: 5)) == nil)
      // A file that lost records is kept. A file that only lost the zeros after them has nothing worth keeping.
      let name = await journal.setAside()
      XCTAssertEqual(name != nil, (1..<100).contains(size), "\(size) bytes")
      if let name { XCTAssertEqual(try Data(contentsOf: folder.file(name)), contents.prefix(size)) }
      await journal.close(removing: false)
      XCTAssertEqual(folder.names, ["journal", name].compactMap(\.self).sorted())
      let found = try await open(file(in: folder))
      XCTAssertEqual(found.contents.records.map(\.body), ["a", "b", "c", "d", "e"])
      XCTAssertFalse(found.isDamaged)
    }
  }

  func testEachTruncatedFileIsMovedAside() async throws {
    let folder = try TemporaryFolder()
    let journal = file(in: folder)
    _ = try await open(journal)
    var names: Set<String> = []
    for sequence: UInt64 in [1, 11, 21] {
      // The file is moved aside even if the next write is a rewrite anyway.
      _ = await journal.commit(write(["a"], from: sequence, isWhole: true))
      XCTAssertEqual(unsafe truncate(folder.file("journal").path, off_t(40 + sequence)), 0)
      expect(await journal.commit(write(["b"], from: sequence + 1, isWhole: true)) == nil)
      let name = await journal.setAside()
      names.insert(try XCTUnwrap(name))
    }
    XCTAssertEqual(names.count, 3)
    XCTAssertEqual(folder.names.count { $0.contains(".damaged-") }, 3)
    XCTAssertEqual(Set(names.compactMap { try? Data(contentsOf: folder.file($0)).count }), [41, 51, 61])
    await journal.close(removing: true)
  }

  func testTruncatedJournalKeepsItsNameUntilItIsReplacedWithoutLinks() async throws {
    let folder = try TemporaryFolder()
    let path = folder.file("journal").path
    let system = ScriptedFileSystem(isArmed: false) { call, _ in
      XCTAssertTrue(FileManager.default.fileExists(atPath: path), "\(call)")
      return call == .linkFile ? .failure(EPERM) : nil
    }
    let journal = JournalWorker(path, system: system)
    _ = try await open(journal)
    _ = await journal.commit(write(["a", "b", "c"], isWhole: true))
    XCTAssertEqual(unsafe truncate(path, 70), 0)
    system.arm()
    expect(await journal.commit(write(["a", "b", "c"], isWhole: true)) == nil)
    let name = await journal.setAside()
    XCTAssertEqual(try Data(contentsOf: folder.file(try XCTUnwrap(name))).count, 70)
    await journal.close(removing: false)
  }

  func testForgettingRemovesDamagedFilesAndKeepsNone() async throws {
    let folder = try TemporaryFolder()
    try folder.put("Dear diary, this is no journal at all.", "journal", permissions: 0o600)
    let journal = file(in: folder)
    _ = try await open(journal)
    _ = await journal.commit(write(["a"], isWhole: true))
    XCTAssertEqual(folder.names.count, 2)
    let record = Record(sequence: 2, body: "b")
    expect(
      await journal.commit(JournalWrite(records: [record], isWhole: true, isSynchronized: true, forgets: true)) == nil)
    XCTAssertEqual(folder.names, ["journal"])
    await journal.close(removing: true)
  }

  func testManyRecordsAreWrittenInPieces() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let system = ScriptedFileSystem()
    let journal = JournalWorker(folder.file("journal").path, system: system)
    _ = try await open(journal)
    let line = Line(text: String(repeating: "a", count: 600_000))
    expect(await journal.commit(write([line, line, line], isWhole: true)) == nil)
    XCTAssertEqual(system.calls.count { $0 == .overwrite }, 4, "three for the records, one for the zeros after them")
    await journal.close(removing: true)
  }

  func testCommitToAFileThatIsNotOpenFails() async throws {
    let folder = try TemporaryFolder()
    expectEqual(await file(in: folder).commit(write(["a"], isWhole: true)), JournalError(step: .write, reason: .closed))
    XCTAssertEqual(folder.names, [])
  }
}
