extension _UndoLog {
  #if InternalChecks
    /// Walks the whole log and stops at the first thing that is not as it must be.
    ///
    /// A log of more than 8 KB is walked at every 256th step only, so that tests with many steps come to an end.
    @usableFromInline
    func _checkInvariants() {
      guard byteCount < 8192 || undoCount & 255 == 0 else { return }
      precondition(isOpen || bottom == firstOffset)
      let isWritable = isOpen && depth == 0
      precondition(ownersRoom == (isWritable && !isLimited ? capacity : 0))
      precondition(isWritable && isLimited ? room <= max(0, roomWithinLimit) : room == ownersRoom)
      guard !chunks.isEmpty else {
        precondition(undoCount == 0 && redoCount == 0 && byteCount == 0 && !isOpen)
        precondition(top.used == _UndoRegion.start && top.first == _UndoRegion.start, "the empty region was written")
        return
      }
      precondition(chunks.indices.contains(chunkIndex))
      precondition(
        !isOpen || capacity == chunks[chunkIndex].capacity && chunkIndex == chunks.count - 1 && redoCount == 0)
      precondition(isOpen || !canCoalesce)
      precondition(!isOpen || top.used <= position, "`used` shows something to redo")
      precondition(depth > 0 || link.flags == _UndoHeader.whole && !isElaborate)
      precondition(isElaborate || aside == nil && label == nil)
      precondition(isLimited == (limit != .unlimited))
      let open = link.flags == _UndoHeader.inner ? 1 : 0
      var (bytes, begun, ended, previousWords) = (0, 0, 0, 0)
      var (begunBeforePosition, wordsBeforePosition) = (-1, -1)
      for (index, chunk) in chunks.enumerated() {
        let start = index == 0 ? head : _UndoRegion.start
        let isOpenTop = index == chunkIndex && isOpen
        let end = isOpenTop ? position : chunk.region.used
        precondition(start >= chunk.region.first && start <= end && end <= chunk.capacity)
        var offset = start
        while true {
          if index == chunkIndex, offset == position {
            (begunBeforePosition, wordsBeforePosition) = (begun, previousWords)
          }
          guard offset < end else { break }
          let header = chunk.region.header(at: offset)
          precondition(header.words > 0 && header.operation.index < chunk.operations.count || isOpenTop)
          precondition(header.link.words == previousWords || previousWords == 0, "the chain of records is broken")
          begun += header.begins ? 1 : 0
          ended += header.ends ? 1 : 0
          precondition(begun == ended || begun == ended + 1, "steps overlap")
          bytes += self.bytes(header, in: chunk.region, at: offset)
          previousWords = header.words
          offset += header.bytes
        }
        precondition(offset == end, "the last record overlaps the end of its chunk")
        precondition(
          index == chunks.count - 1 || chunk.capacity - end < 8 * _UndoHeader.maximumWords,
          "a chunk was left half empty")
      }
      if let aside {
        if let rest = aside.rest { bytes += self.bytes(in: rest.region, from: rest.region.first, to: rest.region.used) }
        bytes += self.bytes(in: aside.chunks)
      }
      precondition(begunBeforePosition >= 0, "the position is not between two records")
      precondition(wordsBeforePosition == link.words || wordsBeforePosition == 0)
      precondition(begunBeforePosition == undoCount + open, "undoCount is wrong")
      precondition(begun == undoCount + redoCount + open, "redoCount is wrong")
      precondition(bytes == byteCount, "byteCount is wrong")
    }
  #else
    @inlinable
    func _checkInvariants() {}
  #endif
}
