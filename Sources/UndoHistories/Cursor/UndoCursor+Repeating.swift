// Replays edits that were written to an archive or a log. An edit that the cursor's own methods would skip, because it
// changes nothing, is recorded again here.

extension UndoCursor {
  /// Replaces the value, whatever it was.
  package func replace(with value: Target) { replacePart(value, at: offset) { _, _ in false } }

  /// Replaces the value, and records what differs, or the whole where nothing can be seen to.
  ///
  /// Entries of a dictionary or a set that was assigned are each written as the value behind all of them: so the first
  /// has it all, and the others have nothing left.
  package func change(to value: Target) {
    let old = replaceTarget(with: value)
    if readTarget({ _UndoSameness.haveSameParts(old, $0) }) {
      // The encoded value doesn't contain what changed.
      recordNothing()
    } else {
      recordDifference(from: old)
    }
  }

  /// Records a step of nothing, which is in no other one's way; none beside other edits.
  package func recordNothing() {
    if access.log.transaction.depth > 0, !access.log.isAtStepStart { return }
    access.log.record(_UndoReplacement(anchor, other: ()), offset: offset)
  }
}

extension UndoCursor where Target: _UndoElements, Target.Index == Int {
  package func exchange(_ range: Range<Int>, with elements: [Target.Element]) {
    let old = modifyTarget { $0.exchange(range, with: Target(elements)) }
    recordSplice(start: range.lowerBound, count: elements.count, other: old)
  }

  package func exchange(_ first: Int, _ second: Int) {
    modifyTarget { $0.swapAt(first, second) }
    access.log.record(_UndoSwapAt<Anchor, Target>(anchor, first, second), offset: offset)
  }

  /// Moves an element, maybe to where it is: all that it was moved past has gone.
  package func move(_ source: Int, _ target: Int) {
    modifyTarget { $0.move(from: source, to: target) }
    access.log.record(_UndoMove<Anchor, Target>(anchor, current: target, other: source), offset: offset)
  }

  /// Removes the elements in ranges, which lie in the collection in increasing order with others between them.
  package func remove(_ ranges: [Range<Int>]) {
    let absent = modifyTarget { $0.remove(from: ranges) }
    access.log.record(_UndoRemovals(anchor, ranges: ranges, absent: absent), offset: offset)
  }

  /// Inserts elements so that they lie in ranges.
  package func insert(_ elements: [Target.Element], at ranges: [Range<Int>]) {
    modifyTarget { $0.insert(Target(elements), at: ranges) }
    access.log.record(_UndoRemovals<Anchor, Target>(anchor, ranges: ranges, absent: nil), offset: offset)
  }
}

extension UndoCursor where Target == String {
  /// Replaces a range of whole scalars, also by the same text: a word that was typed anew.
  package mutating func exchange(utf8 range: Range<Int>, with text: String) {
    if range.isEmpty { return insert(text, atUTF8: range.lowerBound) }
    let removed = modifyTarget { $0.exchange(utf8: range, with: text) }
    recordReplacement(of: removed, at: range.lowerBound, inserted: text.utf8.count)
  }

  /// Moves the range of the latest edit, if that is of this text and can still be joined, to where it makes the same.
  package func slideLatest(by distance: Int) {
    typealias Delta = _UndoTextSplice<Anchor, UInt32>
    access.withLog { log in
      guard let latest = log.joinable(Delta.self, offset: offset) else { return }
      unsafe latest.with(Delta.self) { latest in
        guard latest.anchor == anchor, Int(latest.start) >= distance else { return }
        _ = readTarget { latest.slide(to: Int(latest.start) - distance, in: $0) }
      }
    }
  }
}
