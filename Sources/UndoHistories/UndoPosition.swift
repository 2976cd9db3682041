/// A position between two steps of a history.
///
/// ```swift
/// var history = UndoHistory(initialValue: [1, 2, 3])
/// history.edit.append(4)
/// history.markSaved()
/// history.edit.append(5)
/// history.go(to: .savedPoint)       // [1, 2, 3, 4]
/// history.go(to: .step(0))          // [1, 2, 3]
/// ```
public struct UndoPosition: Hashable, Sendable {
  enum Kind: Hashable, Sendable {
    case savedPoint
    case step(Int)
    case ago(Duration)
  }

  let kind: Kind

  /// The position at which the document was saved (`UndoHistory.isDirty`).
  ///
  /// A new edit after an undo, or a limit, can discard the steps that lead there. Then the saved point can't be
  /// reached. If branches are kept (`UndoHistory.keepsBranches`) and the saved point lies on one of them, the history
  /// switches to that branch.
  public static var savedPoint: UndoPosition { UndoPosition(kind: .savedPoint) }

  /// The state of the document some time ago: after the steps that had ended by then.
  ///
  /// Steps without a recorded time count as earlier (`UndoHistory.recordTimes(_:)`). A history that doesn't record
  /// times can't go there.
  public static func ago(_ time: Duration) -> UndoPosition { UndoPosition(kind: .ago(time)) }

  /// The state after the given number of steps, where 0 is the oldest state that the history remembers.
  public static func step(_ number: Int) -> UndoPosition { UndoPosition(kind: .step(number)) }
}
