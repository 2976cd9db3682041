import Journals
import TestSupport
import XCTest

/// The end of a journal after a power failure: which gaps are expected, and which are damage.
final class JournalTailTests: XCTestCase {
  private static let header = JournalHeader(writer: 7, identity: 99).bytes

  /// The bytes of groups of records.
  ///
  /// Each group was written after the previous one was synchronized.
  private static func bytes(_ groups: [[Record]]) -> [UInt8] {
    groups.reduce(into: header) { bytes, group in
      for (index, record) in group.enumerated() {
        record.append(to: &bytes, identity: 99, isSynchronized: index == 0)
      }
    }
  }

  private static func records(_ range: Range<UInt64>, random: inout SeededRandom) -> [Record] {
    range.map { sequence in
      // Contents with many zeros must not be mistaken for unwritten sectors.
      let count = random.int(in: 0..<1500)
      let text = (0..<count).map { _ in random.chance(oneIn: 3) ? 0 : UInt8.random(in: 0..<255, using: &random) }
      return Record(
        sequence: sequence, body: Line(bytes: random.chance(oneIn: 4) ? Array(repeating: 0, count: count) : text))
    }
  }

  func testMissingSectorsOfTheLastGroupAreNotDamage() {
    withSeeds(300) { random in
      let (kept, last) = (Self.records(1..<5, random: &random), Self.records(5..<9, random: &random))
      let (before, all) = (Self.bytes([kept]), Self.bytes([kept, last]) + Array(repeating: 0, count: 2000))
      var left = all
      for sector in before.count / 512...(all.count - 1) / 512 where random.chance(oneIn: 2) {
        for index in max(before.count, sector * 512)..<min((sector + 1) * 512, all.count) { left[index] = 0 }
      }
      let contents = try? Contents(left)
      guard expect(contents != nil, "nothing was read"), let contents else { return }
      expect(contents.records.starts(with: kept), "what was acknowledged is there")
      expect(contents.records.dropFirst(4).allSatisfy(last.contains), "nothing else is there")
      expect(!contents.isDamaged, "no record is lost")
    }
  }

  func testMissingSectorBeforeALaterGroupIsDamage() {
    withSeeds(300) { random in
      let groups = [Self.records(1..<3, random: &random), [Record(sequence: 3, body: "later")]]
      let (before, all) = (Self.bytes([groups[0]]), Self.bytes(groups) + Array(repeating: 0, count: 2000))
      let sector = random.int(in: 0..<(before.count + 511) / 512)
      var left = all
      for index in max(Self.header.count, sector * 512)..<min((sector + 1) * 512, before.count) { left[index] = 0 }
      guard left != all, let contents = try? Contents(left) else { return }
      expect(contents.isDamaged, "it had been acknowledged")
      expectEqual(contents.records.last?.sequence, 3)
    }
  }

  func testFlippedBitInTheLastGroupIsDamage() {
    withSeeds(300) { random in
      let last = Record(sequence: 5, body: Line(bytes: Array(repeating: 7, count: random.int(in: 0..<2000))))
      let all = Self.bytes([Self.records(1..<5, random: &random), [last]])
      let bit = random.int(in: (all.count - last.byteCount) * 8..<all.count * 8)
      var damaged = all + Array(repeating: 0, count: random.int(in: 0..<2000))
      damaged[bit / 8] ^= 1 << UInt8(bit % 8)
      // If the flip clears the last byte, the record looks truncated.
      if damaged[all.count - 1] == 0 { return }
      let contents = try? Contents(damaged)
      guard expect(contents != nil, "nothing was read"), let contents else { return }
      expect(contents.isDamaged, "bit \(bit)")
      expectEqual(contents.records.count, 4)
    }
  }
}
