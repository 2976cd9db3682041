// Numbers in bytes, the least significant first.

extension [UInt8] {
  @inlinable
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }

  mutating func replace(at start: Int, withLittleEndian number: some FixedWidthInteger) {
    for offset in 0..<number.bitWidth / 8 { self[start + offset] = UInt8(truncatingIfNeeded: number >> (8 * offset)) }
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
