/// A queue in which every element is at most once.
///
/// ```swift
/// var queue: UniqueQueue = ["mail", "notes", "mail"]
/// queue.append("mail")                      // (inserted: false, memberAfterAppend: "mail")
/// queue.append("photos")
/// assert(queue.popFirst() == "mail")
/// assert(Array(queue) == ["notes", "photos"])
/// ```
///
/// Elements come out in the order in which they were appended. Each of these takes the same time however long the queue
/// is: appending, ``prepend(_:)``, ``popFirst()``, ``popLast()``, ``contains(_:)`` and ``remove(_:)``, also from the
/// middle. An element is hashed once in its life, when it comes in (or when the queue becomes too long to do without).
/// Neither taking it out at an end nor growing hashes or compares anything.
///
/// **Layout.** One allocation; none until something is appended or reserved.
///
///     ring     element   element   (gap)   element   element          in the order of their ordinal, around the end
///     words    hash+lane hash+lane 0        hash+lane hash+lane        one for each slot of the ring
///     index    [tags|slots] [tags|slots] ...                           eight elements a group, found by hash
///
/// A queue of up to a dozen elements has the ring alone and compares. Taking an element out of the middle leaves a gap;
/// when more than a quarter are gaps, the ring closes up.
///
/// **Equal elements.** Of elements that are equal but can be told apart, the queue keeps the first, as `Set` does;
/// ``updateOrAppend(_:)`` replaces it. An element must not change its hash or its equality while it is in the queue.
///
/// **Copies** share storage until one of them is changed. A call that changes no element, as appending an element that
/// is there, never copies, but for ``reserveCapacity(_:)``, whose purpose that is. The first change of a copy takes
/// O(*n*), however much room the storage has.
///
/// **Room.** A queue keeps its room while elements come and go. These give room back:
/// - ``removeAll(keepingCapacity:)`` gives all of it, unless it is told to keep it.
/// - ``reserveCapacity(_:)`` with 0 gives all that no element is in.
/// - Three leave the room that a queue of these elements would have made itself, where there is more than four times as
///   much as they need: the first change of a copy, ``removeAll(where:)`` that took something out, and
///   `UniqueQueue(elements)`, of another queue or with many that are equal.
@frozen
public struct UniqueQueue<Element: Hashable> {
  @usableFromInline
  var _ring: _UnsafeRing<Element>?

  @inlinable
  init(_ring: _UnsafeRing<Element>?) {
    self._ring = _ring
  }

  /// An empty queue, which allocates nothing.
  @inlinable
  public init() {
    self.init(_ring: nil)
  }

  /// An empty queue with room for so many elements.
  ///
  /// - Precondition: `minimumCapacity` is not negative.
  @inlinable
  public init(minimumCapacity: Int) {
    precondition(minimumCapacity >= 0, "Negative capacity")
    self.init(
      _ring: minimumCapacity == 0 ? nil : .make(capacity: _UnsafeRing<Element>.roundedCapacity(minimumCapacity)))
  }

  /// A queue of the elements in order, of equal ones the first.
  ///
  /// - Complexity: O(*n*) for *n* elements, whatever their order; O(1) when `elements` is a queue itself, unless that
  ///   has more than four times as much room as it needs.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    if let queue = elements as? UniqueQueue {
      self = queue
    } else {
      self.init(minimumCapacity: elements.underestimatedCount)
      append(contentsOf: elements)
    }
    _giveBackWaste()
  }
}

extension UniqueQueue {
  /// The number of elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int { _ring?.count ?? 0 }

  /// Whether there is no element.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isEmpty: Bool { count == 0 }

  /// How many elements there is room for before the queue allocates again.
  ///
  /// A gap that an element left in the middle takes up room until the ring closes up.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var capacity: Int { _ring.map { $0.state.capacity - $0.state.span.gapCount } ?? 0 }

