/// The delta of a collection in which a range was replaced: where it begins, how many elements lie there now, and the
/// other elements.
///
///     | anchor | start | count | other |     32 bytes with the header for a document that is an array
@usableFromInline
struct _UndoSplice<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
  @inlinable
  static var sizeInDocument: Int { MemoryLayout<Anchor>.size == 0 ? MemoryLayout<Elements>.size : 0 }

  @usableFromInline
  let anchor: Anchor
  @usableFromInline
  let start: Int
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
    other = anchor.modify(&root) { base in
      unsafe withUnsafePart(of: &base, at: offset, as: Elements.self) {
        $0.exchange(start..<start + count, with: other)
      }
    }
    count = next
  }

  @inlinable
  @inline(__always)
  var kind: UndoEdit.Kind { .range(at: start, old: other.count, new: count) }

  @inlinable
  func edit(offset: Int) -> UndoEdit { anchor.edit(kind, at: offset, of: Elements.self) }

  @inlinable
  func detailedEdit(offset: Int) -> _UndoDetailedEdit { anchor.detailedEdit(kind, at: offset, of: Elements.self) }

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
  let anchor: Anchor
  @usableFromInline
  let index: Int
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
    absent = anchor.modify(&root) { base in
      unsafe withUnsafePart(of: &base, at: offset, as: Elements.self) { elements in
        guard let element = absent else { return elements.remove(at: index) }
        elements.insert(element, at: index)
        return nil
      }
    }
  }

  @inlinable
  @inline(__always)
  var kind: UndoEdit.Kind {
    let isInserted = absent == nil
    return .range(at: index, old: isInserted ? 0 : 1, new: isInserted ? 1 : 0)
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit { anchor.edit(kind, at: offset, of: Elements.self) }

  @inlinable
  func detailedEdit(offset: Int) -> _UndoDetailedEdit {
    anchor.detailedEdit(kind, at: offset, of: Elements.self, detail: .oneElement)
  }

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
  let anchor: Anchor
  @usableFromInline
  let first: Int
  @usableFromInline
  let second: Int

  @inlinable
  init(_ anchor: Anchor, _ first: Int, _ second: Int) {
    self.anchor = anchor
    self.first = first
    self.second = second
  }

  @inlinable
  mutating func exchange(with root: inout Anchor.Root, offset: Int) {
    anchor.modify(&root) { base in
      unsafe withUnsafePart(of: &base, at: offset, as: Elements.self) { $0.swapAt(first, second) }
    }
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit { anchor.edit(.swap(first, second), at: offset, of: Elements.self) }

  @inlinable
  func detailedEdit(offset: Int) -> _UndoDetailedEdit {
    anchor.detailedEdit(.swap(first, second), at: offset, of: Elements.self)
  }
}

/// The delta of an element that moved.
@usableFromInline
struct _UndoMove<Anchor: _UndoAnchor, Elements: _UndoElements>: _UndoDelta where Elements.Index == Int {
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
    anchor.modify(&root) { base in
      unsafe withUnsafePart(of: &base, at: offset, as: Elements.self) { $0.move(from: current, to: other) }
    }
    swap(&current, &other)
  }

  @inlinable
  func edit(offset: Int) -> UndoEdit { anchor.edit(.move(from: other, to: current), at: offset, of: Elements.self) }

  @inlinable
  func detailedEdit(offset: Int) -> _UndoDetailedEdit {
    anchor.detailedEdit(.move(from: other, to: current), at: offset, of: Elements.self)
  }
}

/// A collection whose edits can be recorded, if its indices are integers: an array or what can be used like one.
@usableFromInline
typealias _UndoElements = MutableCollection & RangeReplaceableCollection & RandomAccessCollection

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

// MARK: - What is put in

/// A delta of elements that an exchange may put in, one or many.
protocol _UndoPuttingIn {
  associatedtype Element

  /// Where the first of them comes.
  var place: Int { get }
  /// None where elements only go.
  var coming: [Element] { get }
}

extension _UndoPuttingIn {
  /// Whether both put the same elements in at the same place, as far as that can be proved.
  func putsIn(whatDoes other: some _UndoPuttingIn) -> Bool {
    guard let others = other.coming as? [Element] else { return false }
    return place == other.place && _UndoSameness.haveSameParts(coming, others)
  }
}

extension _UndoSplice: _UndoPuttingIn {
  var place: Int { start }
  var coming: [Elements.Element] { Array(other) }
}

extension _UndoPresence: _UndoPuttingIn {
  var place: Int { index }
  var coming: [Elements.Element] { absent.map { [$0] } ?? [] }
}
