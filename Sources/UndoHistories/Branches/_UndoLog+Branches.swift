// Turns the keeping of branches on and off, detaches steps as a branch, reattaches and drops branches, and updates what
// depends on them: saves and the identities of steps. Also compares the branches of two logs.
// `Records/_UndoTail` moves the chunks of records.
//
// If a history keeps branches, redo steps that a new edit replaces become a branch (`_UndoBranches`). The branches are
// stored in the extras, but no step needs extra work because of them: a log whose only extras are branches takes the
// same fast paths as a log without extras.

extension _UndoLog {
  /// Whether redo steps become a branch when a new edit replaces them; otherwise they are dropped.
  package var keepsBranches: Bool { records.fastPath.keepsBranches }

  /// The branches; nil if branches aren't kept.
  package var branches: _UndoBranches? { keepsBranches ? extras[0].branches[0] : nil }

  /// Changes the branches, which must be kept.
  package mutating func withBranches<Result>(_ body: (inout _UndoBranches) -> Result) -> Result {
    body(&extras[0].branches[0])
  }

  mutating func setKeepsBranches(_ new: Bool) {
    unread?.loseTrack()
    defer { _checkInvariants() }
    if !new { removeBranches(from: 0) }
    changeExtras { $0.branches = new ? [_UndoBranches()] : [] }
  }

  // MARK: Detaching

  /// Detaches the redo steps of a closed log as a branch; false if branches aren't kept.
  mutating func detachRedo() -> Bool {
    guard keepsBranches else { return false }
    if redoCount > 0 { addBranch(of: takeRedo(), fork: state) }
    return true
  }

  /// Drops the redo steps that a transaction or an open step had detached and that is now ending, or makes them a
  /// branch if branches are kept.
  @inline(never)
  mutating func drop(_ redo: _UndoDetachedRedo, fork: Int) {
    guard keepsBranches else { return records.counts.bytes -= records.bytes(in: redo.tail.chunks) }
    addBranch(of: redo, fork: fork)
    leaveRoomForStep()
    while isLimitExceeded(records.counts.undo + redoCount), dropsOldestBranch() {}
  }

  private mutating func addBranch(of redo: consuming _UndoDetachedRedo, fork: Int) {
    var tail = redo.tail
    let saves = redo.saves
    _ = consume redo
    tail.trim()
    if extras[0].hasOrigins(), tail.rows.identities.count < tail.count {
      tail.rows.identities = _UndoColumn((0..<tail.count).map { _ in .init(id: extras[0].origins?.takeID() ?? 0) })
    }
    // The rest has locations in chunks that are replaced.
    extras[0].origins?.rest = nil
    let id = extras[0].branches[0].add(_UndoBranch(fork: fork, tail: tail))
    extras[0].branches[0].keepAsBranch(saves, in: &self.saves, fork: fork, on: id)
  }

  /// Detaches the redo steps as a branch, and returns its identity; nil if there are none, or branches aren't kept.
  @discardableResult
  package mutating func detachLaterSteps() -> UInt64? {
    close()
    // If the position is at the start of a chunk, the branch takes the whole chunk and leaves an empty one. No record
    // might be written there next, and then a redo to the end wouldn't find the last chunk.
    records.leaveChunkStart()
    if redoCount == 0 || !detachRedo() { return nil }
    return branches?.branches.last?.id
  }

  // MARK: Reattaching

  /// Reattaches a branch as the redo steps, at its fork; the previous redo steps become a branch.
  mutating func takeUp(_ id: UInt64) {
    defer { _checkInvariants() }
    close()
    records.leaveChunkStart()
    guard detachRedo(), let branch = withBranches({ $0.take(id) }) else { return }
    precondition(branch.fork == state && !records.chunks.isEmpty, "a branch is taken up where it leaves")
    reattach(branch.tail)
    extras[0].origins?.rest = nil
    extras[0].branches[0].takeUp(&saves, of: id)
  }

  /// Makes a state on a branch the saved point, now or when the open step is cancelled.
  ///
  /// - Returns: False if `ifCancelled` is true, but no open step has detached redo steps.
  package mutating func setSaved(_ place: _UndoBranches.Place, ifCancelled: Bool) -> Bool {
    let point = _UndoSaves.Point(state: withBranches { $0.number(of: place) })
    if ifCancelled { return (extras[0].openStep?.detachedRedo?.saves.saved = point) != nil }
    saves.saved = point
    return true
  }

  // MARK: Dropping

  /// Drops the branches that leave the main line at or after a state.
  package mutating func removeBranches(from state: Int) {
    guard keepsBranches else { return }
    didDrop(withBranches { $0.dropAll(from: state) })
    if records.fastPath.isLimited { updateDirectRange() }
  }

  /// Drops the branches that were detached first.
  package mutating func removeOldestBranches(_ count: Int) {
    for _ in 0..<count { removeOldestBranch() }
  }

  private mutating func removeOldestBranch() {
    didDrop([withBranches { $0.dropOldest() }])
  }

  /// Updates the bytes and the saved states after branches were dropped.
  mutating func didDrop(_ dropped: [_UndoBranch]) {
    for branch in dropped { records.counts.bytes -= records.bytes(in: branch.chunks) }
    extras[0].branches[0].takeUp(&saves)
  }

  /// Drops the oldest branch because the limit is exceeded; false if there is none.
  @inline(never)
  mutating func dropsOldestBranch() -> Bool {
    guard keepsBranches, !extras[0].branches[0].branches.isEmpty else { return false }
    removeOldestBranch()
    return true
  }

  /// Drops the oldest branches until the limit has room for at least one step outside of branches.
  mutating func leaveRoomForStep() {
    while extras[0].branches[0].stepCount >= max(1, limit.steps) { removeOldestBranch() }
  }

  // MARK: The limit

  /// The number of steps that the limit allows outside of branches.
  ///
  /// It is at least one, unless the limit is 0. This matters on the way to a tip, when branches may have as many steps
  /// as the limit allows.
  var stepLimit: Int {
    keepsBranches ? max(min(1, limit.steps), limit.steps - extras[0].branches[0].stepCount) : limit.steps
  }

  // MARK: Reading branches

  /// Replaces saved states on branches with states of the main line and the differences from those.
  mutating func bringSavesToMainLine() {
    guard let branches else { return }
    var saves = saves
    saves.forEachPoint { $0 = branches.onMainLine($0, records) }
    self.saves = saves
  }
}

extension _UndoRecords {
  /// The steps of a branch as if they were redo steps at the oldest state; the branch owns their chunks as well.
  func steps(of branch: _UndoBranch) -> _UndoRecords {
    _UndoRecords(redoing: branch.stepCount, in: branch.chunks, operations)
  }

  /// Whether two logs have the same branches, detached in the same order.
  func areSame(
    _ own: ContiguousArray<_UndoBranch>, _ others: ContiguousArray<_UndoBranch>, of other: _UndoRecords,
    besides restoredProperties: [_UndoRestored]
  ) -> Bool {
    func parent(_ branch: _UndoBranch, in branches: ContiguousArray<_UndoBranch>) -> Int? {
      branch.parent == 0 ? nil : branches.firstIndex { $0.id == branch.parent }
    }
    return own.elementsEqual(others) { branch, otherBranch in
      branch.fork - counts.dropped == otherBranch.fork - other.counts.dropped
        && parent(branch, in: own) == parent(otherBranch, in: others)
        && steps(of: branch).hasSameSteps(as: other.steps(of: otherBranch), besides: restoredProperties)
    }
  }
}
