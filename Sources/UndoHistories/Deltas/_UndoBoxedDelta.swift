/// A delta that holds another one of any type.
///
/// The other delta is too large for a record, is aligned more strictly than the log, or has a type for which the header
/// of a record has no number left.
struct _UndoBoxedDelta<Root>: _UndoDelta {
  typealias Part = Root

  var delta: any _UndoDelta<Root>

  var place: UndoDocumentPlace<Root> { UndoDocumentPlace() }
  static var effect: _UndoEffect { .dynamic }
  var change: _UndoChange { .whole }
  mutating func exchange(with root: inout Root, offset: Int) { delta.exchange(with: &root, offset: offset) }
  func edit(offset: Int) -> _UndoEdit { delta.edit(offset: offset) }
  func reportedEdit(offset: Int) -> UndoEdit { UndoEdit(edit(offset: offset).inverted) }
  mutating func move(to edit: _UndoEdit) -> Bool { delta.move(to: edit) }
  var insertedElements: (any Collection)? { delta.insertedElements }
  static var ownsMemory: Bool { true }
  var ownedBytes: Int { size + delta.ownedBytes }
  var retainedBytes: Int { size + delta.retainedBytes }

  /// The size of the object in which an existential holds a large delta: a header of two words, and the delta.
  private var size: Int {
    func size<Delta: _UndoDelta<Root>>(_ delta: Delta) -> Int { 16 + MemoryLayout<Delta>.size }
    return size(delta)
  }
}
