/// The one allocation of a `UniqueQueue`: pointers are in the files of this type and nowhere else in the library.
///
///     state | elements | hash words | passed | tag groups
///                        \______ only with an index ______/
///
///     elements     Element × capacity
///     hash words   _HashWord × capacity
///     passed       UInt8 × tag groups
///     tag groups   (8 tags, 8 slot numbers) × tag groups
///
/// **Unsafe.** A slot that is read must hold an element, and one that an element is put into must not. What relies on
/// that is marked `@unsafe`. Every access goes by `pointer(to:)`, `wordPointer(to:)` or `group(_:)`, which assert in
/// debug builds that the slot or the group is within the allocation; whether a slot holds an element is asserted where
/// there is an index to tell.
///
/// **Ring.** The elements are in the `span` slots from `head` on, around the end; the first and the last of them are
/// always there. A gap is left where one was taken out of the middle: its word is zero. Every slot has an ordinal. It
/// counts on from the first element ever appended, and down from that for what was put before it. An index of the
/// collection is an ordinal.
///
/// **Index.** A tag group is eight tags (`_TagGroup`), then the slots of the eight elements, in two to four bytes each.
/// A lookup touches one line of memory here and one in the elements. An element is filed in the first group from its
/// home on that had a free lane. Every full group that it passed counts it, in `passed`. While that count is not zero,
/// the group has a flag among its tags. A search ends at a group without the flag. So an element that goes leaves a
/// lane as free as before: there are no tombstones to clean up. A count that ever reached 255 stays, as it is not known
/// any more. The counts are those of F14: Bronson and Shi, "Open-sourcing F14 for faster, more memory-efficient hash
/// tables", 2019.
///
/// There is a group for every four slots, so that at most half of the lanes are used. A hash chooses its home by a
/// multiplication, so that any number of groups will do.
///
/// A small ring has no index (and so no words and no gaps): comparing a few elements is faster than hashing one.
///
/// Nothing in here depends on the address, so that a copy is a copy of the bytes and of the elements.
@usableFromInline
final class _UnsafeRing<Element: Hashable>: ManagedBuffer<_UnsafeRingState, Element> {
  @inlinable
  deinit {
    deinitializeElements()
  }
}

@safe
@frozen
@usableFromInline
struct _UnsafeRingState {
  @usableFromInline let capacity: Int

  /// The number of groups; none when there is no index.
  @usableFromInline let groupCount: Int

  /// How many bytes name a slot in the index.
  @usableFromInline let slotNumberSize: Int

  /// How many bits of four bytes are not theirs.
  @usableFromInline let slotNumberShift: UInt32

  /// How often the numbers of slots at the ends were taken back, to be given again.
  ///
  /// Apart from `epoch`: no element has another number by that. It lies where there was room.
  @usableFromInline var recallCount: UInt32 = 0

  /// How many bytes a group has.
  @usableFromInline let groupStride: Int

  @usableFromInline let words: UnsafeMutablePointer<_HashWord>
  @usableFromInline let passed: UnsafeMutablePointer<UInt8>
  @usableFromInline let groups: UnsafeMutableRawPointer

  // No two beside each other that change together: the compiler would load both at once, right after one of them was
  // stored, and the load would wait for that to reach the cache.

  /// The ordinal of the first element.
  @usableFromInline var firstOrdinal = _Ordinal.zero

  /// The slots from the first element to the last.
  @usableFromInline var span = _RingSpan()

  /// How often elements have moved to other ordinals: an index from an earlier epoch is not valid any more.
  @usableFromInline var epoch = 0

  @inlinable
  init(
    capacity: Int, groupCount: Int, slotNumberSize: Int,
    words: UnsafeMutablePointer<_HashWord>, passed: UnsafeMutablePointer<UInt8>, groups: UnsafeMutableRawPointer
  ) {
    self.capacity = capacity
    self.groupCount = groupCount
    self.slotNumberSize = slotNumberSize
    self.slotNumberShift = UInt32(32 - 8 * slotNumberSize)
    self.groupStride = 8 + 8 * slotNumberSize
    unsafe self.words = words
    unsafe self.passed = passed
    unsafe self.groups = groups
  }
}

// MARK: - Geometry

extension _UnsafeRing {
  /// The capacity up to which a ring has no index.
  @inlinable
  static var largestUnindexed: Int { 12 }

  /// The capacity that is allocated for so many elements: whole groups.
  @inlinable
  static func roundedCapacity(_ minimum: Int) -> Int { max(groupCount(minimum), 1) * slotsOfGroup }

