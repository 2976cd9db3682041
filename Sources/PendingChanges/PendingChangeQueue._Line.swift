public import UniqueQueues

extension PendingChangeQueue {
  /// The slots in the order of their places, which of them is the next that is ready, and which has which generation.
  ///
  ///     in flight   ready   in flight   ready   in flight  |  ready   ready   in flight   ready
  ///                   ^ returned          ^ returned          ^ frontier
  ///
  /// A slot keeps its place while it is in flight, so that a failed change is back in its place as soon as its state says so. The frontier is the
  /// first ready slot behind all that were begun in turn; ready slots before it came back, and are in a heap. So nobody ever searches.
  ///
  /// A place is the arrival of the slot in the queue of slots. It changes when the slot moves to the end, and when the slots close up.
  @usableFromInline
  struct _Line {
    @usableFromInline var slots = UniqueQueue<_Slot>()

    /// What few keys have besides their slot.
    @usableFromInline var others: [Change.Key: _Others] = [:]

    /// Where each generation in the queue is.
    @usableFromInline var generations = _Generations()

    /// The place of the first ready slot that is not in `returned`, or the end.
    @usableFromInline var frontier = 0

    /// The layout of the slots that all places here are of.
    @usableFromInline var layout = 0

    /// The places of the ready slots before the frontier, and of some that were; the first is that of one that is.
    @usableFromInline var returned = _Heap<Int>()

    @inlinable
    init() {}
  }
}

// MARK: - Reading

extension PendingChangeQueue._Line {
  @usableFromInline typealias Entry = PendingChangeQueue.Entry
  @usableFromInline typealias Slot = PendingChangeQueue._Slot
  @usableFromInline typealias Others = PendingChangeQueue._Others

  /// The slot whose turn it is.
  @inlinable
  var next: Int? {
    returned.first ?? (frontier < slots.arrivals.upperBound ? frontier : nil)
  }

  @inlinable
  func place(of key: Change.Key) -> Int? { slots.arrival(of: Slot(key: key)) }

  /// The slot that has a generation.
  @inlinable
  func place(of id: PendingChangeID) -> Int? { generations.place(of: id.rawValue) }

  /// Reads the slot in a place.
  @inlinable
  @inline(__always)
  func read<Result>(_ place: Int, _ body: (Slot) -> Result) -> Result {
    slots.withElement(arrival: place, body)
  }

  /// What a slot has besides; nil for most.
  @inlinable
  func others(of slot: Slot) -> Others? { slot.hasOthers ? others[slot.key] : nil }

  /// The entry whose turn it is in a slot.
  @inlinable
  @inline(__always)
  func current(of slot: Slot) -> Entry? {
    guard let current = slot.current else { return nil }
    let reason = slot.hasOthers ? others[slot.key]?.failureReason : nil
    return Entry(id: current.id, change: current.change, attempts: current.attempts, failureReason: reason)
  }

  @inlinable
  func others(at place: Int) -> Others? { read(place) { others(of: $0) } }

  @inlinable
  @inline(__always)
  func current(at place: Int) -> Entry? { read(place) { current(of: $0) } }

  /// Every entry of a slot, the dead letters last.
  func entries(of slot: Slot) -> [Entry] {
    let others = others(of: slot)
    return [current(of: slot), others?.follower].compactMap(\.self) + (others?.deadLetters ?? [])
  }
}

// MARK: - Changing

extension PendingChangeQueue._Line {
  /// Changes the slot in a place; its key must stay what it is.
  @inlinable
  @inline(__always)
  mutating func update<Result>(_ place: Int, _ body: (inout Slot) -> Result) -> Result {
    slots.updateElement(arrival: place, body)
  }

  /// Changes what the slot in a place has besides.
  @inlinable
  mutating func updateOthers<Result>(_ place: Int, _ body: (inout Others) -> Result) -> Result {
    let key = read(place) { $0.key }
    let result = body(&others[key, default: Others()])
    let isEmpty = others[key]?.isEmpty ?? true
    if isEmpty {
      others[key] = nil
      // A dictionary keeps its room, and a copy of it takes as long as it has room.
      if others.isEmpty, others.capacity > 64 { others = [:] }
    }
    update(place) { $0.hasOthers = !isEmpty }
    return result
  }

