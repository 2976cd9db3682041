// Edits of an array, or of another collection with integer indices: methods that insert, remove, replace, move, swap
// and sort elements, and assign the whole, which is recorded as the runs that differ. Subscripts that lead to an
// element are in `+Elements`, and reversing is in `_UndoReversal`.

public import Sameness

extension UndoCursor
where
  Target: MutableCollection & RangeReplaceableCollection & RandomAccessCollection,
  Target.Index == Int
{
  /// Adds an element at the end.
  ///
  /// - Complexity: O(1) amortized, as for the collection.
  @_alwaysEmitIntoClient
  public mutating func append(_ element: Target.Element) {
    let index = modifyTarget { elements in
      elements.append(element)
      return elements.endIndex - 1
    }
    recordPresence(at: index, absent: nil)
  }

  /// Adds elements at the end.
  ///
  /// - Complexity: O(*m*) amortized, where *m* is the number of new elements.
  @_alwaysEmitIntoClient
  public mutating func append(contentsOf elements: some Sequence<Target.Element>) {
    let end = readTarget { $0.endIndex }
    replaceSubrange(end..<end, with: elements)
  }

  /// Inserts an element before the one at the index.
  ///
  /// - Complexity: O(*n*), as for the collection; the record has no copy of the element.
  @_alwaysEmitIntoClient
  public mutating func insert(_ element: Target.Element, at index: Int) {
    modifyTarget { $0.insert(element, at: index) }
    recordPresence(at: index, absent: nil)
  }

  /// Inserts elements before the one at the index.
  ///
  /// - Complexity: O(*n* + *m*), where *m* is the number of new elements; the record has no copy of them.
  @_alwaysEmitIntoClient
  public mutating func insert(contentsOf elements: some Sequence<Target.Element>, at index: Int) {
    replaceSubrange(index..<index, with: elements)
  }

  /// Removes and returns the element at the index.
  ///
  /// - Complexity: O(*n*), as for the collection.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func remove(at index: Int) -> Target.Element {
    let element = modifyTarget { $0.remove(at: index) }
    recordPresence(at: index, absent: element)
    return element
  }

  /// Removes and returns the first element; traps if there is none.
  ///
  /// - Complexity: O(*n*), as for the collection.
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func removeFirst() -> Target.Element {
    remove(at: readTarget { $0.startIndex })
  }

  /// Removes and returns the last element; traps if there is none.
  ///
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  @discardableResult
  public mutating func removeLast() -> Target.Element {
    remove(at: readTarget { $0.endIndex } - 1)
  }

  /// Removes the elements in a range.
  ///
  /// - Complexity: O(*n*), as for the collection.
  @_alwaysEmitIntoClient
  public mutating func removeSubrange(_ range: Range<Int>) {
    replaceSubrange(range, with: EmptyCollection())
  }

  /// Removes all elements.
  ///
  /// - Complexity: O(1); the elements move into the history.
  @_alwaysEmitIntoClient
  public mutating func removeAll() {
    removeSubrange(readTarget { $0.startIndex..<$0.endIndex })
  }

  /// Removes the elements for which the closure returns true, as one edit; if it throws, none is removed.
  ///
  /// ```swift
  /// struct Item { var name: String, isDone = false }
  ///
  /// var history = UndoHistory(initialValue: [Item(name: "Flour", isDone: true), Item(name: "Milk")])
  /// history.edit.removeAll { $0.isDone }
  /// history.undo()
  /// ```
  ///
  /// An undo or a redo reports this edit as one range, from the first removed element to the last one.
  ///
  /// - Complexity: O(*n*), as for the collection, also for undoing. The record holds the removed elements and 16 bytes
  ///   for each range of them, or everything between the first and the last removed element if that is less.
  @_alwaysEmitIntoClient
  public mutating func removeAll(where shouldBeRemoved: (Target.Element) throws -> Bool) rethrows {
    let ranges = try readTarget { $0 }.ranges(where: shouldBeRemoved)
    guard let first = ranges.first, let last = ranges.last else { return }
    if ranges.count == 1 {
      if first.count == 1 { remove(at: first.lowerBound) } else { removeSubrange(first) }
      return
    }
    let span = first.lowerBound..<last.upperBound
    let kept = span.count - ranges.reduce(0) { $0 + $1.count }
    // Many short ranges can take more memory than the elements between them. If the history records origins, the
    // elements in between aren't recorded, so that edits of them by other origins don't conflict.
    if kept * MemoryLayout<Target.Element>.stride < ranges.count * MemoryLayout<Range<Int>>.stride,
      !access.hasOrigins
    {
      let old = modifyTarget { elements in
        let old = Target(elements[span])
        _ = elements.remove(from: ranges)
        return old
      }
      recordSplice(start: span.lowerBound, count: kept, other: old)
    } else {
      make(_UndoRemovals<Place, Target>(place, ranges: ranges, other: nil))
    }
  }

  /// Replaces the elements in a range.
  ///
  /// Replacing elements with the same ones records nothing ; ``UndoHistory/currentItem`` says which are the same.
  ///
  /// - Complexity: O(*n* + *m*), where *m* is the number of new elements; the record holds the removed elements.
  @_alwaysEmitIntoClient
  public mutating func replaceSubrange(_ range: Range<Int>, with newElements: some Sequence<Target.Element>) {
    let elements = Target(newElements)
    let old = modifyTarget { $0.exchange(range, with: elements) }
    if old.hasSameBytes(as: elements) { return }
    if old.count == elements.count, zip(old, elements).allSatisfy({ _haveSameContents($0, $1) }) { return }
    recordSplice(start: range.lowerBound, count: elements.count, other: old)
  }

  /// Moves an element to another index, which is its index after the move.
  ///
  /// - Complexity: O(*n*), as removing and inserting; the record has no copy of the element.
  @_alwaysEmitIntoClient
  public mutating func move(from source: Int, to target: Int) {
    if source == target { return }
    make(_UndoMove<Place, Target>(place, current: source, other: target))
  }

  /// Moves the elements at some offsets before the element at another offset, as SwiftUI's `onMove` names them.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: ["Flour", "Milk", "Eggs", "Salt"])
  /// history.edit.move(fromOffsets: [0, 2], toOffset: 4)
  /// print(history.currentItem)  // ["Milk", "Salt", "Flour", "Eggs"]
  /// history.undo()
  /// ```
  ///
  /// This is one step, or none if every element stays where it is. The elements keep their order. In a view, write
  /// `.onMove { history.edit.items.move(fromOffsets: $0, toOffset: $1) }`. With an `EditingSession`, make the same call
  /// on the cursor that `session.edit` passes to its closure.
  ///
  /// Traps if an offset isn't the offset of an element.
  ///
  /// - Parameters:
  ///   - source: The offsets, counted from the first element: an `IndexSet`, or any other sequence of numbers.
  ///   - destination: The elements go before the element that has this offset before the move; the number of elements
  ///     moves them to the end.
  /// - Complexity: O(*n* · *m*), where *m* is the number of elements that move; the record has no copy of them.
  @_alwaysEmitIntoClient
  public mutating func move(fromOffsets source: some Sequence<Int>, toOffset destination: Int) {
    let offsets = Set(source).sorted()
    let (start, count) = readTarget { ($0.startIndex, $0.count) }
    precondition(
      0...count ~= destination && offsets.first ?? 0 >= 0 && offsets.last ?? -1 < count, "Offset out of range")
    let above = offsets.firstIndex { $0 >= destination } ?? offsets.count
    transaction { cursor in
      // Each move passes only elements that stay or have moved already, so the offsets of the others don't change.
      for (distance, offset) in offsets[..<above].reversed().enumerated() {
        cursor.move(from: start + offset, to: start + destination - 1 - distance)
      }
      for (distance, offset) in offsets[above...].enumerated() {
        cursor.move(from: start + offset, to: start + destination + distance)
      }
    }
  }

  /// Exchanges two elements; the record has no copy of either.
  ///
  /// Exchanging elements with the same bytes records nothing.
  ///
  /// - Complexity: O(1).
  @_alwaysEmitIntoClient
  public mutating func swapAt(_ first: Int, _ second: Int) {
    if first == second { return }
    if readTarget({ UnsafeValueBytes.areSame($0[first], $0[second]) }) { return }
    make(_UndoSwapAt<Place, Target>(place, first, second))
  }

  /// Sorts the elements, as one edit.
  ///
  /// - Complexity: O(*n* log *n*). The history records the runs of elements that differ afterwards.
  @_alwaysEmitIntoClient
  public mutating func sort(by areInIncreasingOrder: (Target.Element, Target.Element) throws -> Bool) rethrows {
    var elements = readTarget { $0 }
    try elements.sort(by: areInIncreasingOrder)
    set(elements)
  }

  /// Sorts the elements in increasing order, as one edit.
  ///
  /// - Complexity: O(*n* log *n*). The history records the runs of elements that differ afterwards.
  @_alwaysEmitIntoClient
  public mutating func sort() where Target.Element: Comparable {
    sort(by: <)
  }

  /// Replaces the collection as a whole, comparing elements by their bytes.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set(_ newValue: consuming Target) {
    recordChange(from: replaceTarget(with: newValue), isSame: nil)
  }

  /// Replaces the collection as a whole, comparing elements.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set(_ newValue: consuming Target) where Target: Equatable, Target.Element: Equatable {
    recordChange(from: replaceTarget(with: newValue), isSame: { _UndoSameness.areSame($0, $1) })
  }

  /// Replaces the collection as a whole, comparing texts byte by byte.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public mutating func set(_ newValue: consuming Target) where Target: Equatable, Target.Element == String {
    recordChange(from: replaceTarget(with: newValue), isSame: String.isSameText)
  }

  // MARK: Recording

  /// Records that an element was inserted (`absent` is nil) or removed.
  @_alwaysEmitIntoClient
  func recordPresence(at index: Int, absent: Target.Element?) {
    // A splice without elements is shorter than an optional of a large element.
    if MemoryLayout<Target.Element?>.size <= (absent == nil ? 16 : 64) {
      access.log.record(_UndoPresence<Place, Target>(place, index: index, other: absent), offset: offset)
    } else {
      recordSplice(
        start: index, count: absent == nil ? 1 : 0, other: absent.map { Target(CollectionOfOne($0)) } ?? Target())
    }
  }

  @_alwaysEmitIntoClient
  func recordSplice(start: Int, count: Int, other: Target) {
    access.log.record(_UndoSplice(place, start: start, count: count, other: other), offset: offset)
  }

  /// Records how the collection differs from the old one, which it replaced.
  ///
  /// If few elements differ and they own memory, only the differences within each element are recorded.
  @_alwaysEmitIntoClient
  func recordChange(from old: Target, isSame: ((Target.Element, Target.Element) -> Bool)?) {
    guard Target.hasOnlyElements else { return recordDifference(from: old) }
    guard readTarget({ $0.startIndex == old.startIndex }) else { return recordUnlessSame(old) }
    let isSame = isSame ?? access.log.elementComparison(first: old.first)
    let runs = readTarget { $0.runs(changedFrom: old, isSame) }
    guard let first = runs.first else { return }
    let isOfOne = runs.count == 1 && first.old.count == 1 && first.new.count == 1
    if !isOfOne, isRestored { return recordWhole(old) }
    if access.alignsPlaces, recordElements(from: old) { return }
    // A place takes one word for each collection that it leads through. With more than eight of them, or with many
    // elements, looking into the elements isn't worth its cost.
    let looksInto =
      _UndoWeight.retainsMemory(Target.Element.self) && MemoryLayout<Place>.size < 64 && runs.count <= 64
    if looksInto, isOfOne {
      // The change of a single element may be typing, which can't join a step while a transaction is open.
      return elementCursor(at: first.old.lowerBound).recordDifference(from: old[first.old.lowerBound])
    }
    access.log.beginTransaction(nil)
    for run in runs {
      if looksInto, run.old.count == run.new.count, run.old.count <= 16 {
        for index in run.old { elementCursor(at: index).recordDifference(from: old[index]) }
      } else if run.old.count == 1, run.new.count == 1 {
        let element = UndoElementPlace<Place, Target>(run.old.lowerBound, offset: offset, in: place)
        access.log.record(_UndoReplacement(element, other: old[run.old.lowerBound]), offset: 0)
      } else {
        let isWhole = run.old.count == old.count
        recordSplice(start: run.old.lowerBound, count: run.new.count, other: isWhole ? old : Target(old[run.old]))
      }
    }
    access.log.endAssignment()
  }
}
