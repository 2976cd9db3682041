#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Compares memory fast: large pieces first, with the C library, and then smaller and smaller ones.
@usableFromInline
enum _UnsafeUndoBytes {
  @usableFromInline
  static func areSame(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Bool {
    guard a.count == b.count else { return false }
    guard let x = a.baseAddress, let y = b.baseAddress else { return true }
    return unsafe memcmp(x, y, a.count) == 0
  }

  /// The length of the common beginning.
  @usableFromInline
  static func commonPrefix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer) -> Int {
    guard let x = a.baseAddress, let y = b.baseAddress else { return 0 }
    let count = min(a.count, b.count)
    var length = 0
    var piece = count < smallestPiece ? 0 : largestPiece
    while piece >= smallestPiece {
      while length + piece <= count, unsafe memcmp(x + length, y + length, piece) == 0 { length += piece }
      piece /= 8
    }
    while length + 8 <= count {
      let difference = unsafe word(x + length) ^ word(y + length)
      if difference != 0 { return length + difference.trailingZeroBitCount / 8 }
      length += 8
    }
    // Compare the rest with eight bytes too, which overlap bytes that are known to be the same.
    if count >= 8 {
      let difference = unsafe word(x + count - 8) ^ word(y + count - 8)
      return count - 8 + difference.trailingZeroBitCount / 8
    }
    while length < count, unsafe a[length] == b[length] { length += 1 }
    return length
  }

  /// The length of the common end, up to a limit.
  @usableFromInline
  static func commonSuffix(_ a: UnsafeRawBufferPointer, _ b: UnsafeRawBufferPointer, atMost limit: Int) -> Int {
    guard let aStart = a.baseAddress, let bStart = b.baseAddress else { return 0 }
    let (x, y) = unsafe (aStart + a.count, bStart + b.count)
    var length = 0
    var piece = limit < smallestPiece ? 0 : largestPiece
    while piece >= smallestPiece {
      while length + piece <= limit, unsafe memcmp(x - length - piece, y - length - piece, piece) == 0 {
        length += piece
      }
      piece /= 8
    }
    while length + 8 <= limit {
      let difference = unsafe word(x - length - 8) ^ word(y - length - 8)
      if difference != 0 { return length + difference.leadingZeroBitCount / 8 }
      length += 8
    }
    if limit >= 8 {
      let difference = unsafe word(x - limit) ^ word(y - limit)
      return limit - 8 + difference.leadingZeroBitCount / 8
    }
    while length < limit, unsafe a[a.count - length - 1] == b[b.count - length - 1] { length += 1 }
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
    while length + size <= limit, unsafe memcmp(x + length, y + length, size) != 0 { length += size }
    return length / size
  }

  /// The number of UTF-16 code units of a text: two for each scalar of four bytes, and one for each other scalar.
  static func utf16Count(_ text: UnsafeRawBufferPointer) -> Int {
    unsafe text.reduce(0) { $0 + ($1 & 0b1100_0000 == 0b1000_0000 ? 0 : $1 < 0b1111_0000 ? 1 : 2) }
  }

  // Pieces have 16384, 2048 and 256 bytes. Smaller ones would take more calls.
  private static var largestPiece: Int { 16384 }
  private static var smallestPiece: Int { 64 }
}

extension _UndoSameness {
  /// Whether two values have the same bytes.
  ///
  /// If the bytes are the same, so are the values. If the bytes differ, the values may still be the same.
  @inlinable
  @inline(__always)
  static func haveSameBytes<Content>(_ a: Content, _ b: Content) -> Bool {
    unsafe withUnsafeBytes(of: a) { a in
      unsafe withUnsafeBytes(of: b) { b in
        // Values that fit into registers are compared without a call.
        switch MemoryLayout<Content>.size {
        case 1: unsafe a.loadUnaligned(as: UInt8.self) == b.loadUnaligned(as: UInt8.self)
        case 4: unsafe a.loadUnaligned(as: UInt32.self) == b.loadUnaligned(as: UInt32.self)
        case 8: unsafe a.loadUnaligned(as: UInt64.self) == b.loadUnaligned(as: UInt64.self)
        case 16:
          unsafe a.loadUnaligned(as: UInt64.self) == b.loadUnaligned(as: UInt64.self)
            && a.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
              == b.loadUnaligned(fromByteOffset: 8, as: UInt64.self)
        default: unsafe _UnsafeUndoBytes.areSame(a, b)
        }
      }
    }
  }

  /// Whether two values have the same bytes, except for padding.
  @inlinable
  @inline(__always)
  static func haveSameContents<Content>(_ a: Content, _ b: Content) -> Bool {
    haveSameBytes(a, b) || _UndoWeight.retainsMemory(Content.self) && haveSameCopies(a, b)
  }

  /// Whether copies of two values have the same bytes if the copies are made in zeroed memory.
  ///
  /// A copy leaves out padding and unused words of an existential. Values of trivial types are copied with all their
  /// bytes, so for those this doesn't help.
  @usableFromInline
  @inline(never)
  static func haveSameCopies<Content>(_ a: Content, _ b: Content) -> Bool {
    unsafe withCopyOverZeros(of: a) { a in
      unsafe withCopyOverZeros(of: b) { b in unsafe _UnsafeUndoBytes.areSame(a, b) }
    }
  }

