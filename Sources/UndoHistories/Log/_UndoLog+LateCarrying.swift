// What becomes of the edits of a value from before it is carried. It moves between the steps from then on, and a range
// of it would be none of what it is then. So these edits do nothing any more, each in the place of its record:
//
//     | header | start | count | other |   ->   | header | box |               |
//
// Nothing else of a step changes, and one without other edits is a step that changes nothing. That follows from the
// places of the edits alone, and so is the same where the steps were archived or repeated meanwhile.

extension _UndoLog {
  /// Lets all edits within a value do nothing: in the steps, in branches, and in what was absorbed.
  mutating func leaveAlone(_ carrier: _UndoCarrier) {
    for index in chunks.indices { leaveAlone(carrier, inChunk: index, from: firstOffset(ofChunk: index)) }
    for branch in branches?.branches ?? [] {
      let chunks = branch.chunks.map { chunk in
        chunk.leaving(carrier, from: chunk.memory.first, to: chunk.memory.used) ?? chunk
      }
      counts.bytes += bytes(in: chunks) - bytes(in: branch.chunks)
      withBranches { _ = $0.replace(branch.with(stepCount: branch.stepCount, chunks)) }
    }
    guard hasExtras else { return }
    extras[0].absorbed?.leaveAlone(carrier)
    extras[0].origins?.rest = nil
  }

  /// The same in the latest step alone, which begins there.
  mutating func leaveAlone(_ carrier: _UndoCarrier, from start: RecordLocation) {
    for index in start.chunkIndex..<chunks.count {
      let first = firstOffset(ofChunk: index)
      leaveAlone(carrier, inChunk: index, from: index == start.chunkIndex ? start.offset : first)
    }
  }

  /// Writes an edit that does nothing into the open transaction, as what was adopted may have one of a carried value.
  mutating func writeUntouched(_ carrier: _UndoCarrier) {
    startStepOfCopies(size: 2 * _UndoHeader.size)
    carrier.writeUntouched(&self)
  }

  /// Writes what leads the step of the open transaction, unless it has one; its first record is as long as this.
  mutating func startStepOfCopies(size: Int) {
    guard isAtStepStart else { return }
    makeWritable(for: size)
    if hasExtras { extras[0].start = location }
    if carriesValues { writeCarried() }
  }

  private mutating func leaveAlone(_ carrier: _UndoCarrier, inChunk index: Int, from start: Int) {
    let end = index == position.chunkIndex && isOpen ? position.offset : chunks[index].memory.used
    guard chunks[index].hasEdit(within: carrier, from: start, to: end) else { return }
    makeUnique(index)
    counts.bytes -= bytes(in: chunks[index].memory, from: start, to: end)
    chunks[index].leaveAlone(carrier, from: start, to: end)
    counts.bytes += bytes(in: chunks[index].memory, from: start, to: end)
  }

  private func firstOffset(ofChunk index: Int) -> Int { index == 0 ? head : _UnsafeUndoMemory.start }
}

extension _UndoAbsorbed {
  fileprivate mutating func leaveAlone(_ carrier: _UndoCarrier) {
    for layer in layers.indices {
      for index in layers[layer].edits.indices {
        let records = layers[layer].edits[index].records
        guard let new = records.leaving(carrier, from: _UnsafeUndoMemory.start, to: records.memory.used) else {
          continue
        }
        layers[layer].edits[index].records = new
      }
    }
  }
}

extension _UnsafeUndoChunk {
  /// A copy in which the edits within a value do nothing; nil where there are none.
  fileprivate func leaving(_ carrier: _UndoCarrier, from start: Int, to end: Int) -> _UnsafeUndoChunk? {
    guard hasEdit(within: carrier, from: start, to: end) else { return nil }
    let copy = copy(from: start, to: end)
    copy.leaveAlone(carrier, from: start, to: end)
    return copy
  }

  fileprivate func hasEdit(within carrier: _UndoCarrier, from start: Int, to end: Int) -> Bool {
    var hasEdit = false
    forEachEdit(within: carrier, from: start, to: end) { _ in hasEdit = true }
    return hasEdit
  }

  /// Lets the edits within a value do nothing; no other log refers to the chunk.
  fileprivate func leaveAlone(_ carrier: _UndoCarrier, from start: Int, to end: Int) {
    forEachEdit(within: carrier, from: start, to: end) { record in
      let link = record.header.link
      let header = _UndoHeader(
        argument: carrier.bytes.lowerBound, words: record.header.words, operation: .boxed, link: link)
      unsafe operations.table.destroy(record.header.operation, record.payload)
      unsafe memory.setHeader(header, at: record.offset)
      unsafe carrier.leaveAlone(memory.payload(at: record.offset))
    }
  }

  private func forEachEdit(
    within carrier: _UndoCarrier, from start: Int, to end: Int, _ body: (_UndoLog.Record) -> Void
  ) {
    var offset = start
    while offset < end {
      let record = unsafe _UndoLog.Record(at: offset, in: memory)
      let header = record.header
      offset += header.bytes
      // A record of a header alone is of a part without bytes, or of a set of such: it fits whatever is there.
      guard header.isEdit, header.words > 1 else { continue }
      let bytes = unsafe operations.table.edit(header.operation, record.payload, header.argument).bytes
      if !bytes.isEmpty, carrier.bytes.lowerBound <= bytes.lowerBound, bytes.upperBound <= carrier.bytes.upperBound {
        body(record)
      }
    }
  }
}
