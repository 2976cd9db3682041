/// A patch of a collection of which elements are edited.
final class _UndoElementsPatch<Whole, Elements: _UndoElements & Codable>: _UndoPatch<Whole>
where Elements.Index == Int, Elements.Element: Codable {
  /// What happened, with indices counted from the first element: in another process a slice begins at 0.
  enum Change {
    case replaced(Elements)
    case changed(Elements)
    case range(start: Int, count: Int, [Elements.Element])
    case inserted(Int, Elements.Element)
    case removed(Int)
    /// In increasing order; between two of them there are elements.
    case removals([Range<Int>])
    /// As counted with the elements there.
    case insertions([Range<Int>], [Elements.Element])
    case swapped(Int, Int)
    case moved(from: Int, to: Int)
    case element(Int, _UndoPatch<Elements.Element>)

    /// What an edit did; nil where that is not known.
    ///
    /// - Parameter elements: The elements behind it.
    init?(_ change: _UndoChange, in elements: Elements) {
      let result: Change
      switch change {
      case .value: result = .replaced(elements)
      case .range(let splice) where splice.isOfOneElement:
        result = splice.new == 0 ? .removed(splice.start) : .inserted(splice.start, elements[splice.start])
      case .range(let splice):
        let new = splice.start..<splice.start + splice.new
        result = .range(start: splice.start, count: splice.old, Array(elements[new]))
      case .ranges(let splices):
        if splices.allSatisfy({ $0.new == 0 }) {
          result = .removals(splices.map { $0.start..<$0.end })
        } else {
          let ranges = _UndoChange.inverted(splices).map { $0.start..<$0.end }
          result = .insertions(ranges, ranges.flatMap { elements[$0] })
        }
      case .swap(let first, let second): result = .swapped(first, second)
      case .move(let move): result = .moved(from: move.source, to: move.target)
      case .key, .member, .whole: return nil
      }
      self = result.moved(by: -elements.startIndex)
    }

    /// The same with other indices.
    ///
    /// One that becomes too large fits no collection, and must not trap.
    func moved(by distance: Int) -> Change {
      func moved(_ ranges: [Range<Int>]) -> [Range<Int>] {
        ranges.map { $0.lowerBound + distance..<$0.upperBound + distance }
      }
      if distance == 0 { return self }
      return switch self {
      case .replaced, .changed: self
      case .range(let start, let count, let elements): .range(start: start &+ distance, count: count, elements)
      case .inserted(let index, let element): .inserted(index &+ distance, element)
      case .removed(let index): .removed(index &+ distance)
      case .removals(let ranges): .removals(moved(ranges))
      case .insertions(let ranges, let elements): .insertions(moved(ranges), elements)
      case .swapped(let first, let second): .swapped(first &+ distance, second &+ distance)
      case .moved(let source, let target): .moved(from: source &+ distance, to: target &+ distance)
      case .element(let index, let patch): .element(index &+ distance, patch)
      }
    }
  }

  private let part: _UndoElementsPart<Whole, Elements>
  private let change: Change

  init(_ part: _UndoElementsPart<Whole, Elements>, _ number: Int, _ change: Change) {
    self.part = part
    self.change = change
    super.init(number: number)
  }

  override var name: String? { part.name }
  override var bytes: Range<Int> { part.bytes }
  override var textPatch: _UndoTextPatch? {
    if case .element(_, let patch) = change { patch.textPatch } else { nil }
  }
  override var mayBeOfText: Bool {
    switch change {
    case .changed: true
    case .element(_, let patch): patch.mayBeOfText
    default: false
    }
  }

  override func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    guard case .element(let index, let patch) = change else { return }
    let start = unsafe whole.part(at: part.bytes.lowerBound)[as: Elements.self].startIndex
    var element = unsafe whole.part(at: part.bytes.lowerBound)[as: Elements.self][start + index]
    unsafe withUnsafeMutablePointer(to: &element) { element in
      patch.writeText(
        utf8: range, of: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(element)), to: &writer)
    }
  }

  override var isOfField: Bool { if case .element(_, let patch) = change { patch.isOfField } else { false } }
  override var isLost: Bool { if case .element(_, let patch) = change { patch.isLost } else { false } }
  override var hasValueAround: Bool { if case .element(_, let patch) = change { patch.hasValueAround } else { false } }

  override func understood(in whole: Whole, carrying carriers: [_UndoCarrier]) throws -> _UndoPatch<Whole> {
    guard case .element(let index, let patch) = change, patch.isOfField else { return self }
    let elements = part.part(Elements.self, of: whole)
    guard index < elements.count else { throw _UndoMisfit() }
    let element = elements[elements.startIndex + index]
    return _UndoElementsPatch(part, number, .element(index, try patch.understood(in: element, carrying: [])))
  }

  override func isOfSameText(as other: _UndoPatch<Whole>) -> Bool {
    guard number == other.number, case .element(let index, let patch) = change,
      case .element(index, let other) = (other as? _UndoElementsPatch)?.change
    else { return false }
    return patch.isOfSameText(as: other)
  }

  override func replacing(_ range: _UndoTextPatch) -> _UndoPatch<Whole>? {
    guard case .element(let index, let patch) = change else { return nil }
    return patch.replacing(range).map { _UndoElementsPatch(part, number, .element(index, $0)) }
  }

  override func writeChange(to writer: inout _UndoWriter) throws {
    switch change {
    case .replaced(let elements):
      writer.write(.replaced)
      try part.piece.write(elements, to: &writer)
    case .changed(let elements):
      writer.write(.changed)
      try part.piece.write(elements, to: &writer)
    case .range(let start, let count, let elements):
      writer.write(.range)
      writer.write(start)
      writer.write(count)
      writer.write(elements.count)
      for element in elements { try part.element.write(element, to: &writer) }
    case .inserted(let index, let element):
      writer.write(.inserted)
      writer.write(index)
      try part.element.write(element, to: &writer)
    case .removed(let index):
      writer.write(.removed)
      writer.write(index)
    case .removals(let ranges):
      writer.write(.removals)
      writer.write(ranges)
    case .insertions(let ranges, let elements):
      writer.write(.insertions)
      writer.write(ranges)
      for element in elements { try part.element.write(element, to: &writer) }
    case .swapped(let first, let second):
      writer.write(.swapped)
      writer.write(first)
      writer.write(second)
    case .moved(let source, let target):
      writer.write(.moved)
      writer.write(source)
      writer.write(target)
    case .element(let index, let patch):
      writer.write(.element)
      writer.write(index)
      try patch.write(to: &writer)
    }
  }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    let cursor = cursor.part(Elements.self, at: part.bytes.lowerBound)
    let bounds = cursor.readTarget { $0.startIndex..<$0.endIndex }
    func check(_ isFitting: Bool) throws { if !isFitting { throw _UndoMisfit() } }
    switch change.moved(by: bounds.lowerBound) {
    case .replaced(let elements): cursor.replace(with: elements)
    case .changed(let elements): cursor.change(to: elements)
    case .range(let start, let count, let elements):
      try check(start >= bounds.lowerBound && start <= bounds.upperBound && count <= bounds.upperBound - start)
      cursor.exchange(start..<start + count, with: elements)
    case .inserted(let index, let element):
      try check(bounds.contains(index) || index == bounds.upperBound)
      cursor.insert(element, at: index)
    case .removed(let index):
      try check(bounds.contains(index))
      cursor.remove(at: index)
    case .removals(let ranges):
      try check(!ranges.isEmpty && ranges[0].lowerBound >= bounds.lowerBound)
      try check(ranges[ranges.count - 1].upperBound <= bounds.upperBound)
      cursor.remove(ranges)
    case .insertions(let ranges, let elements):
      try check(!ranges.isEmpty && ranges[0].lowerBound >= bounds.lowerBound)
      try check(ranges[ranges.count - 1].upperBound <= bounds.upperBound + elements.count)
      cursor.insert(elements, at: ranges)
    case .swapped(let first, let second):
      try check(bounds.contains(first) && bounds.contains(second))
      cursor.exchange(first, second)
    case .moved(let source, let target):
      try check(bounds.contains(source) && bounds.contains(target))
      cursor.move(source, target)
    case .element(let index, let patch):
      try check(bounds.contains(index) && index >= 0 && index < .largestUndoIndex && cursor.offset < 1 << 24)
      try patch.apply(at: cursor.elementCursor(at: index), text)
    }
  }
}

