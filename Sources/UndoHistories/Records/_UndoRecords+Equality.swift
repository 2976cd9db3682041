// Compares the steps of two histories for equality, record by record.

extension _UndoRecords {
  /// Whether both have the same steps, and the same position between them.
  ///
  /// The comparison ignores where chunks end, which index an operation has, and the values of the restored properties.
  func hasSameSteps(as other: _UndoRecords, besides restoredProperties: [_UndoRestored]) -> Bool {
    guard counts.undo == other.counts.undo, redoCount == other.redoCount else { return false }
    // Hidden steps count as well.
    var (location, otherLocation) = (start, other.start)
    while let (record, ends) = comparedRecord(at: &location) {
      guard let (otherRecord, otherEnds) = other.comparedRecord(at: &otherLocation), ends == otherEnds,
        // A shared record needs no comparison.
        record.isIdentical(to: otherRecord)
          || operations.areSame(record, otherRecord, of: other.operations, besides: restoredProperties)
      else { return false }
    }
    return other.comparedRecord(at: &otherLocation) == nil
  }

  /// The next record that counts in the comparison, an edit or a label that begins a step, and whether it is the last
  /// edit of its step.
  private func comparedRecord(at location: inout _UndoLocation) -> (record: _UndoRecord, ends: Bool)? {
    while let record = record(at: &location) {
      guard record.header.isEdit || record.header.operation == .label && record.header.begins else { continue }
      var (rest, ends) = (location, record.header.ends)
      while !ends, let next = self.record(at: &rest), !next.header.isEdit { ends = next.header.ends }
      return (record, ends)
    }
    return nil
  }
}

extension _UndoOperations {
  /// Whether two records make the same edit, ignoring the values of the restored properties.
  func areSame(
    _ a: _UndoRecord, _ b: _UndoRecord, of other: _UndoOperations, besides restoredProperties: [_UndoRestored]
  ) -> Bool {
    guard a.header.argument == b.header.argument else { return false }
    return areSame(a, b, of: other) || areSameValues(a, b, of: other, besides: restoredProperties)
  }

  /// Whether two deltas have one type and are the same; each table has its own indices.
  private func areSame(_ a: _UndoRecord, _ b: _UndoRecord, of other: _UndoOperations) -> Bool {
    let (operation, otherOperation) = (table[a.header.operation], other.table[b.header.operation])
    return unsafe operation.delta == otherOperation.delta && operation.delta.areSame(a.payload, b.payload)
  }

  /// Whether two edits replaced a value that contains restored properties, and differ in nothing but these, which undo
  /// doesn't restore from there.
  private func areSameValues(
    _ a: _UndoRecord, _ b: _UndoRecord, of other: _UndoOperations, besides restoredProperties: [_UndoRestored]
  ) -> Bool {
    let offset = a.header.argument
    let part = offset..<offset + Int(table.replaced(a.header.operation).sizeInDocument)
    let inside = restoredProperties.filter { part != $0.bytes && $0.bytes.clamped(to: part) == $0.bytes }
    let (type, otherType) = (table[a.header.operation].delta, other.table[b.header.operation].delta)
    guard !inside.isEmpty, type == otherType else { return false }
    // Such a delta holds nothing but a value in the document itself.
    let copies = _UnsafeUndoChunk(copiesOf: [a], self)
    let copy = copies.records[0]
    for property in inside {
      let distance = property.bytes.lowerBound - offset
      unsafe property.assign(b.payload.part(at: distance), copy.payload.part(at: distance))
    }
    return areSame(copy, b, of: other)
  }
}
