// The bridge between a text view and a history: the type, and the reports of a view. How an edit is derived from
// reports is in `TextViewBridge+Recording`, and the replacements for a view are in `TextViewBridge+Updates`.

/// Keeps a text view and a text in an `UndoHistory` equal, whatever the view reports.
///
/// A text view changes its own text and reports where. The bridge records the change in the history. If the document
/// changes by other means, such as an undo, the bridge says what the view has to replace:
///
/// ```swift
/// struct Note { var title = "", body = "" }
///
/// var history = UndoHistory(initialValue: Note())
/// var view: [UInt16] = []    // stands for a text view, which stores UTF-16
/// var bridge = TextViewBridge()
///
/// for (index, key) in "Dear Ada".utf16.enumerated() {
///   view.append(key)         // the user types a letter
///   bridge.didEdit(index..<index + 1, changeInLength: 1)
///   bridge.record(view, in: &history.edit.body)
/// }
/// print(history.body, history.undoCount)  // Dear Ada 1
///
/// if let update = bridge.undo(&history, text: \.body) {
///   for change in update.replacements { view.replaceSubrange(change.range, with: change.text.utf16) }
/// }
/// print(view.count, history.canRedo)      // 0 true
/// ```
///
/// The reports of a text view don't always match its changes: a view asks whether it may change its text and then
/// changes nothing, reports several changes as one, or reports only attributes. So the bridge reads the view's text.
/// ``didEdit(_:changeInLength:)`` tells ``record(_:marked:as:in:allows:)`` where to compare. One report that fits the
/// lengths of the texts is trusted, so report every edit, or none. If there are several reports, or none, or one that
/// doesn't fit, the whole text is compared. After `record`, the document has the text of the view, unless the
/// application has refused the edit.
///
/// Typing joins into steps, until it pauses for a second. The text of an input method (marked text) is one step, from
/// its first letter until it is committed.
///
/// A Swift string can't contain one half of a surrogate pair, but a text view can. If a view deletes or separates one
/// half of 😀, the whole 😀 is replaced. `record` then returns an update, which removes the other half from the view.
///
///     | edited: start, end before, end now | isUncertain | isLate | shown replacements
///     | composition: range, original text | caret | rule |
public struct TextViewBridge: Sendable {
  /// The reports of the view since the last call of `record`, as one.
  var edited: _TextSplice?
  /// Whether a report can be wrong, so that the text outside of `edited` is compared too.
  var isUncertain = false
  /// Whether a change was recorded before its report, so that the next reports can be those of earlier changes.
  var isLate = false
  /// The replacements that the view was told to make, and that it has not reported.
  private var shown: ArraySlice<_TextSplice> = []
  /// The text that an input method is composing: where it lies in the document, in UTF-16, and the text that it
  /// replaced.
  var composition: (range: Range<Int>, original: String)?
  /// Where the last edit or update ended, which tells which one of equal letters was typed next.
  var caret: Int?
  private let coalescing: UndoCoalescing

  /// A range of a text, and what replaces it.
  public struct Replacement: Hashable, Sendable {
    /// The replaced range in UTF-16, as text views count.
    public let range: Range<Int>
    /// The text that replaces the range.
    public let text: String
  }

  /// The replacements that make a text view show the document.
  public struct Update: Hashable, Sendable {
    /// The replacements, in order: each range counts in the text that the previous replacements have produced.
    public let replacements: [Replacement]

    /// Where the caret belongs after an undo, a redo, a command or a refused edit, in UTF-16: after the text of the
    /// last replacement.
    ///
    /// It is nil if there is nothing to replace. Ignore it if the user has not asked for the change, for example after
    /// a remote edit.
    public var selection: Range<Int>? {
      guard let last = replacements.last else { return nil }
      let caret = last.range.lowerBound + last.text.utf16.count
      return caret..<caret
    }
  }

  /// Creates a bridge for one text view.
  ///
  /// - Parameter coalescing: The rule by which typing joins. If the history has the default rule,
  ///   `UndoCoalescing/typing`, the next `record` replaces it by this one. Any other rule of the history stays.
  public init(coalescing: UndoCoalescing = .typing(within: .seconds(1))) {
    self.coalescing = coalescing
  }

  /// Whether an input method was composing text at the last call of `record`.
  ///
  /// While it is true, answer yes if the view asks whether it may change its text.
  /// ``record(_:marked:as:in:allows:)`` asks the application when the composition ends.
  public var isComposing: Bool { composition != nil }
}

// MARK: - Reports and edits

