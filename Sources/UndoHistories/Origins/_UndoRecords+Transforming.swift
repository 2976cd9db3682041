// Transforms edits over the steps that follow them, and changes the records of these steps. The rules for two edits are
// in `_UndoEdit+Transform`.

extension _UndoRecords {
  /// The result of transforming edits over the steps that follow them.
  struct Transformation {
    /// The edits as they are after the steps.
    var edits: [_UndoEdit]
    /// The steps' records that have to change, and their new edits; empty if the steps are in effect in the document
    /// (`areMade`).
    var moves: [(location: _UndoLocation, edit: _UndoEdit)] = []
    /// For each of these steps, if requested, the edits as they are after it, and its own edits of the same bytes.
    var passed: [Passed] = []
    /// The number of steps that commute with the edits, and the end of the last one.
    var count = 0
    var end: _UndoLocation

    struct Passed {
      var edits: [_UndoEdit] = []
      /// The edits of the step as they were, and as they are now.
      var old: [_UndoEdit] = []
      var new: [_UndoEdit] = []
    }
  }

  /// Transforms edits over steps until a step doesn't commute with them, without changing records.
  ///
  /// - Parameters:
  ///   - areMade: Whether the steps are in effect in the document, so that the next exchange of their
  ///     records would undo them.
  ///   - keepsPassed: Whether to return the edits as they are around each step.
  func transform(
    _ edits: [_UndoEdit], over first: _UndoLocation, _ count: Int, areMade: Bool = false,
    keepsPassed: Bool = false
  ) -> Transformation {
    let (operations, bytes) = (fastPath.operations, edits.map(\.bytes))
    var (location, result, edits) = (first, Transformation(edits: edits, end: first), edits)
    var moves = result.moves
    while result.count < count {
      var (isEnd, passed) = (false, Transformation.Passed())
      while !isEnd {
        let found = firstRecord(from: location)
        guard let record = record(at: &location) else { return result }
        isEnd = record.header.ends
        guard record.header.isEdit else { continue }
        // Most edits change other bytes.
        let edited = operations.editedBytes(of: record)
        guard bytes.contains(where: { $0.overlaps(edited) }) else { continue }
        let edit = operations.edit(of: record)
        var own = CollectionOfOne(areMade ? edit.inverted : edit)
        guard _UndoEdit.transform(&own, over: &edits, edits.indices) else { return result }
        if !areMade { moves.append((found, own[0])) }
        if keepsPassed {
          passed.old.append(edit)
          passed.new.append(own[0])
        }
      }
      // Assigning the array would make the next transformation copy it.
      for index in edits.indices { result.edits[index] = edits[index] }
      result.end = location
      if !moves.isEmpty { result.moves += moves }
      moves.removeAll(keepingCapacity: true)
      result.count += 1
      if keepsPassed {
        passed.edits = edits
        result.passed.append(passed)
      }
    }
    return result
  }

  /// Changes the redo steps as a transformation has found, and removes them from the first one that doesn't commute.
  mutating func moveRedo(_ steps: Transformation) {
    if steps.count < redoCount { removeRedo(from: firstRecord(from: steps.end), keeping: steps.count) }
    for (location, edit) in steps.moves { _ = move(location, to: edit) }
  }

  /// Changes a record to another edit of its kind; false if the edit doesn't fit, and then the record is unusable.
  mutating func move(_ location: _UndoLocation, to edit: _UndoEdit) -> Bool {
    makeUnique(location.chunkNumber)
    let record = record(there: location)
    counts.bytes -= bytes(of: record)
    defer { counts.bytes += bytes(of: record) }
    return fastPath.operations.move(record, to: edit)
  }
}
