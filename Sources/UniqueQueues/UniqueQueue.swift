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
/// Elements come out in the order in which they were appended. Appending, ``popFirst()``, ``contains(_:)`` and ``remove(_:)``, also from the
/// middle, take the same time however long the queue is. An element is hashed once in its life, when it is appended (or when the queue becomes
/// too long to do without): neither taking it out at the front nor growing hashes or compares anything.
///
/// **Layout.** One allocation; none while the queue is empty and nothing was reserved.
///
///     ring     element   element   (hole)   element   element          in the order of their arrival, around the end
///     words    hash+lane hash+lane 0        hash+lane hash+lane        one for each slot of the ring
///     index    [tags|slots] [tags|slots] ...                           eight elements a group, found by hash
///
/// A queue of up to a dozen elements has the ring alone and compares. Taking an element out of the middle leaves a hole; when more than
/// a quarter are holes, the ring closes up.
///
/// **Equal elements.** Of elements that are equal but can be told apart, the queue keeps the first, as `Set` does; ``updateOrAppend(_:)``
/// replaces it. An element must not change its hash or its equality while it is in the queue.
///
/// **Copies** share storage until one of them is changed. A call that changes no element, as appending an element that is there, never copies, but
/// for ``reserveCapacity(_:)``, whose purpose that is.
@frozen
public struct UniqueQueue<Element: Hashable> {
  @usableFromInline
  var _ring: _Ring<Element>?

  @inlinable
  init(_ring: _Ring<Element>?) {
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
    self.init(_ring: minimumCapacity == 0 ? nil : .make(capacity: _Ring<Element>.roundedCapacity(minimumCapacity)))
  }

  /// A queue of the elements in order, of equal ones the first.
  ///
  /// - Complexity: O(*n*) for *n* elements, whatever their order; O(1) when `elements` is a queue itself.
  @inlinable
  public init(_ elements: some Sequence<Element>) {
    if let queue = elements as? UniqueQueue {
      self = queue
      return
    }
    self.init(minimumCapacity: elements.underestimatedCount)
    append(contentsOf: elements)
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
  /// A hole that an element left in the middle takes up room until the ring closes up.
  ///
  /// - Complexity: O(1).
  @inlinable
  public var capacity: Int { _ring.map { $0.state.capacity - $0.state.holeCount } ?? 0 }

  /// Makes room for so many elements in all.
  ///
  /// - Precondition: `minimumCapacity` is not negative.
  /// - Complexity: O(*n*); O(1) when the storage is not shared and large enough.
  @inlinable
  public mutating func reserveCapacity(_ minimumCapacity: Int) {
    defer { _checkInvariants() }
    precondition(minimumCapacity >= 0, "Negative capacity")
    let isUnique = isKnownUniquelyReferenced(&_ring)
    guard minimumCapacity > capacity else {
      if !isUnique { _ring = _ring?.copied() }
      return
    }
    let capacity = _Ring<Element>.roundedCapacity(minimumCapacity + (_ring?.state.holeCount ?? 0))
    _ring = _ring?.relaid(capacity: capacity, moving: isUnique) ?? .make(capacity: capacity)
  }

  /// Makes the storage the queue's own, every element in the slot it was in.
  @inlinable
  mutating func _makeUnique() {
    if !isKnownUniquelyReferenced(&_ring) { _copy() }
  }

  @inlinable
  @inline(never)
  mutating func _copy() {
    _ring = _ring?.copied()
  }

  /// Makes the storage the queue's own, with room for one more element.
  ///
  /// - Returns: whether elements may be in other slots than before.
  @inlinable
  mutating func _makeRoom() -> Bool {
    if isKnownUniquelyReferenced(&_ring), _ring!.hasRoom { return false }
    return _replaceRing()
  }

  @inlinable
  @inline(never)
  mutating func _replaceRing() -> Bool {
    let isUnique = isKnownUniquelyReferenced(&_ring)
    guard let ring = _ring else {
      _ring = .make(capacity: _Ring<Element>.roundedCapacity(1))
      return true
    }
    if ring.hasRoom {
      _ring = ring.copied()
      return false
    }
    let capacity = _Ring<Element>.capacity(after: ring.state.capacity)
    _ring = ring.relaid(capacity: capacity, moving: isUnique)
    return true
  }
}

// The storage is a class whose contents are only changed by its single owner.
extension UniqueQueue: @unchecked Sendable where Element: Sendable {}
