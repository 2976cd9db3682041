// Finds out whether the latest edits leave the document as it was: undoes them in a copy of the document, and compares
// the two documents. `_UndoLog+NoChange` then removes them.

internal import Sameness

extension _UndoRecords {
  /// Whether a transaction first changed a number in the document, which hasn't come back; this answers most cases
  /// quickly.
  mutating func beginsWithAnotherNumber(_ mark: _UndoTransaction.Mark, _ document: _UnsafeUndoPointer) -> Bool {
    guard mark.chunkNumber == position.chunkNumber, mark.offset < position.offset else { return false }
    var (offset, header) = unsafe (mark.offset, position.currentChunk.header(at: mark.offset))
    if header.operation == .label {
      offset += header.bytes
      header = unsafe position.currentChunk.header(at: offset)
    }
    guard header.operation == .word else { return false }
    let payload = unsafe position.currentChunk.payload(at: offset)
    return unsafe !payload.hasSameBytes(as: document.part(at: header.argument), count: 8)
  }

  /// Whether the edits from a location on, which are the latest ones, leave the document as it was.
  ///
  /// If there are many, or if the document can't be compared, they count as a change.
  ///
  /// - Parameter haveEachPartOnce: Whether a part that was assigned several times has only one record, as in an open
  ///   step; in a transaction, it has one for each assignment.
  mutating func editsChangeNothing(
    from start: _UndoLocation, _ document: _UnsafeUndoPointer, haveEachPartOnce: Bool
  ) -> Bool {
    var (location, count, first, areAtOnePlace, growth) = (start, 0, _UndoPendingEdit?.none, true, 0)
    while let record = record(at: &location) {
      guard record.header.isEdit else { continue }
      count += 1
      if count > Self.mostEditsOfNothing { return false }
      let edit = first ?? _UndoPendingEdit(record)
      first = edit
      areAtOnePlace = areAtOnePlace && fastPath.operations.isAtSamePlace(record, edit)
      if areAtOnePlace { growth += unsafe fastPath.operations[record.header.operation].delta.growth(record.payload) }
    }
    // Most typing changes the length of the text. If nothing else was edited, no edit has to be described.
    if areAtOnePlace, growth != 0 { return false }
    let records = edits(from: start)
    let edits = records.map { fastPath.operations.edit(of: $0) }
    guard let first = edits.first,
      haveEachPartOnce
        || edits.dropFirst().contains(where: { $0.hasSamePart(as: first) && $0.change.key == first.change.key })
    else { return false }
    // Most values don't come back. That is known without a copy if the part is still where it was.
    if edits.allSatisfy({ $0.isOfValue && ($0.isSame(as: first) || $0.commutes(with: first)) }),
      !mayBeRestored(records[0], in: document)
    {
      return false
    }
    let neighbors = edits.filter { $0.bytes.overlaps(first.bytes) }
    if neighbors.allSatisfy({ $0.isOfRange && $0.hasSamePart(as: first) }),
      neighbors.reduce(0, { $0 + $1.change.growth }) != 0
    {
      return false
    }
    let isOfText = areAtOnePlace && first.isOfText && first.levels.count == 0
    return isSame(
      document, without: _UnsafeUndoChunk(copiesOf: records, operations),
      ofText: isOfText ? first.bytes.lowerBound : nil)
  }

  /// The number of edits that are compared: more than a person makes by hand, but few enough that the comparison costs
  /// little beside them.
  private static var mostEditsOfNothing: Int { 16 }

  /// Whether a document is the same as it was before the latest edits.
  ///
  /// - Parameter text: The offset of the text that they edited, if they edited nothing else.
  private mutating func isSame(
    _ document: _UnsafeUndoPointer, without edits: _UnsafeUndoChunk, ofText text: Int?
  ) -> Bool {
    let reported = reportedEdit
    defer { reportedEdit = reported }
    func isSame<Delta: _UndoDelta>(_ type: Delta.Type) -> Bool {
      var old = unsafe document[as: Delta.Root.self]
      return unsafe withUnsafeMutablePointer(to: &old) {
        let old = unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer($0))
        for record in edits.records.reversed() { exchangeUncounted(.init(record), with: old) }
        if let text {
          return unsafe String.isSameText(old.part(at: text)[as: String.self], document.part(at: text)[as: String.self])
        }
        return unsafe _haveSameContents(old[as: Delta.Root.self], document[as: Delta.Root.self])
      }
    }
    // The type of the boxed deltas contains the type of the document.
    return isSame(fastPath.operations[.boxed].delta)
  }

  /// Whether the document may again have the value that a record replaced, as far as the record can tell.
  private func mayBeRestored(_ record: _UndoRecord, in document: _UnsafeUndoPointer) -> Bool {
    let offset = record.header.argument
    if record.header.operation == .word {
      return unsafe record.payload.hasSameBytes(as: document.part(at: offset), count: 8)
    }
    let delta = fastPath.operations[record.header.operation].delta
    return unsafe delta.mayBeRestored(record.payload, in: document, offset: offset)
  }
}
