import Journals
import TestSupport
import XCTest

final class JournalContentsTests: XCTestCase {
  private let header = JournalHeader(writer: 7, identity: 99).bytes

  private func bytes(_ records: [Record], identity: UInt64 = 99) -> [UInt8] {
    records.reduce(into: []) { $1.append(to: &$0, identity: identity) }
  }

  private let records = [
    Record(sequence: 3, body: "Buy milk"), Record(sequence: 4, body: "é"), Record(sequence: 6, body: "0...3"),
    Record(sequence: 9, body: ""),
  ]

  private func read(_ bytes: [UInt8]) -> Contents? { try? Contents(bytes) }

  func testRecordsAreReadAsTheyWereWritten() throws {
    let contents = try Contents(header + bytes(records))
    XCTAssertEqual(contents.records, records)
    XCTAssertEqual(contents.writer, 7)
    XCTAssertEqual(contents.nextSequence, 10)
    XCTAssertEqual(contents.damage, [])
    for record in records { XCTAssertEqual(record.byteCount, bytes([record]).count) }
  }

  func testFileFormatHasNotChanged() {
    // Every later version must be able to read existing journals. This is version 1, byte by byte.
    let record = Record(sequence: 2, body: "x")
    let hex = (header + bytes([record])).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    XCTAssertTrue(hex.hasPrefix("554e53415645444a" + "01000000" + "0700000000000000" + "6300000000000000"))
    XCTAssertTrue(
      hex.dropFirst(64).hasPrefix("4a524e32" + "02000000" + "6300000000000000" + "0200000000000000"), hex)
    XCTAssertTrue(hex.dropFirst(120).hasPrefix("01" + "78"), hex)
  }

  func testEmptyFileIsAJournalWithoutRecords() throws {
    let contents = try Contents([])
    XCTAssertNil(contents.writer)
    XCTAssertEqual(contents.records, [])
    XCTAssertEqual(contents.damage, [])
  }

  func testFileThatIsNotAJournalIsRefused() {
    let texts = ["x", "Dear diary,", String(repeating: "A long letter. ", count: 100)]
    let archive = Array(String(repeating: "tar ", count: 16).utf8) + header + bytes(records)
    for bytes in texts.map({ Array($0.utf8) }) + [Array(repeating: 0, count: 4096), archive] {
      XCTAssertThrowsError(try Contents(bytes)) { error in
        XCTAssertEqual(error as? JournalRefusal, .unreadable)
      }
    }
  }

  func testJournalOfANewerVersionIsRefused() {
    var newer = Array(header[..<28])
    newer[8] = 2
    let checksum = Checksum.value(of: newer[...])
    newer += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    XCTAssertThrowsError(try Contents(newer + bytes(records))) { error in
      XCTAssertEqual(error as? JournalRefusal, .newerVersion)
    }
  }