  /// Makes room for so many elements in all; with 0, gives back the room that no element is in.
  ///
  /// ```swift
  /// var queue = UniqueQueue(0..<1_000_000)
  /// while queue.count > 10 { queue.removeFirst() }
  /// queue.reserveCapacity(0)
  /// assert(queue.capacity < 20)
  /// ```
  ///
  /// What was reserved is no promise for ever: the documentation of the type says what gives room back.
  ///
  /// - Precondition: `minimumCapacity` is not negative.
  /// - Complexity: O(*n*); O(1) when the storage is not shared and large enough, and `minimumCapacity` is not 0.
  @inlinable
  public mutating func reserveCapacity(_ minimumCapacity: Int) {
    defer { _checkInvariants() }
    precondition(minimumCapacity >= 0, "Negative capacity")
    if minimumCapacity == 0 { return _giveBackRoom() }
    var isUnique = isKnownUniquelyReferenced(&_ring)
    if !isUnique, minimumCapacity <= capacity {
      _copy()
      isUnique = true
    }
    if minimumCapacity <= capacity { return }
    let capacity = _UnsafeRing<Element>.roundedCapacity(minimumCapacity + (_ring?.state.span.gapCount ?? 0))
    _ring = _ring?.relaid(capacity: capacity, moving: isUnique) ?? .make(capacity: capacity)
  }

  /// Leaves room for the elements, and the gaps among them, alone.
  @inlinable
  mutating func _giveBackRoom() {
    guard let state = _ring?.state else { return }
    let capacity = state.span.count == 0 ? 0 : _UnsafeRing<Element>.roundedCapacity(state.span.count)
    let isUnique = isKnownUniquelyReferenced(&_ring)
    if !isUnique || capacity < state.capacity { _ring = _ring!.relaid(capacity: capacity, moving: isUnique) }
  }

  /// Leaves the room that a queue of these elements would have made itself, if there is far more.
  @inlinable
  mutating func _giveBackWaste() {
    guard _ring != nil, _ring!.isWasteful else { return }
    let isUnique = isKnownUniquelyReferenced(&_ring)
    _ring = _ring!.relaid(capacity: _UnsafeRing<Element>.capacity(after: _ring!.state.span.count), moving: isUnique)
  }

  /// Makes the storage the queue's own; elements may be in other slots then.
  @inlinable
  mutating func _makeUnique() {
    // Unwrapped: for an optional, the runtime asks whether there is a ring, which costs as much as the answer.
    if _ring != nil, !isKnownUniquelyReferenced(&_ring!) { _copy() }
  }

  /// Makes the storage the queue's own, and finds out where the element in a slot is then.
  @inlinable
  mutating func _makeUnique(following slot: inout _Slot) {
    if _ring != nil, !isKnownUniquelyReferenced(&_ring!) { slot = _copy(following: slot) }
  }

  @inlinable
  @inline(never)
  mutating func _copy() {
    _ring = _ring?.copied()
  }

  @inlinable
  @inline(never)
  mutating func _copy(following slot: _Slot) -> _Slot {
    let offset = _ring!.offset(of: slot)
    _copy()
    return _ring!.slot(at: offset)
  }

  /// Makes the storage the queue's own, with room for one more element.
  ///
  /// - Returns: Whether elements may be in other slots than before.
  @inlinable
  mutating func _makeRoom() -> Bool {
    if _ring != nil, isKnownUniquelyReferenced(&_ring!), _ring!.hasRoom { return false }
    return _replaceRing()
  }

  @inlinable
  @inline(never)
  mutating func _replaceRing() -> Bool {
    let isUnique = isKnownUniquelyReferenced(&_ring)
    guard let ring = _ring else {
      _ring = .make(capacity: _UnsafeRing<Element>.roundedCapacity(1))
      return true
    }
    if ring.hasRoom {
      _ring = ring.copied()
      return ring.isWasteful
    }
    let capacity = _UnsafeRing<Element>.capacity(after: ring.state.capacity)
    _ring = ring.relaid(capacity: capacity, moving: isUnique)
    return true
  }
}

// The storage is a class whose contents are only changed by its single owner.
extension UniqueQueue: @unchecked Sendable where Element: Sendable {}
