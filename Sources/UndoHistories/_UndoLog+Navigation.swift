extension _UndoLog {
  /// Takes the document one step back; nil when there is none.
  @usableFromInline
  mutating func undo(_ document: _UndoPlace) -> _UndoReport? {
    guard undoCount > 0 else { return nil }
    close()
    canCoalesce = false
    var report = _UndoReport()
    var header: _UndoHeader
    repeat {
      while position == _UndoRegion.start {
        enter(chunkIndex - 1)
        position = top.used
      }
      header = stepBack()
      exchange(header, with: document, reportingTo: &report)
    } while !header.begins
    undoCount -= 1
    redoCount += 1
    return report
  }

  /// Takes the document one step forward; nil when there is none.
  @usableFromInline
  mutating func redo(_ document: _UndoPlace) -> _UndoReport? {
    guard redoCount > 0 else { return nil }
    var report = _UndoReport()
    var header: _UndoHeader
    repeat {
      while position == top.used {
        enter(chunkIndex + 1)
        position = _UndoRegion.start
      }
      header = top.header(at: position)
      exchange(header, with: document, reportingTo: &report)
      position += header.bytes
      lastWords = header.words
    } while !header.ends
    undoCount += 1
    redoCount -= 1
    if redoCount == 0 { openTop() }
    return report
  }

  /// The label of the step that would be undone.
  @usableFromInline
  var undoLabel: String? {
    guard undoCount > 0 else { return nil }
    var (region, end, index) = (top, position, chunkIndex)
    while end == _UndoRegion.start {
      index -= 1
      region = chunks[index].region
      end = region.used
    }
    return label(of: region, at: end - lastWords * 8)
  }

  /// The label of the step that would be redone.
  @usableFromInline
  var redoLabel: String? {
    guard redoCount > 0 else { return nil }
    var (region, start, index) = (top, position, chunkIndex)
    while start == region.used {
      index += 1
      region = chunks[index].region
      start = _UndoRegion.start
    }
    return label(of: region, at: start)
  }

  private func label(of region: _UndoRegion, at offset: Int) -> String? {
    guard region.header(at: offset).operation == Self.labelOperation else { return nil }
    return region.payload(at: offset)[as: _UndoLabel.self].text
  }

  /// Moves the position before the record that lies before it in the chunk on top, and returns that record's header.
  mutating func stepBack() -> _UndoHeader {
    position -= lastWords * 8
    let header = top.header(at: position)
    lastWords = header.previousWords
    return header
  }

  /// Exchanges the delta of the record at the position with the document.
  mutating func exchange(_ header: _UndoHeader, with document: _UndoPlace, reportingTo report: inout _UndoReport) {
    let payload = top.payload(at: position)
    if header.operation == Self.labelOperation {
      report.label = payload[as: _UndoLabel.self].text
      return
    }
    let operation = operations[header.operation]
    if let ownedBytes = operation.ownedBytes {
      byteCount -= ownedBytes(payload)
      operation.exchange(payload, header.argument, document)
      byteCount += ownedBytes(payload)
    } else {
      operation.exchange(payload, header.argument, document)
    }
    if let edit = operation.edit(payload, header.argument) {
      report.add(edit)
    }
  }
}

/// What an undo or a redo did: gathered by the log, shown as `UndoHistory.Change`.
@usableFromInline
struct _UndoReport: Sendable {
  @usableFromInline
  var label: String?
  var first: UndoEdit?
  var others: [UndoEdit] = []

  mutating func add(_ edit: UndoEdit) {
    if first == nil { first = edit } else { others.append(edit) }
  }

  @usableFromInline
  var edits: [UndoEdit] { (first.map { [$0] } ?? []) + others }
}
