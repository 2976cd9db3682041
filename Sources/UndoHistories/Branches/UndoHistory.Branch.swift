extension UndoHistory {
  /// A branch of steps that undo and redo don't lead to, and ``go(to:onStep:)-(UndoHistory<Value>.Branch,_)`` does.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "A plan.")
  /// history.keepsBranches = true
  /// history.transaction("Add detail") { $0.append(" With detail.") }
  /// history.undo()
  /// history.transaction("Add doubt") { $0.append(" With doubt.") }
  /// print(history.branches.map { $0.label ?? "Edit" })  // ["Add detail"]
  /// ```
  public struct Branch: Identifiable, Hashable, Sendable {
    /// The identity of a branch, different from that of every other.
    public struct ID: Hashable, Sendable {
      package let number: UInt64
    }

    /// Which branch it is.
    ///
    /// It stays the same when you switch to the branch and away again, and copies of a history share it. If you
    /// continue to edit on the branch, it gets another identity. So do the branches of a history that is restored from
    /// an archive.
    public let id: ID
    /// The label of the newest step of the branch, if it had one.
    public let label: String?
    /// When that step ended, where that was kept (``UndoHistory/recordTimes(_:)``).
    public let time: Duration?
    /// The number of bytes of the steps that are on no other branch, as ``UndoHistory/byteCount`` counts them.
    public let byteCount: Int
    /// The number of steps that lead to the fork, where the branch leaves the steps that can be undone and redone.
    ///
    /// `go(to: .step(position))` leads there.
    public let position: Int
    /// The number of steps from the fork to the tip.
    public let stepCount: Int
  }
}

extension UndoHistory.Branch: CustomStringConvertible {
  /// The label, and where the branch leaves.
  public var description: String {
    "\(label ?? "Edit") (\(stepCount) \(stepCount == 1 ? "step" : "steps") from \(position))"
  }
}
