/// The values of a restored property before and after each step: a column of `_UndoSteps`.
///
///     pieces   [ before | after | before | after | ... ][ before | after | ... ]     16 bytes a step for an Int
///     kept     [ before the step in progress ][ before a transaction inside of it ]
///
/// The last two values are those of the newest step. A step has no values if it was recorded before the property was
/// restored, or if a limit has dropped it. Copies of a history share all pieces, except those that one of them has
/// changed.
///
/// The values of a position that moves with remote edits have a type of their own (`_UndoRestoredPosition`). They are
/// read and changed here, too, and moved over edits in `RestoredPositions`.
package struct _UndoRestoredColumn {
  package let property: _UndoRestored
  /// Describes the values of the steps.
  private let stored: _UndoRestored
  private var pieces: ContiguousArray<_UnsafeUndoValues> = []
  private var kept: ContiguousArray<_UnsafeUndoValues> = []
  private var keptCount = 0
  /// The number of steps, and the bytes of their values with the memory that these keep alive.
  private(set) var count = 0
  private(set) var byteCount = 0

  /// The number of steps with their values in one piece: at most 32, as many as fit into 4 KB, and at least one.
  private let pieceCount: Int

  init(of property: _UndoRestored) {
    (self.property, stored) = (property, property.stored)
    pieceCount = max(1, min(32, 2048 / max(1, stored.stride)))
  }

  var withoutValues: _UndoRestoredColumn { _UndoRestoredColumn(of: property) }

  private typealias Values = (before: _UnsafeUndoPointer, after: _UnsafeUndoPointer)

  // MARK: Values of steps

  /// The values of the step with this many steps after it; nil if it has none.
  private func values(before distance: Int) -> Values? {
    let index = count - 1 - distance
    guard 0..<count ~= index else { return nil }
    let (piece, place) = (pieces[index / pieceCount], index % pieceCount * 2)
    guard let before = piece[place], let after = piece[place + 1] else { return nil }
    return (before, after)
  }

  /// Changes the values of the step with this many steps after it, which must exist; they begin at `place` of the
  /// piece.
  private mutating func change(before distance: Int, _ change: (_ piece: _UnsafeUndoValues, _ place: Int) -> Void) {
    let index = count - 1 - distance
    byteCount -= byteCount(before: distance)
    let piece = index / pieceCount
    if !isKnownUniquelyReferenced(&pieces[piece]) { pieces[piece] = pieces[piece].copy() }
    change(pieces[piece], index % pieceCount * 2)
    byteCount += byteCount(before: distance)
  }

  func hasValues(before distance: Int) -> Bool { values(before: distance) != nil }

  func byteCount(before distance: Int) -> Int {
    guard let values = values(before: distance) else { return 0 }
    guard let retainedBytes = stored.retainedBytes else { return 2 * stored.stride }
    return 2 * stored.stride + retainedBytes(values.before) + retainedBytes(values.after)
  }

  /// Assigns the value before or after the step with this many steps after it to a document.
  func restore(_ document: _UnsafeUndoPointer, before distance: Int, isAfter: Bool) {
    guard let values = values(before: distance) else { return }
    property.assign(isAfter ? values.after : values.before, toValueIn: document)
  }

  /// Copies the document's value, as the value after the newest step.
  mutating func setAfter(_ document: _UnsafeUndoPointer) {
    guard hasValues(before: 0) else { return }
    property.withValue(in: document) { value in change(before: 0) { $0.set($1 + 1, to: value) } }
  }

  mutating func forget(before distance: Int) {
    guard hasValues(before: distance) else { return }
    change(before: distance) {
      $0.remove($1)
      $0.remove($1 + 1)
    }
  }

  private mutating func append(_ values: Values?) {
    if count == pieces.count * pieceCount { pieces.append(_UnsafeUndoValues(of: stored, count: 2 * pieceCount)) }
    count += 1
    guard let values else { return }
    let piece = pieces.count - 1
    if !isKnownUniquelyReferenced(&pieces[piece]) { pieces[piece] = pieces[piece].copy() }
    let place = (count - 1) % pieceCount * 2
    pieces[piece].set(place, to: values.before)
    pieces[piece].set(place + 1, to: values.after)
    byteCount += byteCount(before: 0)
  }

  /// Appends the values of a step that has ended: the oldest value that was kept, and the document's value.
  mutating func append(_ document: _UnsafeUndoPointer) {
    guard keptCount > 0 else { return append(Values?.none) }
    let kept = kept[0]
    property.withValue(in: document) { value in append(kept[0].map { ($0, value) }) }
    withExtendedLifetime(kept) {}
  }

  /// Appends the values of this many later steps; some of the steps may have none.
  mutating func append(_ next: _UndoRestoredColumn?, of stepCount: Int) {
    guard count > 0 else {
      if let next { (pieces, count, byteCount) = (next.pieces, next.count, next.byteCount) }
      return
    }
    for distance in (0..<stepCount).reversed() { append(next?.values(before: distance)) }
  }

  mutating func removeLast(_ count: Int) {
    for distance in 0..<min(count, self.count) { forget(before: distance) }
    self.count -= min(count, self.count)
    pieces.removeLast(pieces.count - (self.count + pieceCount - 1) / pieceCount)
  }

  mutating func takeLast(_ count: Int) -> _UndoRestoredColumn {
    var taken = withoutValues
    for distance in (0..<min(count, self.count)).reversed() { taken.append(values(before: distance)) }
    removeLast(count)
    return taken
  }

  /// Forgets old steps from time to time; at most this many newest steps have values.
  mutating func keepLast(_ count: Int) {
    let surplus = (self.count - count) / pieceCount
    guard surplus > 0, surplus > pieces.count / 2 else { return }
    pieces.removeFirst(surplus)
    self.count -= surplus * pieceCount
  }

  /// Joins the newest step with the step before it.
  mutating func joinLast() {
    let last = takeLast(1)
    guard let value = last.values(before: 0)?.after, hasValues(before: 0) else { return forget(before: 0) }
    change(before: 0) { $0.set($1 + 1, to: value) }
    withExtendedLifetime(last) {}
  }

  // MARK: Positions

  /// The positions before and after the step with this many steps after it; nil if it has none.
  func positions(before distance: Int) -> (before: _UndoRestoredPosition, after: _UndoRestoredPosition)? {
    guard property.space != nil, let values = values(before: distance) else { return nil }
    return unsafe (values.before[as: _UndoRestoredPosition.self], values.after[as: _UndoRestoredPosition.self])
  }

  /// Changes the positions of the step with this many steps after it, if it has any.
  mutating func changePositions(
    before distance: Int,
    _ body: (_UndoPositionSpace, _ before: inout _UndoRestoredPosition, _ after: inout _UndoRestoredPosition) -> Void
  ) {
    guard let space = property.space, let old = positions(before: distance) else { return }
    var new = old
    body(space, &new.before, &new.after)
    if new == old { return }
    change(before: distance) { piece, place in
      if let before = piece[place], let after = piece[place + 1] {
        unsafe (before[as: _UndoRestoredPosition.self], after[as: _UndoRestoredPosition.self]) = new
      }
    }
  }

  /// Turns the position from before the step that ends into the form that steps have, while the document is as it was
  /// before that step.
  ///
  /// - Parameter isLatest: Whether the step before it ended with the same position, and still has an older one.
  mutating func endKeeping(asBefore document: _UnsafeUndoPointer, isLatest: Bool) {
    guard keptCount > 0, let space = property.space, let kept = kept[0][0] else { return }
    unsafe kept[as: _UndoRestoredPosition.self] = space.encoded(kept[as: _UndoRestoredPosition.self], document)
    if isLatest, hasValues(before: 0) { change(before: 0) { $0.set($1 + 1, to: kept) } }
  }

  // MARK: Values for a rollback

  /// Keeps the document's value.
  mutating func keep(_ document: _UnsafeUndoPointer) {
    if keptCount == kept.count {
      kept.append(_UnsafeUndoValues(of: stored, count: 1))
    } else if !isKnownUniquelyReferenced(&kept[keptCount]) {
      kept[keptCount] = _UnsafeUndoValues(of: stored, count: 1)
    }
    let place = kept[keptCount]
    property.withValue(in: document, isKept: true) { place.set(0, to: $0) }
    keptCount += 1
  }

  /// Forgets the value that was kept last, and first assigns it to the document if one is given.
  mutating func endKeeping(undoingIn document: _UnsafeUndoPointer?) {
    guard keptCount > 0 else { return }
    keptCount -= 1
    if let document, let value = kept[keptCount][0] { property.assign(value, toValueIn: document, isKept: true) }
    // If the values retain no memory, their places are reused for the next step.
    if stored.retainedBytes != nil { kept.removeSubrange(keptCount...) }
  }
}
