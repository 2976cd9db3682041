internal import UndoHistories

// The branches of an archive, and how they are written and read as bytes. A history writes them in
// `UndoHistory.Transcript`, and performs them in `UndoHistory.Branching`.

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
    let leaveParents = branches.allSatisfy { branch in
      branch.parent.map { $0 < branches.count && states($0).contains(branch.fork) } ?? (branch.fork <= lineCount)
    }
    guard leaveParents else { throw reader.damage }
    if savedBranch > 0 {
      guard savedBranch <= branches.count, savedState > branches[savedBranch - 1].fork,
        savedState <= states(savedBranch - 1).upperBound
      else { throw reader.damage }
      saved = (savedBranch - 1, savedState)
    }
  }
}
