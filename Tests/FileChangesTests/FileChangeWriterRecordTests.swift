import FileChanges
import Foundation
import Journals
import XCTest

/// The records of a writer's journal.
final class FileChangeWriterRecordTests: XCTestCase {
  private typealias Contents = FileChangeWriter._JournalContents
  private typealias Record = FileChangeWriter._JournalRecord

  private let header = JournalHeader(writer: 7, identity: 99).bytes

  private func bytes(_ records: [Record], identity: UInt64 = 99) -> [UInt8] {
    records.reduce(into: []) { $1.append(to: &$0, identity: identity) }
  }

  private let records = [
    Record(sequence: 3, body: .change(.write("Buy milk", to: "/notes/today"))),
    Record(sequence: 4, body: .change(.remove("/notes/é"))),
    Record(sequence: 6, body: .completed("/notes/today", 0...3)),
    Record(sequence: 9, body: .change(.write("", to: "/notes/today"))),
  ]

  private func read(_ bytes: [UInt8]) -> Contents? { try? Contents(bytes) }

  func testRecordsAreReadAsTheyWereWritten() throws {
    let contents = try Contents(header + bytes(records))
    XCTAssertEqual(contents.records, records)
    XCTAssertEqual(contents.writer, 7)
    XCTAssertEqual(contents.nextSequence, 10)
    XCTAssertEqual(contents.damage, [])
    XCTAssertEqual(contents.unfinished, [records[1], records[3]])
    for record in records { XCTAssertEqual(record.byteCount, bytes([record]).count) }
  }

  func testFormatOfVersion1DoesNotChange() {
    // Every later version must be able to read these bytes of version 1.
    let record = Record(sequence: 2, body: .change(.write("x", to: "/a")))
    let hex = (header + bytes([record])).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    XCTAssertTrue(hex.hasPrefix("554e53415645444a" + "01000000" + "0700000000000000" + "6300000000000000"))
    XCTAssertTrue(
      hex.dropFirst(64).hasPrefix("4a524e32" + "08000000" + "6300000000000000" + "0200000000000000"), hex)
    XCTAssertTrue(hex.dropFirst(120).hasPrefix("01" + "02000000" + "2f61" + "78"), hex)
  }

  func testPayloadOfAnUnknownKindIsRefused() throws {
    let body = FileChangeWriter._JournalBody.change(.write("x", to: "/a"))
    var payload: [UInt8] = []
    body.append(to: &payload)
    XCTAssertEqual(try FileChangeWriter._JournalBody(payload[...]), body)
    for kind: UInt8 in [0, 8, 0x15, 0x24, 0x33, 0x41, 0xFF] {
      payload[0] = kind
      XCTAssertThrowsError(try FileChangeWriter._JournalBody(payload[...]), "\(kind)") { error in
        XCTAssertEqual(error as? JournalRefusal, .newerVersion)
      }
    }
  }

  func testBatchesAreReadAsTheyWereWritten() throws {
    let stamp = FileStamp(
      device: 1, number: 2, size: 3, seconds: -4, nanoseconds: 5, changeSeconds: -6, changeNanoseconds: 7)
    let version = FileChange.Version(stamp: stamp, checksum: 8)
    let changes: [FileChange] = [
      .write("Buy milk", to: "/notes/today"), FileChange.remove("/notes/é").based(on: version),
      .move("/a", to: "/b"), FileChange.move("/b", to: "/é").based(on: .absent), .write("", to: "/c"),
    ]
    let other: [FileChange] = [.remove("/x")]
    let records: [Record] = [
      .init(sequence: 1, body: .batch(changes)), .init(sequence: 2, body: .batch(other)),
      .init(sequence: 3, body: .planned("/notes/today", 1, [version, .absent])),
      .init(sequence: 4, body: .batch(other)),
      .init(sequence: 5, body: .ended("/x", 2, .done)), .init(sequence: 6, body: .ended("/x", 4, .rolledBack)),
    ]
    let contents = try Contents(header + bytes(records))
    XCTAssertEqual(contents.records, records)
    for record in records { XCTAssertEqual(record.byteCount, bytes([record]).count) }
    XCTAssertEqual(contents.batches.map(\.sequence), [1, 4])
    XCTAssertEqual(contents.batches[0].batch.changes, changes)
    XCTAssertEqual(contents.batches[0].plan?.versions, [version, .absent])
    XCTAssertEqual(contents.batches[0].plan?.versions.map(\.checksum), [8, nil])
    XCTAssertEqual(contents.batches[1].heldSequence, 6)
    XCTAssertEqual(contents.unfinished, [])
    let left = try Contents(header + bytes(records + [.init(sequence: 7, body: .ended("/a", 1, .left))]))
    XCTAssertEqual(left.batches[0].plan?.versions.count, 2)
    XCTAssertEqual(left.batches[0].heldSequence, 7)
  }

