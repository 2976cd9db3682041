// Which edits may join the latest record (`_UndoRun`), what a delta is told about the edit that may join it
// (`_UndoJoining`), and the rules by which text counts as typed by a key. The joining itself is `join` of each delta.

/// The edits that may join the latest record.
///
/// The order matters: a key that inserts one ASCII character joins everything from `typing` on without another
/// question.
@usableFromInline
package enum _UndoRun: UInt8 {
  /// Nothing, as after a paste.
  case none
  /// The delta of the record finds out by itself whether the next one continues it.
  case unknown
  /// Another edit of the text that is being composed.
  case composition
  /// A removed character on either side; the second one determines the direction.
  case deletion
  case backward
  case forward
  case typing
  /// Any insertion or removal that adjoins, because both edits are part of one step anyway.
  case group
  /// Any edit that fits, because a log that is being repeated says that it joined.
  case all

  @inlinable
  var isOpenToKeys: Bool { rawValue >= _UndoRun.typing.rawValue }
}

/// How the next edit may join the latest record, and what happened when it did.
@usableFromInline
package struct _UndoJoining {
  @usableFromInline
  var run: _UndoRun
  @usableFromInline
  let intent: UndoIntent
  /// Whether the edit was found by comparing two texts, so that it may as well be at an equivalent place.
  @usableFromInline
  var mayMove: Bool
  /// The offset from which the text of the record was rewritten; nil if the record only grew.
  @usableFromInline
  var rewrittenOffset: Int?
  /// Whether the record may have become one that changes nothing.
  @usableFromInline
  var mayChangeNothing = false

  @inlinable
  init(_ run: _UndoRun, _ intent: UndoIntent, mayMove: Bool) {
    (self.run, self.intent, self.mayMove) = (run, intent, mayMove)
  }
}

// MARK: - Typed text

extension String {
  /// Whether replacing the old text by this one is what a key does at the end of typed text: it adds one character, or
  /// replaces the last one.
  ///
  /// - Parameter isInsertion: Whether nothing was replaced, and the old text follows the inserted one.
  func isTyped(over old: String, isInsertion: Bool) -> Bool {
    let (oldEnd, newEnd) = withoutCommonStart(old)
    if newEnd.takesOver(oldEnd) { return true }
    if isInsertion, !old.isEmpty { return false }
    if newEnd.dividesSyllables(of: oldEnd) { return true }
    return old[...].isAtMostOneCharacter && self[...].isTyped || oldEnd.isAtMostOneCharacter && newEnd.isTyped
  }

  /// Whether replacing the old text by this one begins a step that typing continues.
  func beginsTyping(over old: String) -> Bool {
    self[...].isTyped || !old.isEmpty && withoutCommonStart(old).new.isTyped
  }

  @usableFromInline
  var isCharacter: Bool { utf8.count == 1 || !isEmpty && self[...].isAtMostOneCharacter }

  /// Both texts without the characters that both begin with: an input method replaces all of the text that it composes.
  private func withoutCommonStart(_ old: String) -> (old: Substring, new: Substring) {
    var start = String.differingUTF8(old, self).start
    while true {
      let (first, other) = (old.startOfCharacter(utf8: start), startOfCharacter(utf8: start))
      if first == start, other == start { break }
      start = min(first, other)
    }
    return (
      old[old.utf8.index(old.startIndex, offsetBy: start)...], self[utf8.index(startIndex, offsetBy: start)...]
    )
  }

  /// Whether a range has one scalar below U+0300, from where on scalars combine; false for some other characters.
  func isCharacterOfLatin(utf8 range: Range<Int>) -> Bool {
    range.count == 1 || range.count == 2 && 0xc2..<0xcc ~= utf8[utf8.index(startIndex, offsetBy: range.lowerBound)]
  }

  /// The start of the character around an offset, which may lie between its scalars or bytes.
  func startOfCharacter(utf8 offset: Int) -> Int {
    if offset == 0 { return 0 }
    var index = utf8.index(startIndex, offsetBy: offset)
    if index == endIndex { return offset }
    // Two ASCII characters are apart, unless they are a line break.
    if utf8[index] < 0x80, utf8[index] != 0x0a, utf8[utf8.index(before: index)] < 0x80 { return offset }
    while utf8[index] & 0xc0 == 0x80 { utf8.formIndex(before: &index) }
    while index.samePosition(in: self) == nil { unicodeScalars.formIndex(before: &index) }
    return utf8.distance(from: startIndex, to: index)
  }
}

extension Substring {
  fileprivate var isAtMostOneCharacter: Bool {
    if utf8.count < 2 { return true }
    // Two printable ASCII characters are two characters, which finding the end of the first one would only tell later.
    return !utf8.prefix(2).allSatisfy { 0x20...0x7e ~= $0 } && dropFirst().isEmpty
  }

  /// Whether a key types this: one character, or a line break with its indentation.
  fileprivate var isTyped: Bool {
    // Nearly all line breaks, for which nothing needs to find characters.
    if utf8.first == 0x0a, utf8.dropFirst().allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return true }
    if isAtMostOneCharacter { return !isEmpty }
    guard let first else { return false }
    return first.isNewline && dropFirst().allSatisfy { $0.isWhitespace && !$0.isNewline }
  }

  /// Whether this is what an input method of Chinese makes of the old text for one more Latin letter: it puts spaces
  /// between syllables, and moves them, as in ni → ni h and fang a → fan gan.
  fileprivate func dividesSyllables(of old: Substring) -> Bool {
    guard 1...2 ~= utf8.count - old.utf8.count, utf8.contains(0x20), utf8.last != 0x20 else { return false }
    let (letters, oldLetters) = (utf8.filter { $0 != 0x20 }, old.utf8.filter { $0 != 0x20 })
    return letters.dropLast().elementsEqual(oldLetters) && letters.allSatisfy { 0x61...0x7a ~= $0 }
  }

  /// Whether this is a syllable that grew into two, as in 한 → 하나, n → んk or ky → きゃ.
  fileprivate func takesOver(_ old: Substring) -> Bool {
    guard let first = unicodeScalars.first, !first.isASCII, count == 2 else { return false }
    // Only kana take over Latin letters; any other character before a typed letter is an insertion.
    if 1...2 ~= old.utf8.count { return 0x3041...0x30ff ~= first.value && old.utf8.allSatisfy { $0 < 0x80 } }
    // A syllable of Hangul, and the same without its final consonant: there are 28 with the same beginning.
    let syllables: ClosedRange<UInt32> = 0xac00...0xd7a3
    guard let last = old.unicodeScalars.first, old.unicodeScalars.dropFirst().isEmpty,
      syllables.contains(last.value), syllables.contains(first.value)
    else { return false }
    let (lastIndex, firstIndex) = (last.value - syllables.lowerBound, first.value - syllables.lowerBound)
    return lastIndex > firstIndex && lastIndex / 28 == firstIndex / 28
  }
}
