extension UndoHistory {
  /// A branch: steps that undo and redo don't reach, but ``go(to:onStep:)-(UndoHistory<Value>.Branch,_)`` does.
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
    /// The identity of a branch, which no other branch of the history has.
    public struct ID: Hashable, Sendable {
      package let number: UInt64
    }

    /// The identity of the branch.
    ///
    /// It stays the same when you switch to the branch and away again, and in copies of the history. The branch gets
    /// another identity if you continue to edit on it, or if the history is restored from an archive.
    public let id: ID
    /// The label of the newest step of the branch, if it had one.
    public let label: String?
    /// The time at which the newest step ended, if the history recorded it (``UndoHistory/recordTimes(_:)``).
    public let time: Duration?
    /// The number of bytes of the steps that are on this branch only, as ``UndoHistory/byteCount`` counts them.
    package let byteCount: Int
    /// The number of steps that lead to the fork, where the branch leaves the steps that can be undone and redone.
    ///
    /// `go(to: .step(position))` leads there.
    public let position: Int
    /// The number of steps from the fork to the tip.
    public let stepCount: Int
  }
}

extension UndoHistory.Branch: CustomStringConvertible {
  /// The label, the number of steps, and the position of the fork.
  public var description: String {
    "\(label ?? "Edit") (\(stepCount) \(stepCount == 1 ? "step" : "steps") from \(position))"
  }
}
