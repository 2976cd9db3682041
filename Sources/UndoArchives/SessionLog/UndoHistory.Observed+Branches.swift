public import UndoHistories

// As the methods of the history.
extension UndoHistory.Observed where Value: Codable {
  @discardableResult
  package mutating func go(
    to leaf: UndoHistory.Leaf, onStep: (UndoHistory.Change) -> Void = { _ in }
  ) -> Bool {
    go(toBranch: leaf.id.number, state: nil) { $0.go(to: leaf, onStep: onStep) }
  }

  /// Goes to the saved point if it lies on a branch.
  mutating func goToSavedBranch(onStep: (UndoHistory.Change) -> Void) -> Bool {
    guard let place = history.storage.access.log.savedPlace else { return false }
    return go(toBranch: place.branch, state: place.state) { $0.go(to: .savedPoint, onStep: onStep) }
  }

  /// Writes down which branches were dropped where the recorder was not lent, as where an open step ended.
  @usableFromInline
  mutating func synchronizeBranches() {
    if history.storage.access.log.keepsBranches {
      recorder.messages.synchronizeBranches(with: history.storage.access.log)
    }
  }

  /// Goes to a state on a branch, or to the leaf that what can be redone leads to.
  private mutating func go(toBranch id: UInt64, state: Int?, _ body: (inout UndoHistory) -> Bool) -> Bool {
    if history.storage.access.log.hidesBranch { settle() }
    guard history.storage.access.log.leads(toLeaf: id) else { return body(&history) }
    if history.storage.access.log.hasOpenStep { settle() }
    let log = history.storage.access.log
    recorder.messages.synchronizeBranches(with: log)
    guard let branches = log.branches, let index = branches.index(of: id) else {
      let isReached = body(&history)
      let new = history.storage.access.log
      if new.state != log.state { recorder.messages.write(.go, new.state - new.oldestState) }
      return isReached
    }
    recorder.messages.write(.goToBranch, index)
    recorder.messages.writer.write(
      state.map { $0 - branches.branches[index].fork } ?? branches.branches[index].stepCount)
    return body(&history)
  }
}
