// Makes edits again that were read from an archive or a session's log: of a value, of elements and of a text. An edit
// that the cursor's own methods would skip, because it changes nothing, is recorded here. Also records an empty step,
// and moves the latest edit of a text to an equivalent place. A key or a member is set by `UndoCursor+Hashed`.

internal import Sameness

extension UndoCursor {
  /// Replaces the value, whatever it was.
  package func replace(with value: Target) { replace(with: value, isSame: { _, _ in false }) }

  /// Replaces the value, and records the differences.
  ///
  /// An assigned collection may be in the log as several edits, each with the final value. The first of them records
  /// all differences, and the others record nothing.
  package func change(to value: Target) {
    let old = replaceTarget(with: value)
    if readTarget({ _haveSameContents(old, $0) }) {
      // The encoded value doesn't contain what changed.
      recordNothing()
    } else {
      recordDifference(from: old)
    }
  }

  /// Records an empty step, which conflicts with no other step, unless there are other edits in the step.
  package func recordNothing() {
    if access.log.transaction.depth > 0, !access.log.isAtStepStart { return }
    access.log.record(_UndoReplacement(place, other: ()), offset: offset)
  }
}

extension UndoCursor where Target: _UndoElements, Target.Index == Int {
  /// Repeats a change of elements.
  ///
  /// - Parameters:
  ///   - change: A change that fits the collection. Its ranges are either all removed or all inserted.
  ///   - coming: The elements to insert.
  package mutating func make(_ change: _UndoChange, _ insertedElements: [Target.Element]) {
    switch change {
    case .range(let splice) where splice.isOfOneElement:
      if let element = insertedElements.first { insert(element, at: splice.start) } else { remove(at: splice.start) }
    case .range(let splice):
      make(_UndoSplice(place, start: splice.start, count: splice.old, other: Target(insertedElements)))
    case .ranges(let splices):
      let absent = insertedElements.isEmpty ? nil : Target(insertedElements)
      make(_UndoRemovals(place, ranges: _UndoChange.rangesWhilePresent(splices), other: absent))
    case .swap(let first, let second): make(_UndoSwapAt<Place, Target>(place, first, second))
    case .move(let move): make(_UndoMove<Place, Target>(place, current: move.source, other: move.target))
    case .reversed(let range): make(_UndoReversal<Place, Target>(place, range))
    case .value, .key, .member, .whole: preconditionFailure("This isn't a change of elements")
    }
  }
}

extension UndoCursor where Target == String {
  /// Replaces a range of whole scalars, even if the new text is the same.
  package mutating func exchange(utf8 range: Range<Int>, with text: String) {
    if range.isEmpty { return insert(text, atUTF8: range.lowerBound) }
    let removed = modifyTarget { $0.exchange(utf8: range, with: text) }
    recordReplacement(of: removed, at: range.lowerBound, inserted: text.utf8.count)
  }

  /// Moves the range of this text's latest edit toward the start, to a place that gives the same text, if another edit
  /// can still join that edit.
  package func slideLatest(by distance: Int) {
    typealias Delta = _UndoTextSplice<Place>
    access.withLog { log in
      guard let latest = log.coalescible(Delta.self, offset: offset, ignoresPause: true) else { return }
      unsafe latest.with(Delta.self) { latest in
        guard latest.place == place, Int(latest.start) >= distance else { return }
        _ = readTarget { latest.slide(to: Int(latest.start) - distance, in: $0) }
      }
    }
  }
}
