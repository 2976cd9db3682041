import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The journal of a writer as version 1 of the format has it.
///
/// If a test fails here, the format has changed, and users have journals that this code can't read: `docs/releasing.md`
/// says what to do.
final class FileChangeWriterGoldenTests: XCTestCase {
  private typealias Body = FileChangeWriter._JournalBody

  /// The journal with `records`.
  ///
  /// Run this test with `UNSAVED_GOLDEN=1` to print such bytes.
  private static let journal = """
    VU5TQVZFREoBAAAABwAAAAAAAABjAAAAAAAAAEFRUMRKUk4yIgAAAGMAAAAAAAAAAQAAAAAAAAD/p4kuARUAAAAvdW5zYXZlZC1nb2xkZW4vdG9k
    YXlCdXkgbWlsa5le0UdKUk4yWAAAAGMAAAAAAAAAAgAAAAAAAABN0GZHERMAAAAvdW5zYXZlZC1nb2xkZW4vbmV3AgEAAAAAAAAAAgAAAAAAAAAD
    AAAAAAAAAPz/////////BQAAAAAAAAD6/////////wcAAAAAAAAACAAAAE5ld7War09KUk4yIAAAAGMAAAAAAAAAAwAAAAAAAADLsnbSIRgAAAAv
    dW5zYXZlZC1nb2xkZW4vcmVwbGFjZWRPbGTjSCRnSlJOMhkAAABjAAAAAAAAAAQAAAAAAAAALqqDLgIUAAAAL3Vuc2F2ZWQtZ29sZGVuL2RvbmUm
    zshDSlJOMmYAAABjAAAAAAAAAAUAAAAAAAAAmw5YPxMUAAAAL3Vuc2F2ZWQtZ29sZGVuL2RvbmUAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAABAAAAAAAAAAEAAAAAAAAANe4pXdKUlMy/wAAAGMAAAAAAAAABwAAAAAAAAAbSSqQBRQA
    AAAvdW5zYXZlZC1nb2xkZW4vbGlzdAMAAAAeAAAAARQAAAAvdW5zYXZlZC1nb2xkZW4vbGlzdEZsb3VyVAAAABISAAAAL3Vuc2F2ZWQtZ29sZGVu
    L8OpAgEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAPz/////////BQAAAAAAAAD6/////////wcAAAAAAAAACAAAAGQAAAAUEQAAAC91bnNhdmVkLWdv
    bGRlbi9hAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC91bnNhdmVkLWdvbGRlbi9i
    EqkGCEpSTjIVAQAAYwAAAAAAAAAIAAAAAAAAAJN1YpYGFAAAAC91bnNhdmVkLWdvbGRlbi9saXN0BwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAgEAAAAAAAAAAgAAAAAAAAADAAAAAAAAAPz/////////BQAAAAAAAAD6
    /////////wcAAAAAAAAACAAAAAIBAAAAAAAAAAIAAAAAAAAAAwAAAAAAAAD8/////////wUAAAAAAAAA+v////////8HAAAAAAAAAAgAAAAAAAAA
    AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAp0V71kpSTjI+AAAAYwAAAAAAAAAJAAAAAAAA
    AAtWRXQFFAAAAC91bnNhdmVkLWdvbGRlbi9oZWxkAQAAAB0AAAABFAAAAC91bnNhdmVkLWdvbGRlbi9oZWxkSGVsZPUywwpKUk4yIgAAAGMAAAAA
    AAAACgAAAAAAAABMJPa3BxQAAAAvdW5zYXZlZC1nb2xkZW4vaGVsZAkAAAAAAAAAAT6uvjRKUk4yOgAAAGMAAAAAAAAACwAAAAAAAACxcjI7BRQA
    AAAvdW5zYXZlZC1nb2xkZW4vZ29uZQEAAAAZAAAAAhQAAAAvdW5zYXZlZC1nb2xkZW4vZ29uZZkAWphKUk4yIgAAAGMAAAAAAAAADAAAAAAAAABv
    XJMEBxQAAAAvdW5zYXZlZC1nb2xkZW4vZ29uZQsAAAAAAAAAAHl23zY=
    """

  /// No such folder exists, so that a writer that opens the journal changes no file.
  private static let folder = "/unsaved-golden"

  private func path(_ name: String) -> FileChange.Path { FileChange.Path(Self.folder + "/" + name) }

  private var version: FileChange.Version {
    FileChange.Version(
      stamp: FileStamp(
        device: 1, number: 2, size: 3, seconds: -4, nanoseconds: 5, changeSeconds: -6, changeNanoseconds: 7),
      checksum: 8)
  }

  /// A change that waits, one with a version, one that was replaced, one that is done, and two batches: one that is
  /// being applied, and one that failed.
  private var records: [FileChangeWriter._JournalRecord] {
    let batch: [FileChange] = [
      .write("Flour", to: path("list")), FileChange.remove(path("é")).based(on: version),
      FileChange.move(path("a"), to: path("b")).based(on: .absent),
    ]
    return [
      .init(sequence: 1, body: .change(.write("Buy milk", to: path("today")))),
      .init(sequence: 2, body: .change(FileChange.write("New", to: path("new")).based(on: version))),
      .init(sequence: 3, body: .superseded(.write("Old", to: path("replaced")))),
      .init(sequence: 4, body: .change(.remove(path("done")))),
      .init(sequence: 5, body: .completed(path("done"), 4...4, leaving: .absent)),
      .init(sequence: 7, body: .batch(batch)),
      .init(sequence: 8, body: .planned(path("list"), 7, [.absent, version, version, .absent])),
      .init(sequence: 9, body: .batch([.write("Held", to: path("held"))])),
      .init(sequence: 10, body: .ended(path("held"), 9, .rolledBack)),
      .init(sequence: 11, body: .batch([.remove(path("gone"))])),
      .init(sequence: 12, body: .ended(path("gone"), 11, .done)),
    ]
  }

  private var remade: [UInt8] {
    records.reduce(into: JournalHeader(writer: 7, identity: 99).bytes) { bytes, record in
      record.append(to: &bytes, identity: 99, isSynchronized: record.sequence == 7)
    }
  }

  func testJournalOfVersion1IsReadAsItWasWritten() async throws {
    let golden = try await GoldenFile(Self.journal) { remade }
    let contents = try FileChangeWriter._JournalContents(golden.bytes)
    XCTAssertEqual(contents.writer, 7)
    XCTAssertEqual(contents.nextSequence, 13)
    XCTAssertEqual(contents.damage, [])
    XCTAssertFalse(contents.isDamaged)
    XCTAssertEqual(contents.records, records)
    XCTAssertEqual(golden.bytes, remade, "today's code writes the same records in another way")
  }

  func testWriterOpensAJournalOfVersion1() async throws {
    let golden = try await GoldenFile(Self.journal) { [] }
    let folder = try TemporaryFolder()
    try folder.put(golden.bytes, "journal")
    let writer = try await journaledWriter(in: folder)
    XCTAssertTrue(try XCTUnwrap(writer.recovery).isIntact)
    XCTAssertEqual(writer.recovery?.changeCount, 4)
    try? await writer.flush()
    let failures = await writer.failures
    XCTAssertEqual(
      Set(failures.map(\.change)),
      [
        .write("Buy milk", to: path("today")), FileChange.write("New", to: path("new")).based(on: version),
        .write("Flour", to: path("list")), .write("Held", to: path("held")),
      ])
    XCTAssertEqual(failures.map(\.batch.count).sorted(), [0, 0, 1, 3])
    await writer.removeFailures()
    try await writer.close()
  }
}
