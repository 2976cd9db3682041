import TestSupport
import UndoHistories

/// The expected states of a history with branches, as a tree of snapshots.
///
/// States that the history has dropped can no longer be reached from the main line or a branch.
struct SnapshotTree<Document> {
  struct Node {
    var parent: Int?
    var document: Document
    var label: String?
    var time: Duration?
  }

  /// The tip of a branch, and the state at which it forks.
  struct Branch {
    let tip: Int
    let fork: Int
    var id: UndoHistory<Document>.Branch.ID?
  }

  private(set) var nodes: [Node]
  /// The states of the main line, oldest first.
  private(set) var line = [0]
  /// The position of the document on the main line.
  private(set) var position = 0
  /// The branches, in the order in which they were detached.
  var branches: [Branch] = []
  /// The IDs that tips have had.
  var ids: [Int: UndoHistory<Document>.Branch.ID] = [:]
  var keepsBranches = false
  var saved: Int? = 0
  /// The saves in flight and their states, in the order in which they were begun.
  var saves: [(save: UndoHistory<Document>.Save, state: Int?)] = []

  init(_ document: Document) {
    nodes = [Node(document: document)]
  }

  var current: Int { line[position] }
  var document: Document { nodes[current].document }
  var undoCount: Int { position }
  var redoCount: Int { line.count - 1 - position }
  var stepCount: Int { line.count - 1 + branches.reduce(0) { $0 + path($1).count } }

  /// The states that belong only to a branch, newest first.
  func path(_ branch: Branch) -> [Int] {
    var (states, state) = ([Int](), branch.tip)
    while state != branch.fork, let parent = nodes[state].parent {
      states.append(state)
      state = parent
    }
    return states
  }

  /// The position on the main line where the way to a branch forks, and the number of steps from there to its tip.
  func distance(_ branch: Branch) -> (position: Int, stepCount: Int) {
    var (stepCount, state) = (0, branch.tip)
    while !line.contains(state), let parent = nodes[state].parent { (state, stepCount) = (parent, stepCount + 1) }
    return (line.firstIndex(of: state)!, stepCount)
  }

  // MARK: Editing

  /// Adds a step, after the redo steps were detached or dropped.
  mutating func add(_ node: Node) {
    setAside()
    var node = node
    node.parent = current
    nodes.append(node)
    line.append(nodes.count - 1)
    position += 1
    forget()
  }

  /// Updates the latest step, which an edit joined.
  mutating func change(to document: Document, time: Duration?) {
    (nodes[current].document, nodes[current].time) = (document, time)
  }

  /// Removes the latest step, which an edit has undone.
  mutating func removeLatest() {
    line.removeLast()
    position -= 1
    forget()
  }

  private mutating func setAside() {
    if keepsBranches, redoCount > 0 {
      branches.append(Branch(tip: line[line.count - 1], fork: current, id: ids[line[line.count - 1]]))
    }
    line.removeSubrange((position + 1)...)
  }

  // MARK: Undo, redo and branches

  mutating func go(to position: Int) { self.position = position }

  mutating func undo() { position = max(0, position - 1) }
  mutating func redo() { position = min(position + 1, line.count - 1) }

  mutating func goToBranch(at index: Int) {
    let tip = branches[index].tip
    while let next = outermost(towards: tip) {
      let branch = branches[next]
      position = line.firstIndex(of: branch.fork)!
      let old = branches.remove(at: next)
      setAside()
      line += path(old).reversed()
    }
    position = line.count - 1
  }

  private func outermost(towards tip: Int) -> Int? {
    guard var index = branches.firstIndex(where: { $0.tip == tip }) else { return nil }
    while !line.contains(branches[index].fork) {
      index = branches.firstIndex { path($0).contains(branches[index].fork) }!
    }
    return index
  }

  // MARK: Checking

  /// Checks the counts, the saved point and the branches of a history.
  mutating func check(_ history: UndoHistory<Document>) {
    expectEqual([history.undoCount, history.redoCount], [undoCount, redoCount])
    expectEqual(!history.isDirty, saved == current)
    guard expectEqual(history.branches.count, branches.count) else { return }
    for (leaf, branch) in zip(history.branches, branches) {
      let node = nodes[branch.tip]
      expectEqual(leaf.label, node.label)
      expectEqual(leaf.time, node.time)
      let (position, stepCount) = distance(branch)
      expectEqual([leaf.position, leaf.stepCount], [position, stepCount])
      if let id = ids[branch.tip] { expectEqual(leaf.id, id) }
      ids[branch.tip] = leaf.id
    }
    expectEqual(Set(history.branches.map(\.id)).count, branches.count)
  }

  // MARK: Dropping

  mutating func dropBranches() {
    (branches, ids) = ([], [:])
    forget()
  }

  /// Drops as many steps as a limit requires: branches first, then the oldest undo steps.
  mutating func keepLimit(steps: Int) {
    while !branches.isEmpty, stepCount > steps { drop(branches: 1, steps: 0) }
    while position > 0, line.count > 2, stepCount > steps { drop(branches: 0, steps: 1) }
  }

  mutating func drop(branches count: Int, steps: Int) {
    branches.removeFirst(count)
    line.removeFirst(steps)
    position -= steps
    forget()
  }

  mutating func removeAllSteps() {
    (line, position) = ([current], 0)
    dropBranches()
  }

  /// Forgets saved states that can no longer be reached.
  private mutating func forget() {
    let reachable = Set(line + branches.flatMap { path($0) })
    if let state = saved, !reachable.contains(state) { saved = nil }
    for index in saves.indices {
      if let state = saves[index].state, !reachable.contains(state) { saves[index].state = nil }
    }
  }

  // MARK: Saving

  /// Forgets all saved states, because the store has a state that is not in the tree.
  mutating func forgetSaved() {
    saved = nil
    for index in saves.indices { saves[index].state = nil }
  }

  mutating func answer(_ index: Int, isSuccess: Bool) {
    if isSuccess {
      saved = saves[index].state
      saves.removeSubrange(...index)
    } else {
      saves.remove(at: index)
    }
  }

  /// The index of the branch that contains the saved state.
  var savedBranch: Int? { saved.flatMap { saved in branches.firstIndex { path($0).contains(saved) } } }

  mutating func goToSaved() -> Bool {
    guard let saved else { return false }
    if let branch = savedBranch { goToBranch(at: branch) }
    guard let position = line.firstIndex(of: saved) else { return false }
    self.position = position
    return true
  }
}
