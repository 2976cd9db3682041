import FileChanges
import Foundation
import TestSupport
import XCTest

final class JournalContentsTests: XCTestCase {
  private let header = _JournalContents.header(writer: 7, identity: 99)

  private func bytes(_ records: [_JournalRecord], identity: UInt64 = 99) -> [UInt8] {
    records.reduce(into: []) { $1.append(to: &$0, identity: identity) }
  }

  private let records = [
    _JournalRecord(sequence: 3, body: .change(.write("Buy milk", to: "/notes/today"))),
    _JournalRecord(sequence: 4, body: .change(.remove("/notes/é"))),
    _JournalRecord(sequence: 6, body: .over("/notes/today", 0...3)),
    _JournalRecord(sequence: 9, body: .change(.write("", to: "/notes/today"))),
  ]

  private func read(_ bytes: [UInt8]) -> _JournalContents? { try? _JournalContents(bytes) }

  func testRecordsAreReadAsTheyWereWritten() throws {
    let contents = try _JournalContents(header + bytes(records))
    XCTAssertEqual(contents.records, records)
    XCTAssertEqual(contents.writer, 7)
    XCTAssertEqual(contents.nextSequence, 10)
    XCTAssertEqual(contents.damage, [])
    XCTAssertEqual(contents.unfinished, [records[1], records[3]])
    for record in records { XCTAssertEqual(record.byteCount, bytes([record]).count) }
  }

  func testFormStaysAsItIs() {
    // What is in a journal must be readable by every later version: this is version 1, byte by byte.
    let record = _JournalRecord(sequence: 2, body: .change(.write("x", to: "/a")))
    let hex = (header + bytes([record])).map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    XCTAssertTrue(hex.hasPrefix("554e53415645444a" + "01000000" + "0700000000000000" + "6300000000000000"))
    XCTAssertTrue(
      hex.dropFirst(64).hasPrefix("4a524e4c" + "08000000" + "6300000000000000" + "0200000000000000"), hex)
    XCTAssertTrue(hex.hasSuffix("01" + "02000000" + "2f61" + "78"), hex)
  }

  func testEmptyFileIsAJournalWithoutRecords() throws {
    let contents = try _JournalContents([])
    XCTAssertNil(contents.writer)
    XCTAssertEqual(contents.records, [])
    XCTAssertEqual(contents.damage, [])
  }

  func testWhatIsNoJournalIsRefused() {
    let texts = ["x", "Dear diary,", String(repeating: "A long letter. ", count: 100)]
    let archive = Array(String(repeating: "tar ", count: 16).utf8) + header + bytes(records)
    for bytes in texts.map({ Array($0.utf8) }) + [Array(repeating: 0, count: 4096), archive] {
      XCTAssertThrowsError(try _JournalContents(bytes)) { error in
        XCTAssertEqual(error as? _JournalContents.Refusal, .unreadable)
      }
    }
  }

  func testJournalOfANewerVersionIsRefused() {
    var newer = Array(header[..<28])
    newer[8] = 2
    let checksum = _Checksum.value(of: newer[...])
    newer += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    XCTAssertThrowsError(try _JournalContents(newer + bytes(records))) { error in
      XCTAssertEqual(error as? _JournalContents.Refusal, .newerVersion)
    }
  }

