/// The delta of a text in which a range was replaced: the start, the length of the text there now, and the other text.
///
///     | place | start | count | other |     32 bytes with the header for a document that is a text
///               4 B     4 B     16 B
///
/// An edit in a text that is longer than 4 GB is recorded as a replacement of the whole text.
@usableFromInline
struct _UndoTextSplice<Place: UndoPlace>: _UndoDelta {
  @usableFromInline
  typealias Part = String

  @usableFromInline
  let place: Place
  @usableFromInline
  var start: UInt32
  @usableFromInline
  var count: UInt32
  @usableFromInline
  var other: String

  @inlinable
  init(_ place: Place, start: Int, count: Int, other: String) {
    self.place = place
    self.start = UInt32(start)
    self.count = UInt32(count)
    self.other = other
  }

  @inlinable
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    let next = UInt32(other.utf8.count)
    other = place.modify(&root, at: offset, as: String.self) { $0.exchange(utf8: range, with: other) }
    count = next
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange { .range(.init(start: Int(start), old: Int(count), new: other.utf8.count)) }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .range(let splice) = change, let start = UInt32(exactly: splice.start),
      UInt32(exactly: splice.start + max(splice.old, splice.new)) != nil
    else { return false }
    self.start = start
    return true
  }

  @inlinable
  var insertedElements: (any Collection)? { other }

  /// Joins an insertion at the end of this one; returns false, with nothing changed, if the insertion is elsewhere.
  @inlinable
  @inline(__always)
  mutating func join(insertionAt offset: Int, count inserted: Int) -> Bool {
    guard count > 0, offset == range.upperBound, let sum = UInt32(exactly: Int(count) + inserted) else { return false }
    count = sum
    return true
  }

  /// The offsets at which the next insertion or removal can join this edit; nil if it can't join.
  @inlinable
  func offsetsToJoin(of removed: Int, inserted: Int) -> (first: Int, second: Int)? {
    guard (inserted > 0) == (count > 0) else { return nil }
    return inserted > 0 ? (range.upperBound, range.upperBound) : (Int(start) - removed, Int(start))
  }

  /// Moves the range back in the text to an equivalent offset; returns false, with nothing changed, if the result would
  /// differ.
  ///
  /// The insertion or removal then takes place before the text in front of it:
  ///
  ///     | between | moved |        the same if the whole begins with what it ends with, `between`
  ///     | moved | between |
  @inlinable
  mutating func slide(to earlier: Int, in text: String) -> Bool {
    let (distance, moved) = (Int(start) - earlier, Int(count) + other.utf8.count)
    guard earlier >= 0, distance >= 0, count == 0 || other.isEmpty, distance + moved <= Self.longestMoved,
      text.isBoundary(utf8: earlier)
    else { return false }
    let both = text.slice(utf8: earlier..<range.upperBound) + other
    guard both.utf8.starts(with: both.utf8.suffix(distance)) else { return false }
    start = UInt32(earlier)
    if count == 0 { other = both.slice(utf8: 0..<moved) }
    return true
  }

  /// The longest text whose offsets fit into the delta.
  @inlinable
  @inline(__always)
  static var longestText: Int { Int(clamping: UInt32.max) }

  /// The longest text that is moved to put another one in front of it.
  ///
  /// Moving longer texts would make deleting backwards quadratic.
  @inlinable
  static var longestMoved: Int { 4096 }

  /// Joins a removal that adjoins this one, if this is a removal too; otherwise returns false, with nothing changed.
  @inlinable
  mutating func join(_ removed: String, removedAt offset: Int) -> Bool {
    let length = other.utf8.count + removed.utf8.count
    guard count == 0, UInt32(exactly: offset + length) != nil else { return false }
    if offset == Int(start) {
      other += removed
    } else if offset + removed.utf8.count == Int(start), length <= Self.longestMoved {
      other = removed + other
      start = UInt32(offset)
    } else {
      return false
    }
    return true
  }

  @inlinable
  @inline(__always)
  static var mayJoin: Bool { true }

  @usableFromInline
  mutating func join(_ next: Self, mayMove: Bool, offset: Int, in root: Place.Root) -> Bool {
    let (removed, inserted) = (next.other.utf8.count, Int(next.count))
    guard next.place == place, removed == 0 || inserted == 0,
      let offsets = offsetsToJoin(of: removed, inserted: inserted)
    else { return false }
    var next = next
    let start = Int(next.start)
    // A letter beside an equal one may have been inserted or removed on either side.
    if mayMove, offsets.first != start, offsets.second != start {
      let text = place.read(root) { base in unsafe withUnsafePart(of: base, at: offset, as: String.self) { $0 } }
      let isMoved = [offsets.first, offsets.second].contains { candidate in
        if candidate < start { return next.slide(to: candidate, in: text) }
        return slide(to: Int(self.start) - (candidate - start), in: next.reverted(in: text))
      }
      guard isMoved else { return false }
    }
    return removed == 0
      ? join(insertionAt: Int(next.start), count: inserted) : join(next.other, removedAt: Int(next.start))
  }

  /// Joins letters at the end of an optional text with the insertion of the text.
  @usableFromInline
  func goesOn(with latest: any _UndoDelta, offset: Int, in root: Place.Root) -> Bool {
    guard let latest = latest as? _UndoReplacement<Place, String?>, latest.place == place, latest.other == nil else {
      return false
    }
    return other.isEmpty && place.read(root, at: offset, as: String.self) { range.upperBound == $0.utf8.count }
  }

  /// The text as it was before the edit.
  private func reverted(in text: String) -> String {
    var old = text
    let first = old.utf8.index(old.startIndex, offsetBy: Int(start))
    old.replaceSubrange(first..<old.utf8.index(first, offsetBy: Int(count)), with: other)
    return old
  }
}

