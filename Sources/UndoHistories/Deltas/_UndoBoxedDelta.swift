/// The delta that holds any other delta by reference: for what is too large for a record, aligned more strictly than
/// the log, or of a type for which the table of operations has no index left.
@usableFromInline
struct _UndoBoxedDelta<Root>: _UndoDelta {
  @usableFromInline
  let box: _UndoAnyBox<Root>

  @inlinable
  init(_ box: _UndoAnyBox<Root>) {
    self.box = box
  }

  @usableFromInline
  func exchange(with root: inout Root, offset: Int) { box.exchange(with: &root, offset: offset) }
  @usableFromInline
  func edit(offset: Int) -> UndoEdit { box.edit(offset: offset) }
  @usableFromInline
  func detailedEdit(offset: Int) -> _UndoDetailedEdit { box.detailedEdit(offset: offset) }
  @usableFromInline
  func copy() -> _UndoBoxedDelta { _UndoBoxedDelta(box.copy()) }
  @usableFromInline
  func isSame(as other: _UndoBoxedDelta) -> Bool { box === other.box || box.isSame(as: other.box) }
  @usableFromInline
  static var ownsMemory: Bool { true }
  @usableFromInline
  var ownedBytes: Int { box.ownedBytes }
  @usableFromInline
  var retainedBytes: Int { box.retainedBytes }
}

/// A box for a delta of any type, as a boxed delta knows it.
@usableFromInline
class _UndoAnyBox<Root> {
  @inlinable
  init() {}

  @usableFromInline
  func exchange(with root: inout Root, offset: Int) { preconditionFailure("a box of its own type does this") }
  @usableFromInline
  func edit(offset: Int) -> UndoEdit { preconditionFailure("a box of its own type does this") }
  @usableFromInline
  func detailedEdit(offset: Int) -> _UndoDetailedEdit { preconditionFailure("a box of its own type does this") }
  @usableFromInline
  func copy() -> _UndoAnyBox { preconditionFailure("a box of its own type does this") }
  @usableFromInline
  func isSame(as other: _UndoAnyBox) -> Bool { preconditionFailure("a box of its own type does this") }
  /// Gives access to the delta.
  func withDelta(_ body: (Any.Type, _UnsafeUndoPointer) -> Void) {
    preconditionFailure("a box of its own type does this")
  }
  @usableFromInline
  var ownedBytes: Int { preconditionFailure("a box of its own type does this") }
  @usableFromInline
  var retainedBytes: Int { preconditionFailure("a box of its own type does this") }
}

/// The box for a delta of one type.
@usableFromInline
final class _UndoBox<Delta: _UndoDelta>: _UndoAnyBox<Delta.Root> {
  @usableFromInline
  var delta: Delta

  @inlinable
  init(_ delta: consuming Delta) {
    self.delta = delta
  }

  @inlinable
  override func exchange(with root: inout Delta.Root, offset: Int) { delta.exchange(with: &root, offset: offset) }
  @inlinable
  override func edit(offset: Int) -> UndoEdit { delta.edit(offset: offset) }
  @inlinable
  override func detailedEdit(offset: Int) -> _UndoDetailedEdit { delta.detailedEdit(offset: offset) }
  @inlinable
  override func copy() -> _UndoAnyBox<Delta.Root> { _UndoBox(delta.copy()) }
  @inlinable
  override func isSame(as other: _UndoAnyBox<Delta.Root>) -> Bool {
    guard let other = other as? _UndoBox<Delta> else { return false }
    return delta.isSame(as: other.delta)
  }
  override func withDelta(_ body: (Any.Type, _UnsafeUndoPointer) -> Void) {
    unsafe withUnsafeMutablePointer(to: &delta) {
      unsafe body(Delta.self, _UnsafeUndoPointer(UnsafeMutableRawPointer($0)))
    }
  }
  /// The object's header of two words counts as well.
  @inlinable
  override var ownedBytes: Int { 16 + MemoryLayout<Delta>.size + delta.ownedBytes }
  @inlinable
  override var retainedBytes: Int { 16 + MemoryLayout<Delta>.size + delta.retainedBytes }
}

/// The record at both ends of a labelled step: the label, and nothing to exchange.
@usableFromInline
struct _UndoLabel: _UndoDelta {
  @usableFromInline
  let text: String

  @inlinable
  init(_ text: String) {
    self.text = text
  }

  @usableFromInline
  func exchange(with root: inout Void, offset: Int) {}
  @usableFromInline
  func edit(offset: Int) -> UndoEdit { UndoEdit(.value, start: 0, size: 0) }
  @usableFromInline
  func detailedEdit(offset: Int) -> _UndoDetailedEdit { _UndoRoot<Void>().detailedEdit(.value, at: 0, of: Void.self) }
  @usableFromInline
  static var ownsMemory: Bool { true }
  @usableFromInline
  var ownedBytes: Int { text._ownedBytes }
}
