/// The label of a step, which is recorded at both ends of the step and exchanges nothing.
struct _UndoLabel: _UndoDelta {
  typealias Part = Void

  let text: String

  var place: UndoDocumentPlace<Void> { UndoDocumentPlace() }
  var change: _UndoChange { .value }
  func exchange(with root: inout Void, offset: Int) {}
  static var ownsMemory: Bool { true }
  var ownedBytes: Int { text._ownedBytes }
  var retainedBytes: Int { ownedBytes }
}