  func testIntactRecordOfALaterVersionIsRefusedButADamagedOneIsSkipped() {
    var bytes = header + bytes([Record(sequence: 1, body: "x")])
    let payload = 60..<62
    for kind: UInt8 in [0, 2, 0xFF] {
      bytes[payload.lowerBound] = kind
      XCTAssertEqual(read(bytes)?.damage.count, 1, "the checksum is not right")
      var intact = bytes
      let checksum = Checksum.value(of: intact[payload])
      XCTAssertNotEqual(checksum >> 24, 0)
      for index in 0..<4 { intact[payload.upperBound + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
      XCTAssertThrowsError(try Contents(intact)) { error in
        XCTAssertEqual(error as? JournalRefusal, .newerVersion)
      }
    }
  }

  func testTruncationLosesOnlyTheRecordsItCuts() {
    let all = header + bytes(records)
    var ends = [header.count]
    for record in records { ends.append(ends.last! + record.byteCount) }
    for count in header.count...all.count {
      let intact = ends.lastIndex { $0 <= count } ?? 0
      let end = all[..<count].lastIndex { $0 != 0 }! + 1
      for zeros in [0, 1, 3, 5000] {
        let contents = read(Array(all[..<count]) + Array(repeating: 0, count: zeros))
        XCTAssertEqual(contents?.records, Array(records[..<intact]), "\(count)")
        XCTAssertEqual(contents?.damage, ends[intact] == count ? [] : [ends[intact]..<end], "\(count)")
        XCTAssertEqual(contents?.isDamaged, false, "\(count), \(zeros) zeros")
      }
    }
    for count in 1..<header.count { XCTAssertNil(read(Array(all[..<count]))) }
  }

  func testEveryFlippedBitIsDetectedAndLosesAtMostOneRecord() {
    let all = header + bytes(records)
    var ends = [header.count]
    for record in records { ends.append(ends.last! + record.byteCount) }
    for (zeros, bit) in [0, 1000].flatMap({ zeros in (0..<all.count * 8).map { (zeros, $0) } }) {
      var damaged = all + Array(repeating: 0, count: zeros)
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      guard let contents = read(damaged) else { return XCTFail("bit \(bit): all was lost") }
      XCTAssertTrue(contents.isDamaged, "bit \(bit)")
      if bit / 8 < header.count {
        XCTAssertEqual(contents.records, records, "bit \(bit)")
        XCTAssertEqual(contents.damage, [0..<header.count], "bit \(bit)")
        XCTAssertNil(contents.writer)
      } else {
        let hit = ends.lastIndex { $0 <= bit / 8 }!
        var expected = records
        expected.remove(at: hit)
        XCTAssertEqual(contents.records, expected, "bit \(bit)")
        XCTAssertEqual(contents.damage, [ends[hit]..<ends[hit + 1]], "bit \(bit)")
      }
    }
  }

  func testUnwrittenBlocksAtTheEndAreNotDamage() {
    let long = Record(sequence: 10, body: Line(text: String(repeating: "x", count: 3000)))
    let all = header + bytes(records + [long])
    let start = all.count - long.byteCount
    for block in 1...all.count / 512 {
      let zeros = all[..<(512 * block)] + Array(repeating: 0, count: all.count - 512 * block + 700)
      XCTAssertEqual(read(Array(zeros))?.isDamaged, false, "\(block)")
    }
    let nothing = all[..<start] + Array(repeating: 0, count: 3000)
    XCTAssertEqual(read(Array(nothing))?.isDamaged, false, "nothing of it came there")
    for (name, place) in [("payload", all.count - 1), ("frame", start + 8)] {
      var other = all
      other[place] ^= 1
      XCTAssertEqual(read(other)?.isDamaged, true, name)
      XCTAssertEqual(read(other + Array(repeating: 0, count: 600))?.isDamaged, true, "\(name), and zeros")
    }
    // A torn record with another identity or an old sequence number is damage, because no writer leaves one.
    for (identity, sequence) in [(98, 10), (99, 9)] as [(UInt64, UInt64)] {
      let stale = bytes([Record(sequence: sequence, body: long.body)], identity: identity)
      XCTAssertEqual(read(header + bytes(records) + stale.dropLast())?.isDamaged, true)
    }
  }

  func testUnreadableBytesAreDamage() throws {
    let all = header + bytes(records)
    XCTAssertEqual(try Contents(all, unreadCount: 10).damage, [all.count..<all.count + 10])
    XCTAssertEqual(try Contents([], unreadCount: 10).damage, [0..<10])
  }

  func testLostBeginningLosesOnlyItsOwnRecords() {
    let all = header + bytes(records)
    // A sector that reads as zeros, or as other bytes after an intact signature.
    for count in header.count..<header.count + records[0].byteCount {
      let zeros = Array(repeating: UInt8(0), count: count) + all[count...]
      XCTAssertEqual(read(zeros)?.records, Array(records[count == header.count ? 0... : 1...]), "\(count)")
    }
    let torn = all[..<8] + Array(repeating: 0x5A, count: 40) + all[48...]
    XCTAssertEqual(read(Array(torn))?.records, Array(records[1...]))
  }

  func testLargestSequenceNumberDoesNotTrap() {
    let last = UInt64.max / 2
    let beyond = [last - 1, last, last + 1, .max].map { Record(sequence: $0, body: "a") }
    let contents = read(header + bytes(records + beyond + beyond))
    XCTAssertEqual(contents?.records, records + [beyond[0]])
    XCTAssertEqual(contents?.nextSequence, last)
    XCTAssertEqual(contents?.nextSequenceAnew, 1, "records after the largest number could not be read")
    XCTAssertEqual(read(header + bytes(records))?.nextSequenceAnew, 10)
  }

  func testRandomDamageNeverTrapsAndNeverInventsARecord() {
    let (records, bytes) = (records, header + bytes(records))
    withSeeds(300) { random in
      var all = bytes
      for _ in 0..<Int.random(in: 1...6, using: &random) {
        let start = Int.random(in: 0..<all.count, using: &random)
        let end = Int.random(in: start...all.count, using: &random)
        switch Int.random(in: 0..<4, using: &random) {
        case 0: all[start] = UInt8.random(in: 0...255, using: &random)
        case 1: all.removeSubrange(start..<min(end, start + 9))
        case 2: all.insert(contentsOf: all[start..<end], at: start)
        default: for index in start..<end { all[index] = 0 }
        }
        if all.isEmpty { break }
      }
      guard let contents = try? Contents(all) else { return }
      for record in contents.records { expect(records.contains(record), "\(record) was never written") }
      let sequences = contents.records.map(\.sequence)
      expectEqual(sequences, Array(Set(sequences)).sorted())
    }
  }

  func testJournalCopiedInsideARecordIsNotReadAsRecords() {
    // A user saves a copy of this journal as the contents of a change, and the frame of its record is damaged.
    let inner = Record(sequence: 5, body: "evil")
    for identity: UInt64 in [99, 98] {
      let copy = header + bytes([inner], identity: identity)
      let outer = Record(sequence: 9, body: Line(bytes: copy))
      let after = Record(sequence: 10, body: "b")
      let before = Record(sequence: 8, body: "a")
      var all = header + bytes([before, outer, after])
      all[header.count + before.byteCount + 4] ^= 1
      XCTAssertEqual(read(all)?.records, [before, after], "\(identity)")
    }
  }

  func testRecordWithAnotherIdentityIsSkipped() {
    let stale = bytes([Record(sequence: 12, body: "a")], identity: 98)
    let contents = read(header + bytes(records) + stale)
    XCTAssertEqual(contents?.records, records)
    XCTAssertEqual(contents?.damage.count, 1)
  }

  func testUndecodableRecordsAreDamage() {
    let good = Record(sequence: 20, body: "b")
    let contents = read(header + bytes([Record(sequence: 1, body: .senseless), good]))
    XCTAssertEqual(contents?.records, [good])
    XCTAssertEqual(contents?.damage.count, 1)
    XCTAssertEqual(read(header + bytes([Record(sequence: .max, body: "a")]))?.records, [])
  }
}
