internal import UndoHistories

// Restores the branches of an archive: goes to the state where each branch leaves, and performs its steps there. The
// methods that go to a branch and back also serve `UndoHistory.Transcript`, which makes the archived form of branches.

extension UndoHistory where Value: Codable {
  /// Returns to a state of the main line, whose later steps were detached under an identity; nil detaches all later
  /// steps.
  ///
  /// - Throws: If the history can't get there.
  mutating func go(backTo state: Int, ofLine line: UInt64?) throws(UndoArchiveError) {
    if let line { return try walk(toBranch: line, state: state) }
    walk(toState: state)
    storage.access.log.detachLaterSteps()
    if storage.access.log.state != state { throw .damaged }
  }

  mutating func walk(toBranch id: UInt64, state: Int? = nil) throws(UndoArchiveError) {
    let isThere = go(toBranch: id, state: state) { history, state in history.walk(toState: state) }
    if !isThere { throw .damaged }
  }

  /// Performs the archived branches in a history that is being restored, each once the history has reached its fork.
  struct Branching {
    private let archived: Archive.Branches
    private let parts: [RestoredPart]
    /// The identities of the branches; 0 for branches that don't exist yet.
    private var ids: [UInt64]
    /// For each state of the main line, the branches that leave it, and their own branches, the last ones first.
    private var waiting: [Int: [Int]] = [:]

    init(_ archived: Archive.Branches, _ parts: [RestoredPart]) {
      (self.archived, self.parts) = (archived, parts)
      ids = [UInt64](repeating: 0, count: archived.branches.count)
      var states = [Int](repeating: 0, count: archived.branches.count)
      // A branch comes before its parent.
      for (index, branch) in archived.branches.enumerated().reversed() {
        states[index] = branch.parent.map { states[$0] } ?? branch.fork
        waiting[states[index], default: []].append(index)
      }
    }

    /// Performs the branches that leave the newest state.
    mutating func addBranches(to history: inout UndoHistory) throws {
      let state = history.storage.access.log.state
      guard let indices = waiting.removeValue(forKey: state) else { return }
      for index in indices {
        let branch = archived.branches[index]
        if let parent = branch.parent {
          try history.walk(toBranch: ids[parent], state: branch.fork)
        } else {
          history.go(to: .step(state))
        }
        for step in branch.steps { try history.perform(step, restoring: parts) }
        guard history.undoCount == branch.fork + branch.steps.count else { throw UndoArchiveError.damaged }
        let newest = history.storage.access.log.records.newestState
        ids[index] = history.storage.access.log.withBranches { $0.nameTip(state: newest) }
      }
      // Steps that branches share belong to the one that was left last.
      for index in indices.reversed() { try history.walk(toBranch: ids[index]) }
      try history.go(backTo: state, ofLine: nil)
    }

    /// Checks that all branches exist, and puts them in order.
    func end(in history: inout UndoHistory) throws {
      guard waiting.isEmpty, history.storage.access.log.withBranches({ $0.sort(by: ids) }) else {
        throw UndoArchiveError.damaged
      }
      let branches = history.storage.access.log.branches?.branches ?? []
      let isSame = zip(branches, archived.branches).allSatisfy { branch, archived in
        branch.fork == archived.fork && branch.stepCount == archived.steps.count
          && branch.parent == archived.parent.map { ids[$0] } ?? 0
      }
      guard isSame else { throw UndoArchiveError.damaged }
      guard let saved = archived.saved else { return }
      _ = history.storage.access.log.setSaved((ids[saved.branch], saved.state), ifCancelled: false)
    }
  }
}
