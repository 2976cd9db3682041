internal import Sameness

/// Reads the bytes of texts and arrays: finds where two of them differ, large pieces first, counts UTF-16, takes slices
/// of texts at UTF-8 offsets, and checks whether an offset lies between scalars.
@usableFromInline
enum _UnsafeUndoBytes {
  /// The length of the common beginning.
  @usableFromInline
  static func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    guard let x = a.baseAddress, let y = b.baseAddress else { return 0 }
    return unsafe commonLength(x, y, atMost: min(a.count, b.count), isFromEnd: false)
  }

  /// The length of the common end, up to a limit.
  @usableFromInline
  static func commonSuffix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    guard let x = a.baseAddress, let y = b.baseAddress else { return 0 }
    return unsafe commonLength(x + a.count, y + b.count, atMost: limit, isFromEnd: true)
  }

  /// The number of equal bytes after two addresses, or before them.
  @inline(__always)
  private static func commonLength(
    _ x: UnsafeRawPointer, _ y: UnsafeRawPointer, atMost limit: Int, isFromEnd: Bool
  ) -> Int {
    func areSame(from length: Int, count: Int) -> Bool {
      let offset = isFromEnd ? -length - count : length
      return unsafe UnsafeValueBytes.areSame(x + offset, y + offset, count: count)
    }
    // The number of equal bytes of eight.
    func commonBytes(from length: Int) -> Int {
      let offset = isFromEnd ? -length - 8 : length
      let difference = unsafe word(x + offset) ^ word(y + offset)
      return (isFromEnd ? difference.leadingZeroBitCount : difference.trailingZeroBitCount) / 8
    }
    var length = 0
    var piece = limit < smallestPiece ? 0 : largestPiece
    while piece >= smallestPiece {
      while length + piece <= limit, areSame(from: length, count: piece) { length += piece }
      piece /= 8
    }
    while length + 8 <= limit {
      let count = commonBytes(from: length)
      if count < 8 { return length + count }
      length += 8
    }
    // Compare the rest with eight bytes too, which overlap bytes that are known to be the same.
    if limit >= 8 { return limit - 8 + commonBytes(from: limit - 8) }
    while length < limit, areSame(from: length, count: 1) { length += 1 }
    return length
  }

  /// Loads eight bytes, the first of them into the lowest bits.
  private static func word(_ bytes: UnsafeRawPointer) -> UInt64 {
    unsafe UInt64(littleEndian: bytes.loadUnaligned(as: UInt64.self))
  }

  /// The number of pieces at the beginning that differ.
  @usableFromInline
  static func differingPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, size: Int) -> Int {
    guard let x = a.baseAddress, let y = b.baseAddress, size > 0 else { return 0 }
    let limit = min(a.count, b.count)
    var length = 0
    while length + size <= limit, unsafe !UnsafeValueBytes.areSame(x + length, y + length, count: size) {
      length += size
    }
    return length / size
  }

  /// The number of UTF-16 code units of a text: two for each scalar of four bytes, and one for each other scalar.
  static func utf16Count(_ text: UnsafeRawBufferPointer) -> Int {
    let highest: UInt64 = 0x8080_8080_8080_8080
    func sum(_ bits: UInt64) -> Int { Int(((bits >> 7) &* 0x0101_0101_0101_0101) >> 56) }
    var (count, offset) = (text.count, 0)
    while offset &+ 8 <= text.count {
      let word = unsafe text.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
      if word & highest != 0 {
        // Continuation bytes begin with 10, and the first bytes of four with 1111.
        count &-= sum(word & ~(word << 1) & highest)
        count &+= sum(word & (word << 1) & (word << 2) & (word << 3) & highest)
      }
      offset &+= 8
    }
    return unsafe text[offset...].reduce(count) {
      $0 &+ ($1 & 0b1100_0000 == 0b1000_0000 ? -1 : $1 < 0b1111_0000 ? 0 : 1)
    }
  }

  // Pieces have 16384, 2048 and 256 bytes. Smaller ones would take more calls.
  private static var largestPiece: Int { 16384 }
  private static var smallestPiece: Int { 64 }
}

extension String {
  /// Where two texts differ: the length of their common beginning, and where the differing text ends in each.
  ///
  /// All three offsets are scalar boundaries in their texts.
  @inlinable
  static func differingUTF8(_ old: String, _ new: String) -> (start: Int, newEnd: Int, oldEnd: Int) {
    let difference = unsafe old.utf8.withContiguousStorageIfAvailable { old in
      unsafe new.utf8.withContiguousStorageIfAvailable { new in unsafe differingUTF8(old, new) }
    }
    if case .some(.some(let difference)) = difference { return difference }
    return differingUTF8(old.contiguous, new.contiguous)
  }