  func testIntactRecordOfALaterVersionIsRefusedAndADamagedOneIsNot() {
    var bytes = header + bytes([_JournalRecord(sequence: 1, body: .change(.write("x", to: "/a")))])
    let (frame, payload) = (32, 64)
    for kind: UInt8 in [0, 4, 0x33, 0x41, 0xFF] {
      bytes[payload] = kind
      XCTAssertEqual(read(bytes)?.damage.count, 1, "the checksum is not right")
      var intact = bytes
      for (place, range) in [(frame + 24, payload..<bytes.count), (frame + 28, frame..<frame + 28)] {
        let checksum = _Checksum.value(of: intact[range])
        for index in 0..<4 {
          intact[place + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index))
        }
      }
      XCTAssertThrowsError(try _JournalContents(intact)) { error in
        XCTAssertEqual(error as? _JournalContents.Refusal, .newerVersion)
      }
    }
  }

  func testEveryCutLosesOnlyWhatItCuts() {
    let all = header + bytes(records)
    var ends = [header.count]
    for record in records { ends.append(ends.last! + record.byteCount) }
    for count in header.count...all.count {
      let contents = read(Array(all[..<count]))
      let intact = ends.lastIndex { $0 <= count } ?? 0
      XCTAssertEqual(contents?.records, Array(records[..<intact]), "\(count)")
      XCTAssertEqual(contents?.damage, ends[intact] == count ? [] : [ends[intact]..<count], "\(count)")
      XCTAssertEqual(contents?.isDamaged, false, "\(count)")
    }
    for count in 1..<header.count { XCTAssertNil(read(Array(all[..<count]))) }
  }

  func testEveryFlippedBitIsFoundAndCostsOneRecord() {
    let all = header + bytes(records)
    var ends = [header.count]
    for record in records { ends.append(ends.last! + record.byteCount) }
    for bit in 0..<all.count * 8 {
      var damaged = all
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

  func testBlocksThatNeverCameToTheDeviceAreNoDamageAtTheEnd() {
    let long = _JournalRecord(sequence: 10, body: .change(.write(Data(repeating: 7, count: 3000), to: "/long")))
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
    // Torn, but of another file of the journal, or of numbers that are past: a writer does not leave that.
    for (identity, sequence) in [(98, 10), (99, 9)] as [(UInt64, UInt64)] {
      let stale = bytes([_JournalRecord(sequence: sequence, body: long.body)], identity: identity)
      XCTAssertEqual(read(header + bytes(records) + stale.dropLast())?.isDamaged, true)
    }
  }

  func testBytesThatNoDeviceGivesAreDamage() throws {
    let all = header + bytes(records)
    XCTAssertEqual(try _JournalContents(all, unreadCount: 10).damage, [all.count..<all.count + 10])
    XCTAssertEqual(try _JournalContents([], unreadCount: 10).damage, [0..<10])
  }

  func testLostBeginningCostsOnlyWhatWasThere() {
    let all = header + bytes(records)
    // A sector that the device gives as zeros, or as something else behind an intact signature.
    for count in header.count..<header.count + records[0].byteCount {
      let zeros = Array(repeating: UInt8(0), count: count) + all[count...]
      XCTAssertEqual(read(zeros)?.records, Array(records[count == header.count ? 0... : 1...]), "\(count)")
    }
    let torn = all[..<8] + Array(repeating: 0x5A, count: 40) + all[48...]
    XCTAssertEqual(read(Array(torn))?.records, Array(records[1...]))
  }

  func testLastNumberOfAllIsNoTrap() {
    let last = UInt64.max / 2
    let beyond = [last - 1, last, last + 1, .max].map { _JournalRecord(sequence: $0, body: .change(.remove("/a"))) }
    let contents = read(header + bytes(records + beyond + beyond))
    XCTAssertEqual(contents?.records, records + [beyond[0]])
    XCTAssertEqual(contents?.nextSequence, last)
  }

  func testRandomDamageNeverTrapsAndNeverInventsARecord() {
    withSeeds(300) { random in
      var all = header + bytes(records)
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
      guard let contents = read(all) else { return }
      for record in contents.records { expect(records.contains(record), "\(record) was never written") }
      let sequences = contents.records.map(\.sequence)
      expectEqual(sequences, Array(Set(sequences)).sorted())
    }
  }

  func testCopyOfAJournalInAFileIsNotTakenForRecords() {
    // Somebody keeps a copy of this very journal in a file that is written through it, and the frame around it breaks.
    let inner = _JournalRecord(sequence: 5, body: .change(.write("evil", to: "/notes/today")))
    for identity: UInt64 in [99, 98] {
      let copy = Data(header + bytes([inner], identity: identity))
      let outer = _JournalRecord(sequence: 9, body: .change(.write(copy, to: "/copy")))
      let after = _JournalRecord(sequence: 10, body: .change(.remove("/b")))
      let before = _JournalRecord(sequence: 8, body: .change(.remove("/a")))
      var all = header + bytes([before, outer, after])
      all[header.count + before.byteCount + 4] ^= 1
      XCTAssertEqual(read(all)?.records, [before, after], "\(identity)")
    }
  }

  func testRecordOfAnotherFileOfTheJournalIsLeftOut() {
    let stale = bytes([_JournalRecord(sequence: 12, body: .change(.remove("/a")))], identity: 98)
    let contents = read(header + bytes(records) + stale)
    XCTAssertEqual(contents?.records, records)
    XCTAssertEqual(contents?.damage.count, 1)
  }

  func testRecordsThatMakeNoSenseAreDamage() {
    let good = _JournalRecord(sequence: 20, body: .change(.remove("/b")))
    let senseless: [_JournalRecord.Body] = [
      .change(.remove("relative")), .change(.write("x", to: "/a/../b")), .change(.remove("/")),
      .change(.remove("/a\0b")),
      .over("", 1...2),
    ]
    for body in senseless {
      let contents = read(header + bytes([_JournalRecord(sequence: 1, body: body), good]))
      XCTAssertEqual(contents?.records, [good], "\(body)")
      XCTAssertEqual(contents?.damage.count, 1, "\(body)")
    }
    let beyond = _JournalRecord(sequence: .max, body: .change(.remove("/a")))
    XCTAssertEqual(read(header + bytes([beyond]))?.records, [])
  }

  func testOnlyWhatANoteNamesIsOver() throws {
    let changes = (1...6).map { number in
      _JournalRecord(sequence: number, body: .change(.write("\(number)", to: number % 2 == 0 ? "/b" : "/a")))
    }
    let notes: [_JournalRecord] = [
      .init(sequence: 7, body: .over("/a", 0...3)), .init(sequence: 8, body: .over("/b", 4...4)),
      .init(sequence: 9, body: .over("/c", 0...9)),
    ]
    let contents = try _JournalContents(header + bytes(changes + notes))
    XCTAssertEqual(contents.unfinished.map(\.sequence), [2, 5, 6])
    XCTAssertEqual(contents.attempts.mapValues { $0.map(\.sequence) }, ["/a": [5], "/b": [2, 6]])
  }

  func testAttemptIsNotCarriedOutAgainAndGoesWithTheNote() throws {
    let attempt = _JournalRecord(sequence: 1, body: .attempt(.write("1", to: "/a")))
    let change = _JournalRecord(sequence: 2, body: .change(.write("2", to: "/a")))
    let note = _JournalRecord(sequence: 3, body: .over("/a", 0...2, leaving: .absent))
    let before = try _JournalContents(header + bytes([attempt, change]))
    XCTAssertEqual(before.unfinished, [change])
    XCTAssertEqual(
      before.attempts["/a"]?.map(\.change), [.write("1", to: "/a"), .write("2", to: "/a")])
    let after = try _JournalContents(header + bytes([attempt, change, note]))
    XCTAssertEqual(after.unfinished, [])
    XCTAssertTrue(after.attempts.isEmpty)
    XCTAssertEqual(after.versions.map(\.version), [.absent])
  }
}
