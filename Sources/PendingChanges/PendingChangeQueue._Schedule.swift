public import UniqueQueues

extension PendingChangeQueue {
  /// The states of all keys in order, with the next one that is ready and the slot of each generation.
  ///
  ///     in flight   ready   in flight   ready   in flight  |  ready   ready   in flight   ready
  ///                   ^ returned          ^ returned          ^ frontier
  ///
  /// A key keeps its ordinal while its change is in flight, so that a failed change is back in its place as soon as the
  /// state says so. The frontier is the first ready key after all those that were begun in turn. Ready keys before it
  /// were returned, and are in a heap. So finding the next takes no search.
  ///
  /// The ordinal of a key is its position in `slots`. It changes when the key moves to the end, and when the gaps are
  /// closed.
  @usableFromInline
  struct _Schedule {
    @usableFromInline var slots = UniqueQueue<_KeyState>()

    /// The extras of the few keys that have any.
    @usableFromInline var extras: [Change.Key: _KeyExtras] = [:]

    /// The slot of each generation in the queue.
    @usableFromInline var generations = _Generations()

    /// The ordinal of the first ready slot that is not in `returned`, or the end.
    @usableFromInline var frontier = _Ordinal.zero

    /// The epoch of `slots` that all ordinals here belong to.
    @usableFromInline var epoch = 0

    /// The ordinals of the ready slots before the frontier, and of some that are no longer ready; the first is ready.
    @usableFromInline var returned = _Heap<_Ordinal>()

    @inlinable
    init() {}
  }
}

// MARK: - Reading

extension PendingChangeQueue._Schedule {
  @usableFromInline typealias Entry = PendingChangeQueue.Entry
  @usableFromInline typealias Slot = PendingChangeQueue._KeyState
  @usableFromInline typealias Extras = PendingChangeQueue._KeyExtras

  /// The slot whose turn it is.
  @inlinable
  var next: _Ordinal? {
    returned.first ?? (slots.hasSlot(ordinal: frontier) ? frontier : nil)
  }

  @inlinable
  func ordinal(of key: Change.Key) -> _Ordinal? { slots.ordinal(of: Slot(key: key)) }

  /// The slot that has a generation.
  @inlinable
  func ordinal(of id: PendingChangeID) -> _Ordinal? { generations.ordinal(of: id.rawValue) }

  @inlinable
  @inline(__always)
  func read<Result>(_ ordinal: _Ordinal, _ body: (Slot) -> Result) -> Result {
    slots.withElement(ordinal: ordinal, body)
  }

  /// The extras of a key; nil for most.
  @inlinable
  func extras(of slot: Slot) -> Extras? { slot.hasExtras ? extras[slot.key] : nil }

  /// The current entry of a slot, and whether it is ready, if the slot is the first and its key has nothing else.
  @inlinable
  @inline(__always)
  func firstAlone(_ ordinal: _Ordinal) -> (current: Slot.Current, isReady: Bool)? {
    guard ordinal == slots.ordinals.lowerBound else { return nil }
    return slots.withFirst { slot in
      guard !slot.hasExtras, let current = slot.current else { return nil }
      return (current, slot.isReady)
    }
  }

  /// The current entry of a slot, with its failure reason.
  @inlinable
  @inline(__always)
  func current(of slot: Slot) -> Entry? {
    guard let current = slot.current else { return nil }
    let reason = slot.hasExtras ? extras[slot.key]?.failureReason : nil
    return Entry(id: current.id, change: current.change, attempts: current.attempts, failureReason: reason)
  }

  @inlinable
  func extras(at ordinal: _Ordinal) -> Extras? { read(ordinal) { extras(of: $0) } }

  @inlinable
  @inline(__always)
  func current(at ordinal: _Ordinal) -> Entry? { read(ordinal) { current(of: $0) } }

  /// Every entry of a slot, the failures last.
  func entries(of slot: Slot) -> [Entry] {
    let extras = extras(of: slot)
    return [current(of: slot), extras?.follower].compactMap(\.self) + (extras?.failures ?? [])
  }
}

// MARK: - Changing

extension PendingChangeQueue._Schedule {
  /// Changes the slot at an ordinal; its key must stay the same.
  @inlinable
  @inline(__always)
  mutating func update<Result>(_ ordinal: _Ordinal, _ body: (inout Slot) -> Result) -> Result {
    slots.updateElement(ordinal: ordinal, body)
  }

  /// Changes the extras of a slot, and removes them if they are empty.
  @inlinable
  mutating func updateExtras<Result>(_ ordinal: _Ordinal, _ body: (inout Extras) -> Result) -> Result {
    let key = read(ordinal) { $0.key }
    let result = body(&extras[key, default: Extras()])
    // Otherwise every call would add extras that are never found again, and a failure would be lost.
    guard let isEmpty = extras[key]?.isEmpty else { preconditionFailure("A key must equal itself, unlike NaN") }
    if isEmpty {
      extras[key] = nil
      // A dictionary keeps its capacity, and a copy takes time in proportion to it.
      if extras.isEmpty, extras.capacity > 64 { extras = [:] }
    }
    update(ordinal) { $0.hasExtras = !isEmpty }
    return result
  }

