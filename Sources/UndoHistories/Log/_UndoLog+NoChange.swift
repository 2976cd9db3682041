// Removes steps that leave the document as it was, for example a number that was dragged away and back, or a letter
// that was typed and deleted. An open step is therefore ended or canceled here. The comparison of the documents is in
// `_UndoRecords+NoChange`.
//
// A transaction pays 20 instructions at its end if it has one edit, and 70 if its first edit changed a number that
// hasn't come back.

extension _UndoLog {
  /// Rolls back the outermost transaction if its edits leave the document as it was, or else leaves it open.
  ///
  /// - Returns: Whether the transaction was rolled back.
  @inlinable
  @inline(__always)
  mutating func rollBackIfUnchanged(since mark: _UndoTransaction.Mark, _ document: _UnsafeUndoPointer) -> Bool {
    // A single edit was compared before it was recorded.
    if isLikely(records.position.offset &- records.position.link.bytes == mark.offset),
      records.position.chunkNumber == mark.chunkNumber
    {
      return false
    }
    return rollBackIfEditsChangeNothing(since: mark, document)
  }

  @usableFromInline
  @inline(never)
  mutating func rollBackIfEditsChangeNothing(since mark: _UndoTransaction.Mark, _ document: _UnsafeUndoPointer) -> Bool
  {
    guard !records.beginsWithAnotherNumber(mark, document), transaction.depth == 1,
      records.position.link.flags == _UndoHeader.inner, !restoresValues,
      records.editsChangeNothing(from: _UndoLocation(mark), document, haveEachPartOnce: false)
    else { return false }
    rollBack(to: mark, document)
    return true
  }

  /// Ends the open step, or cancels it if its edits leave the document as it was.
  mutating func endOpenStep(_ document: _UnsafeUndoPointer) {
    if isEditedStepOpen, isOpen, let start = extras.first?.openStep?.start, !restoresValues,
      records.editsChangeNothing(from: start, document, haveEachPartOnce: true)
    {
      cancelOpenStep(document)
    }
    settle()
  }

  /// Removes the latest step if the edits that joined it brought back what was there before; returns whether they did.
  ///
  /// If the history restores values, only a canceled composition is removed: the user has edited nothing, and the caret
  /// stays where it is.
  @usableFromInline
  @discardableResult
  mutating func removeLatestIfUnchanged(_ document: _UnsafeUndoPointer?) -> Bool {
    guard let document, transaction.depth == 0, !isStepOpen, !restoresValues || records.position.run == .composition
    else { return false }
    let start = records.startOfStep(endingWith: records.latestRecord)
    guard records.editsChangeNothing(from: start, document, haveEachPartOnce: true) else { return false }
    if let unread, start < unread.location { self.unread?.loseTrack() }
    let hasIdentity = origins != nil
    unread?.willRemoveLatestStep(from: start, hasIdentity: hasIdentity)
    if restoresValues {
      if unread?.assignment != nil { unread?.loseTrack() }
      extras[0].restored.forgetLatest()
    }
    removeLatestStep(from: start)
    (records.counts.undo, redoCount) = (records.counts.undo - 1, 0)
    if hasExtras { extras[0].joinable = nil }
    removeLastRows(1)
    // The remote edits below the removed step are at the position now.
    didStepBack()
    return true
  }
}
