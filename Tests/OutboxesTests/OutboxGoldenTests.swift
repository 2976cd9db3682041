import Foundation
import Journals
import Outboxes
import TestSupport
import XCTest

/// The journal of an outbox as version 1 of the format has it.
///
/// If a test fails here, the format has changed, and users have journals that this code can't read: `docs/releasing.md`
/// says what to do.
final class OutboxGoldenTests: XCTestCase {
  private typealias Box = Outbox<Joined>

  /// The journal with `records`.
  ///
  /// Run this test with `UNSAVED_GOLDEN=1` to print such bytes.
  private static let journal = """
    VU5TQVZFREoBAAAAAQAAAAAAAABjAAAAAAAAAKeQoONKUk4yBwAAAGMAAAAAAAAAAQAAAAAAAAAwT9IwR0pvaW5lZHgNoctKUk4yMAAAAGMAAAAA
    AAAAAgAAAAAAAAAvL0HhQQcAAAAAAAAAAQAAAAAAAAADAAAAAQAAADF7ImtleSI6MSwidmFsdWVzIjpbMV196wXsqUpSTjIRAAAAYwAAAAAAAAAD
    AAAAAAAAADNkKWtIBwAAAAAAAAABAAAAAAAAAMslpgxKUk4yIgAAAGMAAAAAAAAABAAAAAAAAAC1WKhGRAcAAAAAAAAAAQAAAAAAAAACAAAACQAA
    AG5vIGFuc3dlcn53T/RKUk4yMAAAAGMAAAAAAAAABQAAAAAAAAArKhgbQQcAAAAAAAAAAgAAAAAAAAADAAAAAQAAADJ7ImtleSI6MiwidmFsdWVz
    IjpbMl19UdEnFEpSTjI2AAAAYwAAAAAAAAAGAAAAAAAAAMyc1HNFBwAAAAAAAAACAAAAAAAAAAcAAAAAAAAAAgAAAAAAAAABAAAADQAAAMOpIGlz
    IG5vIG5hbWU4EJzCSlJOMjAAAABjAAAAAAAAAAcAAAAAAAAAZdBgiUEHAAAAAAAAAAMAAAAAAAAAAwAAAAEAAAAzeyJrZXkiOjMsInZhbHVlcyI6
    WzNdfWhPxYNKUk4yEQAAAGMAAAAAAAAACAAAAAAAAACA51bySAcAAAAAAAAAAwAAAAAAAACF396eSlJOMhUAAABjAAAAAAAAAAkAAAAAAAAAU0Rl
    ZkkHAAAAAAAAAAMAAAAAAAAAAgAAAKWLlo9KUk4yFQAAAGMAAAAAAAAACgAAAAAAAAA6wyG9SQcAAAAAAAAAAwAAAAAAAAD/////HBxph0pSTjIw
    AAAAYwAAAAAAAAALAAAAAAAAANJWRupBBwAAAAAAAAAEAAAAAAAAAAMAAAABAAAANHsia2V5Ijo0LCJ2YWx1ZXMiOls0XX3UDlxqSlJOMkAAAABj
    AAAAAAAAAAwAAAAAAAAAbofAc0IHAAAAAAAAAAUAAAAAAAAABwAAAAAAAAAEAAAAAAAAAAMAAAABAAAANHsia2V5Ijo0LCJ2YWx1ZXMiOls1XX35
    2WFMSlJOMjAAAABjAAAAAAAAAA0AAAAAAAAA8S4jWUEHAAAAAAAAAAYAAAAAAAAAAwAAAAEAAAA2eyJrZXkiOjYsInZhbHVlcyI6WzZdfVdEdUBK
    Uk4yIQAAAGMAAAAAAAAADgAAAAAAAADmvi/PSgcAAAAAAAAABgAAAAAAAACgLBAAAAAAAGDqAAAAAAAAh1lYjkpSTjIwAAAAYwAAAAAAAAAPAAAA
    AAAAAL/UW8tBBwAAAAAAAAAHAAAAAAAAAAMAAAABAAAAN3sia2V5Ijo3LCJ2YWx1ZXMiOls3XX1u2pfXSlJOMhEAAABjAAAAAAAAABAAAAAAAAAA
    7uobNEMHAAAAAAAAAAcAAAAAAAAAEzYQq0pSTjIwAAAAYwAAAAAAAAARAAAAAAAAAPKhc75BBwAAAAAAAAAIAAAAAAAAAAMAAAABAAAAOHsia2V5
    Ijo4LCJ2YWx1ZXMiOls4XX3esauWSlJOMi4AAABjAAAAAAAAABIAAAAAAAAAzzxHE0UHAAAAAAAAAAgAAAAAAAAABwAAAAAAAAAIAAAAAAAAAAEA
    AAAFAAAAbGF0ZXIFwcoPSlJOMhEAAABjAAAAAAAAABMAAAAAAAAAh21f70YHAAAAAAAAAAgAAAAAAAAAH+zpNkpSTjIwAAAAYwAAAAAAAAAUAAAA
    AAAAALheUtZBBwAAAAAAAAAJAAAAAAAAAAMAAAABAAAAOXsia2V5Ijo5LCJ2YWx1ZXMiOls5XX3nL0kBSlJOMhEAAABjAAAAAAAAABUAAAAAAAAA
    pBU6XEgHAAAAAAAAAAkAAAAAAAAAESGdTkpSTjIRAAAAYwAAAAAAAAAWAAAAAAAAAM2SfodLoCwQAAAAAABg6gAAAAAAAB+gLuQ=
    """

