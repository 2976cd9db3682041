/// A first-in, first-out queue that contains each element at most once.
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
/// middle. An element is hashed once, when it is added (in a short queue, when the queue becomes too long to do without
/// hashes). Neither removing an element at an end nor growing hashes or compares anything.
///
/// **Equal elements.** If elements are equal but distinguishable, the queue keeps the first, as `Set` does;
/// ``updateOrAppend(_:)`` replaces it. An element must not change its hash or its equality while it is in the queue.
///
/// **Copies** share storage until one of them is changed. A call that changes no element, such as appending an element
/// that is already there, never copies; only ``reserveCapacity(_:)`` does. The first change of a copy takes O(*n*),
/// however much room the storage has.
///
/// **Room.** A queue keeps its room while elements come and go. These calls release room:
/// - ``removeAll(keepingCapacity:)`` releases all room, unless it is told to keep it.
/// - ``reserveCapacity(_:)`` with 0 releases the unused room.
/// - Three calls shrink a queue that has more than four times the room it needs, to the room that appending its
///   elements would have made: the first change of a copy, a ``removeAll(where:)`` that removed something, and
///   `UniqueQueue(elements)` when `elements` is another queue or has many equal elements.
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
  public init() { self.init(_ring: nil) }

  /// An empty queue with room for the given number of elements.
  ///
  /// - Precondition: `minimumCapacity` is not negative.
  @inlinable
  public init(minimumCapacity: Int) {
    precondition(minimumCapacity >= 0, "Negative capacity")
    self.init(
      _ring: minimumCapacity == 0 ? nil : .make(capacity: _UnsafeRing<Element>.roundedCapacity(minimumCapacity)))
  }

  /// A queue of the elements in order; only the first of equal elements is kept.
  ///
  /// - Complexity: O(*n*) for *n* elements, whatever their order; O(1) when `elements` is a queue itself, unless it has
  ///   more than four times the room it needs.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    if let queue = elements as? UniqueQueue {
      self = queue
    } else {
      self.init(minimumCapacity: elements.underestimatedCount)
      append(contentsOf: elements)
    }
    _shrinkIfWasteful()
  }
}

extension UniqueQueue {
  /// The number of elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var count: Int { _ring?.count ?? 0 }

  /// Whether the queue has no elements.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var isEmpty: Bool { count == 0 }

  /// The number of elements that fit before the queue allocates again.
  ///
  /// A gap that a removed element left in the middle takes up room until the ring closes its gaps.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var capacity: Int { _ring.map { $0.state.capacity - $0.state.span.gapCount } ?? 0 }

  /// Makes room for the given number of elements in all; with 0, releases the unused room.
  ///
  /// ```swift
  /// var queue = UniqueQueue(0..<1_000_000)
  /// while queue.count > 10 { queue.removeFirst() }
  /// queue.reserveCapacity(0)
  /// assert(queue.capacity < 20)
  /// ```
  ///
  /// Reserved room may be released again: the documentation of the type lists the calls that do so.
  ///
  /// - Precondition: `minimumCapacity` is not negative.
  /// - Complexity: O(*n*); O(1) when the storage isn't shared and is large enough, and `minimumCapacity` isn't 0.
  @inlinable
  public mutating func reserveCapacity(_ minimumCapacity: Int) {
    defer { _checkInvariants() }
    precondition(minimumCapacity >= 0, "Negative capacity")
    if minimumCapacity == 0 { return _shrinkToFit() }
    var isUnique = isKnownUniquelyReferenced(&_ring)
    if !isUnique, minimumCapacity <= capacity {
      _copy()
      isUnique = true
    }
    if minimumCapacity <= capacity { return }
    let capacity = _UnsafeRing<Element>.roundedCapacity(minimumCapacity + (_ring?.state.span.gapCount ?? 0))
    _ring = _ring?.relaid(capacity: capacity, moving: isUnique) ?? .make(capacity: capacity)
  }

  /// Shrinks the storage to the elements and the gaps among them.
  @inlinable
  mutating func _shrinkToFit() {
    guard let state = _ring?.state else { return }
    let capacity = state.span.count == 0 ? 0 : _UnsafeRing<Element>.roundedCapacity(state.span.count)
    let isUnique = isKnownUniquelyReferenced(&_ring)
    if !isUnique || capacity < state.capacity { _ring = _ring!.relaid(capacity: capacity, moving: isUnique) }
  }

  /// Shrinks storage with far more room than needed to what appending these elements would have made.
  @inlinable
  mutating func _shrinkIfWasteful() {
    guard _ring != nil, _ring!.isWasteful else { return }
    let isUnique = isKnownUniquelyReferenced(&_ring)
    _ring = _ring!.relaid(capacity: _UnsafeRing<Element>.capacity(after: _ring!.state.span.count), moving: isUnique)
  }

  /// Copies shared storage; the elements may then be in other slots.
  @inlinable
  mutating func _makeUnique() {
    // Unwrapped, because for an optional the runtime also checks for nil, which costs as much as the answer.
    if _ring != nil, !isKnownUniquelyReferenced(&_ring!) { _copy() }
  }

  /// Copies shared storage, and updates `slot` to where its element is then.
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

  /// Copies shared storage and makes room for one more element.
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

// Sendable because only its single owner changes the contents of the storage class.
extension UniqueQueue: @unchecked Sendable where Element: Sendable {}
