/// A restored position as steps keep it: a caret or a selection in UTF-8, or a row.
///
/// The text or the array in which it lies (`_UndoPositionSpace`) is here, too: it reads and writes the property,
/// converts its unit, and moves the position over edits.
///
///     caret        | offset | offset |      selection   | start | end |
///     row          | index  | count of rows |           no position   | .min | .min |
///
/// Edits are described in the same units. So a position is moved over an edit without the document of its state.
struct _UndoRestoredPosition: Equatable {
  var start: Int
  /// The end of a selection, or the number of rows.
  ///
  /// It is `start` again if the array has no row with this index.
  var end: Int

  static var none: Self { Self(start: .min, end: .min) }

  /// Whether there is no position: nil, or the largest number, which stands for none in Foundation.
  var isNone: Bool { start == .min || start == .max }
}

/// The text or the array in which a restored position lies, and the unit in which the position counts.
///
/// It reads a position from a document, writes it there, and moves it over edits. All edits of the text or the array
/// count, but not those inside of a row.
@usableFromInline
package struct _UndoPositionSpace {
  /// Where the text or the array lies in the document.
  let container: _UndoPartRange
  /// Whether the position is the index of a row, and whether it can be nil.
  private let isRow: Bool
  private let isOptional: Bool
  /// Whether reading and writing a position needs the text or the array.
  let needsContainer: Bool
  private let bounds: (_ position: _UnsafeUndoPointer) -> Range<Int>?
  private let setBounds: (_ position: _UnsafeUndoPointer, Range<Int>?) -> Void
  /// The position that a property has, as steps keep it.
  let encoded: (_UndoRestoredPosition, _ document: _UnsafeUndoPointer) -> _UndoRestoredPosition
  /// The position that steps keep, as its property has it.
  let decoded: (_UndoRestoredPosition, _ document: _UnsafeUndoPointer) -> _UndoRestoredPosition

  @usableFromInline
  init<Position: UndoMovablePosition, Container: UndoPositionContainer>(
    of type: Position.Type, in container: Container.Type, at offset: Int, _ unit: UndoTextUnit
  ) {
    self.container = _UndoPartRange(Container.self, at: offset)
    let isRange = Position.self == Range<Int>.self || Position.self == Range<Int>?.self
    let isUTF16 = Container.self == String.self && unit == .utf16
    (isRow, isOptional) = (Container.self != String.self && !isRange, Position(_bounds: nil)._bounds == nil)
    needsContainer = isRow || isUTF16
    bounds = { unsafe $0[as: Position.self]._bounds }
    setBounds = { unsafe $0[as: Position.self] = Position(_bounds: $1) }
    if isRow {
      func count(_ document: _UnsafeUndoPointer) -> Int { unsafe document.part(at: offset)[as: Container.self].count }
      encoded = { row, document in
        let known = _UndoRestoredPosition(start: row.start, end: count(document))
        return known.isRow ? known : row
      }
      decoded = { row, document in row.isRow ? row.clamped(toCount: count(document)) : row }
    } else if isUTF16 {
      encoded = { $0.mapped(unsafe $1.part(at: offset)[as: String.self].utf8Offset(utf16:)) }
      decoded = { $0.mapped(unsafe $1.part(at: offset)[as: String.self].utf16Offset(utf8:)) }
    } else {
      (encoded, decoded) = ({ position, _ in position }, { position, _ in position })
    }
  }

  // MARK: In a document

  /// The position as its property has it; the property lies at the given bytes.
  func read(_ document: _UnsafeUndoPointer, at bytes: Range<Int>) -> _UndoRestoredPosition {
    bounds(document.part(at: bytes.lowerBound)).map {
      _UndoRestoredPosition(start: $0.lowerBound, end: $0.upperBound)
    } ?? .none
  }

  func write(_ position: _UndoRestoredPosition, to document: _UnsafeUndoPointer, at bytes: Range<Int>) {
    let bounds = isOptional && position.start == .min ? nil : position.start..<max(position.start, position.end)
    setBounds(document.part(at: bytes.lowerBound), bounds)
  }

  // MARK: Moving

  /// The position after edits that are made in this order.
  func moved(_ position: _UndoRestoredPosition, over edits: [_UndoEdit]) -> _UndoRestoredPosition {
    edits.reduce(into: position) { move(&$0, over: $1) }
  }

  /// The position of a step after edits that changed places with the step.
  ///
  /// A caret stays at the text that the step edits. For all others, the step doesn't matter.
  ///
  /// - Parameters:
  ///   - step: The step's edits in the state of the position, away from it.
  ///   - movedStep: The same edits after the others.
  func moved(
    _ position: _UndoRestoredPosition, over edits: [_UndoEdit], with step: [_UndoEdit], now movedStep: [_UndoEdit]
  ) -> _UndoRestoredPosition {
    var place = position
    guard !isRow, !place.isNone, place.start == place.end else { return moved(position, over: edits) }
    for (edit, movedEdit) in zip(step, movedStep) where edit.levels.count == 0 && edit.part == container {
      for (splice, movedSplice) in zip(edit.change.splices, movedEdit.change.splices)
      where splice.start <= place.start && place.start <= splice.end {
        let moved = position.start + movedSplice.start - splice.start
        return _UndoRestoredPosition(start: moved, end: moved)
      }
      move(&place, over: edit)
    }
    return moved(position, over: edits)
  }

  private func move(_ position: inout _UndoRestoredPosition, over edit: _UndoEdit) {
    guard edit.levels.count == 0, edit.part.overlaps(container) else { return }
    let change = edit.part == container ? edit.change : .whole
    if isRow {
      if position.isRow { position.moveRow(over: change, isOptional: isOptional) }
    } else if !position.isNone {
      position.moveOffsets(over: change)
    }
  }
}

