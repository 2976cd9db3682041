extension _UndoLog {
  /// Whether records can be written at the position, and `used` and `stepCount` may be out of date.
  @inlinable
  @inline(__always)
  var isOpen: Bool { bottom == .max }

  /// Lets records be written at the position, where all records end.
  mutating func open() {
    bottom = .max
    updateRoom()
  }

  /// The same if all records do end there.
  @usableFromInline
  mutating func openAtEnd() {
    if redoCount == 0 { open() }
  }

  /// Keeps `room` and `ownersRoom` up to date.
  @inlinable
  mutating func updateRoom() {
    room = isOpen && depth == 0 && !isLimited ? capacity : 0
    ownersRoom = room
  }

  /// Where steps that own nothing must end, so that no limit can be exceeded: each takes eight bytes at least.
  var roomWithinLimit: Int {
    min(capacity, position + min(limit.bytes - byteCount, 8 * min(limit.steps - undoCount, capacity)))
  }

  /// Brings up to date what was left alone while records were written, and lets nothing be written without preparation.
  @usableFromInline
  mutating func close() {
    guard isOpen else { return }
    top.used = position
    stepCount = undoCount
    canCoalesce = false
    (room, ownersRoom) = (0, 0)
    bottom = firstOffset
  }

  /// Where the records of the chunk on top begin.
  var firstOffset: Int { chunkIndex == 0 ? head : _UndoRegion.start }

  /// How many steps can be redone.
  @inlinable
  var redoCount: Int {
    get { isOpen ? 0 : stepCount &- undoCount }
    set { stepCount = undoCount &+ newValue }
  }

  /// Makes a chunk the one on top; a chunk that another log refers to is copied.
  mutating func enter(_ index: Int) {
    chunkIndex = index
    if !isKnownUniquelyReferenced(&chunks[index]) {
      chunks[index] = chunks[index].copy(from: firstOffset, to: chunks[index].region.used)
    }
    chunks[index].operations = operations
    top = chunks[index].region
    capacity = chunks[index].capacity
    bottom = firstOffset
  }

  /// A log with the same records that shares nothing that either of the two may write to.
  @usableFromInline
  func copy() -> _UndoLog {
    var copy = self
    guard !chunks.isEmpty else { return copy }
    let used = isOpen ? position : top.used
    copy.chunks[chunkIndex] = chunks[chunkIndex].copy(from: firstOffset, to: used)
    copy.top = copy.chunks[chunkIndex].region
    copy._checkInvariants()
    return copy
  }
}
