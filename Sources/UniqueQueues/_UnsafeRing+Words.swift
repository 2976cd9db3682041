// Access to the words of the slots and to the groups of the index.

extension _UnsafeRing {
  /// The address of a slot's word.
  ///
  /// - Precondition: There is an index, and the slot is within the capacity. Debug builds assert it.
  @unsafe
  @inlinable
  @inline(__always)
  func wordPointer(to slot: _Slot) -> UnsafeMutablePointer<_HashWord> {
    assert(isIndexed && slot.position >= 0 && slot.position < state.capacity, "A slot of an indexed ring has a word")
    return unsafe state.words + slot.position
  }

  @inlinable
  func word(at slot: _Slot) -> _HashWord { unsafe wordPointer(to: slot).pointee }

  @inlinable
  func setWord(at slot: _Slot, to word: _HashWord) { unsafe wordPointer(to: slot).pointee = word }

  /// The address of a group.
  ///
  /// - Precondition: A group with this number exists. Debug builds assert it.
  @unsafe
  @inlinable
  @inline(__always)
  func group(_ index: Int) -> UnsafeMutableRawPointer {
    assert(index >= 0 && index < state.groupCount, "A group is within the index")
    return unsafe state.groups + index &* state.groupStride
  }

  @inlinable
  func tags(of group: Int) -> _TagGroup {
    _TagGroup(bits: UInt64(littleEndian: unsafe self.group(group).load(as: UInt64.self)))
  }

  @inlinable
  func setTags(of group: Int, to tags: _TagGroup) {
    unsafe self.group(group).storeBytes(of: tags.bits.littleEndian, as: UInt64.self)
  }

  /// Marks a used lane as free.
  ///
  /// The byte is written without reading the others, so that nothing waits for the cache line.
  @inlinable
  @inline(__always)
  func freeLane(_ lane: Int, of group: Int) {
    if lane == _TagGroup.laneBesideFlag {
      var tags = tags(of: group)
      tags.free(lane)
      setTags(of: group, to: tags)
    } else {
      unsafe self.group(group).storeBytes(of: _TagGroup.free, toByteOffset: lane, as: UInt8.self)
    }
  }

  /// How many filed elements passed a group because it was full; a count that reaches 255 stays there.
  @inlinable
  func passedCount(of group: Int) -> UInt8 {
    assert(group >= 0 && group < state.groupCount, "A group is within the index")
    return unsafe state.passed[group]
  }

  /// Counts one passing element more, or one less when it leaves; a count that reaches 255 stays there.
  @inlinable
  func countPassing(of group: Int, leaving: Bool) {
    let count = passedCount(of: group)
    if count == .max { return }
    unsafe state.passed[group] = leaving ? count - 1 : count + 1
    var tags = tags(of: group)
    tags.wasPassed = !leaving || count > 1
    setTags(of: group, to: tags)
  }

  /// The slot that a lane refers to.
  @inlinable
  func filedSlot(_ group: Int, _ lane: Int) -> _Slot {
    let bytes = unsafe UInt32(littleEndian: fourBytes(group, lane).loadUnaligned(as: UInt32.self))
    return _Slot(Int(bytes &>> state.slotNumberShift))
  }

  @inlinable
  @inline(__always)
  func setSlot(_ group: Int, _ lane: Int, to slot: _Slot) {
    let fourBytes = unsafe fourBytes(group, lane)
    let bytes = unsafe UInt32(littleEndian: fourBytes.loadUnaligned(as: UInt32.self))
    let others = bytes & ~(UInt32.max &<< state.slotNumberShift)
    unsafe fourBytes.storeBytes(
      of: (others | UInt32(truncatingIfNeeded: slot.position) &<< state.slotNumberShift).littleEndian, as: UInt32.self)
  }

  /// The four bytes that end with a lane's slot number, all of which are in the group.
  @unsafe
  @inlinable
  func fourBytes(_ group: Int, _ lane: Int) -> UnsafeMutableRawPointer {
    unsafe self.group(group) + (4 &+ (lane &+ 1) &* state.slotNumberSize)
  }

  @inlinable
  func clearIndex() {
    unsafe state.words.update(repeating: .gap, count: state.capacity)
    unsafe state.passed.update(repeating: 0, count: state.groupCount)
    for group in 0..<state.groupCount { setTags(of: group, to: .empty) }
  }

  /// Copies the words and the groups of a ring of the same shape.
  @inlinable
  func copyIndex(of other: _UnsafeRing) {
    let groupCount = state.groupCount
    unsafe state.words.update(from: other.state.words, count: state.capacity)
    unsafe state.passed.update(from: other.state.passed, count: groupCount)
    unsafe state.groups.copyMemory(from: other.state.groups, byteCount: groupCount * state.groupStride)
  }
}
