extension _UndoLog {
  /// Takes the document one step back; there must be one.
  @inlinable
  @inline(__always)
  mutating func undo(_ document: _UndoPlace) -> _UndoReport {
    let start = position &- 16
    guard lastWords == 2, start >= _UndoRegion.start else { return undoStep(document) }
    let header = top.header(at: start)
    guard header.isWholeWord else { return undoStep(document) }
    top.exchangeWord(at: start, with: document, at: header.argument)
    if room > 0 {
      top.used = position
      room = 0
    }
    canCoalesce = false
    position = start
    lastWords = header.previousWords
    undoCount &-= 1
    redoCount &+= 1
    _checkInvariants()
    return _UndoReport(.word(at: header.argument))
  }

  /// Takes the document one step forward; there must be one.
  @inlinable
  @inline(__always)
  mutating func redo(_ document: _UndoPlace) -> _UndoReport {
    guard position < top.used else { return redoStep(document) }
    let header = top.header(at: position)
    guard header.isWholeWord else { return redoStep(document) }
    top.exchangeWord(at: position, with: document, at: header.argument)
    position &+= 16
    lastWords = 2
    undoCount &+= 1
    redoCount &-= 1
    if redoCount == 0 { room = capacity }
    _checkInvariants()
    return _UndoReport(.word(at: header.argument))
  }

  @usableFromInline
  mutating func undoStep(_ document: _UndoPlace) -> _UndoReport {
    defer { _checkInvariants() }
    close()
    canCoalesce = false
    undoCount -= 1
    redoCount += 1
    var header = stepBack()
    var edit = exchange(header, with: document)
    if header.isWhole { return _UndoReport(edit) }

    var walk = Walk()
    walk.note(edit, label(header, in: top, at: position))
    while !header.begins {
      header = stepBack()
      edit = exchange(header, with: document)
      walk.note(edit, label(header, in: top, at: position))
    }
    return walk.report
  }

  @usableFromInline
  mutating func redoStep(_ document: _UndoPlace) -> _UndoReport {
    defer { _checkInvariants() }
    undoCount += 1
    redoCount -= 1
    defer { if redoCount == 0 { room = capacity } }
    var header = nextHeader()
    var edit = exchange(header, with: document)
    if header.isWhole {
      stepForward(header)
      return _UndoReport(edit)
    }

    var walk = Walk()
    walk.note(edit, label(header, in: top, at: position))
    while !header.ends {
      stepForward(header)
      header = nextHeader()
      edit = exchange(header, with: document)
      walk.note(edit, label(header, in: top, at: position))
    }
    stepForward(header)
    return walk.report
  }

  /// What a walk over the records of a step has met.
  private struct Walk {
    var label: String?
    var edits: [UndoEdit] = []

    mutating func note(_ edit: UndoEdit, _ label: String?) {
      if let label { self.label = label } else { edits.append(edit) }
    }

    var report: _UndoReport { _UndoReport(edits[0], _UndoReport.Rest(label: label, edits: edits)) }
  }

  /// Moves the position before the record that lies before it, and returns that record's header.
  @inline(__always)
  mutating func stepBack() -> _UndoHeader {
    while position == _UndoRegion.start {
      enter(chunkIndex - 1)
      position = top.used
    }
    position -= lastWords * 8
    let header = top.header(at: position)
    lastWords = header.previousWords
    return header
  }

  /// The header of the record behind the position, which is then the start of that record.
  @inline(__always)
  private mutating func nextHeader() -> _UndoHeader {
    while position == top.used {
      enter(chunkIndex + 1)
      position = _UndoRegion.start
    }
    return top.header(at: position)
  }

  private mutating func stepForward(_ header: _UndoHeader) {
    position += header.bytes
    lastWords = header.words
  }

  /// Exchanges the delta of the record at the position with the document.
  @inline(__always)
  mutating func exchange(_ header: _UndoHeader, with document: _UndoPlace) -> UndoEdit {
    operations[header.operation].exchange(top.payload(at: position), header.argument, document, &byteCount)
  }

  // MARK: Labels

  /// The label of the step that would be undone.
  var undoLabel: String? {
    guard undoCount > 0 else { return nil }
    var (region, end, index) = (top, position, chunkIndex)
    while end == _UndoRegion.start {
      index -= 1
      region = chunks[index].region
      end = region.used
    }
    let start = end - lastWords * 8
    return label(region.header(at: start), in: region, at: start)
  }

  /// The label of the step that would be redone.
  var redoLabel: String? {
    guard redoCount > 0 else { return nil }
    var (region, start, index) = (top, position, chunkIndex)
    while start == region.used {
      index += 1
      region = chunks[index].region
      start = _UndoRegion.start
    }
    return label(region.header(at: start), in: region, at: start)
  }

  private func label(_ header: _UndoHeader, in region: _UndoRegion, at offset: Int) -> String? {
    guard header.operation == Self.labelOperation else { return nil }
    return region.payload(at: offset)[as: _UndoLabel.self].text
  }
}