  /// The capacity that follows one that is used up: half as much more.
  ///
  /// A queue that is filled has moved each element twice on the average, and a fifth of its room is not used. A ring
  /// without an index first becomes as large as one may be.
  @inlinable
  static func capacity(after capacity: Int) -> Int {
    let next = roundedCapacity(capacity + capacity / 2 + 1)
    return capacity < largestUnindexed ? min(next, largestUnindexed) : next
  }

  /// Whether so much room is a waste for so many slots: more than four times as much.
  ///
  /// What is laid anew for that has half as much more than it needs, so that it takes many operations to come back
  /// here.
  @inlinable
  static func isWaste(_ capacity: Int, for span: Int) -> Bool { capacity > 4 * span + 16 }

  /// How many bytes name one of so many slots.
  @inlinable
  static func slotNumberSize(_ capacity: Int) -> Int { capacity <= 1 << 16 ? 2 : capacity <= 1 << 24 ? 3 : 4 }

  @inlinable
  static func make(capacity: Int) -> _UnsafeRing {
    make(capacity: capacity, isIndexed: capacity > largestUnindexed, slotNumberSize: slotNumberSize(capacity))
  }

  /// An empty ring.
  @inlinable
  static func make(capacity: Int, isIndexed: Bool, slotNumberSize: Int) -> _UnsafeRing {
    let ring = allocate(capacity: capacity, isIndexed: isIndexed, slotNumberSize: slotNumberSize)
    if isIndexed { ring.clearIndex() }
    return ring
  }

  /// An empty ring whose index is still to be written.
  @inlinable
  static func allocate(capacity: Int, isIndexed: Bool, slotNumberSize: Int) -> _UnsafeRing {
    precondition(UInt64(capacity) <= 1 << 32, "A queue has at most 2^32 slots")
    let groupCount = isIndexed ? groupCount(capacity) : 0
    let slotCount = isIndexed ? capacity : 0
    // A group of 32 bytes does not lie across two lines of memory.
    let alignment = 32
    let elementBytes = capacity * MemoryLayout<Element>.stride
    let wordBytes = slotCount * MemoryLayout<_HashWord>.stride
    let padding = MemoryLayout<_HashWord>.alignment - 1 + alignment - 1
    let size = elementBytes + wordBytes + groupCount * (1 + 8 + 8 * slotNumberSize) + padding
    let elementCount = (size + MemoryLayout<Element>.stride - 1) / MemoryLayout<Element>.stride
    let buffer = create(minimumCapacity: elementCount) { buffer in
      unsafe buffer.withUnsafeMutablePointerToElements { elements in
        // Aligned by the address: how the first element is depends on what it is, and on the words of the machine.
        let words = unsafe (UnsafeMutableRawPointer(elements) + elementBytes).alignedUp(for: _HashWord.self)
        let passed = unsafe words + wordBytes
        return unsafe _UnsafeRingState(
          capacity: capacity, groupCount: groupCount, slotNumberSize: slotNumberSize,
          words: words.bindMemory(to: _HashWord.self, capacity: slotCount),
          passed: passed.bindMemory(to: UInt8.self, capacity: groupCount),
          groups: (passed + groupCount).alignedUp(toMultipleOf: alignment))
      }
    }
    return unsafe unsafeDowncast(buffer, to: _UnsafeRing.self)
  }

  /// How many slots there are for each group, which has twice as many lanes.
  @inlinable
  static var slotsOfGroup: Int { 4 }

  /// How many groups file so many slots.
  @inlinable
  static func groupCount(_ capacity: Int) -> Int { (capacity + slotsOfGroup - 1) / slotsOfGroup }

  /// What stands in front of the elements.
  ///
  /// `ManagedBuffer.header` is not used: in a client it costs a run-time exclusivity check for each access.
  @inlinable
  var state: _UnsafeRingState {
    _read { yield unsafe withUnsafeMutablePointerToHeader { unsafe $0 }.pointee }
    _modify { yield unsafe &withUnsafeMutablePointerToHeader { unsafe $0 }.pointee }
  }

  @inlinable
  var isIndexed: Bool { state.groupCount > 0 }

  @inlinable
  var count: Int { state.span.elementCount }

  /// Whether one more element fits behind the last.
  @inlinable
  var hasRoom: Bool { state.span.count < state.capacity }

