// Numbers as bytes, the least significant byte first.

extension [UInt8] {
  package init(littleEndian number: some FixedWidthInteger) {
    self = []
    append(littleEndian: number)
  }

  @inlinable
  package mutating func append(littleEndian number: some FixedWidthInteger) {
    for shift in stride(from: 0, to: number.bitWidth, by: 8) { append(UInt8(truncatingIfNeeded: number >> shift)) }
  }
}

extension ArraySlice<UInt8> {
  /// The number whose bytes begin at `start`.
  @inlinable
  package func integer<Number: FixedWidthInteger & UnsignedInteger>(at start: Int) -> Number {
    var number: Number = 0
    for offset in 0..<Number.bitWidth / 8 { number |= Number(truncatingIfNeeded: self[start + offset]) << (8 * offset) }
    return number
  }

  /// Removes the first `count` bytes and returns them; nil if there are fewer.
  package mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count >= 0, count <= self.count else { return nil }
    defer { self = dropFirst(count) }
    return prefix(count)
  }

  /// Removes a number from the beginning and returns it; nil if there are too few bytes.
  package mutating func takeInteger<Number: FixedWidthInteger & UnsignedInteger>() -> Number? {
    take(Number.bitWidth / 8).map { $0.integer(at: $0.startIndex) }
  }

  /// Removes a 32-bit count and that many bytes from the beginning, and returns the bytes; nil if there are too few.
  package mutating func takeCounted() -> ArraySlice<UInt8>? {
    // On a watch an Int has only 32 bits, too few for a large unsigned number.
    (takeInteger() as UInt32?).flatMap { Int(exactly: $0) }.flatMap { take($0) }
  }
}
