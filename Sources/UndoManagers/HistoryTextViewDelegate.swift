#if canImport(AppKit)
  public import AppKit

  /// The delegate of an `NSTextView` whose text is in an `UndoHistory`.
  ///
  /// It reports to a `TextViewBridge`, and shows in the view what an undo or a redo changed. The article "Undo in
  /// views" has an example.
  ///
  /// The view doesn't keep its delegate alive, so keep it as long as the view. It becomes the delegate of the view and
  /// of the view's text storage, and turns off `allowsUndo`. To implement other methods of the delegate, make a
  /// subclass.
  ///
  /// Undo and redo through the undo manager, as the Edit menu does. After you have changed the text by other means,
  /// call ``show()``.
  ///
  /// - Note: This class was type-checked and run against a stub of Apple's declarations, but never on AppKit. The
  ///   bridge is tested on Linux.
  @MainActor
  open class HistoryTextViewDelegate: NSObject, NSTextViewDelegate, NSTextStorageDelegate {
    /// Returns whether an edit is accepted: the text of the document before the edit, the range in UTF-16, and the new
    /// text.
    ///
    /// It is also asked when a composition ends, with the document as it was before the composition.
    public var allows: (_ document: String, _ range: Range<Int>, _ text: String) -> Bool = { _, _, _ in true }

    private weak var textView: NSTextView?
    private let undoManager: HistoryUndoManager
    private let text: () -> String
    private let record:
      (inout TextViewBridge, _TextViewUnits, _ marked: Range<Int>?, @escaping TextViewBridge.Question) ->
        TextViewBridge.Update
    private var bridge: TextViewBridge
    private var hasReports = false
    private var isShowing = false

    /// Makes a text view show and edit a text.
    ///
    /// - Parameters:
    ///   - textView: The view, which isn't kept alive.
    ///   - undoManager: The undo manager of the history with the text.
    ///   - coalescing: The rule by which typing joins, in a history with the default rule.
    ///   - text: Returns the text in the document.
    ///   - editing: Calls its argument with the cursor at the text.
    public init<Place>(
      _ textView: NSTextView, undoManager: HistoryUndoManager,
      coalescing: UndoCoalescing = .typing(within: .seconds(1)), text: @escaping () -> String,
      editing: @escaping ((inout UndoCursor<Place, String>) -> Void) -> Void
    ) {
      self.textView = textView
      self.undoManager = undoManager
      self.text = text
      bridge = TextViewBridge(coalescing: coalescing)
      record = { bridge, view, marked, allows in
        var update = TextViewBridge.Update(replacements: [])
        editing { update = bridge.record(view, marked: marked, in: &$0, allows: allows) }
        return update
      }
      super.init()
      textView.allowsUndo = false
      textView.delegate = self
      textView.textStorage?.delegate = self
      undoManager.follow(self)
      show()
    }

    /// Records what the view has reported, for example before the document is saved.
    public func flush() {
      guard hasReports || bridge.isComposing, !isShowing, let textView, let units else { return }
      hasReports = false
      show(record(&bridge, units, Range(textView.markedRange()), allows), selects: true)
    }

    /// Makes the view show the text of the document.
    public func show() { show(selects: false) }

    private var units: _TextViewUnits? { textView?.textStorage.map { _TextViewUnits(string: $0.mutableString) } }

    private func show(selects: Bool) {
      guard let units else { return }
      show(bridge.update(from: units, to: text()), selects: selects)
    }

    private func show(_ update: TextViewBridge.Update, selects: Bool) {
      guard !update.replacements.isEmpty, let textView, let storage = textView.textStorage else { return }
      isShowing = true
      if textView.hasMarkedText() {
        // The input method must not replace text that isn't there any more.
        textView.inputContext?.discardMarkedText()
        textView.unmarkText()
      }
      storage.beginEditing()
      for change in update.replacements { storage.replaceCharacters(in: NSRange(change.range), with: change.text) }
      storage.endEditing()
      isShowing = false
      guard selects, let selection = update.selection else { return }
      textView.setSelectedRange(NSRange(selection))
      textView.scrollRangeToVisible(NSRange(selection))
    }

    // The undo manager's checkpoints come before each undo.
    func didPost(_ notification: UndoNotification) {
      switch notification {
      case .checkpoint: flush()
      case .willUndoChange, .willRedoChange:
        if textView?.hasMarkedText() == true { textView?.unmarkText() }
        flush()
      case .didUndoChange, .didRedoChange: show(selects: true)
      default: break
      }
    }

    // MARK: Calls of the view

    /// Asks ``allows``, unless the view is composing text.
    open func textView(
      _ textView: NSTextView, shouldChangeTextInRanges affectedRanges: [NSValue], replacementStrings: [String]?
    ) -> Bool {
      guard let replacementStrings, !isShowing, !bridge.isComposing else { return true }
      let document = text()
      return zip(affectedRanges, replacementStrings).allSatisfy { value, text in
        allows(document, Range(value.rangeValue) ?? 0..<0, text)
      }
    }

    /// Notes where the view has changed its text, and records it at the end of the event.
    nonisolated open func textStorage(
      _ textStorage: NSTextStorage, didProcessEditing editedMask: NSTextStorageEditActions, range editedRange: NSRange,
      changeInLength delta: Int
    ) {
      guard editedMask.contains(.editedCharacters), let range = Range(editedRange) else { return }
      MainActor.assumeIsolated {
        guard !isShowing else { return }
        bridge.didEdit(range, changeInLength: delta)
        hasReports = true
        // Code that changes the text storage by itself doesn't call `textDidChange`.
        Task { [weak self] in self?.flush() }
      }
    }

    /// Records what the view has changed.
    open func textDidChange(_ notification: Notification) { flush() }

    /// The undo manager of the history.
    open func undoManager(for view: NSTextView) -> UndoManager? { undoManager }
  }

  /// The text of a text view, read unit by unit and not copied.
  struct _TextViewUnits: RandomAccessCollection {
    let string: NSString
    var startIndex: Int { 0 }
    var endIndex: Int { string.length }
    subscript(index: Int) -> UInt16 { string.character(at: index) }
  }
#endif
