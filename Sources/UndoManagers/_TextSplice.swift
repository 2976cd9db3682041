// Where the text of a view and that of a document differ, in UTF-16, and the edit of the document that follows from it.

/// A replaced range: where it starts, and where it ends in the document and in the view.
///
///     document  | same | old       | same |
///     view      | same | new | same |
///                      ^ start
struct _TextSplice: Equatable, Sendable {
  var start: Int
  var oldEnd: Int
  var newEnd: Int

  var old: Range<Int> { start..<oldEnd }
  var new: Range<Int> { start..<newEnd }
  var growth: Int { newEnd - oldEnd }
  var isEmpty: Bool { start == oldEnd && start == newEnd }

  /// Whether another splice lies within this one, and changes the length by as much.
  func encloses(_ other: _TextSplice) -> Bool {
    start <= other.start && oldEnd >= other.oldEnd && growth == other.growth
  }

  /// The splice of this change and of a later one together; nil if the later one is too far away to be counted.
  func followed(by next: _TextSplice) -> _TextSplice? {
    let end = max(newEnd, next.oldEnd)
    let (oldEnd, isTooFar) = end.subtractingReportingOverflow(growth)
    let (newEnd, isTooLong) = end.addingReportingOverflow(next.growth)
    return isTooFar || isTooLong ? nil : _TextSplice(start: min(start, next.start), oldEnd: oldEnd, newEnd: newEnd)
  }

  /// Whether it can be what happened, given the lengths of both texts.
  func fits(into whole: _TextSplice) -> Bool { oldEnd <= whole.oldEnd && growth == whole.growth }

  /// Whether the texts are the same outside of the splice, which fits.
  func hasAllDifferences(_ document: _DocumentText, _ view: some BidirectionalCollection<UInt16>) -> Bool {
    document.units(0..<start) == view.units(0..<start)
      && document.units(oldEnd..<document.count) == view.units(newEnd..<view.count)
  }

  /// The part of the splice in which the texts do differ.
  ///
  /// - Parameter place: Where the user probably edits. Beside equal letters, the part begins there.
  func trimmed(
    _ document: _DocumentText, _ view: some BidirectionalCollection<UInt16>, near place: Int? = nil
  ) -> _TextSplice {
    if old.isEmpty || new.isEmpty { return self }
    let (before, now) = (document.units(old), view.units(new))
    let most = min(before.count, now.count)
    var (first, last) = (0, 0)
    func trimStart(to end: Int) {
      while first < end, before[first] == now[first] { first += 1 }
      // If 😀 and 😁 lie side by side, they begin with the same unit, and one of them is replaced as a whole.
      if first > 0, first < before.count, UTF16.isTrailSurrogate(before[first]) { first -= 1 }
    }
    trimStart(to: place.map { min(most, $0 - start) } ?? most)
    while last < most - first, before[before.count - 1 - last] == now[now.count - 1 - last] { last += 1 }
    trimStart(to: most - last)
    return _TextSplice(start: start + first, oldEnd: oldEnd - last, newEnd: newEnd - last)
  }

  /// The splice with the other halves of surrogate pairs that it cuts in the document.
  func roundedToScalars(_ document: _DocumentText) -> _TextSplice {
    let isCut = (document.isWithinScalar(start), document.isWithinScalar(oldEnd))
    let more = isCut.1 ? 1 : 0
    return _TextSplice(start: isCut.0 ? start - 1 : start, oldEnd: oldEnd + more, newEnd: newEnd + more)
  }

  /// The splice with the text that was composed, and with the text that is marked in the view.
  func widened(to composed: Range<Int>?, marked: Range<Int>?) -> _TextSplice {
    let starts = [isEmpty ? nil : start, composed?.lowerBound, marked?.lowerBound].compactMap(\.self)
    let ends = [isEmpty ? nil : oldEnd, composed?.upperBound, marked.map { $0.upperBound - growth }].compactMap(\.self)
    let oldEnd = ends.max() ?? oldEnd
    return _TextSplice(start: starts.min() ?? start, oldEnd: oldEnd, newEnd: oldEnd + growth)
  }

  /// Whether a change goes on with a composition, or ends it.
  ///
  /// - Parameter composed: Where the composed text lies in the document.
  func belongs(to composed: Range<Int>, marked: Range<Int>?, reported: _TextSplice) -> Bool {
    if old.overlaps(composed) { return true }
    // An input method replaces the text that it commits, even by the same text.
    return marked?.overlaps(composed) ?? (isEmpty || reported.old.overlaps(composed))
  }
}

