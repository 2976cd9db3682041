// A text edit that continues the one before it becomes part of that one's record, which stays where it is.

extension _UndoLog {
  /// The last record's delta, if it is of the type asked for, lies at that offset, and may take in another edit.
  @inlinable
  @inline(__always)
  mutating func coalescible<Delta: _UndoDelta>(_ type: Delta.Type, offset: Int) -> _UndoPlace? {
    guard canCoalesce, isRecent(type), !isTimed || isInTime() else { return nil }
    let start = position &- link.bytes
    let header = top.header(at: start)
    return header.operation == recentOperation && header.argument == offset ? top.payload(at: start) : nil
  }

  /// Whether the operation that was selected last is that of a type.
  @inlinable
  @inline(__always)
  mutating func isRecent<Delta: _UndoDelta>(_ type: Delta.Type) -> Bool {
    isLikely(recentTag == _UndoTag(type)) || isRecentByAnotherTag(type)
  }

  /// The same where the tags differ, which the tags of one type may do: from now on this one is the recent tag.
  @inlinable
  @inline(never)
  mutating func isRecentByAnotherTag<Delta: _UndoDelta>(_ type: Delta.Type) -> Bool {
    guard isType(ObjectIdentifier(type), of: recentOperation) else { return false }
    if !(Delta.keepsMemory && countsWhatIsKept) { recentTag = _UndoTag(type) }
    return true
  }

  @usableFromInline
  func isType(_ type: ObjectIdentifier, of number: _UndoNumber) -> Bool { table[number].type == type }

  /// Lets the record that was added last take in the next edit of its kind, if that is wanted.
  @inlinable
  @inline(__always)
  mutating func didRecordText() {
    canCoalesce = depth > 0 || joinsTyping
    if isTimed { noteTime() }
  }

  /// Accounts for what a record took in: what it owned before, and what it owns now.
  @inlinable
  @inline(__always)
  mutating func didCoalesce(_ ownedBefore: Int = 0, _ ownedNow: Int = 0) {
    defer { _checkInvariants() }
    if isTimed { noteTime() }
    if ownedBefore == ownedNow { return }
    byteCount += ownedNow - ownedBefore
    if isUnlikely(isLimited) { didCoalesceUnderLimit(ownedBefore, ownedNow) }
  }

  /// The same under a limit, which may count more of a text.
  @usableFromInline
  mutating func didCoalesceUnderLimit(_ ownedBefore: Int, _ ownedNow: Int) {
    var added = ownedNow - ownedBefore
    if countsWhatIsKept {
      let kept = String.keptBytes(ofOwned: ownedNow) - String.keptBytes(ofOwned: ownedBefore)
      byteCount += kept - added
      added = kept
    }
    if depth == 0 { keepLimit(owning: added) }
  }

  @usableFromInline
  mutating func setCoalescing(_ new: UndoCoalescing) {
    coalescing = new
    (joinsTyping, isTimed) = (new.joinsTyping, new.timer != nil)
    canCoalesce = false
  }

  /// Whether the latest text edit was not too long ago.
  @usableFromInline
  mutating func isInTime() -> Bool {
    guard depth == 0, let timer = coalescing.timer else { return true }
    return timer.elapsed() - lastEdit <= timer.pause
  }

  @usableFromInline
  mutating func noteTime() {
    if let timer = coalescing.timer { lastEdit = timer.elapsed() }
  }
}
