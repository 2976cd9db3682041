// What is absorbed has to be made in branches, too. It gets to the fork of a branch as it gets below the steps there:
//
//     present line   | S | T |A       ->     | S |A'| T'       undo has led to the fork
//     branch             | U | V |               | U'| V'|     made above A', by new payloads
//
// Or it is absorbed at the fork, or before it. So what is absorbed behind a fork is not in the branch yet, and all else
// is. From the first step on that does not commute with it, a branch is dropped, as what can be redone is.

extension _UndoLog {
  /// Lets the branches that leave the present line at a state be made above absorbed edits of that, oldest first.
  mutating func moveBranches(above edits: [_UndoRemoteEdits.Edit], at state: Int) {
    guard keepsBranches, !extras[0].branches[0].branches.isEmpty else { return }
    for edit in edits { moveBranches(at: state, above: edit.edits()) }
  }

  /// Lets those that leave the present line at a state be made above edits of that state, and those that leave them.
  mutating func moveBranches(at state: Int, above edits: [_UndoEdit]) {
    guard keepsBranches else { return }
    var waiting = (branches?.leaving(0, at: state) ?? []).map { ($0, edits) }
    while let (id, edits) = waiting.popLast() {
      guard let branches, let index = branches.index(of: id) else { continue }
      let branch = branches.branches[index]
      for (index, edits) in move(branch, above: edits).enumerated() {
        waiting += branches.leaving(id, at: branch.fork + index + 1).map { ($0, edits) }
      }
    }
    withBranches { $0.joinAtEnds() }
    updateLimit()
  }

  /// Lets the steps of a branch be made above edits, as far as they commute with them.
  ///
  /// - Returns: What the edits are after each of these steps.
  private mutating func move(_ branch: _UndoBranch, above edits: [_UndoEdit]) -> [[_UndoEdit]] {
    let branchRecords = records.steps(of: branch)
    let steps = branchRecords.transform(edits, over: branchRecords.start, branch.stepCount, keepsPassed: true)
    let old = records.bytes(in: branch.chunks)
    let dropped: [_UndoBranch]
    if steps.count == 0 {
      dropped = withBranches { $0.drop(branch.id) }
      records.counts.bytes -= records.bytes(in: dropped.flatMap(\.chunks))
    } else {
      var chunks: [_UnsafeUndoChunk] = []
      for (index, chunk) in branch.chunks.enumerated() where index <= steps.end.chunkIndex {
        let end = index == steps.end.chunkIndex ? steps.end.offset : chunk.memory.used
        chunks.append(chunk.copyOfSize(from: chunk.memory.first, to: end))
      }
      for (location, edit) in steps.moves {
        let offset = location.offset - branch.chunks[location.chunkIndex].memory.first + _UnsafeUndoMemory.start
        let record = unsafe _UndoRecord(at: offset, in: chunks[location.chunkIndex].memory)
        _ = records.fastPath.operations.move(record, to: edit)
      }
      records.counts.bytes += records.bytes(in: chunks) - old
      dropped = withBranches { $0.replaceSteps(of: branch.id, with: chunks, count: steps.count) }
      records.counts.bytes -= records.bytes(in: dropped.flatMap(\.chunks))
    }
    extras[0].branches[0].takeUp(&saves)
    return steps.passed
  }
}
