/// The state of an open step, which each new edit becomes part of, and the identity of the step.
///
/// The records are those of an ordinary step at any time, so undo handles them without knowing of the open step. Only
/// the next edit is treated differently: it joins. If the step has a record of the same part, the edit needs none
/// (`_UndoGesture`).
package struct _UndoOpenStep {
  package let identity: _UndoStepIdentity
  package let label: String?
  /// Whether an assigned text or collection is recorded in each place that differs, as in a history with origins.
  let alignsPlaces: Bool
  /// The state in which the step began.
  let base: Int
  /// The number of redo steps at that time.
  let redoCount: Int
  /// The location of the step's first record.
  var start: _UndoLocation
  /// The redo steps from before the step's first edit.
  package var detachedRedo: _UndoDetachedRedo?

  /// Whether a history is as it was when the step began.
  func isAtBase(_ state: Int, _ redoCount: Int) -> Bool {
    state == base && (detachedRedo != nil || redoCount == self.redoCount)
  }
}

/// The identity of an open step: an object, or a number that the client has supplied.
///
/// It is an object, because objects differ from each other as long as they live. Drawing a random number would take
/// longer than a gesture.
package final class _UndoStepIdentity: Sendable {
  let number: UInt64?

  init(_ number: UInt64? = nil) { self.number = number }

  /// Whether both identify the same step.
  func isSame(as other: _UndoStepIdentity) -> Bool { self === other || number != nil && number == other.number }
}