/// An edit of a document that makes it equal to a view.
struct _TextEdit {
  let splice: _TextSplice
  let text: String
  /// Whether the text is what the view has there, which may also have halves of surrogate pairs.
  let isWhole: Bool
  /// Where the new text ends, in UTF-16.
  var end: Int { splice.start + text.utf16.count }

  init(_ change: _TextSplice, _ view: some BidirectionalCollection<UInt16>, _ document: _DocumentText) {
    splice = change.roundedToScalars(document)
    var units = view.units(splice.new).makeIterator()
    var (decoder, text, isWhole) = (UTF16(), String.UnicodeScalarView(), true)
    decoding: while true {
      switch decoder.decode(&units) {
      case .scalarValue(let scalar): text.append(scalar)
      case .error: isWhole = false
      case .emptyInput: break decoding
      }
    }
    (self.text, self.isWhole) = (String(text), isWhole)
  }
}

/// A text of a document, with offsets in UTF-16.
///
/// A string finds such offsets by itself. But it stores others on the way, which takes ten times as long, and which the
/// next edit discards.
struct _DocumentText {
  let string: String
  /// The number of units.
  let count: Int
  /// An offset in UTF-8 shortly before the units that are of interest, and the number of units before it.
  private var anchor = (offset: 0, units: 0)

  private static var block: Int { 4096 }

  /// - Parameter place: The first unit that is of interest.
  init(_ string: String, near place: Int) {
    let string = string.contiguous
    self.string = string
    var (offset, units) = (0, 0)
    while offset < string.utf8.count {
      let end = min(offset + Self.block, string.utf8.count)
      units += string.utf16Count(utf8: offset..<end)
      offset = end
      if units <= place { anchor = (offset, units) }
    }
    count = units
  }

  /// The index of a unit, which may be the second half of a surrogate pair.
  private func index(at unit: Int) -> String.Index {
    var (offset, units) = unit < anchor.units ? (0, 0) : anchor
    var block = Self.block
    while block > 0 {
      let end = offset + block
      let next = end <= string.utf8.count ? units + string.utf16Count(utf8: offset..<end) : .max
      if next <= unit { (offset, units) = (end, next) } else { block /= 8 }
    }
    let index = string.utf8.index(string.startIndex, offsetBy: offset)
    return string.utf16.index(index, offsetBy: unit - units)
  }

  func isWithinScalar(_ offset: Int) -> Bool {
    let index = index(at: offset)
    return index < string.endIndex && UTF16.isTrailSurrogate(string.utf16[index])
  }

  func units(_ range: Range<Int>) -> [UInt16] {
    if range == 0..<count { return Array(string.utf16) }
    return Array(string.utf16[index(at: range.lowerBound)...].prefix(range.count))
  }

  /// The UTF-8 offsets of a range that cuts no surrogate pair.
  func utf8Range(_ range: Range<Int>) -> Range<Int> {
    let start = string.utf8.distance(from: string.startIndex, to: index(at: range.lowerBound))
    return start..<string.utf8.distance(from: string.startIndex, to: index(at: range.upperBound))
  }

  /// The text in a range that cuts no surrogate pair.
  func slice(_ range: Range<Int>) -> String {
    String(string[index(at: range.lowerBound)..<index(at: range.upperBound)])
  }
}

extension _TextSplice {
  /// The range of a view's text that a replacement changes.
  init(_ replacement: TextViewBridge.Replacement) {
    let (start, end) = (replacement.range.lowerBound, replacement.range.upperBound)
    self.init(start: start, oldEnd: end, newEnd: start + replacement.text.utf16.count)
  }
}

extension BidirectionalCollection<UInt16> {
  /// Whether a range is one character, and not a space or a line break.
  func isLetter(_ range: Range<Int>) -> Bool {
    guard 1..<16 ~= range.count else { return false }
    let text = String(decoding: units(range), as: UTF16.self)
    return text.count == 1 && !text.allSatisfy(\.isWhitespace)
  }

  fileprivate func units(_ range: Range<Int>) -> [UInt16] {
    let start = index(startIndex, offsetBy: range.lowerBound)
    return Array(self[start..<index(start, offsetBy: range.count)])
  }
}
