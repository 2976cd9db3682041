internal import UndoHistories

// How the messages say that the latest record took in another edit of its text.

extension _UndoMessages {
  /// The edit of a text that the messages had last.
  struct LatestText {
    let patch: _UndoPatch
    var numbers: _UndoTextNumbers
    /// Whether an absorbed edit may have moved it: then the next of it has to say where, as always where the value
    /// around it is written too.
    var isMoved: Bool

    init(_ patch: _UndoPatch, _ numbers: _UndoTextNumbers) {
      (self.patch, self.numbers, isMoved) = (patch, numbers, patch.hasValueAround)
    }
  }

  /// Writes that the latest record took in another edit of its text.
  mutating func writeJoinedText(
    _ joined: _UndoTextNumbers, _ unread: _UndoUnread, of log: borrowing _UndoLog, _ document: _UnsafeUndoPointer,
    by recorder: _UndoAnyRecorder
  ) {
    guard let record = log.edit(before: unread.location), let old = unread.text else { return }
    let latest = text.flatMap { $0.numbers == old ? $0 : nil }
    if let latest, !latest.isMoved, writeJoined(latest, joined, isOne: unread.textEditCount == 1, of: document) {
      text?.numbers = joined
      return
    }
    let next = log.fastPath.operations.edit(of: record)
    if let latest, latest.isMoved, let splice = Self.splice(from: old, to: joined) {
      text = write(next.with(.range(splice)), joins: true, of: document, by: recorder).map { LatestText($0, joined) }
      return
    }
    // The whole text as it is now.
    _ = write(next.with(.whole), joins: true, of: document, by: recorder)
    text = nil
  }

  /// Writes how the latest text went on; false, and nothing written, where that cannot be told.
  private mutating func writeJoined(
    _ text: LatestText, _ numbers: _UndoTextNumbers, isOne: Bool, of document: _UnsafeUndoPointer
  ) -> Bool {
    let (old, distance) = (text.numbers, text.numbers.start - numbers.start)
    let (inserted, removed) = (numbers.count - old.count, numbers.removed - old.removed)
    // Several that slid may have done so by each other.
    guard distance >= 0, isOne || distance == 0 || distance == removed else { return false }
    if removed == 0, inserted > 0 {
      let end = numbers.start + numbers.count
      if distance == 0 { write(.typed) } else { write(.insertedBeside, distance) }
      text.patch.writeText(utf8: end - inserted..<end, of: document, to: &writer)
    } else if inserted == 0, removed > 0, numbers.count == 0 {
      switch distance {
      case 0: write(.deletedForward, removed)
      case removed: write(.deletedBackward, removed)
      default:
        write(.removedBeside, distance)
        writer.write(removed)
      }
    } else {
      return false
    }
    return true
  }

  /// The last edit of a text as one of its own; nil where that cannot be told.
  private static func splice(from old: _UndoTextNumbers, to numbers: _UndoTextNumbers) -> _UndoChange.Splice? {
    let distance = old.start - numbers.start
    let (inserted, removed) = (numbers.count - old.count, numbers.removed - old.removed)
    if removed == 0, inserted > 0, distance == 0 {
      return _UndoChange.Splice(start: numbers.start + old.count, old: 0, new: inserted)
    }
    if inserted == 0, removed > 0, numbers.count == 0, distance == 0 || distance == removed {
      return _UndoChange.Splice(start: numbers.start, old: removed, new: 0)
    }
    return nil
  }
}
