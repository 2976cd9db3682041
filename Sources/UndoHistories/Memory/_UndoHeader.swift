// The header of a record and its fields: the link to the record before it, the index of its operation, and the pattern
// by which undo recognizes a step.

/// The first word of a record.
///
///     63            32 31      22 21           12 11       2   1      0
///     |   argument    |  words   | previousWords | operation |begins|ends|
///        32 bits         10 bits     10 bits        10 bits    1 bit  1 bit
///
/// `words` is the length of the record, header included. `previousWords` is the length of the record before it, in
/// whichever chunk that lies, so that a log can be walked both ways. A step is all records from one with `begins`
/// set to one with `ends` set.
@usableFromInline
package struct _UndoHeader: BitwiseCopyable {
  @usableFromInline
  var bits: UInt64

  @inlinable
  @inline(__always)
  init(argument: Int, words: Int, operation: _UndoOperationIndex, link: _UndoLink) {
    let own = UInt64(UInt32(truncatingIfNeeded: argument)) << 32 | UInt64(truncatingIfNeeded: words) << 22
    bits = own | operation.bits | link.bits
  }

  /// The flags of a record that is a whole step, that begins a step of several records, and that lies within a step.
  @inlinable
  package static var whole: UInt64 { 3 }
  @inlinable
  static var first: UInt64 { 2 }
  /// The flags of a record that ends a step of several records.
  static var last: UInt64 { 1 }
  @inlinable
  static var inner: UInt64 { 0 }

  @inlinable
  static var size: Int { 8 }

  /// The number of words of a record with a delta of this type.
  @inlinable
  static func wordCount<Delta>(of type: Delta.Type) -> Int { 1 + (MemoryLayout<Delta>.size + 7) / 8 }

  /// The longest record, and the number of operations that the bits can name; a delta beyond either is boxed.
  @inlinable
  static var maximumWords: Int { 1023 }
  static var maximumOperations: Int { 1024 }

  @inlinable
  package var argument: Int { Int(Int32(truncatingIfNeeded: bits >> 32)) }
  @inlinable
  var words: Int { Int(truncatingIfNeeded: bits >> 22) & 0x3ff }
  @inlinable
  var bytes: Int { words &* 8 }
  @inlinable
  package var operation: _UndoOperationIndex { _UndoOperationIndex(bits: bits & 0xffc) }
  /// The part of the header that relates the record to the one before it, and to its step.
  var link: _UndoLink { _UndoLink(bits: bits & 0x3f_f003) }
  /// Whether this is the record of an edit, whose argument is an offset, and not of a label, whose argument is
  /// negative.
  var isEdit: Bool { argument >= 0 }
  package var begins: Bool {
    get { bits & 2 != 0 }
    set { bits = newValue ? bits | 2 : bits & ~2 }
  }

  /// Whether the record is a step by itself.
  var isWhole: Bool { bits & 3 == 3 }
  /// Whether the record is a step by itself, has this operation, and follows a record of the pattern's length.
  @inlinable
  func matches(_ pattern: _UndoHeaderPattern) -> Bool { bits & 0x3f_ffff == pattern.link.bits | pattern.operation.bits }
  @inlinable
  package var ends: Bool {
    get { bits & 1 != 0 }
    set { bits = newValue ? bits | 1 : bits & ~1 }
  }
}

/// The part of a header that relates its record to its surroundings: the length of the record before it, and the flags.
///
/// The bits lie as in a header. The log keeps them for the next record and copies them into its header as they are,
/// which spares an edit 15 instructions.
@usableFromInline
package struct _UndoLink: BitwiseCopyable, Equatable {
  @usableFromInline
  var bits: UInt64

  init(bits: UInt64) {
    self.bits = bits
  }

  @inlinable
  package init(words: Int, flags: UInt64) {
    bits = UInt64(truncatingIfNeeded: words) << 12 | flags
  }

  /// The link in a log without records.
  static var none: _UndoLink { _UndoLink(words: 0, flags: _UndoHeader.whole) }

  package var words: Int { Int(truncatingIfNeeded: bits >> 12) }
  /// The length in bytes: one shift is enough, because the bits between the length and the flags are 0.
  @inlinable
  var bytes: Int { Int(truncatingIfNeeded: bits >> 9) }
  @inlinable
  package var flags: UInt64 {
    get { bits & 3 }
    set { bits = bits & ~3 | newValue }
  }

  /// Whether the record with this link is a step by itself; only then may its flags include `ends`.
  @inlinable
  var isWhole: Bool { bits & 1 != 0 }
}

/// The index of an operation, as the bits that it has in a header.
@usableFromInline
package struct _UndoOperationIndex: BitwiseCopyable, Equatable {
  @usableFromInline
  let bits: UInt64

  @inlinable
  init(bits: UInt64) {
    self.bits = bits
  }

  @inlinable
  init(_ index: Int) {
    bits = UInt64(truncatingIfNeeded: index) << 2
  }

  @inlinable
  var value: Int { Int(truncatingIfNeeded: bits >> 2) }

  // The operations that every log has.
  static var boxed: _UndoOperationIndex { _UndoOperationIndex(0) }
  static var label: _UndoOperationIndex { _UndoOperationIndex(1) }
  @inlinable
  static var word: _UndoOperationIndex { _UndoOperationIndex(2) }

  /// The index of no operation.
  @inlinable
  static var none: _UndoOperationIndex { _UndoOperationIndex(bits: .max) }
}

/// The bits that are the same in all headers of a series of steps, each of one record with a delta of one type.
@usableFromInline
typealias _UndoHeaderPattern = (link: _UndoLink, operation: _UndoOperationIndex)
