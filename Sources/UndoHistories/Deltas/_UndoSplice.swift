/// The delta of a collection in which a range was replaced: where it begins, how many elements lie there now, and the
/// other elements.
///
///     | anchor | start | count | other |     32 bytes with the header for a document that is an array
@usableFromInline
struct _UndoSplice<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @inlinable
  static var sizeInDocument: Int { MemoryLayout<Anchor>.size == 0 ? MemoryLayout<Elements>.size : 0 }

  @usableFromInline
  typealias Part = Elements

  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  var start: Int
  @usableFromInline
  var count: Int
  @usableFromInline
  var other: Elements

  @inlinable
  init(_ anchor: Anchor, start: Int, count: Int, other: Elements) {
    self.anchor = anchor
    self.start = start
    self.count = count
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    let next = other.count
    other = anchor.modify(&root, at: offset, as: Elements.self) {
      $0.exchange(start..<start + count, with: other)
    }
    count = next
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange { .range(.init(start: start, old: count, new: other.count)) }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .range(let splice) = change else { return false }
    start = splice.start
    return true
  }

  @inlinable
  var coming: (any Collection)? { Array(other) }

  @inlinable
  static var ownsMemory: Bool { true }

  @inlinable
  var ownedBytes: Int { other.ownedBytes }

  @inlinable
  var retainedBytes: Int { _UndoWeight.retainedBytes(of: other) }
}

/// The delta of one element that came or went: where, and the element while it is not in the collection.
///
///     | anchor | index | element? |     no allocation in either direction
@usableFromInline
struct _UndoPresence<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @usableFromInline
  typealias Part = Elements

  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  var index: Int
  @usableFromInline
  var absent: Elements.Element?

  @inlinable
  init(_ anchor: Anchor, index: Int, absent: Elements.Element?) {
    self.anchor = anchor
    self.index = index
    self.absent = absent
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    absent = anchor.modify(&root, at: offset, as: Elements.self) { elements in
      guard let element = absent else { return elements.remove(at: index) }
      elements.insert(element, at: index)
      return nil
    }
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange {
    let isThere = absent == nil
    return .range(.init(start: index, old: isThere ? 1 : 0, new: isThere ? 0 : 1, isOfOneElement: true))
  }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .range(let splice) = change else { return false }
    index = splice.start
    return true
  }

  @inlinable
  var coming: (any Collection)? { absent.map { [$0] } ?? [] }

  @inlinable
  static var ownsMemory: Bool { Elements.Element.self == String.self }

  @inlinable
  var ownedBytes: Int { (absent as? String)?._ownedBytes ?? 0 }

  @inlinable
  static var retainsMemory: Bool { _UndoWeight.retainsMemory(Elements.Element.self) }

  @inlinable
  var retainedBytes: Int { _UndoWeight.retainedBytes(of: absent) }
}

/// The delta of two elements that were exchanged.
@usableFromInline
struct _UndoSwapAt<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @usableFromInline
  typealias Part = Elements

  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  var first: Int
  @usableFromInline
  var second: Int

  @inlinable
  init(_ anchor: Anchor, _ first: Int, _ second: Int) {
    self.anchor = anchor
    self.first = first
    self.second = second
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    anchor.modify(&root, at: offset, as: Elements.self) { $0.swapAt(first, second) }
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange { .swap(first, second) }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .swap(let first, let second) = change else { return false }
    (self.first, self.second) = (first, second)
    return true
  }
}

/// The delta of an element that moved.
@usableFromInline
struct _UndoMove<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @usableFromInline
  typealias Part = Elements

  @usableFromInline
  let anchor: Anchor
  /// Where the element is, and where it will be after the next exchange.
  @usableFromInline
  var current: Int
  @usableFromInline
  var other: Int

  @inlinable
  init(_ anchor: Anchor, current: Int, other: Int) {
    self.anchor = anchor
    self.current = current
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    anchor.modify(&root, at: offset, as: Elements.self) { $0.move(from: current, to: other) }
    swap(&current, &other)
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange { .move(.init(from: current, to: other)) }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .move(let move) = change else { return false }
    (current, other) = (move.source, move.target)
    return true
  }
}

/// A collection whose edits can be recorded, if its indices are integers: an array or what can be used like one.
@usableFromInline
package typealias _UndoElements = MutableCollection & RangeReplaceableCollection & RandomAccessCollection

extension MutableCollection where Self: RangeReplaceableCollection & RandomAccessCollection, Index == Int {
  /// Whether there is nothing in the collection but its elements, so that those tell all of a difference.
  ///
  /// Anybody's collection may have a name besides.
  @inlinable
  @inline(__always)
  static var isItsElements: Bool {
    Self.self == [Element].self || Self.self == ContiguousArray<Element>.self || Self.self == ArraySlice<Element>.self
      || _UndoSameness.isData(Self.self)
  }
}

extension RandomAccessCollection {
  /// How much memory the elements take, with the texts that they are, in a buffer of their own.
  @inlinable
  var ownedBytes: Int {
    if isEmpty { return 0 }
    let elements = 32 + count * MemoryLayout<Element>.stride
    guard Element.self == String.self else { return elements }
    return reduce(elements) { $0 + (($1 as? String)?._ownedBytes ?? 0) }
  }
}

extension MutableCollection where Self: RangeReplaceableCollection & RandomAccessCollection, Index == Int {
  /// Replaces the elements in a range and returns them.
  @inlinable
  mutating func exchange(_ range: Range<Int>, with elements: Self) -> Self {
    if Self.isItsElements, range.lowerBound == startIndex, range.upperBound == endIndex,
      elements.startIndex == startIndex
    {
      let old = self
      self = elements
      return old
    }
    let old = range.isEmpty ? Self() : Self(self[range])
    replaceSubrange(range, with: elements)
    return old
  }

  /// Moves an element to the index that it is to have afterwards.
  @inlinable
  mutating func move(from source: Int, to target: Int) {
    precondition(indices.contains(target), "Index out of range")
    insert(remove(at: source), at: target)
  }
}