  private func id(_ number: UInt64) -> _OutboxID { _OutboxID(opening: 7, number: number) }

  /// The contents as text, because an encoder may write the properties in any order.
  private func contents(_ key: Int, _ values: String) -> _OutboxContents {
    _OutboxContents(Data(#"{"key":\#(key),"values":[\#(values)]}"#.utf8), key: Data("\(key)".utf8), version: 3)
  }

  private func minute() -> _OutboxRecord.Wait { .init(.seconds(60), from: Date(timeIntervalSince1970: 1000)) }

  /// Changes in every state, and a pause of all.
  private var records: [_OutboxRecord] {
    [
      .type("Joined"),
      .change(id(1), joins: nil, contents(1, "1")),
      .begun(id(1)), .failed(id(1), .init(attempts: 2, reason: "no answer")),
      .change(id(2), joins: nil, contents(2, "2")),
      .refused(id(2), .init(attempts: 1, reason: "é is no name"), takenAs: id(2)),
      .change(id(3), joins: nil, contents(3, "3")),
      .begun(id(3)), .ended(id(3), interruptions: 2), .ended(id(3), interruptions: nil),
      .change(id(4), joins: nil, contents(4, "4")),
      .change(id(5), joins: id(4), contents(4, "5")),
      .change(id(6), joins: nil, contents(6, "6")),
      .delayed(id(6), minute()),
      .change(id(7), joins: nil, contents(7, "7")),
      .left(id(7)),
      .change(id(8), joins: nil, contents(8, "8")),
      .refused(id(8), .init(attempts: 1, reason: "later"), takenAs: id(8)), .requeued(id(8)),
      .change(id(9), joins: nil, contents(9, "9")),
      .begun(id(9)),
      .paused(minute()),
    ]
  }

  private var remade: [UInt8] {
    records.enumerated().reduce(into: JournalHeader(writer: 1, identity: 99).bytes) { bytes, record in
      JournalRecord(sequence: UInt64(record.offset + 1), body: record.element).append(to: &bytes, identity: 99)
    }
  }

  func testJournalOfVersion1IsReadAsItWasWritten() async throws {
    let golden = try await GoldenFile(Self.journal) { remade }
    let contents = try JournalContents<_OutboxRecord>(golden.bytes)
    XCTAssertEqual(contents.writer, 1)
    XCTAssertEqual(contents.damage, [])
    XCTAssertFalse(contents.isDamaged)
    XCTAssertEqual(contents.records.map(\.body), records)
    XCTAssertEqual(golden.bytes, remade, "today's code writes the same records in another way")
  }

  func testOutboxOpensAJournalOfVersion1() async throws {
    let golden = try await GoldenFile(Self.journal) { [] }
    let folder = try TemporaryFolder()
    try folder.put(golden.bytes, "outbox")
    let server = Server<Joined>()
    var outbox = try await Box.open(in: folder, to: server, date: 1020)
    XCTAssertTrue(outbox.recovery.isIntact)
    let pending = await outbox.pending
    XCTAssertEqual(
      pending.map { "\($0.id) \($0.change.values) \($0.attempts) \($0.failureReason ?? "-")" }.sorted(),
      [
        "0000000000000007-1 [1] 2 no answer", "0000000000000007-3 [3] 0 -", "0000000000000007-5 [4, 5] 0 -",
        "0000000000000007-6 [6] 0 -", "0000000000000007-8 [8] 0 -", "0000000000000007-9 [9] 0 -",
      ])
    let failures = await outbox.failures
    XCTAssertEqual(
      failures.map { "\($0.id) \($0.change.values) \($0.failureReason ?? "-")" },
      ["0000000000000007-2 [2] é is no name"])
    expectEqual(await server.received.count, 0, "the server asked for a pause")
    await outbox.close()

    // The pause and the delay are over.
    try folder.put(golden.bytes, "outbox")
    outbox = try await Box.open(in: folder, to: server, clock: ContinuousClock(), date: 2000)
    try await outbox.drain()
    expectEqual(await server.values.sorted { $0[0] < $1[0] }, [[1], [3], [4, 5], [6], [8], [9]])
    await outbox.close()
  }
}
