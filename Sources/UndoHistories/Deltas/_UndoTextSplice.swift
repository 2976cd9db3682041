/// The delta of a text in which a range was replaced: the start, the length of the text there now, and the other text.
///
/// It also joins the next edit of the text, by the rules of `_UndoJoining`, and moves its range to an equivalent place.
/// The methods by which a string inserts and exchanges text at UTF-8 offsets are here, too.
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

  /// Moves the range back in the text to an equivalent offset; returns false, with nothing changed, if the result would
  /// differ.
  ///
  /// The insertion or removal then takes place before the text in front of it:
  ///
  ///     | between | moved |        the same if the whole begins with what it ends with, `between`
  ///     | moved | between |
  mutating func slide(to earlier: Int, in text: @autoclosure () -> String) -> Bool {
    let (distance, moved) = (Int(start) - earlier, Int(count) + other.utf8.count)
    guard earlier >= 0, distance >= 0, count == 0 || other.isEmpty, distance + moved <= Self.longestMoved else {
      return false
    }
    let text = text()
    guard text.isBoundary(utf8: earlier) else { return false }
    let both = text.slice(utf8: earlier..<range.upperBound) + other
    guard both.utf8.starts(with: both.utf8.suffix(distance)) else { return false }
    start = UInt32(earlier)
    if count == 0 { other = both.slice(utf8: 0..<moved) }
    return true
  }

  /// The longest text whose offsets fit into the delta.
  @inlinable
  static var longestText: Int { Int(clamping: UInt32.max) }

  /// The longest text that is moved to put another one in front of it.
  ///
  /// Moving longer texts would make deleting backwards quadratic. No longer text is read to find out whether it was
  /// typed.
  @inlinable
  static var longestMoved: Int { 4096 }

  @inlinable
  static var mayJoin: Bool { true }

  @inlinable
  func run(as intent: UndoIntent) -> _UndoRun {
    Self.run(as: intent, inserted: Int(count), removed: other.utf8.count)
  }

  /// Which edits may join one that was recorded as a step of its own, given the lengths of its texts.
  ///
  /// Most edits are never joined, so only an edit that might join finds out whether a longer one is typing.
  @inlinable
  @inline(__always)
  static func run(as intent: UndoIntent, inserted: Int, removed: Int) -> _UndoRun {
    if intent == .automatic, inserted + removed > 1 { return .unknown }
    return switch intent {
    case .automatic, .typing: inserted == 0 ? .deletion : .typing
    case .composing: .composition
    case .separate: .none
    }
  }

  /// Finds out which edits may join this one; the next edit has already been made.
  @usableFromInline
  func run(before next: Self, offset: Int, in root: Place.Root) -> _UndoRun {
    if count == 0 { return other.isCharacter ? .deletion : .none }
    if Int(count) + other.utf8.count > Self.longestMoved { return .none }
    let text = text(in: root, at: offset).contiguous
    return inserted(before: next, in: text).beginsTyping(over: other) ? .typing : .none
  }

  /// The text that this edit inserted, although the next edit may already have changed it.
  private func inserted(before next: Self, in text: String) -> String {
    let (replaced, growth) = (Int(next.start)..<next.oldEnd, Int(next.count) - next.other.utf8.count)
    let kept = range.clamped(to: replaced)
    let start = Int(next.start)
    var inserted = text.slice(utf8: range.clamped(to: 0..<start))
    inserted += next.other.slice(utf8: kept.lowerBound - start..<kept.upperBound - start)
    let after = range.clamped(to: next.oldEnd..<Int.max)
    inserted += text.slice(utf8: after.lowerBound + growth..<after.upperBound + growth)
    return inserted
  }

  @inlinable
  mutating func join(_ edit: Self, _ joining: inout _UndoJoining, offset: Int, in root: Place.Root) -> Bool {
    guard edit.place == place else { return false }
    var next = edit
    if joining.mayMove { meet(&next, joining.run, offset: offset, in: root) }
    if joining.run == .unknown {
      let isNear = next.start <= range.upperBound && next.oldEnd >= start
      guard isNear, (count == 0) == (next.count == 0) else { return false }
      if joining.intent == .automatic, next.isLong(offset: offset, in: root) { return false }
      joining.run = run(before: next, offset: offset, in: root)
    }
    switch (joining.run, joining.intent) {
    case (.all, _) where count > 0 || next.count > 0:
      return next.oldEnd == range.upperBound && take(next, &joining)
    case (.all, _):
      return join(removal: next, &joining)
    case (.group, _):
      return next.count == 0
        ? join(removal: next, &joining)
        : next.other.isEmpty && join(insertionAt: Int(next.start), count: Int(next.count))
    case (.composition, .composing):
      return (joining.mayMove || next.start == start && next.oldEnd == range.upperBound) && take(next, &joining)
    case (.deletion, .automatic), (.backward, .automatic), (.forward, .automatic),
      (.deletion, .typing), (.backward, .typing), (.forward, .typing):
      return next.count == 0 && (joining.intent == .typing || next.other.isCharacter) && join(removal: next, &joining)
    case (.typing, .automatic), (.typing, .typing):
      guard next.count > 0, joining.intent == .typing || isTyped(next, offset: offset, in: root) else { return false }
      return take(next, &joining)
    default:
      return false
    }
  }

  /// The end of the text that the edit replaced.
  @inlinable
  var oldEnd: Int { Int(start) + other.utf8.count }

  func text(in root: Place.Root, at offset: Int) -> String { place.read(root, at: offset, as: String.self) { $0 } }

  /// Joins a removal that adjoins this one in its direction.
  ///
  /// Comparing can't tell which one of two equal characters was removed first, so the third one tells the direction.
  @inlinable
  mutating func join(removal next: Self, _ joining: inout _UndoJoining) -> Bool {
    let length = other.utf8.count + next.other.utf8.count
    guard count == 0, UInt32(exactly: Int(next.start) + length) != nil else { return false }
    let isEither = joining.mayMove && joining.run == .deletion && other + next.other == next.other + other
    let run: _UndoRun
    if next.start == start, joining.run != .backward {
      other += next.other
      run = .forward
    } else if next.oldEnd == Int(start), joining.run != .forward, length <= Self.longestMoved {
      other = next.other + other
      start = next.start
      run = .backward
    } else {
      return false
    }
    if !joining.run.isOpenToKeys, !isEither { joining.run = run }
    return true
  }

  /// Joins a replacement of text that this edit inserted.
  @inlinable
  mutating func take(_ next: Self, _ joining: inout _UndoJoining) -> Bool {
    guard next.start >= start, next.oldEnd <= range.upperBound,
      let sum = UInt32(exactly: Int(count) - next.other.utf8.count + Int(next.count))
    else { return false }
    if Int(next.start) < range.upperBound || count == 0 {
      joining.rewrittenOffset = Int(next.start)
      joining.mayChangeNothing = Int(sum) == other.utf8.count
    }
    count = sum
    return true
  }

  /// Whether the next edit is typing at the end of the text that this one inserted.
  @usableFromInline
  func isTyped(_ next: Self, offset: Int, in root: Place.Root) -> Bool {
    let end = range.upperBound
    guard next.start >= start, next.oldEnd <= end, Int(next.count) + end - Int(next.start) <= Self.longestMoved else {
      return false
    }
    if next.isLong(offset: offset, in: root) { return false }
    let text = text(in: root, at: offset).contiguous
    if next.start == end, text.isCharacterOfLatin(utf8: next.range) { return true }
    // A combining mark changes the character in front of it.
    let first = max(Int(start), text.startOfCharacter(utf8: Int(next.start)))
    let before = text.slice(utf8: first..<Int(next.start))
    let (after, newEnd) = (next.range.upperBound, next.range.upperBound + end - next.oldEnd)
    return text.slice(utf8: first..<newEnd).isTyped(
      over: before + next.other + text.slice(utf8: after..<newEnd),
      isInsertion: next.other.isEmpty && before.isEmpty)
  }

  /// Whether the text now there begins with two visible ASCII characters, and the other text with neither: no key types
  /// that.
  ///
  /// Spares 4,000 instructions for a text that is assigned again and again, and 1,000 for a paste. Price: this method.
  @usableFromInline
  func isLong(offset: Int, in root: Place.Root) -> Bool {
    count > 1
      && place.read(root, at: offset, as: String.self) { text in
        let first = text.utf8.index(text.startIndex, offsetBy: Int(start))
        let bytes = (text.utf8[first], text.utf8[text.utf8.index(after: first)])
        return 0x21...0x7e ~= bytes.0 && 0x21...0x7e ~= bytes.1 && other.utf8.first != bytes.0
      }
  }

  /// Moves the next edit to an equivalent place, or this one, so that they adjoin.
  ///
  /// A letter beside an equal one may have been inserted or removed on either side.
  @usableFromInline
  mutating func meet(_ next: inout Self, _ run: _UndoRun, offset: Int, in root: Place.Root) {
    let (found, removed) = (Int(next.start), next.other.utf8.count)
    let (before, after) = (Int(start) - removed, Int(start))
    switch (next.count > 0, count > 0) {
    case (true, true) where removed == 0: meet(&next, at: range.upperBound, offset: offset, in: root)
    case (false, true): meet(&next, at: range.upperBound - removed, offset: offset, in: root)
    case (false, false) where run == .forward || run != .backward && found == after:
      meet(&next, at: after, offset: offset, in: root)
    case (false, false):
      if !meet(&next, at: before, offset: offset, in: root), run != .backward {
        meet(&next, at: after, offset: offset, in: root)
      }
    default: return
    }
  }

  /// Moves the next edit to an equivalent place, or this one, so that the next one is at the given offset.
  @discardableResult
  private mutating func meet(_ next: inout Self, at place: Int, offset: Int, in root: Place.Root) -> Bool {
    let found = Int(next.start)
    if place == found { return true }
    let text = text(in: root, at: offset)
    return place < found
      ? next.slide(to: place, in: text) : slide(to: Int(start) - (place - found), in: next.reverted(in: text))
  }

  /// Joins an edit of an optional text with the step in which it got a value.
  @usableFromInline
  func goesOn(with latest: any _UndoDelta, _ joining: inout _UndoJoining, offset: Int, in root: Place.Root) -> Bool {
    guard let latest = latest as? _UndoReplacement<Place, String?>, latest.place == place, latest.other == nil,
      let length = UInt32(exactly: text(in: root, at: offset).utf8.count - Int(count) + other.utf8.count)
    else { return false }
    var first = Self(place, start: 0, count: Int(length), other: "")
    if joining.run == .unknown {
      let old = reverted(in: text(in: root, at: offset))
      joining.run =
        old.utf8.count <= Self.longestMoved && old.beginsTyping(over: "") ? .typing : .none
    }
    defer { (joining.rewrittenOffset, joining.mayChangeNothing) = (nil, false) }
    return first.join(self, &joining, offset: offset, in: root)
  }

  /// The text as it was before the edit.
  private func reverted(in text: String) -> String {
    var old = text
    _ = old.exchange(utf8: range, with: other)
    return old
  }
}

