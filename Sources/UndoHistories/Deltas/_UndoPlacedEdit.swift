/// What the latest exchange of a delta did, and where, to any depth.
///
/// An `UndoEdit` names the outermost collection only, so that it fits into registers. This is made where a view follows
/// a step, and nowhere else.
@usableFromInline
struct _UndoPlacedEdit {
  /// The elements on the way, outermost first.
  let levels: [_UndoLevel]
  /// The part that the delta exchanges, in the last of those elements.
  let place: _UndoPlace
  let kind: UndoEdit.Kind
  /// The text that lay in the range, where the part is a text.
  let replacedText: String?
  /// What happened to the elements one by one, where that is more than the kind says.
  let changes: [UndoElementsChange]?

  @usableFromInline
  init(
    levels: [_UndoLevel], place: _UndoPlace, kind: UndoEdit.Kind,
    replacedText: String? = nil, changes: [UndoElementsChange]? = nil
  ) {
    self.levels = levels
    self.place = place
    self.kind = kind
    self.replacedText = replacedText
    self.changes = changes
  }
}

extension _UndoAnchor {
  /// What happened to the part of this type at this offset.
  @inlinable
  func place<Part>(
    _ kind: UndoEdit.Kind, at offset: Int, of type: Part.Type,
    replacedText: String? = nil, changes: [UndoElementsChange]? = nil
  ) -> _UndoPlacedEdit {
    var levels: [_UndoLevel] = []
    appendLevels(to: &levels)
    return _UndoPlacedEdit(
      levels: levels, place: _UndoPlace(type, at: offset), kind: kind, replacedText: replacedText, changes: changes)
  }
}
