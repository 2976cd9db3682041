extension _UndoLog {
  /// The label of the step that would be undone.
  var undoLabel: String? {
    guard undoCount > 0 else { return nil }
    var (region, end, index) = (top, position, chunkIndex)
    while end == _UndoRegion.start {
      index -= 1
      region = chunks[index].region
      end = region.used
    }
    let start = end - link.bytes
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

  func label(_ header: _UndoHeader, in region: _UndoRegion, at offset: Int) -> String? {
    guard header.operation == .label else { return nil }
    return region.payload(at: offset)[as: _UndoLabel.self].text
  }

  // MARK: Steps

  /// Where a record begins, or where the records end.
  struct Spot: Hashable {
    var chunkIndex: Int
    var offset: Int
  }

  /// What can be told of one step.
  struct Outline {
    var label: String?
    var byteCount = 0
    /// Where the next step begins.
    var end: Spot
  }

  /// Where the oldest step begins.
  var firstSpot: Spot { Spot(chunkIndex: 0, offset: head) }

  /// Reads the records of the step that begins at a place.
  func outline(at spot: Spot) -> Outline {
    var outline = Outline(end: spot)
    var header: _UndoHeader
    repeat {
      while outline.end.offset == end(ofChunk: outline.end.chunkIndex) {
        outline.end = Spot(chunkIndex: outline.end.chunkIndex + 1, offset: _UndoRegion.start)
      }
      let (region, offset) = (chunks[outline.end.chunkIndex].region, outline.end.offset)
      header = region.header(at: offset)
      outline.label = outline.label ?? label(header, in: region, at: offset)
      outline.byteCount += bytes(header, in: region, at: offset)
      outline.end.offset += header.bytes
    } while !header.ends
    return outline
  }

  private func end(ofChunk index: Int) -> Int {
    index == chunkIndex && isOpen ? position : chunks[index].region.used
  }
}
