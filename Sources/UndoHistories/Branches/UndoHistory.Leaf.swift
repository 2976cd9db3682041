extension UndoHistory {
  /// The tip of a branch: a state that ``go(to:onStep:)-52ueq`` leads to, and undo and redo don't.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "A plan.")
  /// history.branches = .kept
  /// history.transaction("Add detail") { $0.append(" With detail.") }
  /// history.undo()
  /// history.transaction("Add doubt") { $0.append(" With doubt.") }
  /// print(history.leaves.map { $0.label ?? "Edit" })  // ["Add detail"]
  /// ```
  public struct Leaf: Identifiable, Hashable, Sendable {
    /// The identity of a leaf, different from that of every other.
    public struct ID: Hashable, Sendable {
      package let number: UInt64
    }

    /// Which leaf it is.
    ///
    /// It stays the same when you switch to the branch and away again, and copies of a history share it. If you
    /// continue to edit on the branch, its tip gets another identity. So do the tips of a history that is restored from
    /// an archive.
    public let id: ID
    /// The label of the newest step of the branch, if it had one.
    public let label: String?
    /// When that step ended, where that was kept (``UndoHistory/keepTime(by:)``).
    public let time: Duration?
    /// The number of bytes of the steps that are on no other branch, as ``UndoHistory/byteCount`` counts them.
    public let byteCount: Int
    /// The number of steps that lead to the fork, where the branch leaves the steps that can be undone and redone.
    ///
    /// `go(to: position)` leads there (``UndoHistory/go(to:onStep:)->()``).
    public let position: Int
    /// The number of steps from the fork to the tip.
    public let stepCount: Int
  }
}

extension UndoHistory.Leaf: CustomStringConvertible {
  /// The label, and where the branch leaves.
  public var description: String {
    "\(label ?? "Edit") (\(stepCount) \(stepCount == 1 ? "step" : "steps") from \(position))"
  }
}
