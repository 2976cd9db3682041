internal import UndoHistories

extension UndoHistory where Value: Codable {
  /// Makes the archived form of a history's steps, remote edits and branches, while it undoes and redoes them in a copy
  /// of the history.
  struct Transcript {
    var history: UndoHistory
    let parts: [RestoredPart]
    let schema: _UndoSchema
    /// Whether the whole document is archived for an edit that no part contains.
    let keepsWhole: Bool
    /// The remote edits that weren't rolled back yet.
    var layers: [_UndoRemoteEdits.Layer]

    private var copy: Self {
      var copy = self
      copy.history.separate()
      return copy
    }

    /// The archived form of a number of steps, which are undone or redone in a copy.
    func steps(_ direction: Direction, _ count: Int, from number: Int) throws -> [Archive.Step] {
      var (copy, steps) = (copy, [Archive.Step]())
      steps.reserveCapacity(count)
      for index in 0..<count {
        if direction == .back { steps += copy.rollBack() }
        steps.append(try copy.step(direction, number: direction == .back ? number - index : number + index))
      }
      return steps
    }

    /// Undoes or redoes a step, and returns its archived form.
    private mutating func step(_ direction: Direction, number: Int) throws -> Archive.Step {
      var step = Archive.Step(edits: [])
      if direction == .back { step.restored = history.restored(parts) }
      var unnamed: Range<Int>?
      // Each edit is written while the document is as the edit left it.
      let change = history.follow(direction) { log in
        let edit = log.records.latestEdit
        let patch = patch(edit)
        if patch.number == 0, edit.bytes != 0..<MemoryLayout<Value>.size { unnamed = unnamed ?? edit.bytes }
        step.edits.append(patch)
      }
      step.label = change.label
      if let unnamed, !keepsWhole {
        let property = _UndoFields<Value>.path(to: unnamed, in: history.currentItem)
        throw UndoArchiveError.unnamedPart(step: number, property: property)
      }
      if direction == .forward { step.restored = history.restored(parts) }
      return step
    }

    private func patch(_ edit: _UndoEdit) -> _UndoPatch {
      _UndoPatch(edit, of: history.storage.access.documentPointer, schema.coder(of: Value.self), schema)
    }

    /// Rolls back the remote edits that were made after the current step, and returns them.
    private mutating func rollBack() -> [Archive.Step] {
      guard let layer = layers.last, layer.state == history.storage.access.log.state else { return [] }
      layers.removeLast()
      let access = history.storage.access
      return layer.edits.reversed().map { edit in
        var step = Archive.Step(edits: [])
        step.remoteEdit = .init(id: edit.id, blocks: layer.blocks, isOfStore: edit.isOfStore)
        let copy = edit.copy()
        let operations = copy.records.operations.table
        for record in copy.recordsInside.reversed() {
          access.log.records.exchangeUncounted(.init(record), operations, with: access.documentPointer)
          // Without a part that contains the edit, the patch is of the whole document.
          step.edits.append(patch(operations.edit(of: record).inverted))
        }
        // The records lie in its memory.
        withExtendedLifetime(copy) {}
        return step
      }
    }

    /// The archived form of the branches, in the order of the log.
    func branches() throws -> Archive.Branches {
      var (copy, steps) = (copy, [UInt64: [Archive.Step]]())
      let access = copy.history.storage.access
      guard let branches = access.log.branches else { return Archive.Branches() }
      let saved = branches.place(of: access.log.saves.saved)
      let oldest = access.log.oldestState
      copy.history.go(to: .step(copy.history.undoCount + copy.history.redoCount))
      while true {
        let state = access.log.state
        // A remote edit that blocks undo is also in the branches that leave its state.
        let blocks = copy.layers.last.map { $0.state == state && $0.blocks } ?? false
        if !blocks { _ = copy.rollBack() }
        let order = branches.order(from: state)
        let line = order.isEmpty ? nil : access.log.detachLaterSteps()
        for branch in order {
          try copy.history.walk(toBranch: branch.id, state: branch.fork)
          steps[branch.id] = try (0..<branch.stepCount).map { _ in
            try copy.step(.forward, number: copy.history.undoCount)
          }
        }
        if !order.isEmpty { try copy.history.go(backTo: state, ofLine: line) }
        if blocks { _ = copy.rollBack() }
        if copy.history.undo() == nil { break }
      }
      let kept = branches.branches
      let indices = [UInt64: Int](zip(kept.map(\.id), kept.indices)) { first, _ in first }
      return Archive.Branches(
        branches: kept.map { .init(parent: indices[$0.parent], fork: $0.fork - oldest, steps: steps[$0.id] ?? []) },
        saved: saved.flatMap { place in indices[place.branch].map { ($0, place.state - oldest) } },
        identities: kept.flatMap(\.tail.rows.identities.cells))
    }
  }
}
