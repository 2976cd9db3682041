// Branches as a client uses them: whether steps are kept as a branch when an edit replaces them, identities made from a
// seed, the list of branches, and going to one of them or to the saved point on one. `_UndoLog+Branches` detaches and
// reattaches the steps.

extension UndoHistory {
  /// Whether the redo steps are kept as a branch when you make a new edit; by default they are discarded.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "A plan.")
  /// history.keepsBranches = true
  /// history.edit.append(" With an hour of work.")
  /// history.undo()
  /// history.edit.append("x")
  /// history.go(to: history.branches[0])
  /// print(history.currentItem)  // A plan. With an hour of work.
  /// ```
  ///
  /// If branches are kept, you can return to every state that the document ever had: ``branches`` lists them beside the
  /// steps that can be undone and redone. A branch takes the memory of its records and 128 bytes. Keeping branches
  /// doesn't make edits, undo or redo slower.
  ///
  /// A ``limit`` counts the steps of branches as well, and ``byteCount`` counts their bytes. When the limit is
  /// exceeded, branches are dropped before any other steps, the oldest branch first.
  ///
  /// Setting it to false drops all branches. ``removeAllSteps()`` drops them too, but the history still keeps new ones.
  ///
  /// - Complexity: O(1). Setting it to false also releases what the branches hold.
  public var keepsBranches: Bool {
    get { storage.access.log.keepsBranches }
    set { if newValue != keepsBranches { changeLog { $0.setKeepsBranches(newValue) } } }
  }

