// Applies remote edits to branches: transforms the steps of a branch, and drops those that conflict.
//
// If a remote edit A was applied after the fork of a branch, each undo moves it to before one more step
// (`_UndoLog+RemoteEdits`), until it lies at the fork:
//
//     main line      | S | T |A       ->     | S |A'| T'       undo has led to the fork
//     branch             | U | V |               | U'| V'|     copies, transformed over A'
//
// A remote edit at the fork or an earlier state goes to the branch at once. So a branch contains all remote edits
// except those that still lie after its fork. The steps of a branch are dropped from the first one that doesn't commute
// with the edit, as redo steps are.

extension _UndoLog {
  /// Transforms the branches that leave the main line at a state over remote edits of that state, oldest edit first.
  mutating func moveBranches(above edits: [_UndoRemoteEdits.Edit], at state: Int) {
    guard keepsBranches, !extras[0].branches[0].branches.isEmpty else { return }
    for edit in edits { moveBranches(at: state, above: edit.edits()) }
  }

  /// Transforms the branches that leave the main line at a state, and all branches that leave those, over edits of that
  /// state.
  mutating func moveBranches(at state: Int, above edits: [_UndoEdit]) {
    guard keepsBranches else { return }
    var waiting = (branches?.leaving(0, at: state) ?? []).map { ($0, edits) }
    while let (id, edits) = waiting.popLast() {
      guard let branches, let index = branches.index(of: id) else { continue }
      let branch = branches.branches[index]
      for (index, step) in move(branch, above: edits).enumerated() {
        waiting += branches.leaving(id, at: branch.fork + index + 1).map { ($0, step.edits) }
      }
    }
    withBranches { $0.joinAtEnds() }
  }

  /// Transforms the steps of a branch over edits, and drops them from the first one that doesn't commute.
  ///
  /// - Returns: The remaining steps, and the edits as they are after each of them.
  private mutating func move(_ branch: _UndoBranch, above edits: [_UndoEdit]) -> [_UndoRecords.Transformation.Passed] {
    var branchRecords = records.steps(of: branch)
    let steps = branchRecords.transform(edits, over: branchRecords.start, branch.stepCount, keepsPassed: true)
    if steps.count == 0 {
      didDrop(withBranches { $0.drop(branch.id) })
    } else {
      branchRecords.makeCurrent(0)
      branchRecords.moveRedo(steps)
      records.counts.bytes += branchRecords.counts.bytes
      let chunks = Array(branchRecords.chunks)
      didDrop(withBranches { $0.replaceSteps(of: branch.id, with: chunks, steps, over: edits) })
    }
    return steps.passed
  }
}
