internal import UndoHistories

// Branches in an archive: their bytes, writing them from a history, and restoring them.

extension UndoHistory.Archive {
  /// The branches, in the order in which they were left.
  ///
  ///     |count + 1|saved branch + 1, or 0|saved state|branch...|
  ///     branch   |branch that it leaves + 1, or 0|steps up to there|count|step...|
  ///
  /// Steps up to somewhere are counted from the oldest state of the archive.
  struct Branches {
    struct Branch {
      /// The index of the branch that this one leaves, or nil for the main line.
      let parent: Int?
      let fork: Int
      let steps: [Step]
    }

    var branches: [Branch] = []
    var saved: (branch: Int, state: Int)?
    /// The identities of all steps in branches, if an origin was used.
    var identities: [_UndoOrigins.Entry] = []

    var stepCount: Int { branches.reduce(0) { $0 + $1.steps.count } }
  }
}

extension UndoHistory.Archive.Branches {
  func write(to writer: inout _UndoWriter, _ patches: inout _UndoPatchSequence<Value>) throws {
    writer.write(branches.count + 1)
    writer.write(saved.map { $0.branch + 1 } ?? 0)
    writer.write(saved?.state ?? 0)
    for branch in branches {
      writer.write(branch.parent.map { $0 + 1 } ?? 0)
      writer.write(branch.fork)
      writer.write(branch.steps.count)
      for step in branch.steps { try step.write(to: &writer, &patches) }
    }
  }

  /// Reads branches; nil if they weren't kept.
  ///
  /// - Throws: Also if a branch doesn't leave its parent, or comes after it.
  init?(from reader: inout _UndoReader, _ patches: inout _UndoPatchSequence<Value>, lineCount: Int) throws {
    let count = try reader.readCountOfBytes()
    if count == 0 { return nil }
    let (savedBranch, savedState) = (try reader.readCount(), try reader.readCount())
    for index in 0..<count - 1 {
      let (parent, fork) = (try reader.readCount(), try reader.readCount())
      guard parent == 0 || parent - 1 > index else { throw reader.damage }
      let steps = try reader.readAll { try UndoHistory.Archive.Step(from: &$0, &patches) }
      guard !steps.isEmpty, !steps.contains(where: { $0.remoteEdit != nil }) else { throw reader.damage }
      branches.append(Branch(parent: parent == 0 ? nil : parent - 1, fork: fork, steps: steps))
    }
    func states(_ branch: Int) -> Range<Int> {
      branches[branch].fork + 1..<branches[branch].fork + branches[branch].steps.count
    }
    for branch in branches {
      let isThere =
        branch.parent.map { $0 < branches.count && states($0).contains(branch.fork) } ?? (branch.fork <= lineCount)
      guard isThere else { throw reader.damage }
    }
    if savedBranch > 0 {
      guard savedBranch <= branches.count, savedState > branches[savedBranch - 1].fork,
        savedState <= states(savedBranch - 1).upperBound
      else { throw reader.damage }
      saved = (savedBranch - 1, savedState)
    }
  }
}

extension UndoHistory where Value: Codable {
  /// Returns to a state of the main line, whose later steps were detached under an identity; nil detaches all later
  /// steps.
  mutating func go(backTo state: Int, ofLine line: UInt64?) -> Bool {
    if let line { return walk(toBranch: line, state: state) }
    walk(to: state - storage.access.log.records.counts.dropped)
    storage.access.log.detachLaterSteps()
    return storage.access.log.state == state
  }

  mutating func walk(toBranch id: UInt64, state: Int? = nil) -> Bool {
    go(toBranch: id, state: state) { history, position in history.walk(to: position) }
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
          guard history.walk(toBranch: ids[parent], state: branch.fork) else { throw UndoArchiveError.damaged }
        } else {
          history.go(to: .step(state))
        }
        for step in branch.steps { try history.perform(step, restoring: parts) }
        guard history.undoCount == branch.fork + branch.steps.count else { throw UndoArchiveError.damaged }
        let newest = history.storage.access.log.records.newestState
        ids[index] = history.storage.access.log.withBranches { $0.nameTip(state: newest) }
      }
      // Steps that branches share belong to the one that was left last.
      for index in indices.reversed() {
        guard history.walk(toBranch: ids[index]) else { throw UndoArchiveError.damaged }
      }
      guard history.go(backTo: state, ofLine: nil) else { throw UndoArchiveError.damaged }
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
      _ = history.storage.access.log.setSaved(
        .init(branch: ids[saved.branch], state: saved.state), ifCancelled: false)
    }
  }
}
