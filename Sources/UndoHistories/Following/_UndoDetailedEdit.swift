/// What the latest exchange of a delta did, and where, to any depth.
///
/// An `UndoEdit` names the outermost collection only, so that it fits into registers. This is made where a view follows
/// a step, and nowhere else.
@usableFromInline
struct _UndoDetailedEdit {
  /// The elements on the way, outermost first.
  let levels: [_UndoLevel]
  /// The part that the delta exchanges, in the last of those elements.
  let partRange: _UndoPartRange
  let kind: UndoEdit.Kind
  /// The text that lay in the range, where the part is a text.
  let replacedText: String?
  /// What happened to the elements one by one, where that is more than the kind says.
  let changes: [UndoElementsChange]?

  @usableFromInline
  init(
    levels: [_UndoLevel], partRange: _UndoPartRange, kind: UndoEdit.Kind,
    replacedText: String? = nil, changes: [UndoElementsChange]? = nil
  ) {
    self.levels = levels
    self.partRange = partRange
    self.kind = kind
    self.replacedText = replacedText
    self.changes = changes
  }
}

extension _UndoAnchor {
  /// What happened to the part of this type at this offset.
  @inlinable
  func detailedEdit<Part>(
    _ kind: UndoEdit.Kind, at offset: Int, of type: Part.Type,
    replacedText: String? = nil, changes: [UndoElementsChange]? = nil
  ) -> _UndoDetailedEdit {
    var levels: [_UndoLevel] = []
    appendLevels(to: &levels)
    return _UndoDetailedEdit(
      levels: levels, partRange: _UndoPartRange(type, at: offset), kind: kind, replacedText: replacedText,
      changes: changes)
  }
}
