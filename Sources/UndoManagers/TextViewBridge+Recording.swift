// Derives an edit of the document from a view's text and its reports: a plain edit, or one of a composition.

extension TextViewBridge {
  typealias Question = (_ document: String, _ range: Range<Int>, _ text: String) -> Bool

  /// The edit of the document that follows from what the view has done.
  struct Step {
    var utf8Range = 0..<0
    /// The new text in the range; nil if the document stays as it is.
    var text: String?
    var intent = UndoIntent.composing
    /// Whether the edit must not join a composition that has ended in the same place.
    var beginsComposition = false
    /// Whether the view shows the document after the edit.
    var isShown = true
  }

  /// Derives the edit that makes the document equal to the view, as far as that is possible and allowed.
  ///
  /// - Parameter marked: The marked text, which isn't empty, and lies within the text of the view.
  mutating func step(
    from document: _DocumentText, to view: some BidirectionalCollection<UInt16>, marked: Range<Int>?,
    as intent: UndoIntent, _ allows: Question?
  ) -> Step {
    let (change, reported) = takeReports(view, document, marked)
    if let old = composition, !change.belongs(to: old.range, marked: marked, reported: reported) {
      composition = nil
      let composed = document.slice(old.range)
      if let step = refusal(of: composed, insteadOf: old.original, at: old.range, in: document, allows) { return step }
    }
    if marked == nil, composition == nil {
      if change.isEmpty { return Step() }
      let edit = _TextEdit(change, view, document)
      let isAllowed = allows?(document.string, edit.splice.old, edit.text) ?? true
      let range = document.utf8Range(edit.splice.old)
      caret = edit.end
      return Step(
        utf8Range: range, text: isAllowed ? edit.text : nil, intent: intent, isShown: isAllowed && edit.isWhole)
    }
    return stepOfComposition(change, document, view, marked, allows)
  }

  /// Where the view and the document differ, and where the view reported a change.
  private mutating func takeReports(
    _ view: some BidirectionalCollection<UInt16>, _ document: _DocumentText, _ marked: Range<Int>?
  ) -> (change: _TextSplice, reported: _TextSplice) {
    let whole = _TextSplice(start: 0, oldEnd: document.count, newEnd: view.count)
    // The document may have been changed by other means.
    if let range = composition?.range, range.upperBound > whole.oldEnd { composition = nil }
    let (edited, isUncertain, wasLate) = (edited, isUncertain, isLate)
    (self.edited, self.isUncertain) = (nil, false)
    let composed = composition?.range.lowerBound ?? marked?.lowerBound
    func trimmed(_ splice: _TextSplice) -> _TextSplice {
      let change = splice.trimmed(document, view, near: composed ?? caret)
      // If the caret isn't beside the change, the user has moved it.
      guard composed == nil, let caret, change.start > caret else { return change }
      return splice.trimmed(document, view)
    }
    if let edited, edited.fits(into: whole), !(isUncertain || wasLate) || edited.hasAllDifferences(document, view) {
      let change = trimmed(edited)
      isLate = wasLate && !change.isEmpty
      // A letter over a selection that begins or ends with it is typed, and doesn't only remove the others. If one unit
      // was removed before the caret, that was a backspace in a wider report.
      let isRemoval = change.new.isEmpty && !change.isEmpty && (change.oldEnd != caret || change.old.count > 1)
      let isTyped = isRemoval && !isUncertain && composed == nil && view.isLetter(edited.new)
      return (isTyped ? edited : change, edited)
    }
    // Without a report, a change beside the composed text counts as a change of it.
    let change = trimmed(whole)
    isLate = !change.isEmpty && (wasLate || edited == nil && !isUncertain)
    return (change, _TextSplice(start: change.start - 1, oldEnd: change.oldEnd + 1, newEnd: change.newEnd + 1))
  }

  // MARK: Compositions

  /// Derives the edit of a composition that begins, goes on or ends.
  private mutating func stepOfComposition(
    _ change: _TextSplice, _ document: _DocumentText, _ view: some BidirectionalCollection<UInt16>,
    _ marked: Range<Int>?, _ allows: Question?
  ) -> Step {
    let old = composition
    // Each edit replaces all of the composed text, so that the edits join.
    let edit = _TextEdit(change.widened(to: old?.range, marked: marked), view, document)
    let (start, replaced) = (edit.splice.start, edit.splice.old)
    let original =
      old.map {
        document.slice(start..<$0.range.lowerBound) + $0.original
          + document.slice($0.range.upperBound..<replaced.upperBound)
      } ?? document.slice(replaced)
    composition = (start..<edit.end, original)
    caret = edit.end
    // An input method can commit the first part of what it composes, and go on with the rest.
    if marked.map({ $0.lowerBound > start }) ?? true {
      composition = nil
      if let step = refusal(of: edit.text, insteadOf: original, at: replaced, in: document, allows) { return step }
    }
    return Step(
      utf8Range: document.utf8Range(replaced), text: edit.text, beginsComposition: old == nil, isShown: edit.isWhole)
  }

  /// The edit that restores the text from before a composition that has ended, if the application refuses its text.
  ///
  /// - Parameter range: The range in the document that holds the composed text, or that its last edit replaces.
  private func refusal(
    of composed: String, insteadOf original: String, at range: Range<Int>, in document: _DocumentText,
    _ allows: Question?
  ) -> Step? {
    guard let allows, !composed.utf8.elementsEqual(original.utf8) else { return nil }
    let before = document.slice(0..<range.lowerBound)
    let after = document.slice(range.upperBound..<document.count)
    let old = range.lowerBound..<range.lowerBound + original.utf16.count
    if allows(before + original + after, old, composed) { return nil }
    return Step(utf8Range: document.utf8Range(range), text: original, isShown: false)
  }
}