extension _UndoRestoredPosition {
  /// Whether a row has this index.
  fileprivate var isRow: Bool { start >= 0 && start < end }

  fileprivate func clamped(toCount count: Int) -> Self { Self(start: max(0, min(start, count - 1)), end: count) }

  fileprivate func mapped(_ offset: (Int) -> Int) -> Self {
    if isNone { return self }
    let start = offset(start)
    return Self(start: start, end: self.start == end ? start : offset(end))
  }

  /// If the row was removed, the position is nil, or else the same index, but at most that of the last row.
  fileprivate mutating func moveRow(over change: _UndoChange, isOptional: Bool) {
    // Nothing is known about an array that was replaced as a whole.
    let isKnown = change != .whole && change != .value
    let count = isKnown && end != .max ? max(0, end + change.growth) : .max
    if let index = change.index(after: start) {
      (start, end) = (index, count)
    } else {
      self = isOptional ? .none : clamped(toCount: count)
    }
  }

  /// Moves a caret or a selection.
  ///
  /// A caret stays before text that is inserted there, and a selection doesn't grow. Inside of a removed range, both
  /// move to the start of the range.
  fileprivate mutating func moveOffsets(over change: _UndoChange) {
    if change == .value || change == .whole { return (start, end) = (min(start, 0), min(end, 0)) }
    var growth = 0
    for splice in change.splices {
      let splice = splice.moved(by: growth)
      let isCaret = start == end
      start = splice.offset(after: start, staysBefore: isCaret)
      end = isCaret ? start : max(start, splice.offset(after: end, staysBefore: true))
      growth += splice.growth
    }
  }
}

extension _UndoChange.Splice {
  /// An offset after this edit, which stays before inserted text or not.
  fileprivate func offset(after offset: Int, staysBefore: Bool) -> Int {
    if offset < start || offset == start && (old > 0 || staysBefore) || offset == .max { return offset }
    return offset < end ? start : offset &+ growth
  }
}

extension String {
  /// The UTF-8 offset of a UTF-16 offset.
  ///
  /// The offset between two surrogates becomes the one between the second and the third byte.
  fileprivate func utf8Offset(utf16 offset: Int) -> Int { converted(offset, from: utf16, to: utf8, withinScalar: 2) }

  /// The UTF-16 offset of a UTF-8 offset.
  fileprivate func utf16Offset(utf8 offset: Int) -> Int { converted(offset, from: utf8, to: utf16, withinScalar: 1) }

  /// Converts an offset from one unit to another; one beyond the text stays as far from the end.
  private func converted<Units: BidirectionalCollection, Others: BidirectionalCollection>(
    _ offset: Int, from units: Units, to others: Others, withinScalar more: Int
  ) -> Int where Units.Index == Index, Others.Index == Index {
    guard 1...Int.max / 2 ~= offset else { return offset }
    guard let index = units.index(startIndex, offsetBy: offset, limitedBy: endIndex) else {
      return others.count + offset - units.count
    }
    return others.distance(from: startIndex, to: index) + (index.samePosition(in: unicodeScalars) == nil ? more : 0)
  }
}
