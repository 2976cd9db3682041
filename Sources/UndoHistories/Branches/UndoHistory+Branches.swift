extension UndoHistory {
  /// What becomes of the steps that could be redone, once something else is edited; by default they are dropped.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: "A plan.")
  /// history.branches = .kept
  /// history.edit.append(" With an hour of work.")
  /// history.undo()
  /// history.edit.append("x")
  /// history.go(to: history.leaves[0])
  /// print(history.currentItem)  // A plan. With an hour of work.
  /// ```
  ///
  /// Where they are kept, nothing that was ever edited is out of reach: ``leaves`` says what there is besides the steps
  /// that can be undone and redone. A branch takes the memory of its records and 128 bytes. Kept or not, an edit takes
  /// as long as before, and so do undo and redo.
  ///
  /// A ``limit`` counts the steps of branches as well, and ``byteCount`` their bytes. Where a limit is exceeded,
  /// branches are dropped before any other step, those first that were set aside the longest ago.
  ///
  /// To set `.dropped` drops the branches that were kept. ``removeAllSteps()`` drops them, and keeps others from then
  /// on.
  ///
  /// - Complexity: O(1); to set `.dropped` takes as long as to free what the branches hold.
  public var branches: UndoBranches {
    get { storage.access.log.keepsBranches ? .kept : .dropped }
    set {
      guard newValue != branches else { return }
      ensureUnique()
      storage.access.log.setBranches(newValue)
    }
  }

  /// The ends of the branches, in the order in which they were set aside; the oldest comes first.
  ///
  /// The newest step that can be redone is none of them: ``redo()`` leads there. Once ``go(to:onStep:)-52ueq`` has left
  /// it, it is the last leaf.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [1])
  /// history.branches = .kept
  /// history.edit.append(2)
  /// history.undo()
  /// history.edit.append(3)
  /// for leaf in history.leaves {
  ///   print(leaf.position, leaf.stepCount)  // 0 1
  /// }
  /// ```
  ///
  /// Where an absorbed edit is in the way (``obstacle``), leaves behind steps that it hides are none until it is
  /// adopted.
  ///
  /// - Complexity: O(*n*) for *n* branches, and O(1) for each of their edits, whose bytes are counted.
  public var leaves: [Leaf] {
    let log = storage.access.log
    guard let branches = log.branches else { return [] }
    return zip(branches.branches, branches.forks()).compactMap { branch, fork in
      if fork < log.counts.dropped { return nil }
      return Leaf(
        id: Leaf.ID(number: branch.id), label: log.label(ofNewestStepOf: branch), time: branches.time(of: branch.id),
        byteCount: log.bytes(in: branch.chunks), position: fork - log.counts.dropped, stepCount: branch.end - fork)
    }
  }

  /// Undoes steps to where a branch leaves, and redoes those of the branch to its end.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [3, 1, 2])
  /// history.branches = .kept
  /// history.transaction("Sort") { $0.sort() }
  /// history.undo()
  /// history.edit.append(0)
  /// if let leaf = history.leaves.first(where: { $0.label == "Sort" }) {
  ///   history.go(to: leaf)
  /// }
  /// print(history.currentItem, history.leaves.count)  // [1, 2, 3] 1
  /// ```
  ///
  /// The steps of the branch are then those that can be undone, and the others, behind where it leaves, are a branch.
  ///
  /// - Parameters:
  ///   - leaf: One of ``leaves``, of this history or of one that it is a copy of. One that was gone to counts as long
  ///     as nothing was edited behind it.
  ///   - onStep: Called after each step with what it changed.
  /// - Returns: Whether it is there now. To a branch that was dropped there is no way, and nothing changes. Where an
  ///   absorbed edit is in the way, the history stops in front of that (``obstacle``).
  /// - Complexity: As the edits of the steps in between; O(*n* · *d*) at each fork on the way, for *n* branches and *d*
  ///   forks; and at most 64 KB of records that are copied there.
  @discardableResult
  public mutating func go(to leaf: Leaf, onStep: (Change) -> Void = { _ in }) -> Bool {
    go(toLeaf: leaf.id.number) { history, position in history.go(to: position, onStep: onStep) }
  }

  /// Undoes and redoes steps to the end of a branch, and shows each edit while the document is as it left it.
  ///
  /// Write the argument's label: a trailing closure may be taken for that of ``go(to:onStep:)-52ueq``.
  ///
  /// - Parameters:
  ///   - leaf: One of ``leaves``.
  ///   - onEdit: Called after each edit, in the order in which they are made. It cannot use the history.
  /// - Returns: Whether it is there now, as ``go(to:onStep:)-52ueq``.
  /// - Complexity: As ``go(to:onStep:)-52ueq``, and what `onEdit` asks for.
  @_disfavoredOverload
  @discardableResult
  public mutating func go(to leaf: Leaf, onEdit: (borrowing UndoLiveEdit<Value>) -> Void) -> Bool {
    go(toLeaf: leaf.id.number) { history, position in history.go(to: position, onEdit: onEdit) }
  }

  /// Goes to a leaf by walks to positions, and takes up branches on the way; false if there is no way.
  ///
  /// - Parameter state: Where to stop on that branch, other than at its end.
  mutating func go(toLeaf id: UInt64, state: Int? = nil, _ walk: (inout UndoHistory, Int) -> Void) -> Bool {
    if storage.access.log.hidesBranch { settle() }
    guard storage.access.log.leads(toLeaf: id) else { return false }
    // That may set something aside, and for that drop something.
    settle()
    guard storage.access.log.leads(toLeaf: id) else { return false }
    while let (fork, branch) = storage.access.log.nextFork(towards: id) {
      walk(&self, fork - storage.access.log.counts.dropped)
      // Something that was absorbed may be in the way there, or have dropped steps of the branch.
      guard storage.access.log.state == fork, storage.access.log.nextFork(towards: id)?.branch == branch else {
        return false
      }
      storage.access.log.takeUp(branch)
    }
    let target = state ?? storage.access.log.state + redoCount
    walk(&self, target - storage.access.log.counts.dropped)
    return storage.access.log.state == target
  }

  /// Goes to the saved point if it lies on a branch.
  mutating func goToSavedBranch(_ walk: (inout UndoHistory, Int) -> Void) -> Bool {
    guard let place = storage.access.log.savedPlace else { return false }
    return go(toLeaf: place.branch, state: place.state, walk)
  }
}
