extension UndoHistory {
  /// The end of a branch: a state that undo and redo do not lead to, but ``go(to:onStep:)-52ueq`` does.
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
      let number: UInt64
    }

    /// Which leaf it is.
    ///
    /// It stays the same when the branch is gone to, left and set aside again, and copies of a history share it. Once
    /// the branch has been edited on, its end is another leaf. So is that of a history restored from an archive.
    public let id: ID
    /// The label of the newest step of the branch, if it had one.
    public let label: String?
    /// When that step ended, where that was kept (``UndoHistory/keepTime(by:)``).
    public let time: Duration?
    /// How many bytes the steps take that are on no other branch, as ``UndoHistory/byteCount`` counts them.
    public let byteCount: Int
    /// How many steps lead to where the branch leaves the steps that can be undone and redone.
    ///
    /// `go(to: position)` leads there (``UndoHistory/go(to:onStep:)->()``).
    public let position: Int
    /// How many steps lead from there to the leaf.
    public let stepCount: Int
  }
}

extension UndoHistory.Leaf: CustomStringConvertible {
  /// The label, and where the branch leaves.
  public var description: String {
    "\(label ?? "Edit") (\(stepCount) \(stepCount == 1 ? "step" : "steps") from \(position))"
  }
}
