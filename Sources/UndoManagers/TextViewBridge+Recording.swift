// Derives edits of the document from a view's text and its reports: plain edits, and those of a composition.

extension TextViewBridge {
  typealias Question = (_ document: String, _ range: Range<Int>, _ text: String) -> Bool

  /// Makes the document equal to the view, as far as that is possible and allowed.
  ///
  /// - Returns: Whether the view shows the document now.
  mutating func take<Place>(
    _ view: some BidirectionalCollection<UInt16>, _ marked: Range<Int>?, _ intent: UndoIntent,
    in text: inout UndoCursor<Place, String>, _ allows: Question?
  ) -> Bool {
    let (change, reported) = text.readTarget { takeReports(view, $0) }
    if let old = composition, !change.belongs(to: old.range, marked: marked, reported: reported) {
      guard endComposition(in: &text, allows) else { return false }
    }
    if marked == nil, composition == nil { return edit(change, view, intent, in: &text, allows) }
    let isWhole = compose(change, view, marked, in: &text)
    // An input method can commit the first part of what it composes, and go on with the rest.
    if let old = composition, marked.map({ $0.lowerBound > old.range.lowerBound }) ?? true {
      guard endComposition(in: &text, allows) else { return false }
      if isWhole, let marked { text.readTarget { beginComposition(marked, $0) } }
    }
    return isWhole
  }

  /// Where the view and the document differ, and where the view reported a change.
  private mutating func takeReports(
    _ view: some BidirectionalCollection<UInt16>, _ document: String
  ) -> (change: _TextSplice, reported: _TextSplice) {
    let whole = _TextSplice(start: 0, oldEnd: document.utf16.count, newEnd: view.count)
    // The document may have been changed by other means.
    if let range = composition?.range, range.upperBound > whole.oldEnd { composition = nil }
    defer { (edited, isUncertain) = (nil, false) }
    if let edited, !isUncertain, edited.fits(into: whole) { return (edited.trimmed(document.utf16, view), edited) }
    // Without a report, a change beside the composed text counts as a change of it.
    let change = whole.trimmed(document.utf16, view)
    return (change, _TextSplice(start: change.start - 1, oldEnd: change.oldEnd + 1, newEnd: change.newEnd + 1))
  }

  private func edit<Place>(
    _ change: _TextSplice, _ view: some BidirectionalCollection<UInt16>, _ intent: UndoIntent,
    in text: inout UndoCursor<Place, String>, _ allows: Question?
  ) -> Bool {
    if change.isEmpty { return true }
    let (edit, isAllowed) = text.readTarget { document in
      let edit = _TextEdit(change, view, document)
      return (edit, allows?(document, edit.splice.old, edit.text) ?? true)
    }
    guard isAllowed else { return false }
    text.replaceSubrange(utf8: edit.utf8Range, with: edit.text, as: intent)
    return edit.isWhole
  }

  // MARK: Compositions

  /// Records a change of the composed text, or begins a composition.
  private mutating func compose<Place>(
    _ change: _TextSplice, _ view: some BidirectionalCollection<UInt16>, _ marked: Range<Int>?,
    in text: inout UndoCursor<Place, String>
  ) -> Bool {
    // A new composition must not join one that has ended in the same place.
    if composition == nil { text.access.endCoalescing() }
    if change.isEmpty {
      if composition == nil, let marked { text.readTarget { beginComposition(marked, $0) } }
      return true
    }
    // Each edit replaces all of the composed text, so that the edits join.
    let whole = change.widened(to: composition?.range, marked: marked)
    let (edit, original) = text.readTarget { document in
      let edit = _TextEdit(whole, view, document)
      guard let old = composition else { return (edit, document.slice(utf16: edit.splice.old)) }
      let before = document.slice(utf16: edit.splice.start..<old.range.lowerBound)
      return (edit, before + old.original + document.slice(utf16: old.range.upperBound..<edit.splice.oldEnd))
    }
    text.replaceSubrange(utf8: edit.utf8Range, with: edit.text, as: .composing)
    let start = edit.splice.start
    composition = Composition(range: start..<start + edit.text.utf16.count, original: original)
    return edit.isWhole
  }

  /// Begins a composition with text that is in the document already.
  private mutating func beginComposition(_ marked: Range<Int>, _ document: String) {
    let range = _TextSplice(start: marked.lowerBound, oldEnd: marked.upperBound, newEnd: marked.upperBound)
      .roundedToScalars(document.utf16).old
    composition = Composition(range: range, original: document.slice(utf16: range))
  }

  /// Ends the composition, and restores the text that it replaced if the application refuses the new one.
  private mutating func endComposition<Place>(
    in text: inout UndoCursor<Place, String>, _ allows: Question?
  ) -> Bool {
    guard let old = composition else { return true }
    composition = nil
    guard let allows else { return true }
    let (range, isAllowed) = text.readTarget { document in
      let (range, composed) = (document.utf8Range(utf16: old.range), document.slice(utf16: old.range))
      if composed.utf8.elementsEqual(old.original.utf8) { return (range, true) }
      let before = document.slice(utf16: 0..<old.range.lowerBound)
      let after = document.slice(utf16: old.range.upperBound..<document.utf16.count)
      let replaced = old.range.lowerBound..<old.range.lowerBound + old.original.utf16.count
      return (range, allows(before + old.original + after, replaced, composed))
    }
    if isAllowed { return true }
    text.replaceSubrange(utf8: range, with: old.original, as: .composing)
    return false
  }
}
