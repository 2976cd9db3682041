// Reads records, the edits between two states, and steps, without moving the position or changing the document. Also
// tells whether two steps replaced the same parts. The data of steps that isn't in records, such as times, is in
// `Steps/_UndoSteps`.

extension _UndoRecords {
  // MARK: Records

  /// Returns the record at a location, and moves the location to the end of the record; nil if no record follows.
  func record(at location: inout _UndoLocation) -> _UndoRecord? {
    skipChunkEnds(&location)
    guard location < end else { return nil }
    let record = record(there: location)
    location.offset += record.header.bytes
    return record
  }

  /// The record that begins at a location; there must be one.
  @inline(__always)
  func record(there location: _UndoLocation) -> _UndoRecord {
    unsafe _UndoRecord(at: location.offset, in: chunk(location.chunkNumber).memory)
  }

  /// The same location, or the start of the next chunk if a chunk ends there.
  func firstRecord(from location: _UndoLocation) -> _UndoLocation {
    var location = location
    skipChunkEnds(&location)
    return location
  }

  /// Moves a location from the end of a chunk to the next record; past all chunks if no record follows.
  private func skipChunkEnds(_ location: inout _UndoLocation) {
    while location < end, location.offset == end(ofChunk: location.chunkNumber) {
      location = _UndoLocation(chunkNumber: location.chunkNumber + 1, offset: _UnsafeUndoMemory.start)
    }
  }

  /// The location of the record before the position; there must be one.
  @inline(__always)
  package var latestRecord: _UndoLocation { latestRecord(before: location, ofSize: position.link.bytes) }

  /// The end of the record before the position; there must be one.
  package var endOfLatestRecord: _UndoLocation {
    var end = latestRecord
    end.offset += position.link.bytes
    return end
  }

  /// The location of the record before another one; there must be one.
  @inline(__always)
  package func latestRecord(before location: _UndoLocation) -> _UndoLocation {
    latestRecord(before: location, ofSize: record(there: location).header.link.bytes)
  }

  @inline(__always)
  func latestRecord(before location: _UndoLocation, ofSize bytes: Int) -> _UndoLocation {
    var (number, end) = (location.chunkNumber, location.offset)
    while end == _UnsafeUndoMemory.start {
      number -= 1
      end = chunk(number).memory.used
    }
    return _UndoLocation(chunkNumber: number, offset: end - bytes)
  }

  private func latestRecord(endingAt end: _UndoLocation) -> _UndoLocation {
    end == location ? latestRecord : latestRecord(before: end)
  }

  // MARK: Edits

  /// The records between two locations that are edits; up to the position if no end is given.
  package func edits(from start: _UndoLocation, to end: _UndoLocation? = nil) -> [_UndoRecord] {
    var (location, records): (_UndoLocation, [_UndoRecord]) = (start, [])
    let end = end ?? self.location
    // At the end of a chunk, the location of the next record counts.
    while firstRecord(from: location) < end, let record = record(at: &location) {
      if record.header.isEdit { records.append(record) }
    }
    return records
  }

  /// The record before a location, which may be a redo record; nil if it isn't an edit.
  package func edit(before location: _UndoLocation) -> _UndoRecord? {
    let (end, position) = (firstRecord(from: location), firstRecord(from: self.location))
    var found: _UndoRecord?
    if end > position {
      var next = position
      while next < end, let record = record(at: &next) {
        found = record
        next = firstRecord(from: next)
      }
    } else if end > firstRecord(from: start) {
      found = record(there: end == position ? latestRecord : latestRecord(before: end))
    }
    return found.flatMap { $0.header.isEdit ? $0 : nil }
  }

  /// The text edit of the record before a location, as it was made first, or nil if it is another edit.
  package func text(before location: _UndoLocation) -> _UndoChange.Splice? {
    let next = edit(before: location).flatMap { fastPath.operations.edit(of: $0).textSplice }
    return firstRecord(from: location) > firstRecord(from: self.location) ? next : next?.inverted
  }

  /// The text edit of the latest record that can be undone, or nil if it is another edit; joining the record changes
  /// it.
  package var latestText: _UndoChange.Splice? { counts.undo > 0 ? text(before: location) : nil }

  func delta(of record: _UndoRecord) -> any _UndoDelta {
    unsafe fastPath.operations[record.header.operation].delta.read(record.payload)
  }

