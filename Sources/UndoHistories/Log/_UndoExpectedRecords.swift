/// Where records of an open step lie that the next assignments are likely to be of.
///
///     bits   | lane 3 | lane 2 | lane 1 | lane 0 |     16 bits each: an offset in the current chunk, in words, or 0
///
/// An assignment looks in the lane of its own offset in the document: that of `x` and of `y` is not the same one, so
/// that a gesture may assign them in any order. Two parts whose lanes are the same put each other out, and are looked
/// for in the run. What a lane says is not believed but compared with the record.
///
/// None is expected where more goes along with the steps, or where they are observed. Where values are carried, each
/// lane has a location where no record begins.
@frozen
@usableFromInline
struct _UndoExpectedRecords {
  @usableFromInline
  var bits: UInt64 = 0

  @inlinable
  init() {}

  static let none = _UndoExpectedRecords()
  static let whereValuesAreCarried: _UndoExpectedRecords = {
    var all = _UndoExpectedRecords()
    all.bits = 0x0001_0001_0001_0001
    return all
  }()

  @inlinable
  @inline(__always)
  var isEmpty: Bool { bits == 0 }

  @inlinable
  @inline(__always)
  var areValuesCarried: Bool { bits == 0x0001_0001_0001_0001 }

  /// Where in the chunk the record is likely to be of the part at an offset of the document; 0 if it is nowhere.
  @inlinable
  @inline(__always)
  func location(of offset: Int) -> Int {
    Int(truncatingIfNeeded: (bits &>> Self.shift(offset)) & 0xFFFF) &* 8
  }

  /// Expects the record at a location where the same offset of the document is assigned.
  mutating func expect(_ location: Int, at offset: Int) {
    guard location < 8 * Int(UInt16.max) else { return }
    let shift = Self.shift(offset)
    bits = bits & ~(0xFFFF &<< shift) | UInt64(location / 8) &<< shift
  }

  @inlinable
  @inline(__always)
  static func shift(_ offset: Int) -> Int { (offset &>> 3 & 3) &* 16 }
}

extension _UndoLog {
  /// Whether an assignment of a part of the document is of a record that is expected, and so needs none.
  @inlinable
  @inline(__always)
  func repeatsExpected<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> Bool {
    let start = fastPath.expected.location(of: offset)
    guard start != 0, transaction.depth == 0, let operation = knownIndex(of: type) else { return false }
    let header = unsafe position.currentChunk.header(at: start)
    return header.operation == operation && header.argument == offset
  }

  /// Whether nothing is written for an assignment of eight bytes of the document: a record of them is expected, or they
  /// are of a carried value.
  ///
  /// No code of it is in a caller, and none is made for each type of document.
  @usableFromInline
  mutating func isSettled(wordAt offset: Int) -> Bool {
    if takesAwaited(wordAt: offset) { return true }
    let start = fastPath.expected.location(of: offset)
    guard isLikely(start >= _UnsafeUndoMemory.start), isLikely(transaction.depth == 0) else {
      return fastPath.expected.areValuesCarried
        && (takesPlainly(partAt: offset, size: 8) || isCarried(offset..<offset &+ 8))
    }
    let header = unsafe position.currentChunk.header(at: start)
    return header.operation == .word && header.argument == offset
  }

  /// Expects a record again where the same offset of the document is assigned.
  mutating func expect(_ found: RecordLocation, _ offset: Int) {
    guard found.chunkIndex == position.chunkIndex, !fastPath.keepsTimes, !fastPath.carriesValues else { return }
    fastPath.expected.expect(found.offset, at: offset)
  }

  /// Expects no record any more, since the step or the chunk may become another one.
  mutating func forgetExpected() {
    fastPath.expected = fastPath.carriesValues && !fastPath.isObserved ? .whereValuesAreCarried : .none
  }
}
