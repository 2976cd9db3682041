// Records an edit of any type: as a new delta, or in the latest record if the edit continues it. Also edits of an
// optional text, as a transaction that may join the latest step, and the mark by which the next edit finds the record
// of an element. Edits of a `String` are recorded and joined in `UndoCursor+Text`. The log's part of all is in
// `_UndoLog+FastPath` and `_UndoLog+Coalescing`.

extension UndoCursor {
  /// Makes an edit by exchanging its delta with the document, and records it.
  @_alwaysEmitIntoClient
  package func make<Delta: _UndoDelta<Place.Root>>(_ delta: consuming Delta) {
    delta.exchange(with: &access.document, offset: offset)
    record(delta, at: offset)
  }

  /// Records a delta, or joins it with the latest record if it continues that.
  @_alwaysEmitIntoClient
  @inline(__always)
  func record<Delta: _UndoDelta<Place.Root>>(_ delta: consuming Delta, at offset: Int) {
    if Delta.mayJoin { recordJoining(delta, at: offset) } else { access.log.record(delta, offset: offset) }
  }

  @_alwaysEmitIntoClient
  @inline(never)
  func recordJoining<Delta: _UndoDelta<Place.Root>>(_ delta: consuming Delta, at offset: Int) {
    if join(delta, at: offset) { return }
    let end = access.withLog { ($0.records.position.chunkNumber, $0.records.position.offset) }
    let run = delta.run(as: .automatic)
    access.log.record(delta, offset: offset)
    access.withLog { log in
      // Perhaps nothing was recorded: the open step had already recorded this part, or the step was removed because
      // its values are again what they were.
      if (log.records.position.chunkNumber, log.records.position.offset) <= end { return }
      log.didRecordText(run)
      // The next edit finds the record by the recent operation, which recording an element doesn't set.
      if Delta.isElement, log.records.fastPath.elementOperation != .none {
        (log.records.fastPath.recentTag, log.records.fastPath.recentOperation) = (
          _UnsafeUndoTypeTag(Delta.self), log.records.fastPath.elementOperation
        )
      }
    }
  }

  /// Records an edit of an optional text, which may continue a record of another type: the second letter of a new text,
  /// or the last letter of a text that becomes nil.
  @usableFromInline
  func recordInOptional(_ body: () -> Void) {
    guard access.log.transaction.depth == 0, access.log.records.position.canJoin else { return body() }
    let mayJoin = access.log.willBeginJoiningTransaction()
    let mark = access.log.beginTransaction(nil)
    body()
    access.log.willEndAssignment()
    access.log.endJoiningTransaction(from: mark, mayJoin: mayJoin, access.documentPointer)
  }

  /// Joins a delta with the latest record if the delta continues that; returns whether it does.
  @_alwaysEmitIntoClient
  func join<Delta: _UndoDelta<Place.Root>>(_ delta: Delta, at offset: Int) -> Bool {
    access.withLog { log in
      guard let latest = log.coalescible(Delta.self, offset: offset) else { return false }
      let (root, isMeasured) = (access.documentPointer, log.records.fastPath.countsRetainedBytes)
      var joining = _UndoJoining(log.records.position.run, .automatic, mayMove: true)
      let bytes: (Int, Int)? = unsafe latest.with(Delta.self) { latest in
        let old = isMeasured ? latest.retainedBytes : latest.ownedBytes
        guard unsafe latest.join(delta, &joining, offset: offset, in: root[as: Place.Root.self]) else { return nil }
        return (old, isMeasured ? latest.retainedBytes : latest.ownedBytes)
      }
      guard let bytes else { return false }
      log.records.position.run = joining.run
      var delta = delta
      unsafe withUnsafeMutablePointer(to: &delta) {
        log.didJoin(unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer($0)), offset: offset, adding: bytes.1 - bytes.0)
      }
      if joining.mayChangeNothing { log.removeLatestIfUnchanged(root) }
      return true
    }
  }
}