extension UndoCursor where Target: _UndoElements, Target.Index == Int {
  // What the cursor's own methods take for no edit was one when the patch was made.

  fileprivate func exchange(_ range: Range<Int>, with elements: [Target.Element]) {
    let old = modifyTarget { $0.exchange(range, with: Target(elements)) }
    recordSplice(start: range.lowerBound, count: elements.count, other: old)
  }

  fileprivate func exchange(_ first: Int, _ second: Int) {
    modifyTarget { $0.swapAt(first, second) }
    access.log.record(_UndoSwapAt<Anchor, Target>(anchor, first, second), offset: offset)
  }

  /// Moves an element, maybe to where it is: all that it was moved past has gone.
  fileprivate func move(_ source: Int, _ target: Int) {
    modifyTarget { $0.move(from: source, to: target) }
    access.log.record(_UndoMove<Anchor, Target>(anchor, current: target, other: source), offset: offset)
  }

  /// Removes the elements in ranges, which lie in the collection in increasing order with others between them.
  fileprivate func remove(_ ranges: [Range<Int>]) {
    let absent = modifyTarget { $0.remove(from: ranges) }
    access.log.record(_UndoRemovals(anchor, ranges: ranges, absent: absent), offset: offset)
  }
}

extension UndoCursor where Target: _UndoElements, Target.Index == Int {
  /// Inserts elements so that they lie in ranges.
  fileprivate func insert(_ elements: [Target.Element], at ranges: [Range<Int>]) {
    modifyTarget { $0.insert(Target(elements), at: ranges) }
    access.log.record(_UndoRemovals<Anchor, Target>(anchor, ranges: ranges, absent: nil), offset: offset)
  }
}