  /// Keeps the redo steps as branches, and makes the identities of new branches from a number instead of drawing them
  /// at random.
  ///
  /// A reducer that keeps the identity of a branch in its state takes the number from its dependencies, so that tests
  /// can repeat the identities:
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1])
  /// history.keepBranches(seed: 7)
  /// var other = history
  /// for number in 2...3 {
  ///   history.undo()
  ///   history.edit.append(number)
  ///   other.undo()
  ///   other.edit.append(number)
  /// }
  /// print(history.branches == other.branches)  // true
  /// ```
  ///
  /// Give each history another number, or a branch of one history counts as a branch of the other. In two copies that
  /// are edited differently, the same identity may stand for different branches.
  ///
  /// - Complexity: O(1).
  public mutating func keepBranches(seed: UInt64) {
    keepsBranches = true
    changeLog { log in log.withBranches { $0.seed = seed } }
  }

  /// The branches, the oldest first.
  ///
  /// The redo steps aren't among them, because ``redo()`` leads there. When you switch to another branch with
  /// ``go(to:onStep:)-(UndoHistory<Value>.Branch,_)``, they become the last branch.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1])
  /// history.keepsBranches = true
  /// history.edit.append(2)
  /// history.undo()
  /// history.edit.append(3)
  /// for branch in history.branches {
  ///   print(branch.position, branch.stepCount)  // 0 1
  /// }
  /// ```
  ///
  /// If a remote edit blocks undo (``blockingRemoteEdit``), the branches at the steps that it hides are left out until
  /// it is recorded as a step (``recordRemoteEdit()``).
  ///
  /// - Complexity: O(*n*) in the number of branches and their edits, because the bytes of the edits are counted.
  public var branches: [Branch] {
    guard let branches = storage.access.log.branches else { return [] }
    let records = storage.access.log.records
    return zip(branches.branches, branches.forks()).compactMap { branch, fork in
      if fork < records.counts.dropped { return nil }
      return Branch(
        id: Branch.ID(number: branch.id), label: branch.label, time: branch.tail.rows.time(before: 0),
        byteCount: records.bytes(in: branch.chunks) + branch.tail.rows.restoredBytes,
        position: fork - records.counts.dropped,
        stepCount: branch.end - fork)
    }
  }

  /// Switches to a branch: undoes steps to the fork, and redoes the steps of the branch to its tip.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [3, 1, 2])
  /// history.keepsBranches = true
  /// history.transaction("Sort") { $0.sort() }
  /// history.undo()
  /// history.edit.append(0)
  /// if let branch = history.branches.first(where: { $0.label == "Sort" }) {
  ///   history.go(to: branch)
  /// }
  /// print(history.currentItem, history.branches.count)  // [1, 2, 3] 1
  /// ```
  ///
  /// Afterwards, the steps of the branch can be undone, and the steps that followed the fork are a branch.
  ///
  /// - Parameters:
  ///   - branch: One of ``branches``, of this history or of the history that it was copied from. One that you have
  ///     switched to is valid until you edit after it.
  ///   - onStep: Called after each step with what it changed.
  /// - Returns: Whether the document is at the tip now. If the branch was dropped, nothing changes. If a remote edit
  ///   blocks the way, the history stops before it (``blockingRemoteEdit``).
  /// - Complexity: That of the edits of the steps in between, and O(*n* · *d*) at each fork on the way, for *n*
  ///   branches and *d* forks. At each fork, at most 64 KB of records are copied.
  @discardableResult
  public mutating func go(to branch: Branch, onStep: (Change) -> Void = { _ in }) -> Bool {
    go(toBranch: branch.id.number) { history, state in history.walk(toState: state, onStep: onStep) }
  }

  /// Switches to a branch, and calls a closure after each edit.
  ///
  /// Write the argument label, because the compiler may take a trailing closure for the one of
  /// ``go(to:onStep:)-(UndoHistory<Value>.Branch,_)``.
  ///
  /// - Parameters:
  ///   - branch: One of ``branches``.
  ///   - onEdit: Called after each edit, in the order in which they are made. It cannot use the history.
  /// - Returns: Whether the document is at the tip now, as for ``go(to:onStep:)-(UndoHistory<Value>.Branch,_)``.
  /// - Complexity: That of ``go(to:onStep:)-(UndoHistory<Value>.Branch,_)``, and of what `onEdit` asks for.
  @_disfavoredOverload
  @discardableResult
  public mutating func go(to branch: Branch, onEdit: (borrowing UndoLiveEdit<Value>) -> Void) -> Bool {
    go(toBranch: branch.id.number) { history, state in history.walk(toState: state, onEdit: onEdit) }
  }

  /// Goes to the tip of a branch, or to a state on it, and switches branches on the way; false if it can't get there.
  ///
  /// - Parameters:
  ///   - state: The state on the branch at which to stop; nil for the tip.
  ///   - walk: Undoes or redoes steps until the document is in the given state.
  package mutating func go(toBranch id: UInt64, state: Int? = nil, _ walk: (inout UndoHistory, Int) -> Void) -> Bool {
    let hasUnread = storage.access.log.hasUnread
    if storage.access.log.hidesBranch { settle() }
    guard leads(toBranch: id) else { return false }
    // This may add a branch, and then the limit may drop the one that is wanted.
    settle()
    guard leads(toBranch: id) else { return false }
    let event = storage.access.log.isRead ? storage.access.log.branches?.event(ofGoingTo: id, state: state) : nil
    if event != nil, hasUnread { storage.access.log.unread?.loseTrack() }
    defer { if let event { storage.access.withLog { log in log.unread?.note(event, in: log.records) } } }
    while let branch = storage.access.log.branches?.outermost(towards: id) {
      walk(&self, branch.fork)
      // A remote edit may block the way, or have removed steps of the branch.
      guard storage.access.log.state == branch.fork,
        storage.access.log.branches?.outermost(towards: id)?.id == branch.id
      else { return false }
      storage.access.log.takeUp(branch.id)
    }
    let target = state ?? storage.access.log.state + redoCount
    walk(&self, target)
    return storage.access.log.state == target
  }

  private func leads(toBranch id: UInt64) -> Bool {
    storage.access.log.branches?.leads(toBranch: id, from: storage.access.log.records) ?? false
  }

  /// Goes to the saved point if it lies on a branch.
  mutating func goToSavedBranch(_ walk: (inout UndoHistory, Int) -> Void) -> Bool {
    let saved = storage.access.log.saves.saved
    guard let place = storage.access.log.branches?.place(of: saved) else { return false }
    return go(toBranch: place.branch, state: place.state, walk)
  }
}
