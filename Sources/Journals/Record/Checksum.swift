/// CRC-32C, the checksum of iSCSI: it finds every error of up to 32 bits in a row, and misses one in four billion of
/// the others.
///
/// The polynomial is Castagnoli's (RFC 3720, 12.1; the test vectors are those of its B.4), taken eight bytes at a time
/// by eight tables (Kounavis and Berry, "A Systematic Approach to Building High Performance Software-Based CRC
/// Generators", ISCC 2005).
package enum Checksum {
  /// Row k, column b: how the byte b changes the remainder when k bytes follow it.
  private static let tables: [UInt32] = {
    var tables: [UInt32] = []
    for byte in 0..<256 {
      var rest = UInt32(byte)
      for _ in 0..<8 { rest = rest & 1 == 1 ? (rest >> 1) ^ 0x82F6_3B78 : rest >> 1 }
      tables.append(rest)
    }
    for index in 256..<2048 {
      let before = tables[index - 256]
      tables.append((before >> 8) ^ tables[Int(before & 0xFF)])
    }
    return tables
  }()

  /// The checksum of the bytes.
  ///
  /// - Parameter checksum: The checksum of the bytes before them; 0 if there are none.
  /// - Complexity: O(*n*).
  package static func value(of bytes: ArraySlice<UInt8>, after checksum: UInt32 = 0) -> UInt32 {
    let tables = tables.span
    let bytes = bytes.span
    var rest = ~checksum
    var index = 0
    while bytes.count - index >= 8 {
      // Byte by byte, because a loop that puts integers together takes four times as long.
      let first = tables[1792 + Int(bytes[index] ^ UInt8(truncatingIfNeeded: rest))]
      let second = tables[1536 + Int(bytes[index + 1] ^ UInt8(truncatingIfNeeded: rest >> 8))]
      let third = tables[1280 + Int(bytes[index + 2] ^ UInt8(truncatingIfNeeded: rest >> 16))]
      let fourth = tables[1024 + Int(bytes[index + 3] ^ UInt8(truncatingIfNeeded: rest >> 24))]
      let fifthAndSixth = tables[768 + Int(bytes[index + 4])] ^ tables[512 + Int(bytes[index + 5])]
      let last = tables[256 + Int(bytes[index + 6])] ^ tables[Int(bytes[index + 7])]
      rest = first ^ second ^ third ^ fourth ^ fifthAndSixth ^ last
      index += 8
    }
    while index < bytes.count {
      rest = (rest >> 8) ^ tables[Int(UInt8(truncatingIfNeeded: rest) ^ bytes[index])]
      index += 1
    }
    return ~rest
  }
}