extension _UndoWriter {
  /// Writes ranges in increasing order: of each how far it lies behind the one before, and its length.
  fileprivate mutating func write(_ ranges: [Range<Int>]) {
    write(ranges.count)
    var end = 0
    for range in ranges {
      write(range.lowerBound - end)
      write(range.count)
      end = range.upperBound
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

// MARK: - Dictionaries and sets

/// A patch of one key of a dictionary.
final class _UndoEntryPatch<Whole, Key: Hashable & Codable, Element: Codable>: _UndoPatch<Whole> {
  private let part: _UndoEntriesPart<Whole, Key, Element>
  private let key: Key
  /// Nil where the key went.
  private let value: Element?

  init(_ part: _UndoEntriesPart<Whole, Key, Element>, _ number: Int, _ key: Key, _ value: Element?) {
    (self.part, self.key, self.value) = (part, key, value)
    super.init(number: number)
  }

  override var name: String? { part.name }
  override var bytes: Range<Int> { part.bytes }

  override func writeChange(to writer: inout _UndoWriter) throws {
    writer.write(value == nil ? .absent : .entry)
    try part.key.write(key, to: &writer)
    if let value { try part.element.write(value, to: &writer) }
  }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    let cursor = cursor.part([Key: Element].self, at: part.bytes.lowerBound)
    // What is to go must be there.
    if key != key || value == nil && cursor.readTarget({ $0[key] == nil }) { throw _UndoMisfit() }
    cursor.exchange(key, value) { _, _ in false }
  }
}

/// A patch of one member of a set.
final class _UndoMemberPatch<Whole, Member: Hashable & Codable>: _UndoPatch<Whole> {
  private let part: _UndoMembersPart<Whole, Member>
  private let member: Member
  private let isThere: Bool

  init(_ part: _UndoMembersPart<Whole, Member>, _ number: Int, _ member: Member, isThere: Bool) {
    (self.part, self.member, self.isThere) = (part, member, isThere)
    super.init(number: number)
  }

  override var name: String? { part.name }
  override var bytes: Range<Int> { part.bytes }

  override func writeChange(to writer: inout _UndoWriter) throws {
    writer.write(isThere ? .entry : .absent)
    try part.member.write(member, to: &writer)
  }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    let cursor = cursor.part(Set<Member>.self, at: part.bytes.lowerBound)
    // What is to go must be there.
    if member != member || !isThere && !cursor.readTarget({ $0.contains(member) }) { throw _UndoMisfit() }
    if isThere { cursor.insert(member) } else { cursor.remove(member) }
  }
}
