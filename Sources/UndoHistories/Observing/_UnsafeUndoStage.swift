/// Memory for the latest messages, before they are added to the others.
///
///     | count 8 | bytes ...... | free ...... |     512 bytes
///
/// To add a byte to an array asks each time whether the array is shared and has capacity, which takes as long as to
/// write ten bytes here.
@safe
struct _UnsafeUndoStage {
  private let memory: UnsafeMutableRawPointer

  private static var byteCount: Int { 512 }
  private static var headerSize: Int { 8 }

  /// How long a text may be that is written here.
  static var longestText: Int { 64 }
  /// More than one message takes.
  private static var longestMessage: Int { 128 }

  static func allocate() -> _UnsafeUndoStage {
    let memory = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 8)
    unsafe memory.storeBytes(of: 0, as: Int.self)
    return unsafe _UnsafeUndoStage(memory: memory)
  }

  /// - Precondition: Nothing is done with it any more.
  @unsafe
  func deallocate() { unsafe memory.deallocate() }

  private(set) var count: Int {
    @inline(__always)
    get { unsafe memory.load(as: Int.self) }
    @inline(__always)
    nonmutating set { unsafe memory.storeBytes(of: newValue, as: Int.self) }
  }

  /// Whether there is memory for another message.
  @inline(__always)
  var hasCapacity: Bool { count <= Self.byteCount - Self.headerSize - Self.longestMessage }

  /// Adds the bytes to others, and forgets them.
  func move(to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: memory + Self.headerSize, count: count))
    count = 0
  }

  // As a writer does. There is memory for a message that has no longer text.

  @inline(__always)
  func write(_ byte: UInt8) {
    let count = count
    assert(count < Self.byteCount - Self.headerSize, "A message is too long")
    unsafe memory.storeBytes(of: byte, toByteOffset: Self.headerSize + count, as: UInt8.self)
    self.count = count + 1
  }

  @inline(__always)
  func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      write(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    write(UInt8(truncatingIfNeeded: rest))
  }

  @inline(__always)
  func write(_ count: Int) { write(UInt64(truncatingIfNeeded: count)) }

  /// Writes the text between two UTF-8 offsets; false, and nothing done, for a text that is not contiguous.
  @inline(__always)
  func write(_ text: String, utf8 range: Range<Int>) -> Bool {
    assert(range.count <= Self.longestText, "A text is too long")
    let isWritten: Void? = unsafe text.utf8.withContiguousStorageIfAvailable { bytes in
      precondition(range.upperBound <= bytes.count)
      write(range.count)
      let count = count
      for index in 0..<range.count {
        let byte = unsafe bytes[range.lowerBound + index]
        unsafe memory.storeBytes(of: byte, toByteOffset: Self.headerSize + count + index, as: UInt8.self)
      }
      self.count = count + range.count
    }
    return isWritten != nil
  }
}