extension TextViewBridge {
  /// Tells the bridge that the view has changed its text; the next `record` looks there.
  ///
  /// The parameters are those of `textStorage(_:didProcessEditing:range:changeInLength:)`. A report may cover more than
  /// what changed, and there may be several before the next `record`, in any order. Reports of the replacements of an
  /// ``Update`` are optional: they are recognized and ignored.
  ///
  /// - Parameters:
  ///   - range: The range that was edited, in UTF-16 and as it is after the edit.
  ///   - changeInLength: By how much the edit made the text longer.
  /// - Complexity: O(1), and O(*r*) for the first report after an update of *r* replacements.
  public mutating func didEdit(_ range: Range<Int>, changeInLength: Int) {
    let (oldEnd, overflows) = range.upperBound.subtractingReportingOverflow(changeInLength)
    guard !overflows, range.lowerBound >= 0, oldEnd >= range.lowerBound else { return isUncertain = true }
    let next = _TextSplice(start: range.lowerBound, oldEnd: oldEnd, newEnd: range.upperBound)
    // The user may have made the same edit, so what comes next isn't trusted.
    if isOfShownReplacements(next) { return isUncertain = true }
    guard let first = edited else { return edited = next }
    // A view that reports its edits in another order reports ranges that don't enclose them.
    isUncertain = true
    edited = first.followed(by: next) ?? first
  }

  /// Whether a report is about replacements that the view was told to make, and which the document has already.
  ///
  /// If an edit is taken for one of them, its place is found by comparing everything.
  private mutating func isOfShownReplacements(_ report: _TextSplice) -> Bool {
    if let first = shown.first, report.encloses(first) {
      shown.removeFirst()
      return true
    }
    // Between `beginEditing` and `endEditing`, a view reports them as one.
    let all = shown.dropFirst().reduce(shown.first) { $0?.followed(by: $1) }
    shown = []
    return all.map(report.encloses) ?? false
  }

  /// Records in the document how the view's text has changed.
  ///
  /// Call it when the view has finished a change and knows its marked text, for example in `textDidChange(_:)`, and
  /// before the document is undone, saved or changed by a command. If nothing has changed, nothing is recorded.
  ///
  /// While text is marked, its changes are recorded as `UndoIntent/composing`. If the user cancels the composition,
  /// no step remains. Otherwise the inserted and removed text tells whether an edit is typing.
  ///
  /// `allows` is asked before an edit is recorded. Return false to refuse the edit, for example if the text would be
  /// too long. A composition isn't interrupted: `allows` is asked when it ends, with the document as it was before. A
  /// refused composition leaves no step.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "1234")
  /// var view = Array("12345".utf16)
  /// var bridge = TextViewBridge()
  /// let update = bridge.record(view, in: &history.edit, allows: { document, _, _ in document.isEmpty })
  /// for change in update.replacements { view.replaceSubrange(change.range, with: change.text.utf16) }
  /// print(String(decoding: view, as: UTF16.self), history.canUndo)  // 1234 false
  /// ```
  ///
  /// - Parameters:
  ///   - view: The text of the view in UTF-16, with halves of surrogate pairs if the view has them. In a collection
  ///     without random access, each offset is O(*n*).
  ///   - marked: The range of the marked text; nil or empty if no text is marked.
  ///   - intent: The purpose of the edit, if the view knows it.
  ///   - text: The text in the document, such as `history.edit.body`.
  ///   - allows: Returns whether an edit is accepted. It gets the text of the document before the edit, the range in
  ///     UTF-16 and the new text. It can't use the history, which is being changed.
  /// - Returns: The replacements for the view, if the edit was refused or cut a surrogate pair. Otherwise it has none.
  /// - Complexity: O(*n*), because all units of the document are counted, eight bytes at a time. If reports are missing
  ///   or don't fit, if there were several, or if an update is returned, the whole text is compared as well.
  @discardableResult
  public mutating func record<Place>(
    _ view: some BidirectionalCollection<UInt16>, marked: Range<Int>? = nil, as intent: UndoIntent = .automatic,
    in text: inout UndoCursor<Place, String>,
    allows: ((_ document: String, _ range: Range<Int>, _ text: String) -> Bool)? = nil
  ) -> Update {
    if text.access.coalescing == .typing, coalescing != .typing { text.access.coalescing = coalescing }
    let marked = marked.map { $0.clamped(to: 0..<view.count) }.flatMap { $0.isEmpty ? nil : $0 }
    let place = min(edited?.start ?? 0, composition?.range.lowerBound ?? .max)
    // The document must be released before it is edited.
    let step = text.readTarget { document in
      self.step(from: _DocumentText(document, near: place), to: view, marked: marked, as: intent, allows)
    }
    if step.beginsComposition { text.access.log.endCoalescing() }
    if let new = step.text { text.replaceSubrange(utf8: step.utf8Range, with: new, as: step.intent) }
    shown = []
    return step.isShown ? Update(replacements: []) : update(from: view, to: text.currentItem)
  }

  /// Returns an update with these replacements, and forgets what the view was doing if there are any.
  mutating func willShow(_ replacements: [Replacement]) -> Update {
    let update = Update(replacements: replacements)
    guard let selection = update.selection else { return update }
    (shown, composition, caret) = (replacements.map(_TextSplice.init)[...], nil, selection.lowerBound)
    // A report that was not recorded means another place from now on.
    if edited != nil { isUncertain = true }
    return update
  }
}
