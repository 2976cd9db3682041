extension _UndoLog {
  /// Whether two logs have the same steps and stand at the same position between them.
  ///
  /// Where chunks end does not matter, nor which index an operation has.
  @usableFromInline
  func hasSameSteps(as other: _UndoLog) -> Bool {
    guard counts.undo == other.counts.undo, redoCount == other.redoCount else { return false }
    var (location, otherLocation) = (firstRecord, other.firstRecord)
    while let record = record(at: &location) {
      guard let otherRecord = other.record(at: &otherLocation), isSame(record, otherRecord, of: other) else {
        return false
      }
    }
    return other.record(at: &otherLocation) == nil
  }

  private func isSame(_ a: Record, _ b: Record, of other: _UndoLog) -> Bool {
    // In a chunk that both logs refer to, there is one record and nothing to prove.
    if unsafe a.offset == b.offset && a.memory.base == b.memory.base { return true }
    return unsafe a.header.means(b.header)
      && fastPath.operations.areSame(
        a.header.operation, a.payload, b.header.operation, b.payload, of: other.fastPath.operations)
  }
}

extension _UndoHeader {
  /// Whether all is the same that does not depend on the log: the argument, and the part in a step.
  fileprivate func means(_ other: _UndoHeader) -> Bool {
    argument == other.argument && link.flags == other.link.flags
  }
}
