/// The first word of a record.
///
///     63            32 31      22 21           12 11       2   1      0
///     |   argument    |  words   | previousWords | operation |begins|ends|
///        32 bits         10 bits     10 bits        10 bits    1 bit  1 bit
///
/// `words` is the length of the record, header included; `previousWords` that of the record before it, wherever that
/// lies, so that a log can be walked both ways. A step is the records from one that begins to one that ends.
@frozen
@usableFromInline
struct _UndoHeader: BitwiseCopyable {
  @usableFromInline
  var bits: UInt64

  @inlinable
  @inline(__always)
  init(argument: Int, words: Int, previousWords: Int, operation: Int, flags: UInt64) {
    let place = UInt64(UInt32(truncatingIfNeeded: argument)) << 32 | UInt64(truncatingIfNeeded: words) << 22
    let chain = UInt64(truncatingIfNeeded: previousWords) << 12 | UInt64(truncatingIfNeeded: operation) << 2
    bits = place | chain | flags
  }

  /// The flags of a record that is a step, that begins a step of several, and that is none of both.
  @inlinable
  static var whole: UInt64 { 3 }
  @inlinable
  static var first: UInt64 { 2 }
  @inlinable
  static var inner: UInt64 { 0 }

  @inlinable
  static var size: Int { 8 }

  /// The longest record and the number of operations that fit; what goes beyond is put into a box.
  @inlinable
  static var maximumWords: Int { 1023 }
  @inlinable
  static var maximumOperations: Int { 1024 }

  @inlinable
  var argument: Int { Int(Int32(truncatingIfNeeded: bits >> 32)) }
  @inlinable
  var words: Int { Int(truncatingIfNeeded: bits >> 22) & 0x3ff }
  @inlinable
  var bytes: Int { words &* 8 }
  @inlinable
  var previousWords: Int { Int(truncatingIfNeeded: bits >> 12) & 0x3ff }
  @inlinable
  var operation: Int { Int(truncatingIfNeeded: bits >> 2) & 0x3ff }
  var begins: Bool { bits & 2 != 0 }
  /// Whether the record is a step by itself.
  @inlinable
  var isWhole: Bool { bits & 3 == 3 }
  /// Whether the record is a step by itself that exchanges a word.
  @inlinable
  var isWholeWord: Bool { bits & 0xfff == UInt64(_UndoLog.wordOperation) << 2 | 3 }
  var ends: Bool {
    get { bits & 1 != 0 }
    set { bits = newValue ? bits | 1 : bits & ~1 }
  }
}
