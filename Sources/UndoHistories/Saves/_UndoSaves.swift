/// The saved state of a history and the states that the saves in flight write, by their numbers; and how the log marks
/// a state as saved, and begins and ends a save.
///
/// This folder has the saved point and saves in flight.
package struct _UndoSaves {
  /// The state that a store has, or will have once a save has succeeded.
  package struct Point: Equatable {
    /// The number of steps that lead to the state from where the history began; nil if the state isn't known any more.
    package var state: Int?
    /// The bytes of the document in which the store differs from that state.
    var differences: [Range<Int>] = []

    package init(state: Int? = nil, differences: [Range<Int>] = []) {
      (self.state, self.differences) = (state, differences)
    }

    /// The state, if the store has exactly that state and the history can return to it.
    package var exact: Int? { differences.isEmpty ? state : nil }

    mutating func add(_ ranges: [Range<Int>]) {
      for range in ranges where !differences.contains(where: { $0.contains(range) }) { differences.append(range) }
    }
  }

  /// The state that the store has now.
  package var saved = Point(state: 0)

  /// The saves in flight, oldest first.
  var saves: [(id: UInt64, point: Point)] = []

  /// The state that the newest save in flight writes or, without one, the saved state.
  var newest: Int? { (saves.last?.point ?? saved).exact }

  /// Begins a save of a state.
  mutating func begin(_ state: Int, id: UInt64) {
    precondition(!contains(id), "A save in flight has this identity: give each save another one")
    saves.append((id, Point(state: state)))
  }

  /// Removes a save from those in flight, if it is one of them.
  ///
  /// If it succeeded, its state is the saved one, and the saves before it are settled.
  mutating func end(_ id: UInt64, isSaved: Bool) {
    guard let index = saves.firstIndex(where: { $0.id == id }) else { return }
    if isSaved {
      saved = saves[index].point
      saves.removeSubrange(...index)
    } else {
      saves.remove(at: index)
    }
  }

  func contains(_ id: UInt64) -> Bool { saves.contains { $0.id == id } }

  mutating func forEachPoint(_ body: (inout Point) -> Void) {
    body(&saved)
    for index in saves.indices { body(&saves[index].point) }
  }

  /// Forgets states that the history can't return to any more.
  mutating func forget(where isGone: (Int) -> Bool) {
    forEachPoint { if let state = $0.state, isGone(state) { $0 = Point(state: nil) } }
  }

  /// Gives the only state that is left the number 0, and forgets all others.
  mutating func keepOnly(_ state: Int) {
    forEachPoint { $0 = $0.state == state ? Point(state: 0, differences: $0.differences) : Point(state: nil) }
  }

  /// Prepares for the removal of all steps after a state.
  ///
  /// If a store has a later state, it is described as this state, with the bytes that the removed steps edited as
  /// differences.
  mutating func willDropSteps(behind last: Int, of records: _UndoRecords) {
    forEachPoint { point in
      guard let state = point.state, state > last else { return }
      point.add(records.bytesOfEdits(between: last, and: state))
      point.state = last
    }
  }
}

extension _UndoLog {
  /// Makes the current state of the document the saved one.
  ///
  /// No later edit joins the latest step.
  mutating func markSaved() {
    settle()
    saves = _UndoSaves(saved: .init(state: state))
    unread?.isSavedPointSet = true
  }

  /// Ends a save, also among the saves that canceling the open step would restore.
  mutating func endSave(_ id: UInt64, isSaved: Bool) {
    if hasExtras { extras[0].openStep?.detachedRedo?.saves.end(id, isSaved: isSaved) }
    saves.end(id, isSaved: isSaved)
  }

  /// Begins a save of the current state of the document.
  ///
  /// No later edit joins the latest step.
  mutating func beginSave(_ id: UInt64) {
    settle()
    saves.begin(state, id: id)
  }
}