  @inlinable
  func slot(after slot: _Slot) -> _Slot { _RingSpan.slot(after: slot, capacity: state.capacity) }

  /// The slot that lies so many slots behind the first element, gaps counted.
  @inlinable
  func slot(at offset: Int) -> _Slot { state.span.slot(at: offset, capacity: state.capacity) }

  /// How many slots behind the first element this one lies.
  @inlinable
  func offset(of slot: _Slot) -> Int { state.span.offset(of: slot, capacity: state.capacity) }

  /// What the indices of the collection are compared by: it counts on when an ordinal may become that of another
  /// element.
  @inlinable
  var indexEpoch: Int { state.epoch &+ Int(truncatingIfNeeded: state.recallCount) }

  @inlinable
  func isGap(_ slot: _Slot) -> Bool { isIndexed && word(at: slot).isGap }
}

// MARK: - Elements

extension _UnsafeRing {
  @inlinable
  var elements: UnsafeMutablePointer<Element> {
    unsafe withUnsafeMutablePointerToElements { unsafe $0 }
  }

  /// Where the element of a slot is.
  ///
  /// - Precondition: The slot is within the capacity. Debug builds assert it.
  @unsafe
  @inlinable
  @inline(__always)
  func pointer(to slot: _Slot) -> UnsafeMutablePointer<Element> {
    assert(slot.position >= 0 && slot.position < state.capacity, "A slot is within the capacity")
    return unsafe elements + slot.position
  }

  /// The element in a slot.
  ///
  /// - Precondition: The slot holds an element. Debug builds assert it where there is an index.
  @unsafe
  @inlinable
  subscript(slot: _Slot) -> Element {
    _read {
      assert(!isGap(slot), "A gap has no element")
      yield unsafe pointer(to: slot).pointee
    }
    _modify {
      assert(!isGap(slot), "A gap has no element")
      yield unsafe &pointer(to: slot).pointee
    }
  }

  /// Lets `body` read or change the element in a slot where it is.
  ///
  /// - Precondition: As of the subscript.
  @unsafe
  @inlinable
  @inline(__always)
  func withElement<Result, Failure: Error>(
    in slot: _Slot, _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    assert(!isGap(slot), "A gap has no element")
    return try unsafe body(&pointer(to: slot).pointee)
  }

  /// Puts an element into a slot.
  ///
  /// - Precondition: The slot holds none.
  @unsafe
  @inlinable
  @inline(__always)
  func put(_ element: consuming Element, in slot: _Slot) {
    unsafe pointer(to: slot).initialize(to: element)
  }

  /// Takes the element out of a slot.
  ///
  /// - Precondition: The slot holds one.
  @unsafe
  @inlinable
  func take(from slot: _Slot) -> Element {
    unsafe pointer(to: slot).move()
  }

  /// Moves an element to another slot.
  ///
  /// - Precondition: The source holds an element, the target none.
  @unsafe
  @inlinable
  func shift(from source: _Slot, to target: _Slot) {
    unsafe pointer(to: target).moveInitialize(from: pointer(to: source), count: 1)
  }

  /// Moves or copies a run of elements to slots of another ring.
  ///
  /// - Precondition: Each slot of the run holds an element. The other ring has as many slots from the target on, which
  ///   hold none.
  @unsafe
  @inlinable
  func hand(_ run: Range<_Slot>, to ring: _UnsafeRing, at target: _Slot, moving: Bool) {
    assert(target.position + run.count <= ring.state.capacity, "A run is within the capacity")
    let (source, target) = unsafe (pointer(to: run.lowerBound), ring.pointer(to: target))
    if moving {
      unsafe target.moveInitialize(from: source, count: run.count)
    } else {
      unsafe target.initialize(from: source, count: run.count)
    }
  }

  @inlinable
  func deinitializeElements() {
    forEachRun { run in unsafe pointer(to: run.lowerBound).deinitialize(count: run.count) }
  }

  /// Calls `body` with the elements in one piece, unless they are in several; with none where there is no ring.
  @inlinable
  static func withContiguousElements<Result, Failure: Error>(
    of ring: _UnsafeRing?, _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    guard let ring else { return try unsafe body(UnsafeBufferPointer(start: nil, count: 0)) }
    guard ring.state.span.gapCount == 0, ring.state.span.head.position + ring.count <= ring.state.capacity else {
      return nil
    }
    return try unsafe body(UnsafeBufferPointer(start: ring.elements + ring.state.span.head.position, count: ring.count))
  }
}
