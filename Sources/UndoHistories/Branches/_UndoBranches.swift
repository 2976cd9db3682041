/// The branches of a history: redo steps that were kept when a new edit replaced them.
///
/// This folder keeps such steps, and leads back to them. This type adds, finds, joins, sorts and drops branches, makes
/// their identities, and has the times and identities of their steps. The saved states that lie on them are in
/// `+Saves`, and `_UndoLog+Branches` detaches the steps from the log.
///
///     main line      [ step | step | step | step |.......... ]    the log: the undo steps and the redo steps
///                           ^ fork 1      ^ fork 3
///     branch a              [ step | step | step ]                parent: the main line
///     branch b                     ^ fork 2 [ step | step ]       parent: a
///     branch c                            [ step ]                parent: the main line
///
/// A fork is a state on the parent: the number of steps that lead there from the beginning of the history. A branch
/// keeps its records as they were in the log, so reattaching it as the redo steps only moves their chunks. Records that
/// share a chunk with the main line are copied once.
///
/// The branches are in the order in which they were detached. A branch is detached while its parent is the main line,
/// so it comes before its parent. Limits drop branches from the front, and therefore never drop a parent first.
///
/// To go to the tip of `b`, the history goes to fork 1, detaches the redo steps there, and reattaches `a`. Then it goes
/// to fork 2, detaches the rest of `a` under the identity of `a`, reattaches `b`, and redoes its steps.
package struct _UndoBranches {
  /// The branches, in the order in which they were detached.
  package private(set) var branches: ContiguousArray<_UndoBranch> = []
  /// The number of steps of all branches.
  package private(set) var stepCount = 0
  /// The identity that the main line's tip has as a branch, and its state; nil if it has no identity yet.
  private var tip: (id: UInt64, state: Int)?
  /// The saved states that lie on branches, by the negative numbers that the log has for them.
  var places: [Int: Place] = [:]
  /// The number of branches that limits have dropped.
  package private(set) var droppedCount = 0
  /// The number from which the next identity is made; nil if identities are random.
  var seed: UInt64?

  package func index(of id: UInt64) -> Int? { branches.firstIndex { $0.id == id } }

  /// The branch that leaves the main line on the way to the tip of a branch; nil if the identity isn't a branch's.
  func outermost(towards id: UInt64) -> _UndoBranch? {
    guard var index = index(of: id) else { return nil }
    while branches[index].parent != 0, let parent = self.index(of: branches[index].parent) { index = parent }
    return branches[index]
  }

  /// The branches that leave a branch at a state, or the main line if the identity is 0.
  func leaving(_ line: UInt64, at state: Int) -> [UInt64] {
    branches.filter { $0.parent == line && $0.fork == state }.map(\.id)
  }

  /// The branches that leave the main line at a state, and all branches that leave those, in an order that keeps a walk
  /// to all of them short.
  package func order(from state: Int) -> [_UndoBranch] {
    let first = branches.filter { $0.parent == 0 && $0.fork == state }
    if first.isEmpty { return [] }
    let leaving = [UInt64: [_UndoBranch]](grouping: branches, by: \.parent).mapValues {
      $0.sorted { $0.fork < $1.fork }
    }
    var (waiting, order) = (Array(first), [_UndoBranch]())
    while let branch = waiting.popLast() {
      order.append(branch)
      waiting += leaving[branch.id] ?? []
    }
    return order
  }

  /// For each branch, the state at which the way to its tip leaves the main line.
  func forks() -> [Int] {
    let indices = [UInt64: Int](zip(branches.map(\.id), branches.indices)) { first, _ in first }
    var forks = branches.map(\.fork)
    // Parents come after the branches that leave them.
    for index in branches.indices.reversed() {
      if let parent = indices[branches[index].parent] { forks[index] = forks[parent] }
    }
    return forks
  }

  /// The event of going to a tip, or to a state of its branch; nil if the main line leads there.
  func event(ofGoingTo id: UInt64, state: Int?) -> _UndoUnread.Event? {
    guard let index = index(of: id) else { return nil }
    let branch = branches[index]
    return .wentToBranch(
      index: index, distance: state.map { $0 - branch.fork } ?? branch.stepCount, droppedCount: droppedCount)
  }

  /// Whether the tip of a branch can be reached: not if a remote edit hides the steps at the main line's fork.
  func leads(toBranch id: UInt64, from records: _UndoRecords) -> Bool {
    outermost(towards: id).map { $0.fork >= records.counts.dropped }
      ?? tip.map { $0 == (id, records.newestState) } ?? false
  }

  // MARK: Detaching and reattaching

  /// Adds a branch that was just detached from the main line, and returns its identity.
  ///
  /// If another branch leaves the main line where this one ends, the two become one branch.
  mutating func add(_ branch: consuming _UndoBranch) -> UInt64 {
    var branch = branch
    stepCount += branch.stepCount
    if let next = branches.lastIndex(where: { $0.parent == 0 && $0.fork == branch.end }) {
      branch.append(branches.remove(at: next))
    } else {
      branch.id = tip?.state == branch.end ? tip?.id ?? newID() : newID()
    }
    tip = nil
    for index in branches.indices where branches[index].parent == 0 && branches[index].fork > branch.fork {
      branches[index].parent = branch.id
    }
    branches.append(branch)
    return branch.id
  }

  /// Removes and returns a branch that becomes the end of the main line.
  mutating func take(_ id: UInt64) -> _UndoBranch? {
    guard let index = index(of: id) else { return nil }
    let branch = remove(at: index)
    tip = (id, branch.end)
    for index in branches.indices where branches[index].parent == id { branches[index].parent = 0 }
    return branch
  }

  /// The identity that the main line's tip will have on a branch.
  package mutating func nameTip(state: Int) -> UInt64 {
    if let tip, tip.state == state { return tip.id }
    let id = newID()
    tip = (id, state)
    return id
  }

  /// Removes and returns the branch that was detached first.
  mutating func dropOldest() -> _UndoBranch {
    droppedCount += 1
    let branch = remove(at: 0)
    forgetPlaces { $0.branch == branch.id }
    return branch
  }

  private mutating func remove(at index: Int) -> _UndoBranch {
    stepCount -= branches[index].stepCount
    return branches.remove(at: index)
  }

  /// Removes and returns the branches that leave a line at or after a state, and all branches that leave those.
  ///
  /// - Parameter line: The identity of a branch; 0 for the main line.
  mutating func dropAll(from state: Int, of line: UInt64 = 0) -> [_UndoBranch] {
    if line == 0, tip.map({ $0.state >= state }) ?? false { tip = nil }
    let (indices, ids) = leaving(line) { $0 >= state }
    if !ids.isEmpty { forgetPlaces { ids.contains($0.branch) } }
    return indices.map { remove(at: $0) }
  }

  /// The branches that leave a line where the closure is true, and all branches that leave those: their indices, from
  /// the last to the first, and their identities.
  private func leaving(_ line: UInt64, where isThere: (Int) -> Bool) -> (indices: [Int], ids: Set<UInt64>) {
    var (indices, ids): ([Int], Set<UInt64>) = ([], [])
    // Parents come after the branches that leave them.
    for (index, branch) in zip(branches.indices, branches).reversed()
    where branch.parent == line ? isThere(branch.fork) : ids.contains(branch.parent) {
      indices.append(index)
      ids.insert(branch.id)
    }
    return (indices, ids)
  }

  /// Replaces the records of a branch after edits were moved over its first steps, at least one, which it keeps.
  ///
  /// - Returns: The branches that were removed, because they left it after those steps or left such a branch.
  mutating func replaceSteps(
    of id: UInt64, with chunks: [_UnsafeUndoChunk], _ steps: _UndoRecords.Transformation, over edits: [_UndoEdit]
  ) -> [_UndoBranch] {
    guard let index = index(of: id) else { return [] }
    let dropped = branches[index].stepCount - steps.count
    stepCount -= dropped
    branches[index].tail.replaceSteps(with: chunks, steps, over: edits)
    if dropped == 0 { return [] }
    let branch = branches[index]
    forgetPlaces { $0.branch == branch.id && $0.state > branch.end }
    // The branch ends at another state now, so it gets another identity.
    defer { rename(branch.id, to: newID()) }
    return dropAll(from: branch.end + 1, of: branch.id)
  }

  /// Joins each branch that ends at a fork with a branch that continues there.
  mutating func joinAtEnds() {
    func isAtEnd(_ branch: _UndoBranch) -> Bool {
      branches.contains { $0.id == branch.parent && $0.end == branch.fork }
    }
    while let index = branches.lastIndex(where: { $0.parent != 0 && isAtEnd($0) }) {
      let next = branches.remove(at: index)
      rename(next.parent, to: next.id, appending: next)
    }
  }

  /// Gives a branch another identity, and appends the steps of another branch if there is one.
  private mutating func rename(_ id: UInt64, to new: UInt64, appending next: _UndoBranch? = nil) {
    guard let index = index(of: id) else { return }
    if let next { branches[index].append(next) }
    branches[index].id = new
    for index in branches.indices where branches[index].parent == id { branches[index].parent = new }
    for (number, place) in places where place.branch == id { places[number]?.branch = new }
  }

  /// Removes and returns a branch without remaining steps, and all branches that leave it.
  mutating func drop(_ id: UInt64) -> [_UndoBranch] {
    guard let index = index(of: id) else { return [] }
    let dropped = dropAll(from: .min, of: id)
    forgetPlaces { $0.branch == id }
    // Branches that left it came before it, so its index may have changed.
    return [remove(at: self.index(of: id) ?? index)] + dropped
  }

  /// Moves the branches that leave the main line at a state to the next state, after a step was recorded in between.
  ///
  /// - Parameter words: The length of that step's last record.
  /// - Returns: The numbers of the saved states on those branches.
  mutating func makeRoom(forStepBehind state: Int, ofLastRecord words: Int) -> Set<Int> {
    let (indices, ids) = leaving(0) { $0 == state }
    for index in indices { branches[index].fork += 1 }
    setPreviousWords(words, at: state + 1)
    let moved = places.filter { ids.contains($0.value.branch) }.keys
    for number in moved { places[number]?.state += 1 }
    return Set(moved)
  }

  /// Updates the branches at a state of the main line after the length of the last record before it has changed.
  mutating func setPreviousWords(_ words: Int, at state: Int) {
    for index in branches.indices where branches[index].parent == 0 && branches[index].fork == state {
      branches[index].tail.setPreviousWords(words)
    }
  }

  /// Sorts the branches in the order of the given identities; false if the branches have other identities.
  package mutating func sort(by ids: [UInt64]) -> Bool {
    let order = [UInt64: Int](zip(ids, ids.indices)) { first, _ in first }
    branches.sort { (order[$0.id] ?? .max) < (order[$1.id] ?? .max) }
    return branches.map(\.id) == ids
  }

  private mutating func newID() -> UInt64 {
    guard let seed else { return .random(in: 1...(.max)) }
    // A generator with one long cycle (Knuth's MMIX), so that numbers don't repeat and seeds such as 1, 2, 3 lie far
    // apart.
    let next = seed &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    self.seed = next
    return max(next, 1)
  }

  // MARK: Rows

  mutating func forgetTimes() {
    for index in branches.indices { branches[index].tail.rows.times = .init() }
  }

  /// Assigns identities to all steps, as many as there are.
  mutating func setIdentities(_ identities: ArraySlice<_UndoOrigins.Entry>) {
    var rest = identities.makeIterator()
    for index in branches.indices {
      let cells = (0..<branches[index].stepCount).compactMap { _ in rest.next() }
      branches[index].tail.rows.identities = _UndoColumn(cells)
    }
  }
}
