public import UniqueQueues

extension PendingChangeQueue {
  /// The slots in the order of their places, and which of them is the next that is ready.
  ///
  ///     in flight   ready   in flight   ready   in flight  |  ready   ready   in flight   ready
  ///                   ^ returned          ^ returned          ^ frontier
  ///
  /// A slot keeps its place while it is in flight, so that a failed change is back in its place as soon as its state says so. The frontier is the
  /// first ready slot behind all that were begun in turn; ready slots before it came back, and are listed. So nobody ever searches.
  @usableFromInline
  struct _Line {
    @usableFromInline typealias Index = UniqueQueue<_Slot>.Index

    @usableFromInline var slots = UniqueQueue<_Slot>()

    /// The first ready slot that is not in `returned`, or the end.
    @usableFromInline var frontier: Index

    /// The ready slots before the frontier, the first of them last.
    @usableFromInline var returned: [Index] = []

    @inlinable
    init() {
      frontier = slots.startIndex
    }

    /// The slot whose turn it is.
    @inlinable
    var next: Index? {
      returned.last ?? (frontier < slots.endIndex ? frontier : nil)
    }

    @inlinable
    func index(of key: Change.Key) -> Index? { slots.firstIndex(of: _Slot(key: key)) }

    /// The slot at an index; its key must stay what it is.
    @inlinable
    subscript(index: Index) -> _Slot {
      _read { yield slots[place: index] }
      _modify { yield &slots[place: index] }
    }

    /// Appends a ready slot unless its key has one.
    ///
    /// - Returns: the index of the slot that the key has.
    @inlinable
    mutating func appendOrFind(_ slot: _Slot) -> Index? {
      // The frontier, if it is at the end, is at the new slot then.
      slots.appendOrFind(slot)
    }

    /// Notes that a slot is ready that was not.
    @inlinable
    mutating func enter(_ index: Index) {
      guard index < frontier else { return }
      returned.insert(index, at: position(of: index))
    }

    /// Notes that a slot is not ready any more.
    @inlinable
    mutating func leave(_ index: Index) {
      if index < frontier {
        returned.remove(at: position(of: index))
      } else if index == frontier {
        slots.formIndex(after: &frontier)
        advance()
      }
    }

    /// Takes out a slot that is not ready.
    @inlinable
    mutating func remove(_ index: Index) {
      slots.remove(at: index)
      follow()
    }

    /// Moves a slot that is not ready to the end.
    ///
    /// - Returns: its index there.
    @inlinable
    mutating func moveToEnd(_ index: Index) -> Index {
      slots.moveToEnd(at: index)
      follow()
      return slots.index(before: slots.endIndex)
    }

    /// Where an index is in `returned`, or has to go.
    @inlinable
    func position(of index: Index) -> Int {
      var range = 0..<returned.count
      while !range.isEmpty {
        let middle = range.lowerBound + range.count / 2
        range = returned[middle] > index ? middle + 1..<range.upperBound : range.lowerBound..<middle
      }
      return range.lowerBound
    }

    /// Finds the frontier again after slots were taken out or moved.
    @inlinable
    mutating func follow() {
      if frontier.isValid(in: slots) {
        frontier = min(frontier, slots.endIndex)
      } else {
        frontier = slots.startIndex
        returned = []
      }
      advance()
    }

    @inlinable
    mutating func advance() {
      while frontier < slots.endIndex, !self[frontier].isReady { slots.formIndex(after: &frontier) }
    }
  }
}

extension PendingChangeQueue._Line: Sendable where Change: Sendable, Change.Key: Sendable {}
