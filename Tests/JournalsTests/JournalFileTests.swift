import Foundation
import Journals
import TestSupport
import XCTest

/// The file by itself, with a client that writes lines.
final class JournalFileTests: XCTestCase {
  private func file(in folder: TemporaryFolder) -> JournalFile {
    JournalFile(folder.file("journal").path, system: PosixFileSystem())
  }

  private func write(_ lines: [Line], from sequence: UInt64 = 1, isWhole: Bool = false) -> JournalWrite<Line> {
    let records = lines.enumerated().map { Record(sequence: sequence + UInt64($0.offset), body: $0.element) }
    return JournalWrite(records: records, isWhole: isWhole, isSynchronized: true)
  }

  private func open(_ file: JournalFile) async throws -> FoundJournal<Line> { try await file.open(newWriter: 7) }

  func testWhatWasCommittedIsFoundAgain() async throws {
    let folder = try TemporaryFolder()
    let first = file(in: folder)
    let nothing = try await open(first)
    XCTAssertEqual(nothing.contents.records, [])
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

  func testRewritingLeavesOnlyWhatIsGiven() async throws {
    let folder = try TemporaryFolder()
    let first = file(in: folder)
    _ = try await open(first)
    _ = await first.commit(write(["a", "b"], isWhole: true))
    _ = await first.commit(write(["b"], from: 2, isWhole: true))
    await first.close(removing: false)
    let second = file(in: folder)
    let found = try await open(second)
    XCTAssertEqual(found.contents.records, [Record(sequence: 2, body: "b")])
    XCTAssertEqual(folder.names, ["journal"])
  }

  func testOneAtATimeHasTheFile() async throws {
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

  func testDamagedFileIsSetAsideByTheFirstWrite() async throws {
    let folder = try TemporaryFolder()
    try folder.put("Dear diary, this is no journal at all.", "journal", permissions: 0o600)
    let journal = file(in: folder)
    let found = try await open(journal)
    XCTAssertTrue(found.isDamaged)
    let before = await journal.setAside()
    XCTAssertNil(before)
    let error = await journal.commit(write(["a"], isWhole: true))
    XCTAssertNil(error)
    let name = await journal.setAside()
    XCTAssertEqual(folder.names, ["journal", try XCTUnwrap(name)].sorted())
    XCTAssertEqual(folder.text(try XCTUnwrap(name)), "Dear diary, this is no journal at all.")
  }

  func testFileThatIsNotOpenTakesNothing() async throws {
    let folder = try TemporaryFolder()
    let error = await file(in: folder).commit(write(["a"], isWhole: true))
    XCTAssertEqual(error, JournalError(step: .write, reason: .closed))
    XCTAssertEqual(folder.names, [])
  }
}
