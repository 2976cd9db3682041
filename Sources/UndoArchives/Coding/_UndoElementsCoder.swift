internal import UndoHistories

/// Makes, reads and applies patches of arrays and other collections with integer indices.
///
/// Their elements are edited, inserted, removed and moved. `_UndoPatch+Bytes` writes the patches. The type that finds
/// this coder for a type known only at run time is here, too (`_UndoElementwise`).
enum _UndoElementsCoder<Elements: _UndoElements & Codable>: _UndoCoder
where Elements.Index == Int, Elements.Element: Codable {
  typealias Value = Elements

  static var inner: any Codable.Type { Elements.Element.self }

  static var shape: String {
    let isArray = Elements.self == [Elements.Element].self
    return "\(isArray ? "*" : "+")\(_undoCoder(of: Elements.Element.self).shape)"
  }

  static func withElement(
    at index: Int, of value: _UnsafeUndoPointer, _ body: (_UnsafeUndoPointer) throws -> Void
  ) throws {
    let (start, count) = unsafe (value[as: Elements.self].startIndex, value[as: Elements.self].count)
    guard index < count else { throw UndoFormError.unfit }
    var element = unsafe value[as: Elements.self][start + index]
    try unsafe withUnsafeMutablePointer(to: &element) { try body(unsafe _UnsafeUndoPointer($0)) }
  }

  static func change(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? {
    guard level.isAll(of: Elements.self) else { return nil }
    let (edit, elements) = (description.edit, unsafe level.value[as: Elements.self])
    let start = elements.startIndex
    guard level.isInnermost(of: edit) else {
      let index = edit.levels[level.depth].index - start
      let coder = description.schema.coder(of: Elements.Element.self)
      description.path.append(.element(index, coder))
      var change: _UndoPatch.Change?
      try? withElement(at: index, of: level.value) {
        change = coder.describe(&description, _UndoLevelOfEdit(edit, of: $0, depth: level.depth + 1))
      }
      return change
    }
    var change = edit.change
    if case .ranges(let splices) = change, splices.contains(where: { $0.old > 0 }),
      splices.contains(where: { $0.new > 0 }),
      case .elements(.range(let old, let new)) = _UndoChange.kind(of: splices)
    {
      // If some elements were removed and others inserted, everything from the first to the last is replaced.
      change = .range(.init(start: old.lowerBound, old: old.count, new: new.count))
    }
    switch change {
    case .range, .ranges, .swap, .move, .reversed:
      let insertedElements = _UndoChange.inverted(change.splices).flatMap { elements[$0.start..<$0.end] }
      return .elements(change.moved(by: -start), insertedElements)
    case .value, .key, .member, .whole: return nil
    }
  }

  static func read(_ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    if kind == .element {
      let index = try reader.readCount()
      let coder = reader.schema.coder(of: Elements.Element.self)
      let patch = try coder.read(reader.readCount(), from: &reader, type: type)
      return patch.behind([.element(index, coder)], in: Self.self)
    }
    let change = try reader.readChangeOfElements(kind)
    let insertedCount = change.splices.reduce(0) { $0 + $1.new }
    let insertedElements = try reader.readAll(insertedCount) { try $0.readValue(Elements.Element.self) }
    return patch(.elements(change, insertedElements))
  }

  static func applyToElement(
    at index: Int, by coder: any _UndoCoder.Type, _ patch: _UndoPatch, from depth: Int,
    at cursor: borrowing UndoCursor<some UndoPlace, Elements>
  ) throws -> Bool {
    let bounds = cursor.readTarget { $0.startIndex..<$0.endIndex }
    let index = index &+ bounds.lowerBound
    guard bounds.contains(index), index >= 0, index < .largestUndoIndex, cursor.offset < 1 << 24 else {
      throw UndoFormError.unfit
    }
    let element = cursor.elementCursor(at: index)
    return try coder.apply(patch, from: depth, element.access, element.place, offset: element.offset)
  }

  static func apply(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<some UndoPlace, Elements>) throws {
    let (start, count) = cursor.readTarget { ($0.startIndex, $0.count) }
    guard case .elements(let change, let insertedElements) = change, change.fits(count) else {
      throw UndoFormError.unfit
    }
    cursor.make(change.moved(by: start), try _UndoPatch.value(insertedElements))
  }
}

/// Leads from any type to the coder of its elements, if it is a collection with integer indices.
enum _UndoElementwise<Elements> {}

extension _UndoElementwise: _UndoCodedCollection
where Elements: _UndoElements & Codable, Elements.Index == Int, Elements.Element: Codable {
  static var coder: any _UndoCoder.Type { _UndoElementsCoder<Elements>.self }
}
