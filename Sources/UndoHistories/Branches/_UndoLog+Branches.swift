// What becomes of steps that could be redone, where branches are kept (`_UndoBranches`). The branches are extras, but
// nothing goes along with the steps because of them: a log with branches alone takes the fast paths as any other.

extension _UndoLog {
  /// Whether what could be redone is set aside and not dropped.
  @inline(__always)
  package var keepsBranches: Bool { records.fastPath.keepsBranches }

  /// The branches; nil where none are kept.
  package var branches: _UndoBranches? { keepsBranches ? extras[0].branches[0] : nil }

  /// Changes the branches, which must be kept.
  package mutating func withBranches<Result>(_ body: (inout _UndoBranches) -> Result) -> Result {
    body(&extras[0].branches[0])
  }

  mutating func setKeepsBranches(_ new: Bool) {
    guard new != keepsBranches else { return }
    unread?.loseTrack()
    defer { _checkInvariants() }
    let limit = limitOfUser
    if new {
      changeExtras { $0.branches = [_UndoBranches(limit: limit)] }
    } else {
      removeBranches(from: 0)
      changeExtras { $0.branches = [] }
      self.limit = limit
    }
  }

  // MARK: Setting aside

  /// Sets everything behind the position aside, where the log is closed; false if branches are not kept.
  mutating func setRedoAside() -> Bool {
    guard keepsBranches else { return false }
    if redoCount > 0 { addBranch(of: takeTail(), fork: state) }
    return true
  }

  /// Sets aside what the transaction or the open step detached that ends; false if branches are not kept.
  @inline(never)
  mutating func setAside(_ redo: _UndoTail, fork: Int) -> Bool {
    guard keepsBranches else { return false }
    addBranch(of: redo, fork: fork)
    leaveRoomForStep()
    while limit.isExceeded(steps: records.counts.undo + redoCount, bytes: byteCount), dropsOldestBranch() {}
    return true
  }

  private mutating func addBranch(of tail: consuming _UndoTail, fork: Int) {
    var tail = tail
    let old = tail.saves
    tail.saves = _UndoSaves()
    tail.trim()
    if extras[0].hasOrigins(), tail.rows.identities.count < tail.count {
      tail.rows.identities = _UndoColumn((0..<tail.count).map { _ in .init(id: extras[0].origins?.takeID() ?? 0) })
    }
    // It has places in chunks that become others.
    extras[0].origins?.rest = nil
    let id = extras[0].branches[0].add(_UndoBranch(fork: fork, tail))
    extras[0].branches[0].setAside(old, in: &saves, fork: fork, on: id)
    updateLimit()
  }

  /// Sets aside what could be redone, and returns its leaf if there was anything.
  @discardableResult
  package mutating func setAsideWhatFollows() -> UInt64? {
    close()
    // A chunk that begins there goes as it is with what is set aside: an empty one would stay where no record is
    // written next, and a redo to the end would not find the last chunk.
    records.leaveChunkStart()
    if redoCount == 0 || !setRedoAside() { return nil }
    return branches?.branches.last?.id
  }

  // MARK: Taking up

  /// Makes a branch what can be redone, where the position is its fork, and sets aside what could be until now.
  mutating func takeUp(_ id: UInt64) {
    defer { _checkInvariants() }
    close()
    records.leaveChunkStart()
    guard setRedoAside(), let branch = withBranches({ $0.take(id) }) else { return }
    precondition(branch.fork == state && !records.chunks.isEmpty, "a branch is taken up where it leaves")
    reattach(branch.tail)
    extras[0].origins?.rest = nil
    extras[0].branches[0].takeUp(&saves, of: id)
    updateLimit()
  }

  /// Makes a state on a branch the saved one, be it now or once the open step is cancelled; false if none is open.
  package mutating func setSaved(_ place: _UndoBranches.Place, ifCancelled: Bool) -> Bool {
    let number = withBranches { $0.number(of: place) }
    guard ifCancelled else {
      saves.saved = .init(state: number)
      return true
    }
    guard extras[0].openStep?.detachedRedo != nil else { return false }
    extras[0].changeOpenStep { $0.detachedRedo?.saves.saved = .init(state: number) }
    return true
  }