  /// Passes the record of each edit between two states to the closure; a blocking remote edit may
  /// hide the states, but they must not have been dropped.
  ///
  /// The document doesn't change. The walk ends as soon as the closure returns true.
  func forEachEdit(between one: Int, and other: Int, isEnough: (_UndoRecord) -> Bool) {
    let (first, last) = (min(one, other), max(one, other))
    var location = first < state ? endOfStep(first) : self.location
    var (skipped, left) = (max(0, first - state), last - first)
    while left > 0, let record = record(at: &location) {
      if skipped == 0, record.header.isEdit, isEnough(record) { return }
      guard record.header.ends else { continue }
      if skipped > 0 { skipped -= 1 } else { left -= 1 }
    }
  }

  /// The bytes of the document that the edits between two states changed.
  func bytesOfEdits(between one: Int, and other: Int) -> [Range<Int>] {
    var point = _UndoSaves.Point()
    forEachEdit(between: one, and: other) { record in
      point.add([fastPath.operations.editedBytes(of: record)])
      return false
    }
    return point.differences
  }

  /// The edits in order, in groups that change separate bytes of the document.
  func independentEdits() -> [(bytes: Range<Int>, records: [_UndoRecord])] {
    var all: [(bytes: Range<Int>, records: [_UndoRecord])] = []
    for record in edits(from: start) {
      var (bytes, records) = (fastPath.operations.editedBytes(of: record), [_UndoRecord]())
      while let index = all.firstIndex(where: { $0.bytes.overlaps(bytes) }) {
        let other = all.remove(at: index)
        bytes = min(bytes.lowerBound, other.bytes.lowerBound)..<max(bytes.upperBound, other.bytes.upperBound)
        records = other.records + records
      }
      all.append((bytes, records + [record]))
    }
    return all
  }

  // MARK: Steps

  /// The label of the step that ends at the position, or nil if it has none; there must be such a step.
  var latestLabel: String? { record(there: latestRecord).label }

  /// The label of the step that would be redone.
  var redoLabel: String? { redoCount == 0 ? nil : record(there: firstRecord(from: location)).label }

  /// The data of a step that can be read without undoing or redoing it, and the start of the next step.
  typealias StepSummary = (label: String?, byteCount: Int, end: _UndoLocation)

  /// Reads the records of the step that begins at a location.
  func summary(ofStepAt start: _UndoLocation) -> StepSummary {
    var summary: StepSummary = (nil, 0, start)
    while let record = record(at: &summary.end) {
      summary.label = summary.label ?? record.label
      summary.byteCount += bytes(of: record)
      if record.header.ends { break }
    }
    return summary
  }

  /// The start of the step that ends with the given record.
  package func startOfStep(endingWith last: _UndoLocation) -> _UndoLocation {
    var location = last
    while !record(there: location).header.begins { location = latestRecord(before: location) }
    return location
  }

  /// The end of the step that leads to a state, which is at most the current one.
  func endOfStep(_ target: Int) -> _UndoLocation {
    var end = location
    for _ in target..<state { end = startOfStep(endingWith: latestRecord(endingAt: end)) }
    return end
  }

  /// The records of the edits of the step that ends at a location, newest first, and the start of the step.
  func step(before end: _UndoLocation) -> (edits: [_UndoLocation], start: _UndoLocation) {
    var (location, edits): (_UndoLocation, [_UndoLocation]) = (latestRecord(endingAt: end), [])
    while true {
      let header = record(there: location).header
      if header.isEdit { edits.append(location) }
      if header.begins { return (edits, location) }
      location = latestRecord(before: location)
    }
  }

  // MARK: Replacements

  /// Whether each edit of the latest step replaced a whole part, and the step has no label.
  ///
  /// If there are several edits, each part must be a leaf.
  package func hasOnlyReplacements(from start: _UndoLocation) -> Bool {
    if latestLabel != nil { return false }
    var (location, count, areLeaves) = (start, 0, true)
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      let replaced = fastPath.operations.replaced(record.header.operation)
      guard replaced.isPart else { return false }
      (count, areLeaves) = (count + 1, areLeaves && replaced.isLeaf)
    }
    return count == 1 || areLeaves
  }

  /// Whether the edits of the last step replaced the same parts as those of the step before it.
  package func replacesSameParts(from start: _UndoLocation, asFrom other: _UndoLocation) -> Bool {
    edits(from: other, to: start).elementsEqual(edits(from: start)) {
      fastPath.operations.isAtSamePlace($0, _UndoPendingEdit($1))
    }
  }
}
