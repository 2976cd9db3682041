/// A property that undo and redo restore: where it lies, and what it was before and after each step.
@usableFromInline
package protocol _UndoRestored {
  /// Where the property lies in the document.
  var bytes: Range<Int> { get }
  /// How many bytes the values take, with what they keep alive.
  var byteCount: Int { get }
  /// The same property without values.
  var withoutValues: any _UndoRestored { get }

  /// Whether both are of one property.
  func isSame(as other: any _UndoRestored) -> Bool

  // MARK: The value in documents

  /// Whether two documents have the same value.
  func isSame(_ document: _UnsafeUndoPointer, _ other: _UnsafeUndoPointer) -> Bool
  /// Assigns the value at one address to that at another.
  func assign(_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer)

  // MARK: Values to go back to while a step is recorded

  /// Keeps the document's value, as the newest of those to go back to.
  mutating func push(_ document: _UnsafeUndoPointer)
  /// Gives the newest of those to a document, and forgets it.
  mutating func pop(into document: _UnsafeUndoPointer?)
  mutating func popAll()

  // MARK: Values of steps

  /// Adds those of a step that ended: the oldest value to go back to, and the document's.
  mutating func append(_ document: _UnsafeUndoPointer)
  /// Adds those of so many steps that follow.
  mutating func append(_ next: (any _UndoRestored)?, of stepCount: Int)
  mutating func takeLast(_ count: Int) -> any _UndoRestored
  mutating func keepLast(_ count: Int)
  /// Makes the newest step part of the step before it.
  mutating func joinLast()

  // Of the step that so many others follow.
  func hasValues(before distance: Int) -> Bool
  func byteCount(before distance: Int) -> Int
  mutating func forget(before distance: Int)
  /// Gives a document the value before the step, or after it.
  func restore(_ document: _UnsafeUndoPointer, before distance: Int, isAfter: Bool)
  /// Lets the newest step have the document's value after it.
  mutating func setAfter(_ document: _UnsafeUndoPointer)
}

extension _UndoRestored {
  /// Puts the value of one document into another.
  package func copy(_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) {
    assign(source.part(at: bytes.lowerBound), target.part(at: bytes.lowerBound))
  }
}

/// The values of a restored property: a column of `_UndoSteps`.
///
///     cells    | before, after | before, after | none | before, after |     24 bytes each for an Int
///     pushed   | before the step in progress | before a transaction inside of it | ...
///
/// A step has no values if the property was not restored yet when it was recorded, or if a limit has dropped it.
@usableFromInline
package struct _UndoRestoredColumn<Root, Part>: _UndoRestored {
  @usableFromInline
  package let bytes: Range<Int>
  private var cells = _UndoColumn<Cell?>()
  private var pushed: ContiguousArray<Part> = []
  @usableFromInline
  package private(set) var byteCount = 0

  private struct Cell {
    var before, after: Part

    var byteCount: Int {
      MemoryLayout<Cell?>.stride + _UndoWeight.retainedBytes(of: before) + _UndoWeight.retainedBytes(of: after)
    }
  }

  /// How many bytes a property may have, and how they may be aligned.
  @usableFromInline
  package static var isPossible: Bool { MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8 }

  /// - Precondition: A property of this type lies at the offset.
  @usableFromInline
  package init(at offset: Int) {
    bytes = offset..<offset + MemoryLayout<Part>.size
  }

  @usableFromInline
  package var withoutValues: any _UndoRestored { Self(at: bytes.lowerBound) }

  @usableFromInline
  package func isSame(as other: any _UndoRestored) -> Bool { other is Self && bytes == other.bytes }

  // MARK: The value in documents

  private func value(in document: _UnsafeUndoPointer) -> Part {
    unsafe document.part(at: bytes.lowerBound)[as: Part.self]
  }

  private func assign(_ value: Part, in document: _UnsafeUndoPointer) {
    unsafe document.part(at: bytes.lowerBound)[as: Part.self] = value
  }

  @usableFromInline
  package func isSame(_ document: _UnsafeUndoPointer, _ other: _UnsafeUndoPointer) -> Bool {
    _UndoSameness.haveSameParts(value(in: document), value(in: other))
  }

  @usableFromInline
  package func assign(_ source: _UnsafeUndoPointer, _ target: _UnsafeUndoPointer) {
    unsafe target[as: Part.self] = source[as: Part.self]
  }

  // MARK: Values to go back to

  @usableFromInline
  package mutating func push(_ document: _UnsafeUndoPointer) { pushed.append(value(in: document)) }

  @usableFromInline
  package mutating func pop(into document: _UnsafeUndoPointer?) {
    guard let value = pushed.popLast(), let document else { return }
    assign(value, in: document)
  }

  @usableFromInline
  package mutating func popAll() { pushed.removeAll(keepingCapacity: true) }

  // MARK: Values of steps

  private mutating func append(_ cell: Cell?) {
    cells.append(cell)
    byteCount += cell?.byteCount ?? 0
  }

  @usableFromInline
  package mutating func append(_ document: _UnsafeUndoPointer) {
    append(pushed.first.map { Cell(before: $0, after: value(in: document)) })
  }

  @usableFromInline
  package mutating func append(_ next: (any _UndoRestored)?, of stepCount: Int) {
    let next = next as? Self ?? Self(at: bytes.lowerBound)
    cells.append(next.cells, of: stepCount, missing: nil)
    byteCount += next.byteCount
  }

  @usableFromInline
  package mutating func takeLast(_ count: Int) -> any _UndoRestored {
    var taken = Self(at: bytes.lowerBound)
    for cell in cells.takeLast(count).cells { taken.append(cell) }
    byteCount -= taken.byteCount
    return taken
  }

  @usableFromInline
  package mutating func keepLast(_ count: Int) { cells.keepLast(count) }

  @usableFromInline
  package mutating func joinLast() {
    let last = cells[before: 0] ?? nil
    _ = takeLast(1)
    change(before: 0) { cell in
      if let last { cell?.after = last.after } else { cell = nil }
    }
  }

  private mutating func change(before distance: Int, _ change: (inout Cell?) -> Void) {
    guard var cell = cells[before: distance] else { return }
    byteCount -= cell?.byteCount ?? 0
    change(&cell)
    byteCount += cell?.byteCount ?? 0
    cells[before: distance] = cell
  }

  @usableFromInline
  package func hasValues(before distance: Int) -> Bool { byteCount(before: distance) > 0 }

  @usableFromInline
  package func byteCount(before distance: Int) -> Int { (cells[before: distance] ?? nil)?.byteCount ?? 0 }

  @usableFromInline
  package mutating func forget(before distance: Int) { change(before: distance) { $0 = nil } }

  @usableFromInline
  package func restore(_ document: _UnsafeUndoPointer, before distance: Int, isAfter: Bool) {
    guard let cell = cells[before: distance] ?? nil else { return }
    assign(isAfter ? cell.after : cell.before, in: document)
  }

  @usableFromInline
  package mutating func setAfter(_ document: _UnsafeUndoPointer) {
    let value = value(in: document)
    change(before: 0) { $0?.after = value }
  }
}
