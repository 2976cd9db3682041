/// A point between two steps of a history, named by what is known about it.
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

  /// Where the document was saved, as `UndoHistory.isAtSavedPoint` has it.
  ///
  /// A new edit after undoing, or a limit, can drop the steps that lead there. Then the saved point is out of reach.
  /// Where branches are kept (`UndoHistory.branches`), and it lies on one of them, that is gone to.
  public static var savedPoint: UndoPosition { UndoPosition(kind: .savedPoint) }

  /// Where the document was so long ago: behind the steps that had ended by then, before the first that ended later.
  ///
  /// Steps whose time was not kept count as earlier (`UndoHistory.keepTime(by:)`). A history that keeps no time does
  /// not lead there.
  public static func ago(_ time: Duration) -> UndoPosition { UndoPosition(kind: .ago(time)) }

  /// Behind so many steps, as `UndoHistory.go(to:onStep:)` counts them: 0 is the oldest state that is remembered.
  public static func step(_ number: Int) -> UndoPosition { UndoPosition(kind: .step(number)) }
}
