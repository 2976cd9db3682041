extension _UndoLog {
  /// Shows where each edit lies between two states, which are remembered, be they hidden or not.
  ///
  /// Nothing is exchanged. Which side of an edit is the old one depends on the way that a step goes, so the kinds of
  /// these edits mean nothing. Ends early once the closure returns true.
  func forEachEdit(between one: Int, and other: Int, isEnough: (UndoEdit) -> Bool) {
    var isDone = false
    func isLast(_ record: Record) -> Bool {
      isDone = edit(of: record).map(isEnough) ?? false
      return isDone
    }
    let (first, last, state) = (min(one, other), max(one, other), state)
    if first < state { walkBack(over: state - first, skipping: max(0, state - last), isLast) }
    if last > state, !isDone { walkForward(over: last - state, skipping: max(0, first - state), isLast) }
  }

  /// The bytes of the document that were edited between two states.
  func bytesOfEdits(between one: Int, and other: Int) -> [Range<Int>] {
    var point = _UndoSaves.Point()
    forEachEdit(between: one, and: other) { edit in
      point.add([edit.bytes])
      return false
    }
    return point.differences
  }

  /// What the latest record that can be undone has of a text: an edit that joins it makes that another.
  var latestText: _UndoTextNumbers? {
    guard counts.undo > 0 else { return nil }
    let latest = latestRecord
    let record = unsafe Record(at: latest.offset, in: chunks[latest.chunkIndex].memory)
    guard record.header.isEdit else { return nil }
    let delta = fastPath.operations.with(record.header.operation) { $0.delta }
    return unsafe (delta as? any _UndoTextDelta.Type)?.numbers.read(record.payload)
  }

  /// The bytes of the document that the edit of a record lies in.
  func bytes(ofEditIn record: Record) -> Range<Int> { edit(of: record)?.bytes ?? 0..<0 }

  private func walkBack(over steps: Int, skipping skipped: Int, _ isLast: (Record) -> Bool) {
    var (stepsLeft, memory, end, index) = (steps, position.currentChunk, position.offset, position.chunkIndex)
    var words = position.link.words
    while stepsLeft > 0 {
      while end == _UnsafeUndoMemory.start {
        index -= 1
        memory = chunks[index].memory
        end = memory.used
      }
      end -= 8 * words
      let record = unsafe Record(at: end, in: memory)
      words = record.header.link.words
      if steps - stepsLeft >= skipped, isLast(record) { return }
      if record.header.begins { stepsLeft -= 1 }
    }
  }

  private func walkForward(over steps: Int, skipping skipped: Int, _ isLast: (Record) -> Bool) {
    var stepsLeft = steps
    var location = RecordLocation(chunkIndex: position.chunkIndex, offset: position.offset)
    while stepsLeft > 0, let record = record(at: &location) {
      if steps - stepsLeft >= skipped, isLast(record) { return }
      if record.header.ends { stepsLeft -= 1 }
    }
  }

  /// Where the edit of a record lies; nil for a label, which is none.
  private func edit(of record: Record) -> UndoEdit? {
    let header = record.header
    guard header.isEdit else { return nil }
    return unsafe fastPath.operations.edit(header.operation, record.payload, header.argument)
  }
}
