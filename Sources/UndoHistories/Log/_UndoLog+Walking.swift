extension _UndoLog {
  /// Shows where each edit lies between the document's position and the one behind so many steps.
  ///
  /// Nothing is exchanged. Which side of an edit is the old one depends on the way that a step goes, so the kinds of
  /// these edits mean nothing. Ends early once the closure returns true.
  func forEachEdit(since number: Int, isEnough: (UndoEdit) -> Bool) {
    func isLast(_ record: Record) -> Bool { edit(of: record).map(isEnough) ?? false }
    if number < counts.undo {
      walkBack(over: counts.undo - number, isLast)
    } else {
      walkForward(over: number - counts.undo, isLast)
    }
  }

  private func walkBack(over steps: Int, _ isLast: (Record) -> Bool) {
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
      if isLast(record) { return }
      if record.header.begins { stepsLeft -= 1 }
    }
  }

  private func walkForward(over steps: Int, _ isLast: (Record) -> Bool) {
    var stepsLeft = steps
    var location = RecordLocation(chunkIndex: position.chunkIndex, offset: position.offset)
    while stepsLeft > 0, let record = record(at: &location) {
      if isLast(record) { return }
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
