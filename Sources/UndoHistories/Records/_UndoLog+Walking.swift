extension _UndoLog {
  /// Shows the record of each edit between two states, which are remembered, be they hidden or not.
  ///
  /// Nothing is exchanged. Ends early once the closure returns true.
  func forEachEdit(between one: Int, and other: Int, isEnough: (Record) -> Bool) {
    var isDone = false
    func isLast(_ record: Record) -> Bool {
      isDone = record.header.isEdit && isEnough(record)
      return isDone
    }
    let (first, last, state) = (min(one, other), max(one, other), state)
    if first < state { walkBack(over: state - first, skipping: max(0, state - last), isLast) }
    if last > state, !isDone { walkForward(over: last - state, skipping: max(0, first - state), isLast) }
  }

  /// The bytes of the document that were edited between two states.
  func bytesOfEdits(between one: Int, and other: Int) -> [Range<Int>] {
    var point = _UndoSaves.Point()
    forEachEdit(between: one, and: other) { record in
      point.add([fastPath.operations.editedBytes(of: record)])
      return false
    }
    return point.differences
  }

  /// What the latest record that can be undone has of a text: an edit that joins it makes that another.
  package var latestText: _UndoTextNumbers? {
    guard counts.undo > 0 else { return nil }
    let latest = latestRecord
    let record = unsafe Record(at: latest.offset, in: chunks[latest.chunkIndex].memory)
    return record.header.isEdit ? _UndoTextNumbers(fastPath.operations.edit(of: record)) : nil
  }

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
}
