// The replacements for a text view after an undo, a redo, or any other change of the document.

extension TextViewBridge {
  /// Undoes the latest step, and says what the view has to replace.
  ///
  /// Call `record` first, because an edit that isn't recorded yet can't be undone. If the view is composing text, let
  /// it commit the text before `record`. The undo then removes the whole composition.
  ///
  /// - Parameters:
  ///   - history: The history with the text.
  ///   - text: The text that the view shows. If the step edited only other parts of the document, there are no
  ///     replacements.
  /// - Returns: Nil if there was no step to undo.
  /// - Complexity: That of the step's edits, and O(*n*) in the length of the text. See
  ///   `UndoLiveEdit/text(at:)`.
  public mutating func undo<Value>(
    _ history: inout UndoHistory<Value>, text: KeyPath<Value, some UndoText>
  ) -> Update? {
    follow(text) { history.undo(onEdit: $0) }
  }

  /// Redoes the step that was undone last, and says what the view has to replace.
  ///
  /// - Parameters:
  ///   - history: The history with the text.
  ///   - text: The text that the view shows.
  /// - Returns: Nil if there was no step to redo.
  /// - Complexity: As for `undo`.
  public mutating func redo<Value>(
    _ history: inout UndoHistory<Value>, text: KeyPath<Value, some UndoText>
  ) -> Update? {
    follow(text) { history.redo(onEdit: $0) }
  }

  /// Says what the view has to replace to show the document.
  ///
  /// Call it after the document was changed by other means: by a command, a remote edit, a reload, or an undo through
  /// an ``UndoDriver``. Call `record` before that change. Otherwise the view loses what the user typed since the last
  /// `record`.
  ///
  /// - Parameters:
  ///   - view: The text of the view in UTF-16.
  ///   - text: The text in the document.
  /// - Returns: At most one replacement, from the first difference to the last one.
  /// - Complexity: O(*n*).
  public mutating func update(from view: some BidirectionalCollection<UInt16>, to text: String) -> Update {
    let document = _DocumentText(text, near: 0)
    let change = _TextSplice(start: 0, oldEnd: document.count, newEnd: view.count).trimmed(document, view)
    // If the view needs no replacement, its input method goes on composing.
    if change.isEmpty { return Update(replacements: []) }
    let splice = change.roundedToScalars(document)
    return willShow([Replacement(range: splice.new, text: document.slice(splice.old))])
  }

  private mutating func follow<Value>(
    _ text: KeyPath<Value, some UndoText>,
    _ step: ((borrowing UndoLiveEdit<Value>) -> Void) -> UndoHistory<Value>.Change?
  ) -> Update? {
    var replacements: [Replacement] = []
    let change = step { edit in
      guard let change = edit.text(at: text) else { return }
      replacements.append(Replacement(range: change.utf16Range, text: change.replacement))
    }
    return change == nil ? nil : willShow(replacements)
  }
}