  private static func withCopyOverZeros<Content, Result>(
    of content: Content, _ body: (UnsafeRawBufferPointer) -> Result
  ) -> Result {
    unsafe withUnsafeTemporaryAllocation(of: Content.self, capacity: 1) { buffer in
      let bytes = UnsafeMutableRawBufferPointer(buffer)
      unsafe bytes.initializeMemory(as: UInt8.self, repeating: 0)
      // Copied by address, because passing the value would move it together with its padding.
      _ = unsafe withUnsafePointer(to: content) { content in
        unsafe buffer.initialize(fromContentsOf: UnsafeBufferPointer(start: content, count: 1))
      }
      defer { unsafe buffer.deinitialize() }
      return unsafe body(UnsafeRawBufferPointer(rebasing: bytes[..<MemoryLayout<Content>.size]))
    }
  }

  /// Whether the bytes at an offset in a value are the bytes of a part.
  static func hasBytes<Part, Whole>(of part: Part, at offset: Int, in whole: Whole) -> Bool {
    precondition(offset >= 0 && offset + MemoryLayout<Part>.size <= MemoryLayout<Whole>.size)
    return unsafe withUnsafeBytes(of: whole) { whole in
      unsafe withUnsafeBytes(of: part) { part in
        unsafe _UnsafeUndoBytes.areSame(UnsafeRawBufferPointer(rebasing: whole[offset..<offset + part.count]), part)
      }
    }
  }
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
    let shorter = Swift.min(old.count, new.count)
    let (a, b) = (UnsafeRawBufferPointer(old), UnsafeRawBufferPointer(new))
    var start = unsafe _UnsafeUndoBytes.commonPrefix(a, b)
    while start > 0, unsafe isContinuation(old, start) || isContinuation(new, start) { start -= 1 }
    let limit = shorter - start
    var tail = unsafe _UnsafeUndoBytes.commonSuffix(a, b, atMost: limit)
    while tail > 0, unsafe isContinuation(old, old.count - tail) { tail -= 1 }
    return (start, new.count - tail, old.count - tail)
  }

  /// The same text as contiguous UTF-8; only a text from Objective-C may not be contiguous.
  @inlinable
  @inline(__always)
  var contiguous: String { isUnlikely(!isContiguousUTF8) ? madeContiguous : self }

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

  /// Whether a UTF-8 offset within the text is a scalar boundary; false for a text that isn't contiguous.
  @inlinable
  func isBoundary(utf8 offset: Int) -> Bool {
    unsafe utf8.withContiguousStorageIfAvailable { bytes in unsafe !String.isContinuation(bytes, offset) } ?? false
  }

  /// Traps if a UTF-8 offset lies inside of a scalar.
  @inlinable
  func checkBoundary(utf8 offset: Int) {
    precondition(isBoundary(utf8: offset), "UTF-8 offset inside of a Unicode scalar")
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
    let stride = MemoryLayout<Element>.stride
    return withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let (start, otherStart) = (index - startIndex, otherIndex - other.startIndex)
        let a = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: a[start..<start + limit]))
        let b = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: b[otherStart..<otherStart + limit]))
        return unsafe _UnsafeUndoBytes.commonPrefix(a, b) / stride
      } ?? 0
    } ?? 0
  }

  /// The number of successive elements from an index on whose bytes differ from those at the same index of another
  /// collection.
  ///
  /// The result is 0 if a collection isn't contiguous in memory.
  @inlinable
  func countOfOtherBytes(from index: Int, in other: Self, atMost limit: Int) -> Int {
    withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let range = index - startIndex..<index - startIndex + limit
        let a = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: a[range]))
        let b = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: b[range]))
        return unsafe _UnsafeUndoBytes.differingPrefix(a, b, size: MemoryLayout<Element>.stride)
      } ?? 0
    } ?? 0
  }

  /// Whether two collections have the same number of elements with the same bytes; false if a collection has elements
  /// but isn't contiguous in memory.
  @inlinable
  func hasSameBytes(as other: Self) -> Bool {
    count == other.count
      && (isEmpty || count == countOfSameBytes(from: startIndex, in: other, from: other.startIndex, atMost: count))
  }

  /// The number of elements before an index whose bytes are the same as in another collection before another index.
  @inlinable
  func countOfSameBytes(before index: Int, in other: Self, before otherIndex: Int, atMost limit: Int) -> Int {
    let stride = MemoryLayout<Element>.stride
    return withContiguousStorageIfAvailable { a in
      other.withContiguousStorageIfAvailable { b in
        let (end, otherEnd) = (index - startIndex, otherIndex - other.startIndex)
        let a = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: a[end - limit..<end]))
        let b = unsafe UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: b[otherEnd - limit..<otherEnd]))
        return unsafe _UnsafeUndoBytes.commonSuffix(a, b, atMost: limit * stride) / stride
      } ?? 0
    } ?? 0
  }
}
