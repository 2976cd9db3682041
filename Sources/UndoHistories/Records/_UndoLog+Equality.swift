extension _UndoLog {
  /// Whether two logs have the same steps and stand at the same position between them.
  ///
  /// Where chunks end does not matter, nor which index an operation has.
  @usableFromInline
  func hasSameSteps(as other: _UndoLog) -> Bool {
    guard counts.undo == other.counts.undo, redoCount == other.redoCount,
      state - oldestState == other.state - other.oldestState, hasSameAbsorbed(as: other)
    else { return false }
    // Also those that are hidden.
    var location = RecordLocation(chunkIndex: 0, offset: head)
    var otherLocation = RecordLocation(chunkIndex: 0, offset: other.head)
    while let record = tellingRecord(at: &location) {
      guard let otherRecord = other.tellingRecord(at: &otherLocation), isSame(record, otherRecord, of: other),
        endsStep(record, at: location) == other.endsStep(otherRecord, at: otherLocation)
      else { return false }
    }
    return other.tellingRecord(at: &otherLocation) == nil
      && (extras.isEmpty && other.extras.isEmpty || hasSameBranches(as: other))
  }

  /// Whether the same edits were absorbed above the same steps.
  private func hasSameAbsorbed(as other: _UndoLog) -> Bool {
    let (layers, otherLayers) = (absorbed?.layers ?? [], other.absorbed?.layers ?? [])
    return layers.count == otherLayers.count
      && zip(layers, otherLayers).allSatisfy { layer, otherLayer in
        layer.state - oldestState == otherLayer.state - other.oldestState && layer.blocks == otherLayer.blocks
          && layer.edits.count == otherLayer.edits.count
          && zip(layer.edits, otherLayer.edits).allSatisfy { $0.hasSameRecords(as: $1) }
      }
  }

  /// The next record that tells steps apart: an edit, or a label in front of one.
  private func tellingRecord(at location: inout RecordLocation) -> Record? {
    while let record = record(at: &location) {
      if record.header.isEdit || record.header.operation == .label && record.header.begins { return record }
    }
    return nil
  }

  /// Whether no edit of its step lies behind a record, which ends at this location.
  private func endsStep(_ record: Record, at end: RecordLocation) -> Bool {
    if record.header.ends { return true }
    var location = end
    while let next = self.record(at: &location), !next.header.isEdit {
      if next.header.ends { return true }
    }
    return false
  }

  private func isSame(_ a: Record, _ b: Record, of other: _UndoLog) -> Bool {
    // In a chunk that both logs refer to, there is one record and nothing to prove.
    if unsafe a.offset == b.offset && a.memory.base == b.memory.base { return true }
    guard a.header.argument == b.header.argument else { return false }
    return areSame(a, b, of: other) || areSameBesideCarried(a, b, of: other)
  }

  private func areSame(_ a: Record, _ b: Record, of other: _UndoLog) -> Bool {
    unsafe fastPath.operations.areSame(
      a.header.operation, a.payload, b.header.operation, b.payload, of: other.fastPath.operations)
  }

  /// Whether two edits replaced a value that contains restored ones, and are the same except for these, which no undo
  /// reads from there.
  private func areSameBesideCarried(_ a: Record, _ b: Record, of other: _UndoLog) -> Bool {
    let offset = a.header.argument
    let part = offset..<offset + Int(fastPath.operations.replaced(a.header.operation).sizeInDocument)
    let inside = (carriers + other.carriers).filter { part != $0.bytes && $0.bytes.clamped(to: part) == $0.bytes }
    let (type, otherType) = (
      fastPath.operations[a.header.operation].delta, other.fastPath.operations[b.header.operation].delta
    )
    guard !inside.isEmpty, type == otherType else { return false }
    // A value in the document itself is all that such a delta holds.
    let copies = _UnsafeUndoChunk(copiesOf: [a], operations)
    let copy = copies.records[0]
    for carrier in inside {
      let distance = carrier.bytes.lowerBound - offset
      unsafe carrier.assign(b.payload.part(at: distance), copy.payload.part(at: distance))
    }
    return areSame(copy, b, of: other)
  }
}
