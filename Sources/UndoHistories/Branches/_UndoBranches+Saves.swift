// The saved states that lie on branches. The log has a negative number for each, which no other state has; the branches
// know the branch and the state that the number stands for.

extension _UndoBranches {
  /// A state on a branch.
  package typealias Place = (branch: UInt64, state: Int)

  /// Replaces a store's state on a branch with the state at the main line's fork, which differs from it in the bytes
  /// that the steps in between edited.
  func onMainLine(_ point: _UndoSaves.Point, _ records: _UndoRecords) -> _UndoSaves.Point {
    var point = point
    guard let number = point.state, var place = places[number] else { return point }
    while let index = index(of: place.branch) {
      let branch = branches[index]
      point.add(records.steps(of: branch).bytesOfEdits(between: 0, and: place.state - branch.fork))
      place = (branch.parent, branch.fork)
    }
    point.state = place.state
    return point
  }

  /// Moves the saved states after a fork to the branch that was detached there.
  ///
  /// In the log, each of them gets a negative number, which no other state has.
  ///
  /// - Parameter old: The saves at the time when the steps of the branch were detached.
  mutating func keepAsBranch(_ old: _UndoSaves, in saves: inout _UndoSaves, fork: Int, on branch: UInt64) {
    let numbers = Set([saves.saved.state].compactMap { $0 } + saves.saves.compactMap(\.point.state))
    places = places.filter { numbers.contains($0.key) }
    func keepAsBranch(_ old: _UndoSaves.Point, _ point: inout _UndoSaves.Point) {
      guard let state = old.state, state > fork else { return }
      point = .init(state: number(of: (branch, state)), differences: old.differences)
    }
    keepAsBranch(old.saved, &saves.saved)
    for save in old.saves {
      if let index = saves.saves.firstIndex(where: { $0.id == save.id }) {
        keepAsBranch(save.point, &saves.saves[index].point)
      }
    }
  }

  /// Restores the saved states of a branch that was reattached, and forgets those whose branches were dropped.
  func takeUp(_ saves: inout _UndoSaves, of branch: UInt64? = nil) {
    saves.forEachPoint { point in
      guard let number = point.state, number < 0 else { return }
      guard let place = places[number] else { return point = .init(state: nil) }
      if place.branch == branch { point.state = place.state }
    }
  }

  /// The place of a store's state on a branch; nil if the state isn't on a branch, or the store has differences.
  package func place(of point: _UndoSaves.Point) -> Place? { point.exact.flatMap { places[$0] } }

  /// Returns the negative number that stands for a state on a branch, and registers it if it is new.
  mutating func number(of place: Place) -> Int {
    if let known = places.first(where: { $0.value == place }) { return known.key }
    let number = (places.keys.min() ?? 0) - 1
    places[number] = place
    return number
  }

  mutating func forgetPlaces(where isGone: (Place) -> Bool) { places = places.filter { !isGone($0.value) } }
}
