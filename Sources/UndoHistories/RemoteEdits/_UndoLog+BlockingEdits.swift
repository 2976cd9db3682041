// Finds the remote edit that blocks the next undo, and records it as a step, so that undo can undo it first.
//
// A remote edit blocks the undo of the step before it if it can't be moved to before that step.

extension _UndoLog {
  /// The remote edit that blocks the next undo.
  var blockingEditID: UInt64? {
    guard records.counts.undo == 0, let layer = remoteEdits?.layers.last, layer.state == state, layer.blocks else {
      return nil
    }
    return layer.edits.last?.id
  }

  /// Records the edit that blocks the next undo as a step.
  mutating func recordBlockingEdit() {
    let old = state
    guard let id = blockingEditID, var layer = extras[0].remoteEdits?.popLast(at: old), let edit = layer.edits.popLast()
    else {
      return
    }
    defer { _checkInvariants() }
    if hasUnread { unread?.loseTrack() }
    defer { unread?.note(.recordedRemoteEdit, in: records) }
    settle()
    // Other edits may have been blocked by this one alone.
    sink(layer.edits)
    _ = detachRedo()
    beginTransaction(nil)
    extras[0].origins?.recordedRemoteEdit = id
    let bytes = edit.editedBytes
    for record in edit.recordsInside {
      let index = index(of: record, in: edit)
      if isAtStepStart {
        makeWritable(for: record.header.bytes)
        extras[0].start = records.location
        extras[0].saveRestored()
      }
      writeCopy(of: record, as: index)
    }
    endTransaction()
    let inverses = edit.edits().reversed().map(\.inverted)
    extras[0].steps.changePositions(before: 0) { space, before, after in before = space.moved(after, over: inverses) }
    // Branches at the old state now leave the main line after the new step.
    let words = records.position.link.words
    let moved = keepsBranches ? withBranches { $0.makeRoom(forStepBehind: old, ofLastRecord: words) } : []
    extras[0].origins?.recordedRemoteEdit = nil
    saves.forEachPoint { point in
      // Saved points before the new step now lack the edit. The others include it.
      if point.state == old {
        point.state = old + 1
      } else if !(point.state.map(moved.contains) ?? false) {
        point.add(bytes)
      }
    }
  }
}