  @usableFromInline
  static func differingUTF8(
    _ old: UnsafeBufferPointer<UInt8>, _ new: UnsafeBufferPointer<UInt8>
  ) -> (start: Int, newEnd: Int, oldEnd: Int) {
    let (a, b) = (UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new))
    var start = unsafe _UnsafeUndoBytes.commonPrefix(a, b)
    while start > 0, unsafe isContinuation(old, start) || isContinuation(new, start) { start -= 1 }
    let limit = Swift.min(old.count, new.count) - start
    var tail = unsafe _UnsafeUndoBytes.commonSuffix(a, b, atMost: limit)
    while tail > 0, unsafe isContinuation(old, old.count - tail) { tail -= 1 }
    return (start, new.count - tail, old.count - tail)
  }

  /// The same text as contiguous UTF-8; only a text from Objective-C may not be contiguous.
  @inlinable
  @inline(__always)
  package var contiguous: String { isUnlikely(!isContiguousUTF8) ? madeContiguous : self }

  @usableFromInline
  var madeContiguous: String {
    var text = self
    text.makeContiguousUTF8()
    return text
  }

  /// The text between two UTF-8 offsets within the text; traps if one lies inside of a scalar.
  @inlinable
  package func slice(utf8 range: Range<Int>) -> String {
    let slice: String? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      precondition(
        unsafe !String.isContinuation(bytes, range.lowerBound) && !String.isContinuation(bytes, range.upperBound),
        "UTF-8 offset inside of a Unicode scalar")
      return unsafe range.isEmpty ? "" : String(decoding: UnsafeBufferPointer(rebasing: bytes[range]), as: UTF8.self)
    }
    return slice ?? madeContiguous.slice(utf8: range)
  }

  /// Appends the bytes between two UTF-8 offsets within the text to an array.
  @inline(__always)
  package func append(utf8 range: Range<Int>, to other: inout [UInt8]) {
    let isDone: Void? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      unsafe other.append(contentsOf: UnsafeBufferPointer(rebasing: bytes[range]))
    }
    if isDone == nil { other += utf8.dropFirst(range.lowerBound).prefix(range.count) }
  }

  /// The number of UTF-16 code units between two UTF-8 offsets, which must not lie inside of scalars.
  ///
  /// `utf16` of a string would store offsets for later, which takes thirty times as long, and each edit discards them.
  package func utf16Count(utf8 range: Range<Int>) -> Int {
    let count: Int? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      unsafe _UnsafeUndoBytes.utf16Count(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(bytes)[range]))
    }
    guard let count else { preconditionFailure("The text must be contiguous") }
    return count
  }

  /// Whether a UTF-8 offset within the text is a scalar boundary; false for a text that isn't contiguous.
  @inlinable
  package func isBoundary(utf8 offset: Int) -> Bool {
    unsafe utf8.withContiguousStorageIfAvailable { bytes in unsafe !String.isContinuation(bytes, offset) } ?? false
  }

  @inlinable
  static func isContinuation(_ bytes: UnsafeBufferPointer<UInt8>, _ index: Int) -> Bool {
    unsafe index < bytes.count && bytes[index] & 0b1100_0000 == 0b1000_0000
  }
}

extension RandomAccessCollection where Index == Int {
  /// The number of elements from an index on whose bytes are the same as in another collection from another index on.
  ///
  /// The result is 0 if a collection isn't contiguous in memory.
  @inlinable
  func countOfSameBytes(from index: Int, in other: Self, from otherIndex: Int, atMost limit: Int) -> Int {
    unsafe countInBytes(of: limit, from: index, in: other, from: otherIndex) { a, b in
      unsafe _UnsafeUndoBytes.commonPrefix(a, b) / MemoryLayout<Element>.stride
    }
  }

  /// The number of elements before an index whose bytes are the same as in another collection before another index.
  @inlinable
  func countOfSameBytes(before index: Int, in other: Self, before otherIndex: Int, atMost limit: Int) -> Int {
    unsafe countInBytes(of: limit, from: index - limit, in: other, from: otherIndex - limit) { a, b in
      unsafe _UnsafeUndoBytes.commonSuffix(a, b, atMost: a.count) / MemoryLayout<Element>.stride
    }
  }

  /// The number of successive elements from an index on whose bytes differ from those at the same index of another
  /// collection.
  ///
  /// The result is 0 if a collection isn't contiguous in memory.
  @inlinable
  func countOfOtherBytes(from index: Int, in other: Self, atMost limit: Int) -> Int {
    unsafe countInBytes(of: limit, from: index, in: other, from: index - startIndex + other.startIndex) { a, b in
      unsafe _UnsafeUndoBytes.differingPrefix(a, b, size: MemoryLayout<Element>.stride)
    }
  }

  /// Whether two collections have the same number of elements with the same bytes; false if a collection has elements
  /// but isn't contiguous in memory.
  @inlinable
  func hasSameBytes(as other: Self) -> Bool {
    count == other.count
      && (isEmpty || count == countOfSameBytes(from: startIndex, in: other, from: other.startIndex, atMost: count))
  }

  /// The result of a closure for the bytes of so many elements from an index on, and of another collection's from
  /// another index on; 0 if a collection isn't contiguous in memory.
  @inlinable
  @inline(__always)
  func countInBytes(
    of count: Int, from index: Int, in other: Self, from otherIndex: Int,
    _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> Int
  ) -> Int {
    withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let (start, otherStart) = (index - startIndex, otherIndex - other.startIndex)
        let a = unsafe UnsafeBufferPointer(rebasing: a[start..<start + count])
        let b = unsafe UnsafeBufferPointer(rebasing: b[otherStart..<otherStart + count])
        return unsafe body(UnsafeRawBufferPointer(a), UnsafeRawBufferPointer(b))
      } ?? 0
    } ?? 0
  }
}
