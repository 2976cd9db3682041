// Moves the restored positions of steps that change places with edits of others, converts the position from before a
// step when the step ends, and copies the document's positions into the latest step when it is final.
//
// A step has two positions, in two states. Others' edits are transformed to come before the step, and so there are two
// lists of them as well:
//
//     before ── step ── after                 before' = before, moved over A'
//       │                 │
//       A'                A                   after'  = after, moved over A
//       │                 │
//     before' ─ step' ─ after'

extension _UndoSteps {
  /// Moves the positions of the step with this many steps after it.
  ///
  /// - Parameters:
  ///   - earlier: The others' edits as they are before the step.
  ///   - later: The same edits as they are after the step.
  ///   - edits: The step's edits as they were.
  ///   - movedEdits: The step's edits as they are after those of others.
  mutating func movePositions(
    before distance: Int, over earlier: [_UndoEdit], and later: [_UndoEdit], with edits: [_UndoEdit],
    now movedEdits: [_UndoEdit]
  ) {
    func inverted(_ edits: [_UndoEdit]) -> [_UndoEdit] { edits.reversed().map(\.inverted) }
    changePositions(before: distance) { space, before, after in
      before = space.moved(before, over: earlier, with: edits, now: movedEdits)
      after = space.moved(after, over: later, with: inverted(edits), now: inverted(movedEdits))
    }
  }

  /// Moves the positions of the newest steps over edits that were made before them.
  mutating func movePositions(over edits: [_UndoEdit], _ steps: _UndoRecords.Transformation) {
    var earlier = edits
    for (index, step) in steps.passed.enumerated() {
      let distance = steps.passed.count - 1 - index
      movePositions(before: distance, over: earlier, and: step.edits, with: step.old, now: step.new)
      earlier = step.edits
    }
  }

  /// Changes the positions of the step with this many steps after it.
  mutating func changePositions(
    before distance: Int,
    _ body: (_UndoPositionSpace, _ before: inout _UndoRestoredPosition, _ after: inout _UndoRestoredPosition) -> Void
  ) {
    for index in restored.indices { restored[index].changePositions(before: distance, body) }
  }
}

extension _UndoExtras {
  /// Whether a restored value is a position that moves with remote edits.
  var restoresPositions: Bool { !restored.positions.isEmpty }

  /// Converts the positions from before a step that has just ended, whose records begin at a location.
  ///
  /// The step's edits of texts and arrays are undone meanwhile. The step before it gets the same positions, unless they
  /// were changed since.
  mutating func keepPositions(from start: _UndoLocation, _ records: inout _UndoRecords) {
    if restored.positions.isEmpty { return }
    restored.assignedPositions = restored.assignedInside.intersection(restored.positions)
    guard let document else { return }
    let containers = steps.restored.compactMap { $0.property.space }.filter(\.needsContainer).map(\.container.bytes)
    let current = restored.awaited.union(restored.assigned)
    let operations = records.fastPath.operations
    var edits = containers.isEmpty ? [] : records.edits(from: start)
    edits.removeAll { record in !containers.contains { $0.overlaps(operations.editedBytes(of: record)) } }
    for edit in edits.reversed() { records.exchangeUncounted(.init(edit), with: document) }
    for index in steps.restored.indices {
      steps.restored[index].endKeeping(asBefore: document, isLatest: current.contains(.init(index)))
    }
    for edit in edits { records.exchangeUncounted(.init(edit), with: document) }
  }

  /// Copies the document's positions into the latest step, which later assignments don't change any more.
  mutating func settlePositions() {
    updateRestored(restored.positions)
    restored.forgetLatest(restored.positions)
  }

  /// The positions after the step with this many steps after it.
  func positions(afterStepBefore distance: Int) -> [_UndoRestoredPosition?] {
    steps.restored.map { $0.positions(before: distance)?.after }
  }
}
