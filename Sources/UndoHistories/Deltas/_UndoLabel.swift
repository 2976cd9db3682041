/// The label of a step, which is recorded at both ends of the step and exchanges nothing.
@usableFromInline
struct _UndoLabel: _UndoDelta {
  @usableFromInline
  typealias Part = Void

  @usableFromInline
  let text: String

  @inlinable
  init(_ text: String) {
    self.text = text
  }

  @usableFromInline
  var place: UndoDocumentPlace<Void> { UndoDocumentPlace() }
  @usableFromInline
  var change: _UndoChange { .value }
  @usableFromInline
  func exchange(with root: inout Void, offset: Int) {}
  @usableFromInline
  static var ownsMemory: Bool { true }
  @usableFromInline
  var ownedBytes: Int { text._ownedBytes }
  @usableFromInline
  var retainedBytes: Int { ownedBytes }
}
