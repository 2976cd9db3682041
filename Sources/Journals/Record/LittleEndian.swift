// Numbers in bytes, the least significant first.

extension [UInt8] {
  @inlinable
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
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

  /// Takes so many bytes from the beginning; nil where there are fewer.
  package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= self.count else { return nil }
    defer { self = dropFirst(count) }
    return prefix(count)
  }

  /// Takes a number from the beginning; nil where there are too few bytes.
  package mutating func takeInteger<Number: FixedWidthInteger & UnsignedInteger>() -> Number? {
    take(Number.bitWidth / 8).map { $0.integer(at: $0.startIndex) }
  }

  /// Takes bytes from the beginning that come behind their number, which has 32 bits; nil where there are too few.
  package mutating func takeCounted() -> ArraySlice<UInt8>? {
    // A watch has no more than 32 bits in an Int.
    (takeInteger() as UInt32?).flatMap { Int(exactly: $0) }.flatMap { take($0) }
  }
}
