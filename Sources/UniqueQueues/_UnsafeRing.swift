/// The storage of a `UniqueQueue`, in one allocation.
///
/// In this module, only the files of this type use pointers.
///
///     state | elements | hash words | passed | tag groups
///                        \______ only with an index ______/
///
///     elements     Element × capacity
///     hash words   _HashWord × capacity
///     passed       UInt8 × tag groups
///     tag groups   (8 tags, 8 slot numbers) × tag groups
///
/// **Unsafe.** A slot must hold an element before it is read, and must be empty before an element is put into it.
/// Functions that rely on that are marked `@unsafe`. Every access uses `pointer(to:)`, `wordPointer(to:)` or
/// `group(_:)`, which assert in debug builds that the slot or the group is within the allocation. Where there is an
/// index, debug builds also assert that the slot holds an element.
///
/// **Ring.** The elements are in the slots of `span`, from `head` on and around the end; the first and the last of
/// these slots always hold elements. Removing an element from the middle leaves a gap, whose word is zero. Every slot
/// has an ordinal, which counts up from the first element ever appended, and down from it for prepended elements. An
/// index of the collection is an ordinal.
///
/// **Index.** A tag group consists of eight tags (`_TagGroup`), then the slots of the eight elements, in two to four
/// bytes each. A lookup touches one cache line here and one in the elements. An element is filed in the first group
/// from its home on that had a free lane. Every full group that it passed counts it in `passed`. While that count isn't
/// zero, the group has a flag among its tags. A search ends at a group without the flag. So a removed element leaves
/// its lane as free as before, without tombstones to clean up. A count that reaches 255 stays there, because the true
/// count is no longer known. The counts are those of F14: Bronson and Shi, "Open-sourcing F14 for faster, more
/// memory-efficient hash tables", 2019.
///
/// There is a group for every four slots, so that at most half of the lanes are used. A hash chooses its home by a
/// multiplication, so that any number of groups works.
///
/// A small ring has no index, and therefore no words and no gaps: comparing a few elements is faster than hashing one.
///
/// Nothing in the allocation depends on its address, so copying the bytes and the elements copies the ring.
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

  /// The number of groups; 0 without an index.
  @usableFromInline let groupCount: Int

  /// The number of bytes of a slot number in the index.
  @usableFromInline let slotNumberSize: Int

  /// The number of bits in a four-byte load that don't belong to the slot number.
  @usableFromInline let slotNumberShift: UInt32

  /// How often ordinals at the ends were freed for reuse.
  ///
  /// Separate from `epoch`, because no element gets another ordinal then. It fills what would be padding.
  @usableFromInline var recallCount: UInt32 = 0

  /// The number of bytes of a group.
  @usableFromInline let groupStride: Int

  @usableFromInline let words: UnsafeMutablePointer<_HashWord>
  @usableFromInline let passed: UnsafeMutablePointer<UInt8>
  @usableFromInline let groups: UnsafeMutableRawPointer

  // No two neighboring fields change together: the compiler would load both at once, right after one of them was
  // stored, and the load would wait for the store to reach the cache.

  /// The ordinal of the first element.
  @usableFromInline var firstOrdinal = _Ordinal.zero

  /// The slots from the first element to the last.
  @usableFromInline var span = _RingSpan()

  /// How often elements have moved to other ordinals, which invalidates every index from before.
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
  /// The largest capacity of a ring without an index.
  @inlinable
  static var largestUnindexed: Int { 12 }

  /// The capacity that is allocated for a number of elements: a multiple of the slots of a group.
  @inlinable
  static func roundedCapacity(_ minimum: Int) -> Int { max(groupCount(minimum), 1) * slotsOfGroup }

  /// The capacity that follows one that is used up: half as much more.
  ///
  /// Filling a queue moves each element twice on average and leaves a fifth of its room unused. A ring without an index
  /// first grows to the largest capacity that needs none.
  @inlinable
  static func capacity(after capacity: Int) -> Int {
    let next = roundedCapacity(capacity + capacity / 2 + 1)
    return capacity < largestUnindexed ? min(next, largestUnindexed) : next
  }

  /// The number of bytes that a slot number needs.
  @inlinable
  static func slotNumberSize(_ capacity: Int) -> Int { capacity <= 1 << 16 ? 2 : capacity <= 1 << 24 ? 3 : 4 }

  /// An empty ring, by default with an index and with slot numbers as the capacity needs them.
  @inlinable
  static func make(capacity: Int, isIndexed: Bool? = nil, slotNumberSize: Int? = nil) -> _UnsafeRing {
    let ring = allocate(
      capacity: capacity, isIndexed: isIndexed ?? (capacity > largestUnindexed),
      slotNumberSize: slotNumberSize ?? self.slotNumberSize(capacity))
    if ring.isIndexed { ring.clearIndex() }
    return ring
  }

  /// An empty ring whose index still has to be written.
  @inlinable
  static func allocate(capacity: Int, isIndexed: Bool, slotNumberSize: Int) -> _UnsafeRing {
    precondition(UInt64(capacity) <= 1 << 32, "A queue has at most 2^32 slots")
    let groupCount = isIndexed ? groupCount(capacity) : 0
    let slotCount = isIndexed ? capacity : 0
    // A group of 32 bytes must not cross a cache line.
    let alignment = 32
    let elementBytes = capacity * MemoryLayout<Element>.stride
    let wordBytes = slotCount * MemoryLayout<_HashWord>.stride
    let padding = MemoryLayout<_HashWord>.alignment - 1 + alignment - 1
    let size = elementBytes + wordBytes + groupCount * (1 + 8 + 8 * slotNumberSize) + padding
    let elementCount = (size + MemoryLayout<Element>.stride - 1) / MemoryLayout<Element>.stride
    let buffer = create(minimumCapacity: elementCount) { buffer in
      unsafe buffer.withUnsafeMutablePointerToElements { elements in
        // Rounds up the address, because the alignment of the first element depends on its type and on the machine's
        // word size.
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

  /// The number of slots for each group, which has twice as many lanes.
  @inlinable
  static var slotsOfGroup: Int { 4 }

  /// The number of groups that index this many slots.
  @inlinable
  static func groupCount(_ capacity: Int) -> Int { (capacity + slotsOfGroup - 1) / slotsOfGroup }

  /// The fields before the elements.
  ///
  /// `ManagedBuffer.header` isn't used because it costs clients a run-time exclusivity check for each access.
  @inlinable
  var state: _UnsafeRingState {
    _read { yield unsafe withUnsafeMutablePointerToHeader { unsafe $0 }.pointee }
    _modify { yield unsafe &withUnsafeMutablePointerToHeader { unsafe $0 }.pointee }
  }

  @inlinable
  var isIndexed: Bool { state.groupCount > 0 }

  @inlinable
  var count: Int { state.span.elementCount }

  /// Whether one more element fits after the last.
  @inlinable
  var hasRoom: Bool { state.span.count < state.capacity }

  @inlinable
  func slot(after slot: _Slot) -> _Slot { _RingSpan.slot(after: slot, capacity: state.capacity) }

  /// The slot at an offset from the first element, gaps included.
  @inlinable
  func slot(at offset: Int) -> _Slot { state.span.slot(at: offset, capacity: state.capacity) }

  /// The number of slots from the first element to this one.
  @inlinable
  func offset(of slot: _Slot) -> Int { state.span.offset(of: slot, capacity: state.capacity) }

  /// The epoch that the indices of the collection compare, which changes when an ordinal may name another element.
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

  /// The address of a slot's element.
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

  /// Calls `body` to read or change the element in a slot, in place.
  ///
  /// - Precondition: The slot holds an element. Debug builds assert it where there is an index.
  @unsafe
  @inlinable
  @inline(__always)
  func withElement<Result, Failure: Error>(
    in slot: _Slot, _ body: (inout Element) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    assert(!isGap(slot), "A gap has no element")
    return try unsafe body(&pointer(to: slot).pointee)
  }

  /// - Precondition: The slot is empty.
  @unsafe
  @inlinable
  @inline(__always)
  func put(_ element: consuming Element, in slot: _Slot) {
    unsafe pointer(to: slot).initialize(to: element)
  }

  /// - Precondition: The slot holds an element.
  @unsafe
  @inlinable
  func take(from slot: _Slot) -> Element {
    unsafe pointer(to: slot).move()
  }

  /// - Precondition: The source holds an element, and the target is empty.
  @unsafe
  @inlinable
  func shift(from source: _Slot, to target: _Slot) {
    unsafe pointer(to: target).moveInitialize(from: pointer(to: source), count: 1)
  }

  /// Moves or copies a run of elements into another ring.
  ///
  /// - Precondition: Each slot of the run holds an element. The other ring has as many empty slots from the target on.
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

  /// Calls `body` with the elements if they are contiguous; without a ring, with an empty buffer.
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
