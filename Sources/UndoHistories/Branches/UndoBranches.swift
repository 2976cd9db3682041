/// What becomes of the steps that could be redone, once something else is edited.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// history.branches = .kept
/// ```
public enum UndoBranches: Hashable, Sendable {
  /// They are dropped, as in most editors. This is what a history does by default.
  case dropped
  /// They are set aside as a branch, to which `UndoHistory.go(to:onStep:)` leads at any time.
  case kept
}