  /// Sets the current entry of a slot, or leaves the slot without one.
  @inlinable
  mutating func setCurrent(_ entry: Entry?, at ordinal: _Ordinal) {
    let hasExtras = update(ordinal) { slot in
      slot.current = entry.map { .init(id: $0.id, change: $0.change, attempts: $0.attempts) }
      slot.state = entry == nil ? .idle : .ready
      return slot.hasExtras
    }
    guard hasExtras || entry?.failureReason != nil else { return }
    updateExtras(ordinal) { $0.failureReason = entry?.failureReason }
  }

  /// Appends a ready slot with the newest entry of all, unless its key has a slot.
  ///
  /// - Returns: The ordinal of the slot that the key already has, or nil if a slot was appended.
  @inlinable
  @inline(never)
  mutating func appendOrFind(_ id: PendingChangeID, _ change: Change) -> _Ordinal? {
    assert(change.key == change.key, "A key must equal itself, unlike NaN")
    // A frontier at the end is now at the new slot.
    if let ordinal = slots.appendOrFind(Slot(key: change.key, current: .init(id: id, change: change))) {
      return ordinal
    }
    generations.append(id.rawValue, at: slots.lastOrdinal)
    return nil
  }

  /// Removes a generation that has left its slot, or is about to.
  ///
  /// - Returns: Its slot, or nil if no slot has it.
  @inlinable
  @inline(__always)
  @discardableResult
  mutating func forget(_ id: PendingChangeID) -> _Ordinal? { generations.remove(id.rawValue) }

  @inlinable
  mutating func remove(_ ordinal: _Ordinal) {
    slots.remove(ordinal: ordinal)
    advanceFrontier()
  }

  @inlinable
  @inline(__always)
  mutating func removeFirst(wasReady: Bool) {
    _ = slots.takeFirst()
    // A change in flight was not the next. But gaps may have been dropped with its slot, at the end or everywhere.
    if wasReady || slots.epoch != epoch || frontier > slots.ordinals.upperBound { advanceFrontier() }
  }

  /// Moves a slot that is ready, or will be, to the end.
  @inlinable
  mutating func moveToEnd(_ ordinal: _Ordinal) {
    slots.moveToEnd(ordinal: ordinal)
    advanceFrontier()
    let end = slots.lastOrdinal
    reindex(end)
    // The slot may already have been the last, with the frontier after it.
    markReady(end)
  }

  /// Registers that a key has become ready.
  @inlinable
  mutating func markReady(_ ordinal: _Ordinal) {
    if ordinal < frontier { returned.insert(ordinal) }
  }
}

// MARK: - Finding the next slot

extension PendingChangeQueue._Schedule {
  /// Finds the next slot again after slots were changed, removed or moved.
  @inlinable
  @inline(never)
  mutating func advanceFrontier() {
    if slots.epoch != epoch { reindexAll() }
    let ordinals = slots.ordinals
    frontier = min(max(frontier, ordinals.lowerBound), ordinals.upperBound)
    while frontier < ordinals.upperBound, !isReady(frontier) { frontier = frontier.advanced(by: 1) }
    if returned.count > 0 { pruneReturned() }
  }

  /// Finds the next slot again after a slot was begun.
  @inlinable
  @inline(__always)
  mutating func advanceFrontier(past ordinal: _Ordinal) {
    // If changes begin in order, this slot was the next, and the slot after it is ready: nothing is searched.
    if ordinal == frontier {
      frontier = frontier.advanced(by: 1)
      if isReady(frontier) { return }
    }
    advanceFrontier()
  }

  /// Whether the ordinal still has a key that is ready.
  @inlinable
  @inline(__always)
  func isReady(_ ordinal: _Ordinal) -> Bool {
    slots.hasElement(ordinal: ordinal) { $0.isReady }
  }

  /// Drops returned ordinals until the first is ready, and rebuilds the heap when too many are stale.
  @inlinable
  @inline(never)
  mutating func pruneReturned() {
    while let first = returned.first, first >= frontier || !isReady(first) { returned.removeFirst() }
    guard returned.count > 2 * slots.count else { return }
    returned = _Heap(ascending: (slots.ordinals.lowerBound..<frontier).filter { isReady($0) })
  }

  /// Updates the slots of all generations and restarts the search for the next slot, because keys have other ordinals.
  @inlinable
  @inline(never)
  mutating func reindexAll() {
    epoch = slots.epoch
    frontier = slots.ordinals.lowerBound
    returned = _Heap()
    for ordinal in slots.ordinals where slots.hasElement(ordinal: ordinal) { reindex(ordinal) }
  }

  /// Updates the slots of the generations of one key.
  @inlinable
  mutating func reindex(_ ordinal: _Ordinal) {
    if let current = read(ordinal, { $0.current?.id }) { generations.move(current.rawValue, to: ordinal) }
    guard let extras = extras(at: ordinal) else { return }
    if let follower = extras.follower { generations.move(follower.id.rawValue, to: ordinal) }
    for failure in extras.failures { generations.move(failure.id.rawValue, to: ordinal) }
  }
}

extension PendingChangeQueue._Schedule: Sendable where Change: Sendable, Change.Key: Sendable {}
