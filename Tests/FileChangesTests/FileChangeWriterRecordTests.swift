import FileChanges
import Foundation
import Journals
import XCTest

/// What the records of a writer's journal say.
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

  func testFormStaysAsItIs() {
    // What is in a journal must be readable by every later version: this is version 1, byte by byte.
    let record = Record(sequence: 2, body: .change(.write("x", to: "/a")))
    let hex = (header + bytes([record])).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    XCTAssertTrue(hex.hasPrefix("554e53415645444a" + "01000000" + "0700000000000000" + "6300000000000000"))
    XCTAssertTrue(
      hex.dropFirst(64).hasPrefix("4a524e4c" + "08000000" + "6300000000000000" + "0200000000000000"), hex)
    XCTAssertTrue(hex.hasSuffix("01" + "02000000" + "2f61" + "78"), hex)
  }

  func testPayloadOfALaterKindIsRefused() throws {
    var payload = bytes([Record(sequence: 1, body: .change(.write("x", to: "/a")))]).dropFirst(JournalFrame.byteCount)
    XCTAssertEqual(try FileChangeWriter._JournalBody(payload), .change(.write("x", to: "/a")))
    for kind: UInt8 in [0, 4, 0x33, 0x41, 0xFF] {
      payload[payload.startIndex] = kind
      XCTAssertThrowsError(try FileChangeWriter._JournalBody(payload), "\(kind)") { error in
        XCTAssertEqual(error as? JournalRefusal, .newerVersion)
      }
    }
  }

  func testRecordsThatMakeNoSenseAreDamage() {
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

  func testOnlyWhatACompletionRecordNamesIsCompleted() throws {
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

  func testSupersededChangeIsNotCarriedOutAgainAndGoesWithTheCompletion() throws {
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
}
