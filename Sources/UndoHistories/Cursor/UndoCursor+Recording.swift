// How a cursor records an edit: as a new delta, or within the latest record if the edit continues that.

extension UndoCursor {
  /// Makes the edit that the first exchange of a delta is, and records it: what a cursor's method of a new delta does.
  @inlinable
  package func make<Delta: _UndoDelta<Anchor.Root>>(_ delta: consuming Delta) {
    delta.exchange(with: &access.document, offset: offset)
    record(delta, at: offset)
  }

  /// Records a delta, unless it goes on with what the latest record has: then that takes it in.
  @inlinable
  @inline(__always)
  func record<Delta: _UndoDelta<Anchor.Root>>(_ delta: consuming Delta, at offset: Int) {
    if Delta.mayJoin { recordJoining(delta, at: offset) } else { access.log.record(delta, offset: offset) }
  }

  @inlinable
  @inline(never)
  func recordJoining<Delta: _UndoDelta<Anchor.Root>>(_ delta: consuming Delta, at offset: Int) {
    if join(delta, at: offset) { return }
    let end = access.withLog { ($0.position.chunkIndex, $0.position.offset) }
    access.log.record(delta, offset: offset)
    access.withLog { log in
      // There may be no new record: an open step may already have one, and values that came back remove theirs.
      if (log.position.chunkIndex, log.position.offset) <= end { return }
      log.didRecordText()
      // The operation of an element isn't the recent one, by which the next edit finds the record.
      if Delta.isElement, log.fastPath.elementOperation != .none {
        (log.fastPath.recentTag, log.fastPath.recentOperation) = (
          _UnsafeUndoTypeTag(Delta.self), log.fastPath.elementOperation
        )
      }
    }
  }

  /// Records an edit of an optional text, which may go on with a record of another type: a letter behind the first,
  /// with which the text came, or the last one of a text that goes.
  @usableFromInline
  func recordInOptional(_ body: () -> Void) {
    guard access.log.transaction.depth == 0, access.log.coalescing.canJoin else { return body() }
    let (mark, mayJoin) = access.log.beginJoiningTransaction()
    body()
    access.log.willEndAssignment()
    access.log.endJoiningTransaction(from: mark, mayJoin: mayJoin, access.documentPointer)
  }

  /// Lets the latest record take in a delta that goes on with what it has; whether it does.
  @inlinable
  func join<Delta: _UndoDelta<Anchor.Root>>(_ delta: Delta, at offset: Int) -> Bool {
    access.withLog { log in
      guard let latest = log.coalescible(Delta.self, offset: offset) else { return false }
      let (root, isMeasured) = (access.documentPointer, log.countsRetainedBytes)
      let bytes: (Int, Int)? = unsafe latest.with(Delta.self) { latest in
        let old = isMeasured ? latest.retainedBytes : latest.ownedBytes
        guard unsafe latest.join(delta, mayMove: true, offset: offset, in: root[as: Anchor.Root.self]) else {
          return nil
        }
        return (old, isMeasured ? latest.retainedBytes : latest.ownedBytes)
      }
      guard let bytes else { return false }
      var delta = delta
      unsafe withUnsafeMutablePointer(to: &delta) {
        log.didJoin(unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer($0)), offset: offset, adding: bytes.1 - bytes.0)
      }
      return true
    }
  }
}
