// Checks the invariants of a log between two calls, only with the trait InternalChecks.

extension _UndoLog {
  #if InternalChecks
    /// Walks the whole log and stops at the first violated invariant.
    ///
    /// A log of more than 8 KB is walked only at every 256th step, so that tests with many steps finish.
    @usableFromInline
    package func _checkInvariants() {
      let (position, fastPath, counts) = (records.position, records.fastPath, records.counts)
      guard counts.bytes < 8192 || counts.undo & 255 == 0 else { return }
      var closed = records
      closed.updateDirectStart()
      precondition(isOpen || fastPath.directStart == closed.fastPath.directStart)
      precondition(
        (hasExtras || keepsBranches) == !extras.isEmpty && fastPath.isWatched == (hasExtras || fastPath.isLimited))
      precondition(!isOpen || records.isPlainlyOpen != hasExtras)
      precondition(extras.first?.hasLabelBeforeEdit != true)
      precondition(coalescing.isWatched || coalescing.rule.timer == nil)
      precondition(!hasExtras || coalescing.isWatched)
      let isWritable = records.isPlainlyOpen && transaction.depth == 0
      precondition(
        fastPath.directEndIfOwning
          == (isWritable && !fastPath.isLimited ? position.currentChunk.capacity : 0))
      precondition(
        isWritable && fastPath.isLimited
          ? fastPath.directEnd <= max(0, directEndWithinLimit)
          : fastPath.directEnd == fastPath.directEndIfOwning)
      guard !records.chunks.isEmpty else {
        precondition(counts.undo == 0 && redoCount == 0 && counts.bytes == 0 && !isOpen)
        precondition(
          position.currentChunk.used == _UnsafeUndoMemory.start
            && position.currentChunk.first == _UnsafeUndoMemory.start,
          "the chunk of no records was written")
        return
      }
      precondition(records.removedChunkCount..<records.end.chunkNumber ~= position.chunkNumber)
      precondition(
        !isOpen || position.chunkNumber + 1 == records.end.chunkNumber && redoCount == 0,
        "an open log has something to redo")
      precondition(isOpen || !position.canJoin)
      precondition(
        !isOpen || position.currentChunk.used <= position.offset, "`used` shows something to redo")
      // Outside a transaction, a record within a step appears only while the latest step is extended.
      precondition(transaction.depth > 0 || position.link.flags != _UndoHeader.first && !transaction.needsSlowEnd)
      precondition(transaction.needsSlowEnd || transaction.detachedRedo == nil && transaction.label == nil)
      precondition(fastPath.isLimited == (limit != .unlimited))
      let open = transaction.depth > 0 && position.link.flags == _UndoHeader.inner ? 1 : 0
      var (bytes, begun, ended, previousWords) = (0, 0, 0, 0)
      var (begunBeforePosition, wordsBeforePosition) = (-1, -1)
      for (number, chunk) in zip(records.removedChunkCount..., records.chunks) {
        let start = records.start(ofChunk: number)
        let isOpenEnd = number == position.chunkNumber && isOpen
        let end = isOpenEnd ? position.offset : chunk.memory.used
        precondition(start >= chunk.memory.first && start <= end && end <= chunk.memory.capacity)
        var offset = start
        while true {
          if number == position.chunkNumber, offset == position.offset {
            (begunBeforePosition, wordsBeforePosition) = (begun, previousWords)
          }
          guard offset < end else { break }
          let header = unsafe chunk.memory.header(at: offset)
          precondition(header.words > 0 && header.operation.value < chunk.operations.count || isOpenEnd)
          precondition(header.link.words == previousWords || previousWords == 0, "the chain of records is broken")
          begun += header.begins ? 1 : 0
          ended += header.ends ? 1 : 0
          precondition(begun == ended || begun == ended + 1, "steps overlap")
          bytes += unsafe records.bytes(of: _UndoRecord(at: offset, in: chunk.memory))
          previousWords = header.words
          offset += header.bytes
        }
        precondition(offset == end, "the last record overlaps the end of its chunk")
        precondition(
          number + 1 == records.end.chunkNumber || chunk.memory.capacity - end < 8 * _UndoHeader.maximumWords
            || keepsBranches,
          "a chunk was left half empty")
      }
      for tail in detachedTails { bytes += records.bytes(in: tail.chunks) }
      checkBranches()
      checkGesture()
      precondition(begunBeforePosition >= 0, "the position is not between two records")
      precondition(wordsBeforePosition == position.link.words || wordsBeforePosition == 0)
      let hidden = counts.dropped - oldestState
      precondition(begunBeforePosition == hidden + counts.undo + open, "counts.undo is wrong")
      precondition(begun == hidden + counts.undo + redoCount + open, "redoCount is wrong")
      precondition(bytes == counts.bytes, "counts.bytes is wrong")
      if hasExtras, transaction.depth == 0 {
        let rows = [extras[0].steps.times.count, extras[0].steps.identities.count]
        precondition(rows.allSatisfy { $0 <= records.newestState }, "there are more rows than steps")
      }
    }

    private func checkGesture() {
      guard let gesture = records.gesture, transaction.depth == 0 else { return }
      precondition(hasOpenStep && records.counts.undo > 0, "a gesture lies in no open step")
      var location = records.location
      for number in 0..<gesture.count {
        location = number == 0 ? records.latestRecord : records.latestRecord(before: location)
        let header = records.record(there: location).header
        precondition(header.isEdit && records.fastPath.operations.replaced(header.operation).isOfGesture)
      }
    }

    private func checkBranches() {
      guard let branches else { return }
      let all = branches.branches
      precondition(branches.stepCount == all.reduce(0) { $0 + $1.stepCount }, "the steps of branches are miscounted")
      for (index, branch) in all.enumerated() {
        let parent = all[index...].first { $0.id == branch.parent }
        precondition(branch.parent == 0 || parent != nil, "a branch comes after its parent")
        precondition(branch.fork >= (parent.map { $0.fork + 1 } ?? oldestState), "a fork is not on the parent")
        precondition(branch.fork < parent?.end ?? .max, "a fork is not on the parent")
        let steps = records.steps(of: branch)
        var (begun, location) = (0, steps.start)
        while let record = steps.record(at: &location) { begun += record.header.begins ? 1 : 0 }
        precondition(begun == branch.stepCount && begun > 0, "a branch has other steps")
      }
    }
  #else
    @inlinable
    package func _checkInvariants() {}
  #endif
}
