// Numbers in bytes, the least significant first.

extension [UInt8] {
  @inlinable
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    append(contentsOf: number.littleEndianBytes)
  }

  mutating func replace(at start: Int, withLittleEndian number: some FixedWidthInteger) {
    let bytes = number.littleEndianBytes
    replaceSubrange(start..<start + bytes.count, with: bytes)
  }
}

extension ArraySlice<UInt8> {
  /// The number whose bytes begin at `start`.
  @inlinable
  @inline(__always)
  package func integer<Number: FixedWidthInteger & UnsignedInteger>(at start: Int) -> Number {
    var number: Number = 0
    for offset in 0..<Number.bitWidth / 8 { number |= Number(truncatingIfNeeded: self[start + offset]) << (8 * offset) }
    return number
  }
}

extension FixedWidthInteger {
  @inlinable
  package var littleEndianBytes: [UInt8] {
    stride(from: 0, to: bitWidth, by: 8).map { UInt8(truncatingIfNeeded: self >> $0) }
  }
}
