// Where the text of a view and that of a document differ, in UTF-16, and the edit of the document that follows from it.

/// A replaced range: where it starts, and where it ends in the document and in the view.
///
///     document  | same | old      | same |
///     view      | same | new | same |
///                      ^ start    ^ oldEnd, newEnd
struct _TextSplice: Equatable {
  var start: Int
  var oldEnd: Int
  var newEnd: Int

  var old: Range<Int> { start..<oldEnd }
  var new: Range<Int> { start..<newEnd }
  var growth: Int { newEnd - oldEnd }
  var isEmpty: Bool { start == oldEnd && start == newEnd }

  /// The splice of this change and of a later one together; nil if the later one is too far away to be counted.
  func followed(by next: _TextSplice) -> _TextSplice? {
    let end = max(newEnd, next.oldEnd)
    let (oldEnd, isTooFar) = end.subtractingReportingOverflow(growth)
    let (newEnd, isTooLong) = end.addingReportingOverflow(next.growth)
    return isTooFar || isTooLong ? nil : _TextSplice(start: min(start, next.start), oldEnd: oldEnd, newEnd: newEnd)
  }

  /// Whether it can be what happened, given the lengths of both texts.
  func fits(into whole: _TextSplice) -> Bool { oldEnd <= whole.oldEnd && growth == whole.growth }

  /// The part of the splice in which the texts do differ.
  func trimmed(
    _ document: String.UTF16View, _ view: some BidirectionalCollection<UInt16>
  ) -> _TextSplice {
    var splice = self
    if splice.old.isEmpty || splice.new.isEmpty { return splice }
    let first = (document.index(at: start), view.index(at: start))
    var (last, lastNew) = (document.index(at: oldEnd), view.index(at: newEnd))
    var (next, nextNew) = first
    while next != last, nextNew != lastNew, document[next] == view[nextNew] {
      (next, nextNew) = (document.index(after: next), view.index(after: nextNew))
      splice.start += 1
    }
    while next != last, nextNew != lastNew {
      let (before, beforeNew) = (document.index(before: last), view.index(before: lastNew))
      guard document[before] == view[beforeNew] else { break }
      (last, lastNew) = (before, beforeNew)
      splice.oldEnd -= 1
      splice.newEnd -= 1
    }
    return splice
  }

  /// The splice with the other halves of surrogate pairs that it cuts in the document.
  func roundedToScalars(_ document: String.UTF16View) -> _TextSplice {
    func isCut(_ offset: Int) -> Bool {
      let index = document.index(at: offset)
      return index < document.endIndex && UTF16.isTrailSurrogate(document[index])
    }
    var splice = self
    if isCut(oldEnd) {
      splice.oldEnd += 1
      splice.newEnd += 1
    }
    if isCut(start) { splice.start -= 1 }
    return splice
  }

  /// The splice with the text that was composed, and with the text that is marked in the view.
  func widened(to composed: Range<Int>?, marked: Range<Int>?) -> _TextSplice {
    var splice = self
    splice.start = min(start, composed?.lowerBound ?? start, marked?.lowerBound ?? start)
    splice.oldEnd = max(oldEnd, composed?.upperBound ?? oldEnd, (marked?.upperBound ?? newEnd) - growth)
    splice.newEnd = splice.oldEnd + growth
    return splice
  }

  /// Whether a change goes on with a composition, or ends it.
  ///
  /// - Parameter composed: Where the composed text lies in the document.
  func belongs(to composed: Range<Int>, marked: Range<Int>?, reported: _TextSplice) -> Bool {
    if old.overlaps(composed) { return true }
    // An input method replaces the text that it commits, even by the same text.
    guard let marked else { return isEmpty || reported.old.overlaps(composed) }
    let moved = oldEnd <= composed.lowerBound ? growth : 0
    return marked.overlaps(composed.lowerBound + moved..<composed.upperBound + moved)
  }
}

/// An edit of a document that makes it equal to a view.
struct _TextEdit {
  let splice: _TextSplice
  let utf8Range: Range<Int>
  let text: String
  /// Whether the text is what the view has there, which may also have halves of surrogate pairs.
  let isWhole: Bool

  init(_ change: _TextSplice, _ view: some BidirectionalCollection<UInt16>, _ document: String) {
    splice = change.roundedToScalars(document.utf16)
    utf8Range = document.utf8Range(utf16: splice.old)
    var units = view[view.index(at: splice.start)..<view.index(at: splice.newEnd)].makeIterator()
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

extension BidirectionalCollection {
  fileprivate func index(at offset: Int) -> Index { index(startIndex, offsetBy: offset) }
}

extension String {
  /// The UTF-8 offsets of a range that cuts no surrogate pair.
  func utf8Range(utf16 range: Range<Int>) -> Range<Int> {
    let start = utf8.distance(from: startIndex, to: utf16.index(at: range.lowerBound))
    return start..<utf8.distance(from: startIndex, to: utf16.index(at: range.upperBound))
  }

  /// The text in a range that cuts no surrogate pair.
  func slice(utf16 range: Range<Int>) -> String {
    String(self[utf16.index(at: range.lowerBound)..<utf16.index(at: range.upperBound)])
  }
}
