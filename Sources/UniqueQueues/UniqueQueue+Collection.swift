/// A queue is a collection from the first element, which ``UniqueQueue/popFirst()`` removes, to the last.
///
/// Indices survive appending, reserving and copying. Any removal, ``UniqueQueue/prepend(_:)`` and
/// ``UniqueQueue/moveToEnd(_:)`` may invalidate all indices: using an invalid index traps. An index of another queue,
/// or of a copy that was changed separately, either traps or names an unrelated element.
///
/// Moving an index by *k* elements takes O(1) when the queue has no gaps, otherwise O(*k*).
extension UniqueQueue: BidirectionalCollection {
  /// The position of an element in a queue.
  @frozen
  public struct Index: Hashable, Comparable, Sendable {
    /// The ordinal counts on from the first element ever appended, and down for prepended elements.
    @usableFromInline
    let _ordinal: _Ordinal

    /// Changes when an ordinal may come to name another element.
    @usableFromInline
    let _epoch: Int

    @inlinable
    init(_ordinal: _Ordinal, epoch: Int) {
      self._ordinal = _ordinal
      self._epoch = epoch
    }

    /// Whether two indices of a queue are the same position.
    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left._ordinal == right._ordinal }

    /// Feeds the position to the hasher.
    @inlinable
    public func hash(into hasher: inout Hasher) { hasher.combine(_ordinal) }

