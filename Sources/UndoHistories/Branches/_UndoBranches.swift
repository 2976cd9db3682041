/// The branches of a history: what could be redone, and was set aside when something else was edited.
///
///     present line   [ step | step | step | step |.......... ]    the log: what can be undone and redone
///                           ^ fork 1      ^ fork 3
///     branch a              [ step | step | step ]                parent: the present line
///     branch b                     ^ fork 2 [ step | step ]       parent: a
///     branch c                            [ step ]                parent: the present line
///
/// A fork is a state: how many steps lead there from where the history began. It lies on the branch that is the
/// parent, or on the present line. A branch has its records as they lie in the log, so that they become what can be
/// redone by moving their chunks. Only what shares a chunk with the present line is copied out of it, once.
///
/// The branches stand in the order in which they were set aside. A branch leaves its parent while that is the present
/// line, so it comes before its parent. Limits drop from the front, and never leave a branch without its parent.
///
/// To go to the leaf of `b` is to go to fork 1, set aside what can be redone there, and take `a` up; to go to fork 2,
/// set aside the rest of `a`, under the identity of `a`, and take `b` up; and to redo.
package struct _UndoBranches {
  /// Set aside the longest ago first.
  package private(set) var branches: ContiguousArray<_UndoBranch> = []
  /// The steps of all branches.
  package private(set) var stepCount = 0
  /// The limit as the user wants it; that of the log leaves out the steps that are here.
  var limit: UndoLimit
  /// The leaf that the present line ends with, and its state: what it was called as a branch.
  private var tip: (id: UInt64, state: Int)?
  /// Where saved states lie, by the numbers that stand for them in the log.
  private var places: [Int: Place] = [:]
  /// How many branches limits have dropped.
  package private(set) var droppedCount = 0

  /// A state on a branch.
  package struct Place: Equatable {
    package var branch: UInt64
    package var state: Int

    package init(branch: UInt64, state: Int) { (self.branch, self.state) = (branch, state) }
  }

  init(limit: UndoLimit) {
    self.limit = limit
  }

  package func index(of id: UInt64) -> Int? { branches.firstIndex { $0.id == id } }

  /// Which branch leaves the present line on the way to a leaf; nil where none has to be taken up.
  func outermost(towards id: UInt64) -> _UndoBranch? {
    guard var index = index(of: id) else { return nil }
    while branches[index].parent != 0, let parent = self.index(of: branches[index].parent) { index = parent }
    return branches[index]
  }

  /// The branches that leave a line at a state.
  func leaving(_ line: UInt64, at state: Int) -> [UInt64] {
    branches.filter { $0.parent == line && $0.fork == state }.map(\.id)
  }

  /// The branches that leave the present line at a state, and those that leave them, in an order in which a walk to all
  /// is short.
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

  /// For each branch, where the way to its leaf leaves the present line.
  func forks() -> [Int] {
    let indices = [UInt64: Int](zip(branches.map(\.id), branches.indices)) { first, _ in first }
    var forks = branches.map(\.fork)
    // Parents come behind those that leave them.
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

  /// Whether there is a way to a leaf: not where steps on it are hidden by something that was absorbed.
  func leads(toBranch id: UInt64, from records: _UndoRecords) -> Bool {
    outermost(towards: id).map { $0.fork >= records.counts.dropped }
      ?? tip.map { $0 == (id, records.newestState) } ?? false
  }

  /// What a store has that has a state on a branch: the state where that leaves the present line, but for what the
  /// steps in between edited.
  func onPresentLine(_ point: _UndoSaves.Point, _ records: _UndoRecords) -> _UndoSaves.Point {
    var point = point
    guard let number = point.state, var place = place(number) else { return point }
    while let index = index(of: place.branch) {
      let branch = branches[index]
      point.add(records.steps(of: branch).bytesOfEdits(between: 0, and: place.state - branch.fork))
      place = .init(branch: branch.parent, state: branch.fork)
    }
    point.state = place.state
    return point
  }

  /// The bytes of all branches, measured.
  func bytes(in records: _UndoRecords) -> Int { branches.reduce(0) { $0 + records.bytes(in: $1.chunks) } }

  // MARK: Setting aside and taking up

  /// Adds a branch that was the end of the present line until now, and returns its identity.
  ///
  /// Its end is no leaf if another branch goes on there: then the two are one.
  mutating func add(_ branch: consuming _UndoBranch) -> UInt64 {
    var branch = branch
    if let next = branches.lastIndex(where: { $0.parent == 0 && $0.fork == branch.end }) {
      branch.append(remove(at: next))
    } else {
      branch.id = tip?.state == branch.end ? tip?.id ?? newID() : newID()
    }
    tip = nil
    for index in branches.indices where branches[index].parent == 0 && branches[index].fork > branch.fork {
      branches[index].parent = branch.id
    }
    stepCount += branch.stepCount
    branches.append(branch)
    return branch.id
  }

  private mutating func remove(at index: Int) -> _UndoBranch {
    let branch = branches.remove(at: index)
    stepCount -= branch.stepCount
    return branch
  }

  /// Takes a branch out that is the end of the present line from now on.
  mutating func take(_ id: UInt64) -> _UndoBranch? {
    guard let index = index(of: id) else { return nil }
    let branch = remove(at: index)
    tip = (id, branch.end)
    for index in branches.indices where branches[index].parent == id { branches[index].parent = 0 }
    return branch
  }

  /// Gives the end of the present line an identity before it is a branch.
  package mutating func nameTip(state: Int) -> UInt64 {
    if let tip, tip.state == state { return tip.id }
    let id = newID()
    tip = (id, state)
    return id
  }

  /// Takes the branch out that was set aside the longest ago.
  mutating func dropOldest() -> _UndoBranch {
    droppedCount += 1
    let branch = remove(at: 0)
    places = places.filter { $0.value.branch != branch.id }
    return branch
  }

  /// Takes all branches out that leave a line at a state or behind it, and those that leave these.
  ///
  /// - Parameter line: A branch; 0 for the present line.
  mutating func dropAll(from state: Int, of line: UInt64 = 0) -> [_UndoBranch] {
    if line == 0, tip.map({ $0.state >= state }) ?? false { tip = nil }
    var dropped: [_UndoBranch] = []
    var ids: Set<UInt64> = []
    // Parents come behind those that leave them.
    for index in branches.indices.reversed() {
      let branch = branches[index]
      guard branch.parent == line ? branch.fork >= state : ids.contains(branch.parent) else { continue }
      ids.insert(branch.id)
      dropped.append(remove(at: index))
    }
    if !ids.isEmpty { places = places.filter { !ids.contains($0.value.branch) } }
    return dropped
  }

  /// Takes it that a branch has other records, and perhaps only the first of its steps, but one at least.
  ///
  /// - Returns: The branches that left it behind that, and those that leave them.
  mutating func replaceSteps(of id: UInt64, with chunks: [_UnsafeUndoChunk], count: Int) -> [_UndoBranch] {
    guard let index = index(of: id) else { return [] }
    let dropped = branches[index].stepCount - count
    branches[index].tail.replaceSteps(with: chunks, count: count)
    if dropped == 0 { return [] }
    stepCount -= dropped
    let branch = branches[index]
    places = places.filter { $0.value.branch != branch.id || $0.value.state <= branch.end }
    // Its end is another state than it was, and so another leaf.
    defer { rename(branch.id, to: newID()) }
    return dropAll(from: branch.end + 1, of: branch.id)
  }

  /// Makes one branch of each that ends at a fork, and so at no leaf, and one that goes on there.
  mutating func joinAtEnds() {
    func isAtEnd(_ branch: _UndoBranch) -> Bool {
      branches.contains { $0.id == branch.parent && $0.end == branch.fork }
    }
    while let index = branches.lastIndex(where: { $0.parent != 0 && isAtEnd($0) }) {
      let next = remove(at: index)
      rename(next.parent, to: next.id, appending: next)
    }
  }

  /// Gives a branch another leaf, where the steps of another one are to lead on to that.
  private mutating func rename(_ id: UInt64, to new: UInt64, appending next: _UndoBranch? = nil) {
    guard let index = index(of: id) else { return }
    if let next {
      branches[index].append(next)
      stepCount += next.stepCount
    }
    branches[index].id = new
    for index in branches.indices where branches[index].parent == id { branches[index].parent = new }
    for (number, place) in places where place.branch == id { places[number]?.branch = new }
  }

  /// Takes a branch out of which no step is left, and those that leave it.
  mutating func drop(_ id: UInt64) -> [_UndoBranch] {
    guard let index = index(of: id) else { return [] }
    let dropped = dropAll(from: .min, of: id)
    places = places.filter { $0.value.branch != id }
    // Those that left it stood before it.
    return [remove(at: self.index(of: id) ?? index)] + dropped
  }

  /// Lets all that leaves the present line at a state leave it at the next one, where a step was put in between.
  ///
  /// - Parameter words: The length of the record that is the last one of that step.
  /// - Returns: The numbers of the saved states that moved along.
  mutating func makeRoom(forStepBehind state: Int, ofLastRecord words: Int) -> Set<Int> {
    var ids: Set<UInt64> = []
    for index in branches.indices.reversed() {
      guard branches[index].parent == 0 ? branches[index].fork == state : ids.contains(branches[index].parent) else {
        continue
      }
      ids.insert(branches[index].id)
      branches[index].fork += 1
      if branches[index].parent == 0 { branches[index].tail.setPreviousWords(words) }
    }
    let moved = places.filter { ids.contains($0.value.branch) }.keys
    for number in moved { places[number]?.state += 1 }
    return Set(moved)
  }

  /// Takes it that the step which leads to a state of the present line ends with another record.
  mutating func setPreviousWords(_ words: Int, at state: Int) {
    for index in branches.indices where branches[index].parent == 0 && branches[index].fork == state {
      branches[index].tail.setPreviousWords(words)
    }
  }

  /// Puts the branches in the order of these identities; false if they have others.
  package mutating func sort(by ids: [UInt64]) -> Bool {
    let order = [UInt64: Int](zip(ids, ids.indices)) { first, _ in first }
    branches.sort { (order[$0.id] ?? .max) < (order[$1.id] ?? .max) }
    return branches.map(\.id) == ids
  }

  private func newID() -> UInt64 { .random(in: 1...(.max)) }

  // MARK: Rows

  mutating func forgetTimes() {
    for index in branches.indices { branches[index].tail.rows.times = .init() }
  }

  /// Gives identities to all steps.
  mutating func giveIdentities(by next: () -> UInt64) {
    for index in branches.indices {
      let identities = (0..<branches[index].stepCount).map { _ in _UndoOrigins.Entry(id: next()) }
      branches[index].tail.rows.identities = _UndoColumn(identities)
    }
  }

  /// Gives all steps the identities that they had.
  mutating func setIdentities(_ identities: ArraySlice<_UndoOrigins.Entry>) {
    var rest = identities
    for index in branches.indices {
      branches[index].tail.rows.identities = _UndoColumn(rest.prefix(branches[index].stepCount))
      rest = rest.dropFirst(branches[index].stepCount)
    }
  }

  /// When the newest step of a branch ended.
  func time(of id: UInt64) -> Duration? {
    index(of: id).flatMap { branches[$0].tail.rows.time(before: 0) }
  }

  // MARK: Saved states

  /// Gives states that lie behind a fork numbers that stand for them on a branch: negative ones, as no state has.
  mutating func setAside(_ old: _UndoSaves, in saves: inout _UndoSaves, fork: Int, on branch: UInt64) {
    forgetPlaces(besides: saves)
    func setAside(_ old: _UndoSaves.Point, _ point: inout _UndoSaves.Point) {
      guard let state = old.state, state > fork else { return }
      point = .init(state: number(of: Place(branch: branch, state: state)), differences: old.differences)
    }
    setAside(old.saved, &saves.saved)
    for save in old.saves {
      if let index = saves.saves.firstIndex(where: { $0.id == save.id }) {
        setAside(save.point, &saves.saves[index].point)
      }
    }
  }

  /// Gives the states of a branch that was taken up their own numbers again, and forgets the numbers of none.
  func takeUp(_ saves: inout _UndoSaves, of branch: UInt64? = nil) {
    saves.forEachPoint { point in
      guard let number = point.state, number < 0 else { return }
      guard let place = places[number] else { return point = .init(state: nil) }
      if place.branch == branch { point.state = place.state }
    }
  }

  /// Where what a store has lies on a branch; nil where it lies anywhere else.
  package func place(of point: _UndoSaves.Point) -> Place? { point.exact.flatMap { places[$0] } }

  /// The state on a branch that a negative number stands for.
  package func place(_ number: Int) -> Place? { places[number] }

  mutating func number(of place: Place) -> Int {
    if let known = places.first(where: { $0.value == place }) { return known.key }
    let number = (places.keys.min() ?? 0) - 1
    places[number] = place
    return number
  }

  private mutating func forgetPlaces(besides saves: _UndoSaves) {
    let numbers = Set([saves.saved.state].compactMap { $0 } + saves.saves.compactMap(\.point.state))
    places = places.filter { numbers.contains($0.key) }
  }
}
