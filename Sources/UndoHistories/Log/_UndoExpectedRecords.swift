/// Parts of the document that the next assignments are likely to be of, and for which nothing is to be written: the
/// open step has a record of them.
///
///     words       | lane 3 | lane 2 | lane 1 | lane 0 |    16 bits each: the offset in the document and 1, or 0
///     locations   | lane 3 | lane 2 | lane 1 | lane 0 |    16 bits each: the offset in the chunk in words, or 0
///
/// An assignment looks in the lane of its own offset in the document: that of `x` and of `y` is not the same one, so
/// that a gesture may assign them in any order. Two parts whose lanes are the same put each other out, and are looked
/// for in the run. Of eight bytes their offset says all, and no record is read. Of any other part a lane says where the
/// record lies, with which it is compared.
///
/// None is expected where more goes along with the steps, or where they are observed. Where values are carried, each
/// lane has a location where no record begins, and the only word is the caret that is awaited
/// (`_UndoPlainCarried.lane`): its assignment takes it out.
@frozen
@usableFromInline
struct _UndoExpectedRecords {
  /// The parts of eight bytes.
  @usableFromInline
  var words: UInt64 = 0
  /// What they are behind an assignment of one of them: the same, or none.
  @usableFromInline
  var wordsBehind: UInt64 = 0
  /// The others.
  @usableFromInline
  var locations: UInt64 = 0

  @inlinable
  init() {}

  static let none = _UndoExpectedRecords()
  static let whereValuesAreCarried: _UndoExpectedRecords = {
    var all = _UndoExpectedRecords()
    all.locations = 0x0001_0001_0001_0001
    return all
  }()

  /// Whether nothing is to be done for parts that are not of eight bytes.
  @inlinable
  @inline(__always)
  var hasNoLocations: Bool { locations == 0 }

  @inlinable
  @inline(__always)
  var areValuesCarried: Bool { locations == 0x0001_0001_0001_0001 }

  /// Whether the eight bytes at an offset of the document are expected.
  @inlinable
  @inline(__always)
  func hasWord(at offset: Int) -> Bool {
    offset < UInt16.max
      && UInt16(truncatingIfNeeded: words &>> Self.shift(offset)) == UInt16(truncatingIfNeeded: offset &+ 1)
  }

  /// Notes the assignment of a word that was expected.
  @inlinable
  @inline(__always)
  mutating func takeWord() { words = wordsBehind }

  /// Where in the chunk the record is likely to be of the part at an offset of the document; 0 if it is nowhere.
  @inlinable
  @inline(__always)
  func location(of offset: Int) -> Int {
    Int(truncatingIfNeeded: (locations &>> Self.shift(offset)) & 0xFFFF) &* 8
  }

  mutating func expectWord(at offset: Int) {
    guard offset < UInt16.max else { return }
    Self.put(offset + 1, at: offset, in: &words)
    wordsBehind = words
  }

  /// `words` where that one is all that is expected.
  static func onlyWord(at offset: Int) -> UInt64 {
    var expected = none
    expected.expectWord(at: offset)
    return expected.words
  }

  /// Expects the record at a location where the same offset of the document is assigned.
  mutating func expect(_ location: Int, at offset: Int) {
    guard location < 8 * Int(UInt16.max) else { return }
    Self.put(location / 8, at: offset, in: &locations)
  }

  private static func put(_ lane: Int, at offset: Int, in lanes: inout UInt64) {
    let shift = shift(offset)
    lanes = lanes & ~(0xFFFF &<< shift) | UInt64(lane) &<< shift
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

  /// Adds what eight bytes of the document were, where that is not a step by itself; not for those of a carried value.
  ///
  /// No code of it is in a caller, and none is made for each type of document.
  @usableFromInline
  @inline(never)
  mutating func recordWord(_ old: UInt64, at offset: Int) {
    if fastPath.expected.areValuesCarried,
      takesPlainly(partAt: offset, size: 8) || isCarried(offset..<offset &+ 8)
    {
      return
    }
    recordSlowly(_UndoReplacement(_UndoRoot<UInt64>(), other: old), ownedBytes: 0, offset: offset)
  }

  /// Expects that a part is assigned again which the record at a location of the run has, or has among others.
  mutating func expect(_ operation: _UndoOperationIndex, at offset: Int, of found: RecordLocation) {
    guard found.chunkIndex == position.chunkIndex, !fastPath.keepsTimes, !fastPath.carriesValues else { return }
    if operation == .word {
      fastPath.expected.expectWord(at: offset)
    } else {
      fastPath.expected.expect(found.offset, at: offset)
    }
  }

  /// Expects no record any more, since the step or the chunk may become another one.
  mutating func forgetExpected() {
    let belonging = fastPath.belonging
    fastPath.expected = fastPath.carriesValues && !fastPath.isObserved ? .whereValuesAreCarried : .none
    if fastPath.carriesValues { fastPath.belonging = belonging }
  }
}
