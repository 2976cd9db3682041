/// A delta that holds another one by reference.
///
/// The other delta is too large for a record, is aligned more strictly than the log, or has a type for which the header
/// of a record has no number left.
@usableFromInline
struct _UndoBoxedDelta<Root>: _UndoDelta {
  @usableFromInline
  typealias Part = Root

  @usableFromInline
  final class Box {
    @usableFromInline
    var delta: any _UndoDelta<Root>

    @usableFromInline
    init(_ delta: any _UndoDelta<Root>) { self.delta = delta }
  }

  @usableFromInline
  let box: Box
  @usableFromInline
  init(_ delta: some _UndoDelta<Root>) {
    box = Box(delta)
  }

  @usableFromInline
  var place: UndoDocumentPlace<Root> { UndoDocumentPlace() }
  @usableFromInline
  static var effect: _UndoEffect { .dynamic }
  @usableFromInline
  var change: _UndoChange { .whole }
  @usableFromInline
  func exchange(with root: inout Root, offset: Int) { box.delta.exchange(with: &root, offset: offset) }
  @usableFromInline
  func edit(offset: Int) -> _UndoEdit { box.delta.edit(offset: offset) }
  @usableFromInline
  func reportedEdit(offset: Int) -> UndoEdit { UndoEdit(edit(offset: offset).inverted) }
  @usableFromInline
  func move(to edit: _UndoEdit) -> Bool { box.delta.move(to: edit) }
  @usableFromInline
  var insertedElements: (any Collection)? { box.delta.insertedElements }
  @usableFromInline
  func copy() -> _UndoBoxedDelta {
    func copy(_ delta: some _UndoDelta<Root>) -> _UndoBoxedDelta { _UndoBoxedDelta(delta.copy()) }
    return copy(box.delta)
  }
  @usableFromInline
  func isSame(as other: _UndoBoxedDelta) -> Bool {
    func isSame<Delta: _UndoDelta<Root>>(_ delta: Delta) -> Bool {
      (other.box.delta as? Delta).map { delta.isSame(as: $0) } ?? false
    }
    return box === other.box || isSame(box.delta)
  }
  @usableFromInline
  static var ownsMemory: Bool { true }
  @usableFromInline
  var ownedBytes: Int { size + box.delta.ownedBytes }
  @usableFromInline
  var retainedBytes: Int { size + box.delta.retainedBytes }

  /// The size of the object: a header of two words, and the delta.
  private var size: Int {
    func size<Delta: _UndoDelta<Root>>(_ delta: Delta) -> Int { 16 + MemoryLayout<Delta>.size }
    return size(box.delta)
  }
}