  // MARK: Dropping

  /// Drops the branches that leave the present line at a state or behind it.
  package mutating func removeBranches(from state: Int) {
    guard keepsBranches else { return }
    for branch in withBranches({ $0.dropAll(from: state) }) { records.counts.bytes -= records.bytes(in: branch.chunks) }
    extras[0].branches[0].takeUp(&saves)
    updateLimit()
    if records.fastPath.isLimited { updateDirectRange() }
  }

  /// Drops branches that were set aside the longest ago.
  package mutating func removeOldestBranches(_ count: Int) {
    for _ in 0..<count { removeOldestBranch() }
    updateLimit()
  }

  private mutating func removeOldestBranch() {
    let branch = withBranches { $0.dropOldest() }
    records.counts.bytes -= records.bytes(in: branch.chunks)
    extras[0].branches[0].takeUp(&saves)
  }

  /// Drops the oldest branch, if there is one; the limit is exceeded.
  @inline(never)
  mutating func dropsOldestBranch() -> Bool {
    guard keepsBranches, !extras[0].branches[0].branches.isEmpty else { return false }
    removeOldestBranches(1)
    return true
  }

  /// Drops the oldest branches that the limit leaves no room for beside one step.
  mutating func leaveRoomForStep() {
    while extras[0].branches[0].stepCount >= max(1, extras[0].branches[0].limit.steps) { removeOldestBranch() }
    updateLimit()
  }

  // MARK: The limit

  /// The limit as it was set.
  var limitOfUser: UndoLimit { branches?.limit ?? limit }

  /// Takes the steps of branches off the limit, so that what asks for it need not know of them.
  ///
  /// At least one step is left, except on the way to a leaf, where branches may have as many as the limit allows.
  mutating func updateLimit() {
    guard keepsBranches else { return }
    let (user, stepCount) = (extras[0].branches[0].limit, extras[0].branches[0].stepCount)
    guard user.steps != .max else { return limit = user }
    limit = UndoLimit(steps: max(min(1, user.steps), user.steps - stepCount), bytes: user.bytes)
  }

  // MARK: Looking at branches

  /// Takes it that a store has what it has in states of the present line.
  mutating func bringSavesToPresentLine() {
    guard let branches else { return }
    var saves = saves
    saves.forEachPoint { $0 = branches.onPresentLine($0, records) }
    self.saves = saves
  }
}

extension _UndoExtras {
  /// Gives identities to the steps of branches, where the first origin is used.
  mutating func giveIdentitiesToBranches() {
    guard !branches.isEmpty, var origins else { return }
    branches[0].giveIdentities { origins.takeID() }
    self.origins = origins
  }

  /// Gives the steps of branches the identities that an archive has, if it has one for each.
  package mutating func setIdentitiesInBranches(_ identities: ArraySlice<_UndoOrigins.Entry>) {
    if branches.isEmpty { return }
    if identities.count != branches[0].stepCount { return giveIdentitiesToBranches() }
    branches[0].setIdentities(identities)
  }
}

extension _UndoRecords {
  /// The steps of a branch, as if they could be redone from the oldest state: to be looked at, and not to be changed.
  func steps(of branch: _UndoBranch) -> _UndoRecords {
    _UndoRecords(redoing: branch.stepCount, in: branch.chunks, operations)
  }

  /// Whether the same branches leave both, set aside in the same order.
  func areSame(
    _ own: ContiguousArray<_UndoBranch>, _ others: ContiguousArray<_UndoBranch>, of other: _UndoRecords,
    besides restoredProperties: [_UndoRestored]
  ) -> Bool {
    guard own.count == others.count else { return false }
    func parent(_ branch: _UndoBranch, in branches: ContiguousArray<_UndoBranch>) -> Int? {
      branch.parent == 0 ? nil : branches.firstIndex { $0.id == branch.parent }
    }
    return zip(own, others).allSatisfy { branch, otherBranch in
      branch.fork - counts.dropped == otherBranch.fork - other.counts.dropped
        && parent(branch, in: own) == parent(otherBranch, in: others)
        && steps(of: branch).hasSameSteps(as: other.steps(of: otherBranch), besides: restoredProperties)
    }
  }
}
