internal import UndoHistories

// Writes a message for text that joined the latest record, such as a typed letter: only the letter, not its place.

extension _UndoMessages {
  /// The latest edit of a text.
  struct LatestText {
    let patch: _UndoPatch
    /// The range that the edit replaced, with the edits that have joined it.
    var splice: _UndoChange.Splice
    /// Whether a remote edit may have moved it, so that the next message has to say where it is; true as well if an
    /// enclosing value is written too.
    var isMoved: Bool

    /// Returns nil if the patch doesn't edit a text.
    init?(_ patch: _UndoPatch, _ splice: _UndoChange.Splice) {
      // The inserted text isn't needed any more.
      guard let patch = patch.replacing(_UndoTextPatch(start: 0, count: 0, replacement: "")) else { return nil }
      (self.patch, self.splice, isMoved) = (patch, splice, patch.hasValueAround)
    }
  }

  /// Writes that another edit of the text joined the latest record, whose next exchange is given.
  mutating func writeJoinedText(
    _ joined: _UndoChange.Splice, _ next: _UndoEdit, _ unread: _UndoUnread, of document: _UnsafeUndoPointer
  ) {
    guard let old = unread.text else { return }
    let latest = text.flatMap { $0.splice == old ? $0 : nil }
    let isRewritten = unread.rewrittenOffset != nil
    if let latest, !latest.isMoved, !isRewritten,
      writeJoined(latest, joined, isOne: unread.textEditCount == 1, of: document)
    {
      text?.splice = joined
      return
    }
    if let latest, latest.isMoved || isRewritten,
      let splice = Self.splice(from: old, to: joined, rewrittenFrom: unread.rewrittenOffset)
    {
      text = write(next.with(.range(splice)), joins: true, of: document).flatMap { LatestText($0, joined) }
      return
    }
    // The whole text as it is now.
    _ = write(next.with(.whole), joins: true, of: document)
    text = nil
  }

  /// Writes how the latest text continued; returns false, and writes nothing, if that isn't known.
  private mutating func writeJoined(
    _ text: LatestText, _ joined: _UndoChange.Splice, isOne: Bool, of document: _UnsafeUndoPointer
  ) -> Bool {
    let (latest, distance) = (text.splice, text.splice.start - joined.start)
    let (inserted, removed) = (joined.new - latest.new, joined.old - latest.old)
    // Several edits that were moved may have been moved by each other.
    guard distance >= 0, isOne || distance == 0 || distance == removed else { return false }
    if removed == 0, inserted > 0 {
      let end = joined.start + joined.new
      if distance == 0 { write(.typed) } else { write(.insertedBeside, distance) }
      text.patch.writeText(utf8: end - inserted..<end, of: document, to: &writer)
    } else if inserted == 0, removed > 0, joined.new == 0 {
      switch distance {
      case 0: write(.deletedForward, removed)
      case removed: write(.deletedBackward, removed)
      default: write(.removedBeside, distance, removed)
      }
    } else {
      return false
    }
    return true
  }

  /// The last edit of a text as an edit of its own, or nil if it isn't known.
  private static func splice(
    from latest: _UndoChange.Splice, to joined: _UndoChange.Splice, rewrittenFrom start: Int?
  ) -> _UndoChange.Splice? {
    let distance = latest.start - joined.start
    let (inserted, removed) = (joined.new - latest.new, joined.old - latest.old)
    if let start {
      let oldEnd = latest.start + latest.new
      guard distance == 0, removed == 0, latest.start...oldEnd ~= start, start <= oldEnd + inserted else { return nil }
      return _UndoChange.Splice(start: start, old: oldEnd - start, new: oldEnd + inserted - start)
    }
    if removed == 0, inserted > 0, distance == 0 {
      return _UndoChange.Splice(start: joined.start + latest.new, old: 0, new: inserted)
    }
    if inserted == 0, removed > 0, joined.new == 0, distance == 0 || distance == removed {
      return _UndoChange.Splice(start: joined.start, old: removed, new: 0)
    }
    return nil
  }
}