    /// Whether the left position comes first.
    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left._ordinal < right._ordinal }
  }

  /// An iterator over the elements of a queue, from the first to the last.
  @frozen
  public struct Iterator: IteratorProtocol {
    @usableFromInline
    let _ring: _UnsafeRing<Element>?

    @usableFromInline
    var _slot: _Slot

    @usableFromInline
    var _remaining: Int

    @inlinable
    init(_ring: _UnsafeRing<Element>?) {
      self._ring = _ring
      _slot = _ring?.state.span.head ?? .zero
      _remaining = _ring?.count ?? 0
    }

    /// The next element, or nil at the end.
    @inlinable
    public mutating func next() -> Element? {
      guard _remaining > 0, let ring = _ring else { return nil }
      _remaining -= 1
      if ring.state.span.gapCount != 0 {
        while ring.isGap(_slot) { _slot = ring.slot(after: _slot) }
      }
      defer { _slot = ring.slot(after: _slot) }
      return unsafe ring[_slot]
    }
  }

  /// An iterator over the elements as they are now.
  ///
  /// - Complexity: O(1).
  @inlinable
  public func makeIterator() -> Iterator { Iterator(_ring: _ring) }

  /// The position of the first element.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var startIndex: Index {
    guard let ring = _ring else { return Index(_ordinal: .zero, epoch: 0) }
    return Index(_ordinal: ring.state.firstOrdinal, epoch: ring.indexEpoch)
  }

  /// The position after the last element.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var endIndex: Index {
    guard let ring = _ring else { return startIndex }
    return Index(_ordinal: ring.state.firstOrdinal.advanced(by: ring.state.span.count), epoch: ring.indexEpoch)
  }

  /// The first element, which ``popFirst()`` removes.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var first: Element? {
    guard let ring = _ring, ring.count > 0 else { return nil }
    return unsafe ring[ring.state.span.head]
  }

  /// The last element.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var last: Element? {
    guard let ring = _ring, ring.count > 0 else { return nil }
    return unsafe ring[ring.slot(at: ring.state.span.count - 1)]
  }

  /// The element at an index.
  ///
  /// - Precondition: `index` is an index of an element in the queue.
  /// - Complexity: O(1).
  @inlinable
  public subscript(index: Index) -> Element {
    _read { yield unsafe _ring![_slot(at: index)] }
  }

  /// The next position.
  ///
  /// - Complexity: O(1); O(*h*) for *h* gaps that follow.
  @inlinable
  public func index(after index: Index) -> Index {
    let offset = _offset(of: index)
    precondition(offset < _span, "Can't advance past the end of the queue")
    var next = 1
    if let ring = _ring, ring.state.span.gapCount != 0 {
      while offset + next < ring.state.span.count, ring.isGap(ring.slot(at: offset + next)) { next += 1 }
    }
    return Index(_ordinal: index._ordinal.advanced(by: next), epoch: index._epoch)
  }

  /// The previous position.
  ///
  /// - Complexity: O(1); O(*h*) for *h* gaps that precede.
  @inlinable
  public func index(before index: Index) -> Index {
    var previous = _offset(of: index) - 1
    precondition(previous >= 0, "Can't go back past the start of the queue")
    if let ring = _ring, ring.state.span.gapCount != 0 {
      while ring.isGap(ring.slot(at: previous)) { previous -= 1 }
    }
    return Index(_ordinal: startIndex._ordinal.advanced(by: previous), epoch: index._epoch)
  }

  /// The position that is `distance` elements away.
  ///
  /// - Complexity: O(1) without gaps, otherwise O(*distance*).
  @inlinable
  public func index(_ index: Index, offsetBy distance: Int) -> Index {
    if (_ring?.state.span.gapCount ?? 0) == 0 {
      let offset = _offset(of: index) + distance
      precondition(offset >= 0 && offset <= count, "Can't go past the ends of the queue")
      return Index(_ordinal: startIndex._ordinal.advanced(by: offset), epoch: index._epoch)
    }
    var index = index
    for _ in 0..<abs(distance) {
      if distance > 0 { formIndex(after: &index) } else { formIndex(before: &index) }
    }
    return index
  }

  /// The position that is `distance` elements away, or nil if that is beyond the limit.
  ///
  /// - Complexity: O(1) without gaps, otherwise O(*n*).
  @inlinable
  public func index(_ index: Index, offsetBy distance: Int, limitedBy limit: Index) -> Index? {
    let room = self.distance(from: index, to: limit)
    // A limit in the other direction has no effect.
    if distance >= 0 ? room >= 0 && room < distance : room <= 0 && room > distance { return nil }
    return self.index(index, offsetBy: distance)
  }

  /// The number of elements from one position to another.
  ///
  /// - Complexity: O(1) without gaps, otherwise O(*distance*).
  @inlinable
  public func distance(from start: Index, to end: Index) -> Int {
    let startOffset = _offset(of: start)
    let endOffset = _offset(of: end)
    guard let ring = _ring, ring.state.span.gapCount != 0 else { return endOffset - startOffset }
    let between = Swift.min(startOffset, endOffset)..<Swift.max(startOffset, endOffset)
    let count = between.count { !ring.isGap(ring.slot(at: $0)) }
    return startOffset <= endOffset ? count : -count
  }

  /// Calls `body` with the elements in place, if they are contiguous.
  ///
  /// - Returns: The result of `body`; nil when the queue has gaps or wraps around the end of its storage.
  @inlinable
  public func withContiguousStorageIfAvailable<Result, Failure: Error>(
    _ body: (UnsafeBufferPointer<Element>) throws(Failure) -> Result
  ) throws(Failure) -> Result? {
    try unsafe _UnsafeRing<Element>.withContiguousElements(of: _ring, body)
  }

  @inlinable
  var _span: Int { _ring?.state.span.count ?? 0 }

  /// The number of slots from the first element to an index, which may be `endIndex`; gaps are counted.
  @inlinable
  func _offset(of index: Index) -> Int {
    let start = startIndex
    let offset = start._ordinal.distance(to: index._ordinal)
    // Not a precondition, which prints no message in a release build.
    guard index._epoch == start._epoch, offset >= 0, offset <= _span else {
      fatalError("A stale index: the queue has changed since; ask it for a new one")
    }
    return offset
  }

  /// The slot of the element at an index.
  @inlinable
  func _slot(at index: Index) -> _Slot {
    let offset = _offset(of: index)
    precondition(offset < _span, "The index is at the end of the queue")
    let slot = _ring!.slot(at: offset)
    guard !_ring!.isGap(slot) else { fatalError("A stale index: its element was taken out of the queue") }
    return slot
  }
}
