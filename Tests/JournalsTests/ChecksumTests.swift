import Journals
import TestSupport
import XCTest

final class ChecksumTests: XCTestCase {
  func testValuesMatchTheStandard() {
    // RFC 3720, B.4, and the usual check value.
    let ascending = (0..<32).map { UInt8($0) }
    let cases: [([UInt8], UInt32)] = [
      (Array(repeating: 0, count: 32), 0x8A91_36AA), (Array(repeating: 0xFF, count: 32), 0x62A8_AB43),
      (ascending, 0x46DD_794E), (ascending.reversed(), 0x113F_DB5C), (Array("123456789".utf8), 0xE306_9283), ([], 0),
    ]
    for (bytes, expected) in cases { XCTAssertEqual(Checksum.value(of: bytes[...]), expected) }
  }

  func testValueEqualsABitwiseCalculation() {
    withSeeds(20) { random in
      let bytes = (0..<Int.random(in: 0...60, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let start = Int.random(in: 0...bytes.count, using: &random)
      var rest = UInt32.max
      for byte in bytes[start...] {
        rest ^= UInt32(byte)
        for _ in 0..<8 { rest = rest & 1 == 1 ? rest >> 1 ^ 0x82F6_3B78 : rest >> 1 }
      }
      expectEqual(Checksum.value(of: bytes[start...]), ~rest)
    }
  }
}
