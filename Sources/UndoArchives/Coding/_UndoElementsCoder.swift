internal import UndoHistories

/// Collections of which elements are edited.
enum _UndoElementsCoder<Elements: _UndoElements & Codable>: _UndoCoder
where Elements.Index == Int, Elements.Element: Codable {
  typealias Value = Elements

  static var inner: any Codable.Type { Elements.Element.self }

  static func withElement(
    at index: Int, of value: _UnsafeUndoPointer, _ body: (_UnsafeUndoPointer) throws -> Void
  ) throws {
    let (start, count) = unsafe (value[as: Elements.self].startIndex, value[as: Elements.self].count)
    guard index < count else { throw _UndoMisfit() }
    var element = unsafe value[as: Elements.self][start + index]
    try unsafe withUnsafeMutablePointer(to: &element) { element in
      try body(unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(element)))
    }
  }

  static func change(
    _ description: inout _UndoDescription, _ level: _UndoLevelOfEdit, of value: _UnsafeUndoPointer
  ) -> _UndoPatch.Change? {
    guard level.isAll(of: Elements.self) else { return nil }
    let (edit, elements) = (description.edit, unsafe value[as: Elements.self])
    let start = elements.startIndex
    guard level.isInnermost(of: edit) else {
      let index = edit.levels[level.depth].index - start
      let coder = description.schema.coder(of: Elements.Element.self)
      description.path.append(.element(index, coder))
      var change: _UndoPatch.Change?
      try? withElement(at: index, of: value) {
        change = coder.describe(&description, _UndoLevelOfEdit(edit, depth: level.depth + 1), of: $0)
      }
      return change
    }
    switch edit.change {
    case .range(let splice) where splice.isOfOneElement:
      let index = splice.start - start
      return splice.new == 0 ? .removed(index) : .inserted(index, _UndoPatchPiece(elements[splice.start]))
    case .range(let splice):
      let new = Array(elements[splice.start..<splice.start + splice.new])
      return .range(start: splice.start - start, count: splice.old, _UndoPatchPiece(elements: new))
    case .ranges(let splices) where splices.allSatisfy({ $0.new == 0 }):
      return .removals(splices.map { $0.start - start..<$0.end - start })
    case .ranges(let splices) where splices.allSatisfy({ $0.old == 0 }):
      let new = _UndoChange.inverted(splices).map { $0.start..<$0.end }
      let inserted = _UndoPatchPiece(elements: new.flatMap { elements[$0] })
      return .insertions(new.map { $0.lowerBound - start..<$0.upperBound - start }, inserted)
    case .ranges(let splices):
      // Some went and others came: all from the first to the last.
      guard case .range(let old, let new) = _UndoChange.kind(of: splices) else { return nil }
      return .range(start: old.lowerBound - start, count: old.count, _UndoPatchPiece(elements: Array(elements[new])))
    case .swap(let first, let second): return .swapped(first - start, second - start)
    case .move(let move): return .moved(from: move.source - start, to: move.target - start)
    case .value, .key, .member, .whole: return nil
    }
  }

  static func read(
    _ kind: _UndoPatchKind, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch {
    let form = _UndoPieceForm<Elements.Element>()
    switch kind {
    case .range:
      let (start, removed) = (try reader.readCount(), try reader.readCount())
      var elements: [Elements.Element] = []
      for _ in 0..<(try reader.readCount()) { elements.append(try form.read(from: &reader)) }
      return patch(.range(start: start, count: removed, _UndoPatchPiece(elements: elements)))
    case .inserted: return patch(.inserted(try reader.readCount(), _UndoPatchPiece(try form.read(from: &reader))))
    case .removed: return patch(.removed(try reader.readCount()))
    case .removals: return patch(.removals(try reader.readRanges()))
    case .insertions:
      let ranges = try reader.readRanges()
      var inserted: [Elements.Element] = []
      for range in ranges { for _ in range { inserted.append(try form.read(from: &reader)) } }
      return patch(.insertions(ranges, _UndoPatchPiece(elements: inserted)))
    case .swapped: return patch(.swapped(try reader.readCount(), try reader.readCount()))
    case .moved: return patch(.moved(from: try reader.readCount(), to: try reader.readCount()))
    case .element:
      let index = try reader.readCount()
      let coder = schema.coder(of: Elements.Element.self)
      return try coder.read(from: &reader, type: type, schema).behind([.element(index, coder)], in: Self.self)
    default: throw reader.damage
    }
  }

  static func applyToElement<Anchor: _UndoAnchor>(
    at index: Int, by coder: any _UndoCoder.Type, _ patch: _UndoPatch, from depth: Int,
    at cursor: borrowing UndoCursor<Anchor, Elements>
  ) throws -> Bool {
    let bounds = cursor.readTarget { $0.startIndex..<$0.endIndex }
    let index = index &+ bounds.lowerBound
    guard bounds.contains(index), index >= 0, index < .largestUndoIndex, cursor.offset < 1 << 24 else {
      throw _UndoMisfit()
    }
    let element = cursor.elementCursor(at: index)
    return try coder.apply(patch, from: depth, element.access, element.anchor, offset: element.offset)
  }

  /// Indices that become too large fit no collection, and must not trap.
  static func apply<Anchor: _UndoAnchor>(_ change: _UndoPatch.Change, at cursor: inout UndoCursor<Anchor, Elements>)
    throws
  {
    let bounds = cursor.readTarget { $0.startIndex..<$0.endIndex }
    let first = bounds.lowerBound
    func check(_ isFitting: Bool) throws { if !isFitting { throw _UndoMisfit() } }
    func index(_ index: Int, isEndToo: Bool = false) throws -> Int {
      let index = index &+ first
      try check(bounds.contains(index) || isEndToo && index == bounds.upperBound)
      return index
    }
    func moved(_ ranges: [Range<Int>], within count: Int) throws -> [Range<Int>] {
      try check(ranges.last.map { $0.upperBound <= count } ?? false)
      return ranges.map { $0.lowerBound + first..<$0.upperBound + first }
    }
    switch change {
    case .range(let start, let count, let elements):
      let start = try index(start, isEndToo: true)
      try check(count <= bounds.upperBound - start)
      cursor.exchange(start..<start + count, with: try elements.value())
    case .inserted(let place, let element):
      cursor.insert(try element.value(), at: try index(place, isEndToo: true))
    case .removed(let place): cursor.remove(at: try index(place))
    case .removals(let ranges): cursor.remove(try moved(ranges, within: bounds.count))
    case .insertions(let ranges, let elements):
      let elements = try elements.value(as: [Elements.Element].self)
      cursor.insert(elements, at: try moved(ranges, within: bounds.count + elements.count))
    case .swapped(let one, let other): cursor.exchange(try index(one), try index(other))
    case .moved(let source, let target): cursor.move(try index(source), try index(target))
    default: throw _UndoMisfit()
    }
  }
}

extension _UndoReader {
  mutating func readRanges() throws -> [Range<Int>] {
    var (ranges, end): ([Range<Int>], Int) = ([], 0)
    for index in 0..<(try readCountOfBytes()) {
      let (distance, count) = (try readCount(), try readCount())
      guard count > 0, distance > 0 || index == 0, end < .largestUndoCount else { throw damage }
      ranges.append(end + distance..<end + distance + count)
      end += distance + count
    }
    return ranges
  }
}
