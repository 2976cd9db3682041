// The deltas of a collection's elements: a replaced range, one inserted or removed element, two swapped elements, and a
// moved element; the collections that have such deltas (`_UndoElements`), with what they own; and their methods that
// make these edits. Several ranges are in `_UndoRemovals`, reversed elements in `_UndoReversal`, and a single assigned
// element in `_UndoReplacement`.

/// The delta of a collection in which a range was replaced: the start, the number of elements there now, and the
/// elements that the next exchange puts there.
///
///     | place | start | count | other |     32 bytes with the header for a document that is an array
@usableFromInline
struct _UndoSplice<Place: UndoPlace, Part: _UndoElements>: _UndoDelta where Part.Index == Int {
  @usableFromInline
  let place: Place
  @usableFromInline
  var start: Int
  @usableFromInline
  var count: Int
  @usableFromInline
  var other: Part

  @inlinable
  init(_ place: Place, start: Int, count: Int, other: Part) {
    self.place = place
    self.start = start
    self.count = count
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    let next = other.count
    other = place.modify(&root, at: offset, as: Part.self) {
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
  var insertedElements: (any Collection)? { Array(other) }

  @inlinable
  static var ownsMemory: Bool { true }

  @inlinable
  var ownedBytes: Int { other.ownedBytes }
}

/// The delta of one element that was inserted or removed: its index, and the element while it is absent.
///
///     | place | index | element? |     no allocation in either direction
@usableFromInline
struct _UndoPresence<Place: UndoPlace, Part: _UndoElements>: _UndoDelta where Part.Index == Int {
  @usableFromInline
  let place: Place
  @usableFromInline
  var index: Int
  @usableFromInline
  var other: Part.Element?

  @inlinable
  init(_ place: Place, index: Int, other: Part.Element?) {
    self.place = place
    self.index = index
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    other = place.modify(&root, at: offset, as: Part.self) { elements in
      guard let element = other else { return elements.remove(at: index) }
      elements.insert(element, at: index)
      return nil
    }
  }

  @inlinable
  @inline(__always)
  var change: _UndoChange {
    let isThere = other == nil
    return .range(.init(start: index, old: isThere ? 1 : 0, new: isThere ? 0 : 1, isOfOneElement: true))
  }

  @inlinable
  mutating func move(to change: _UndoChange) -> Bool {
    guard case .range(let splice) = change else { return false }
    index = splice.start
    return true
  }

  @inlinable
  var insertedElements: (any Collection)? { other.map { [$0] } ?? [] }
}

/// The delta of two elements that were exchanged.
@usableFromInline
struct _UndoSwapAt<Place: UndoPlace, Part: _UndoElements>: _UndoDelta where Part.Index == Int {
  @usableFromInline
  let place: Place
  @usableFromInline
  var first: Int
  @usableFromInline
  var second: Int

  @inlinable
  init(_ place: Place, _ first: Int, _ second: Int) {
    self.place = place
    self.first = first
    self.second = second
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: Part.self) { $0.swapAt(first, second) }
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
struct _UndoMove<Place: UndoPlace, Part: _UndoElements>: _UndoDelta where Part.Index == Int {
  @usableFromInline
  let place: Place
  /// The element's index now, and its index after the next exchange.
  @usableFromInline
  var current: Int
  @usableFromInline
  var other: Int

  @inlinable
  init(_ place: Place, current: Int, other: Int) {
    self.place = place
    self.current = current
    self.other = other
  }

  @inlinable
  mutating func exchange(with root: inout Place.Root, offset: Int) {
    place.modify(&root, at: offset, as: Part.self) { $0.move(from: current, to: other) }
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

/// A collection whose edits can be recorded, if its indices are integers.
@usableFromInline
package typealias _UndoElements = MutableCollection & RangeReplaceableCollection & RandomAccessCollection

extension RandomAccessCollection {
  /// Whether this is Foundation's `Data`, which this module knows only by name because it doesn't import Foundation.
  @usableFromInline
  static var isData: Bool {
    ["Foundation.Data", "FoundationEssentials.Data"].contains(_typeName(Self.self, qualified: true))
  }

  /// The bytes of a buffer with these elements, including their texts.
  @inlinable
  var ownedBytes: Int {
    if isEmpty { return 0 }
    let elements = 32 + count * MemoryLayout<Element>.stride
    guard Element.self == String.self else { return elements }
    return reduce(elements) { $0 + (($1 as? String)?._ownedBytes ?? 0) }
  }
}

extension MutableCollection where Self: RangeReplaceableCollection & RandomAccessCollection, Index == Int {
  /// Whether the collection stores nothing but its elements.
  ///
  /// A client's own collection may have other properties.
  @inlinable
  @inline(__always)
  static var hasOnlyElements: Bool {
    Self.self == [Element].self || Self.self == ContiguousArray<Element>.self || Self.self == ArraySlice<Element>.self
      || isData
  }

  /// Replaces the elements in a range and returns them.
  @inlinable
  mutating func exchange(_ range: Range<Int>, with elements: Self) -> Self {
    if Self.hasOnlyElements, range.lowerBound == startIndex, range.upperBound == endIndex,
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

  /// Moves an element to the index that it has after the move.
  @inlinable
  mutating func move(from source: Int, to target: Int) {
    precondition(indices.contains(target), "Index out of range")
    insert(remove(at: source), at: target)
  }
}