extension String {
  /// Whether the text in a range adds more than one character to the word in front of it, which a single key never
  /// does.
  @usableFromInline
  func completesWord(utf8 range: Range<Int>) -> Bool {
    if let answer = completesWordOfASCII(utf8: range) { return answer }
    let start = utf8.index(startIndex, offsetBy: range.lowerBound)
    let end = utf8.index(start, offsetBy: range.count)
    // Slices, because a combining mark belongs to the character in front of it, which may be missing.
    let inserted = self[start..<end]
    guard let first = inserted.first, first.isInWord, self[..<start].last?.isInWord == true else { return false }
    return inserted.index(after: start) < end
  }

  /// The answer for ASCII text, in which each byte is a character; nil for other text.
  ///
  /// Looks at two bytes on each side, because a scalar may combine with its neighbor.
  private func completesWordOfASCII(utf8 range: Range<Int>) -> Bool? {
    guard range.lowerBound > 0, range.count > 1 else { return false }
    let answer: Bool?? = unsafe utf8.withContiguousStorageIfAvailable { bytes in
      let (start, second) = unsafe (range.lowerBound, bytes[range.lowerBound + 1])
      let beforeLast = unsafe start > 1 ? bytes[start - 2] : 0
      let (last, first) = unsafe (bytes[start - 1], bytes[start])
      return (beforeLast | last | first | second) < 0x80 ? last.isInWordOfASCII && first.isInWordOfASCII : nil
    }
    return answer ?? nil
  }

  /// Inserts text at a UTF-8 offset.
  @inlinable
  mutating func insert(_ text: String, utf8 offset: Int) {
    makeContiguousUTF8()
    let end = utf8.count
    precondition(offset >= 0 && offset <= end, "UTF-8 offset out of range")
    if offset == end {
      append(text)
    } else {
      checkBoundary(utf8: offset)
      insert(contentsOf: text, at: utf8.index(startIndex, offsetBy: offset))
    }
  }

  /// Replaces the text at the UTF-8 offsets and returns what was there, byte by byte.
  @inlinable
  mutating func exchange(utf8 range: Range<Int>, with text: String) -> String {
    makeContiguousUTF8()
    let end = utf8.count
    precondition(range.lowerBound >= 0 && range.upperBound <= end, "UTF-8 offset out of range")
    if range.lowerBound == end {
      append(text)
      return ""
    }
    if range.count == end {
      let old = self
      self = text
      return old
    }
    let old = slice(utf8: range)
    // `replaceSubrange` would take twice as long for an empty range or an empty text.
    let lower = utf8.index(startIndex, offsetBy: range.lowerBound)
    if range.isEmpty {
      insert(contentsOf: text, at: lower)
    } else {
      let upper = utf8.index(lower, offsetBy: range.count)
      if text.isEmpty { removeSubrange(lower..<upper) } else { replaceSubrange(lower..<upper, with: text) }
    }
    return old
  }
}

extension Character {
  fileprivate var isInWord: Bool { isLetter || isNumber || self == "_" }
}

extension UInt8 {
  fileprivate var isInWordOfASCII: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
      true
    default: false
    }
  }
}
