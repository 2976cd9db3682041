/// The delta of a text in which a range was replaced: where it begins, how much text lies there now, and the other text.
///
///     | anchor | start | count | other |     32 bytes with the header for a document that is a text
///                4 B     4 B     16 B
///
/// `Offset` is `UInt32` for every text below 4 GB, `Int` beyond.
@usableFromInline
struct _UndoText<Anchor: _UndoAnchor, Offset: FixedWidthInteger & Sendable>: _UndoDelta {
  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  var start: Offset
  @usableFromInline
  var count: Offset
  @usableFromInline
  var other: String

  @inlinable
  init(_ anchor: Anchor, start: Int, count: Int, other: String) {
    self.anchor = anchor
    self.start = Offset(start)
    self.count = Offset(count)
    self.other = other
  }

  @inlinable
  var range: Range<Int> { Int(start)..<Int(start) + Int(count) }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    let next = Offset(other.utf8.count)
    other = anchor.modify(&root) { base in
      _UndoLog.withPart(of: &base, at: offset, as: String.self) { $0.exchange(utf8: range, with: other) }
    }
    count = next
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit {
    anchor.edit(
      .range(Int(start), old: other.utf8.count, new: Int(count)), at: offset, of: String.self)
  }

  @inlinable
  static var ownsMemory: Bool { true }

  @inlinable
  var ownedBytes: Int { other.undoOwnedBytes }

  /// Takes in an edit that continues this one, and returns how much more memory the delta owns now; nil, and nothing
  /// done, for any other edit.
  ///
  /// An insertion continues where this one's text ends; a removal continues next to where this one, a removal as well,
  /// took place.
  @inlinable
  mutating func takeIn(_ removed: String, at offset: Int, inserted: Int) -> Int? {
    if removed.isEmpty {
      guard count > 0, offset == range.upperBound, let sum = Offset(exactly: Int(count) + inserted) else { return nil }
      count = sum
      return 0
    }
    guard inserted == 0, count == 0 else { return nil }
    let owned = ownedBytes
    if offset == Int(start) {
      other += removed
    } else if offset + removed.utf8.count == Int(start) {
      other = removed + other
      start = Offset(offset)
    } else {
      return nil
    }
    return ownedBytes - owned
  }
}

extension String {
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
    let lower = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
    let upper = utf8.index(lower, offsetBy: range.count)
    replaceSubrange(lower..<upper, with: text)
    return old
  }
}