  func testInvalidBatchesAreReportedAsDamage() throws {
    let good = Record(sequence: 20, body: .change(.remove("/b")))
    let payloads: [FileChangeWriter._JournalBody] = [
      .batch([]), .batch([.remove("/a"), .remove("relative")]), .batch([.move("/a", to: "/../b")]),
    ]
    for body in payloads {
      let contents = read(header + bytes([Record(sequence: 1, body: body), good]))
      XCTAssertEqual(contents?.records, [good], "\(body)")
      XCTAssertEqual(contents?.damage.count, 1, "\(body)")
    }
    // A payload is read only if it is whole. Flipped bits must not trap; the checksum of the record detects them.
    for body in [
      .batch([.write("x", to: "/a"), .move("/a", to: "/b")]), .planned("/a", 3, [.absent]), .ended("/a", 3, .left),
    ] as [FileChangeWriter._JournalBody] {
      var payload: [UInt8] = []
      body.append(to: &payload)
      XCTAssertEqual(payload.count, body.byteCount)
      XCTAssertEqual(try FileChangeWriter._JournalBody(payload[...]), body)
      for count in payload.indices {
        let cut = try? FileChangeWriter._JournalBody(payload[..<count])
        if case .planned = body, cut != nil { continue }  // one without versions is whole
        XCTAssertNil(cut, "\(count) of \(body)")
      }
      for index in payload.indices {
        for bit in 0..<8 {
          var flipped = payload
          flipped[index] ^= 1 << bit
          _ = try? FileChangeWriter._JournalBody(flipped[...])
        }
      }
    }
  }

  func testInvalidRecordsAreReportedAsDamage() {
    let good = Record(sequence: 20, body: .change(.remove("/b")))
    let senseless: [FileChangeWriter._JournalBody] = [
      .change(.remove("relative")), .change(.write("x", to: "/a/../b")), .change(.remove("/")),
      .change(.remove("/a\0b")),
      .completed("", 1...2),
    ]
    for body in senseless {
      let contents = read(header + bytes([Record(sequence: 1, body: body), good]))
      XCTAssertEqual(contents?.records, [good], "\(body)")
      XCTAssertEqual(contents?.damage.count, 1, "\(body)")
    }
    let beyond = Record(sequence: .max, body: .change(.remove("/a")))
    XCTAssertEqual(read(header + bytes([beyond]))?.records, [])
  }

  func testCompletionRecordEndsOnlyTheChangesThatItNames() throws {
    let changes = (1...6).map { number in
      Record(sequence: number, body: .change(.write("\(number)", to: number % 2 == 0 ? "/b" : "/a")))
    }
    let notes: [Record] = [
      .init(sequence: 7, body: .completed("/a", 0...3)), .init(sequence: 8, body: .completed("/b", 4...4)),
      .init(sequence: 9, body: .completed("/c", 0...9)),
    ]
    let contents = try Contents(header + bytes(changes + notes))
    XCTAssertEqual(contents.unfinished.map(\.sequence), [2, 5, 6])
    XCTAssertEqual(contents.superseded.mapValues { $0.map(\.sequence) }, ["/a": [5], "/b": [2, 6]])
  }

  func testSupersededChangeIsNotAppliedAndEndsWithTheCompletion() throws {
    let superseded = Record(sequence: 1, body: .superseded(.write("1", to: "/a")))
    let change = Record(sequence: 2, body: .change(.write("2", to: "/a")))
    let note = Record(sequence: 3, body: .completed("/a", 0...2, leaving: .absent))
    let before = try Contents(header + bytes([superseded, change]))
    XCTAssertEqual(before.unfinished, [change])
    XCTAssertEqual(
      before.superseded["/a"]?.map(\.change), [.write("1", to: "/a"), .write("2", to: "/a")])
    let after = try Contents(header + bytes([superseded, change, note]))
    XCTAssertEqual(after.unfinished, [])
    XCTAssertTrue(after.superseded.isEmpty)
    XCTAssertEqual(after.versions.map(\.version), [.absent])
  }

  /// Each level would take a part of the stack.
  func testNestedBatchesAreRefused() throws {
    typealias Body = FileChangeWriter._JournalBody
    let one: FileChange = .write("x", to: "/a")
    var (change, batch): ([UInt8], [UInt8]) = ([], [])
    Body.change(one).append(to: &change)
    Body.batch([one]).append(to: &batch)
    // The bytes of the batch before the length of its change.
    let beginning = batch.dropLast(change.count + 4)
    func nested(_ depth: Int) -> [UInt8] {
      let bytes = (0..<depth).reversed().reduce(into: [UInt8]()) { bytes, level in
        let length = UInt32(change.count + level * (beginning.count + 4))
        bytes += beginning + (0..<4).map { UInt8(truncatingIfNeeded: length >> (8 * $0)) }
      }
      return bytes + change
    }
    XCTAssertEqual(nested(1), batch)
    XCTAssertEqual(try Body(nested(1)[...]), .batch([one]))
    for depth in [2, 200_000] { XCTAssertNil(try Body(nested(depth)[...])) }
  }
}
