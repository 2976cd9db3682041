extension _UndoLog {
  /// How steps are made after edits of the state before them.
  struct Transformation {
    /// The edits as they are after the steps.
    var edits: [_UndoEdit]
    /// Where the records lie that are to be moved, and to what; none where the steps are made.
    var moves: [(location: RecordLocation, edit: _UndoEdit)] = []
    /// How many steps commute with the edits, and where the last one of them ends.
    var count = 0
    var end: RecordLocation
  }

  /// Transforms edits over steps, from the first record on, until a step does not commute with them; moves nothing.
  ///
  /// - Parameters:
  ///   - areMade: Whether the steps are, so that the next exchange of their records would take them back.
  ///   - didPass: Called with how many steps the edits have passed, and what they are there.
  func transform(
    _ edits: [_UndoEdit], over first: RecordLocation, _ count: Int, areMade: Bool = false,
    didPass: (Int, [_UndoEdit]) -> Void = { _, _ in }
  ) -> Transformation {
    let (operations, bytes) = (fastPath.operations, edits.map(\.bytes))
    var (location, result, edits) = (first, Transformation(edits: edits, end: first), edits)
    var moves = result.moves
    while result.count < count {
      var isEnd = false
      while !isEnd {
        let found = firstRecord(from: location)
        guard let record = record(at: &location) else { return result }
        isEnd = record.header.ends
        guard record.header.isEdit else { continue }
        // Most edits lie elsewhere, which their bytes tell.
        let edited = operations.editedBytes(of: record)
        guard bytes.contains(where: { $0.overlaps(edited) }) else { continue }
        let edit = operations.edit(of: record)
        var own = CollectionOfOne(areMade ? edit.inverted : edit)
        guard _UndoEdit.transform(&own, over: &edits) else { return result }
        if !areMade { moves.append((found, own[0])) }
      }
      // Not the array, which the next transformation would have to copy.
      for index in edits.indices { result.edits[index] = edits[index] }
      result.end = location
      if !moves.isEmpty { result.moves += moves }
      moves.removeAll(keepingCapacity: true)
      result.count += 1
      didPass(result.count, edits)
    }
    return result
  }

  func record(there location: RecordLocation) -> Record {
    unsafe Record(at: location.offset, in: chunks[location.chunkIndex].memory)
  }

  /// Where the edits of the step that ends at a location lie, newest first, and where it begins.
  func step(before end: RecordLocation) -> (edits: [RecordLocation], start: RecordLocation) {
    var (location, edits): (RecordLocation, [RecordLocation]) = (latestRecord(endingAt: end), [])
    while true {
      let header = record(there: location).header
      if header.isEdit { edits.append(location) }
      if header.begins { return (edits, location) }
      location = latestRecord(before: location)
    }
  }

  /// Where the step ends that leads to a state, which is not newer than this one.
  func endOfStep(_ target: Int) -> RecordLocation {
    var end = location
    for _ in target..<state { end = startOfStep(endingWith: latestRecord(endingAt: end)) }
    return end
  }

  private func latestRecord(endingAt end: RecordLocation) -> RecordLocation {
    end == location ? latestRecord : latestRecord(before: end)
  }

  /// Makes a record of this log do another edit of its kind; false, and nothing known of it, where it has no room.
  mutating func move(_ location: RecordLocation, to edit: _UndoEdit) -> Bool {
    makeUnique(location.chunkIndex)
    let record = record(there: location)
    counts.bytes -= bytes(record.header, in: record.memory, at: record.offset)
    defer { counts.bytes += bytes(record.header, in: record.memory, at: record.offset) }
    return fastPath.operations.move(record, to: edit)
  }
}

extension _UnsafeUndoChunk {
  /// Copies of records of a log with these operations, and room for no more.
  convenience init(copiesOf records: [_UndoLog.Record], _ operations: _UndoOperations) {
    let size = records.reduce(_UnsafeUndoMemory.start) { $0 + $1.header.bytes }
    self.init(capacity: size, operations: operations)
    for record in records { unsafe memory.appendCopy(of: record, operations) }
  }

  /// All records, which stay where they are as long as the chunk lives.
  var records: [_UndoLog.Record] {
    var (offset, records): (Int, [_UndoLog.Record]) = (memory.first, [])
    while offset < memory.used {
      let record = unsafe _UndoLog.Record(at: offset, in: memory)
      records.append(record)
      offset += record.header.bytes
    }
    return records
  }

  /// Makes each record do another edit of its kind; false, and nothing known of them, where one has no room.
  func move(to edits: [_UndoEdit]) -> Bool {
    zip(records, edits).allSatisfy { operations.table.move($0, to: $1) }
  }
}
