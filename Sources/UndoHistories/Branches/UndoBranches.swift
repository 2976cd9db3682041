/// What happens to the redo steps when you make a new edit.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// history.branches = .kept
/// ```
public enum UndoBranches: Hashable, Sendable {
  /// They are discarded, as in most editors. This is the default.
  case dropped
  /// They are kept as a branch, which you can switch to at any time with `UndoHistory.go(to:onStep:)`.
  case kept
}