  /// Makes an entry the one whose turn it is in a slot, or none.
  ///
  /// Whether it is ready is noted by `enter` or `follow`.
  @inlinable
  mutating func setCurrent(_ entry: Entry?, at place: Int) {
    let hasOthers = update(place) { slot in
      slot.current = entry.map { .init(id: $0.id, change: $0.change, attempts: $0.attempts) }
      slot.state = entry == nil ? .idle : .ready
      return slot.hasOthers
    }
    guard hasOthers || entry?.failureReason != nil else { return }
    updateOthers(place) { $0.failureReason = entry?.failureReason }
  }

  /// Appends a ready slot with an entry that is the newest of all, unless its key has one.
  ///
  /// - Returns: the place of the slot that the key has.
  @inlinable
  mutating func appendOrFind(_ id: PendingChangeID, _ change: Change) -> Int? {
    // The frontier, if it is at the end, is at the new slot then.
    if let place = slots.appendOrFind(Slot(key: change.key, current: .init(id: id, change: change))) { return place }
    note(id, at: slots.arrivals.upperBound - 1)
    return nil
  }

  /// Notes a generation, which is the newest of all.
  @inlinable
  mutating func note(_ id: PendingChangeID, at place: Int) {
    generations.append(id.rawValue, at: place)
  }

  /// Takes out a generation that has left its slot, or is about to.
  ///
  /// - Returns: the slot, or nil when no slot has it.
  @inlinable
  @discardableResult
  mutating func forget(_ id: PendingChangeID) -> Int? { generations.remove(id.rawValue) }

  /// Takes out a slot.
  @inlinable
  mutating func remove(_ place: Int) {
    slots.remove(arrival: place)
    follow()
  }

  /// Moves a slot that is ready, or is to be so, to the end.
  @inlinable
  mutating func moveToEnd(_ place: Int) {
    slots.moveToEnd(arrival: place)
    follow()
    let end = slots.arrivals.upperBound - 1
    locate(end)
    // It may have been the last before, and the frontier behind it.
    enter(end)
  }

  /// Notes that a slot is ready that was not.
  @inlinable
  mutating func enter(_ place: Int) {
    if place < frontier { returned.insert(place) }
  }
}

// MARK: - Finding what is next

extension PendingChangeQueue._Line {
  /// Finds out again what is next, after slots were changed, taken out or moved.
  @inlinable
  mutating func follow() {
    if slots.layout != layout { locateAll() }
    let places = slots.arrivals
    frontier = min(max(frontier, places.lowerBound), places.upperBound)
    while frontier < places.upperBound, !isReady(frontier) { frontier += 1 }
    if returned.count > 0 { tidy() }
  }

  /// Whether there is a slot in a place, from which it may have been taken, and it is ready.
  @inlinable
  func isReady(_ place: Int) -> Bool {
    slots.hasElement(arrival: place) && read(place) { $0.isReady }
  }

  /// Brings one that is ready to the top of those that came back, and drops the others when they become many.
  @inlinable
  @inline(never)
  mutating func tidy() {
    while let first = returned.first, first >= frontier || !isReady(first) { returned.removeFirst() }
    guard returned.count > 2 * slots.count else { return }
    returned = _Heap(ascending: (slots.arrivals.lowerBound..<frontier).filter { isReady($0) })
  }

  /// Notes where the generations are, and begins anew to find what is next: slots are in other places.
  @inlinable
  @inline(never)
  mutating func locateAll() {
    layout = slots.layout
    frontier = slots.arrivals.lowerBound
    returned = _Heap()
    for place in slots.arrivals where slots.hasElement(arrival: place) { locate(place) }
  }

  /// Notes where the generations of a slot are.
  @inlinable
  mutating func locate(_ place: Int) {
    if let current = read(place, { $0.current?.id }) { generations.move(current.rawValue, to: place) }
    guard let others = others(at: place) else { return }
    if let follower = others.follower { generations.move(follower.id.rawValue, to: place) }
    for letter in others.deadLetters { generations.move(letter.id.rawValue, to: place) }
  }
}

extension PendingChangeQueue._Line: Sendable where Change: Sendable, Change.Key: Sendable {}
