internal import UndoHistories

// How messages of branches are repeated.

extension UndoReplayer {
  func replayBranch(
    _ kind: _UndoMessageKind, _ reader: inout _UndoReader, in history: inout UndoHistory<Value>
  ) throws {
    let number = try reader.readCount()
    let access = history.storage.access
    func place(_ reader: inout _UndoReader, _ index: Int) throws -> _UndoBranches.Place {
      let distance = try reader.readCount()
      guard let branches = access.log.branches?.branches, branches.indices.contains(index),
        1...branches[index].stepCount ~= distance
      else { throw reader.damage }
      return _UndoBranches.Place(branch: branches[index].id, state: branches[index].fork + distance)
    }
    switch kind {
    case .goToBranch:
      let place = try place(&reader, number)
      _ = history.go(toLeaf: place.branch, state: place.state) { history, position in history.go(to: position) }
    case .droppedBranches:
      guard number > 0, number <= access.log.branches?.branches.count ?? 0 else { throw reader.damage }
      access.log.removeOldestBranches(number)
    default:
      let place = try place(&reader, try reader.readCount())
      guard number <= 1, access.log.setSaved(place, ifCancelled: number == 1) else { throw reader.damage }
    }
  }
}