extension String {
  /// Inserts text at a UTF-8 offset.
  @inlinable
  mutating func insert(_ text: String, utf8 offset: Int) {
    makeContiguousUTF8()
    let end = utf8.count
    precondition(offset >= 0 && offset <= end, "UTF-8 offset out of range")
    if offset == end {
      append(text)
    } else {
      precondition(isBoundary(utf8: offset), "UTF-8 offset inside of a Unicode scalar")
      insert(contentsOf: text, at: utf8.index(startIndex, offsetBy: offset))
    }
  }

  /// Replaces the text at the UTF-8 offsets and returns what was there, byte by byte.
  @inlinable
  mutating func exchange(utf8 range: Range<Int>, with text: String) -> String {
    if range.isEmpty {
      insert(text, utf8: range.lowerBound)
      return ""
    }
    makeContiguousUTF8()
    let end = utf8.count
    precondition(range.lowerBound >= 0 && range.upperBound <= end, "UTF-8 offset out of range")
    if range.count == end {
      let old = self
      self = text
      return old
    }
    let old = slice(utf8: range)
    let lower = utf8.index(startIndex, offsetBy: range.lowerBound)
    let upper = utf8.index(lower, offsetBy: range.count)
    // `replaceSubrange` would take twice as long for an empty text, and for an empty range.
    if text.isEmpty { removeSubrange(lower..<upper) } else { replaceSubrange(lower..<upper, with: text) }
    return old
  }
}
