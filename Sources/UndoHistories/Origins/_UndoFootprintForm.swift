/// How footprints are read off the payloads of one operation, and how a payload is moved to another footprint.
///
/// Closures made once for the type of the delta: of most they read numbers at offsets that are known then.
final class _UndoFootprintForm {
  /// What the form is of.
  let delta: Any.Type
  /// The collections on the way, outermost first.
  private let collections: [_UndoPartRange]
  private let partSize: Int
  private let partType: ObjectIdentifier
  private let change: (_UnsafeUndoPointer) -> _UndoFootprint.Change
  private let move: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool

  /// - Parameter payload: One of the deltas of the type.
  init<Delta: _UndoFootprinted>(_ type: Delta.Type, _ payload: _UnsafeUndoPointer) {
    assert(MemoryLayout<Delta>.offset(of: \Delta.anchor) ?? 0 == 0, "the anchor comes first")
    var levels: [_UndoLevel] = []
    unsafe payload[as: Delta.self].anchor.appendLevels(to: &levels)
    delta = type
    collections = levels.map(\.collection)
    (partSize, partType) = (Delta.footprintPart.size, Delta.footprintPart.type)
    (change, move) = (Delta.footprintChange, Delta.footprintMove)
  }

  /// The footprint of what the next exchange of a payload does.
  func footprint(ofExchanging payload: _UnsafeUndoPointer, argument: Int) -> _UndoFootprint {
    var footprint = _UndoFootprint(
      part: _UndoPartRange(offset: argument, size: partSize, type: partType), change: change(payload))
    for depth in collections.indices {
      let collection = collections[depth]
      let path = unsafe payload.part(at: depth * 8)[as: _UndoElementPath.self]
      footprint.levels.append(
        _UndoLevel(
          _UndoPartRange(offset: path.offset, size: collection.size, type: collection.type), index: path.index))
    }
    return footprint
  }

  /// Whether the part of the document around an edit overlaps one of some.
  func mayOverlap(_ ranges: [_UndoPartRange], _ payload: _UnsafeUndoPointer, argument: Int) -> Bool {
    let (offset, size): (Int, Int)
    if collections.isEmpty {
      (offset, size) = (argument, partSize)
    } else {
      (offset, size) = (unsafe payload[as: _UndoElementPath.self].offset, collections[0].size)
    }
    for range in ranges where offset < range.offset + range.size && range.offset < offset + size { return true }
    return false
  }

  /// Lets a payload do what it does in another footprint; false where it has no room for that.
  func move(_ payload: _UnsafeUndoPointer, to footprint: _UndoFootprint) -> Bool {
    for depth in 0..<footprint.levels.count {
      let level = footprint.levels[depth]
      guard level.index >= 0, level.index < .largestUndoIndex else { return false }
      unsafe payload.part(at: depth * 8)[as: _UndoElementPath.self] = _UndoElementPath(
        level.index, offset: level.collection.offset)
    }
    return move(payload, footprint.change)
  }
}

/// A delta that tells its footprint.
protocol _UndoFootprinted: _UndoDelta {
  associatedtype Way: _UndoAnchor

  /// Comes first in the delta.
  var anchor: Way { get }

  /// The size and the type of the part.
  static var footprintPart: (size: Int, type: ObjectIdentifier) { get }

  /// Reads what the next exchange of a delta at an address does.
  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change { get }

  /// Moves a delta at an address; what it puts there stays.
  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool { get }
}

extension _UndoFootprinted {
  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool { { _, _ in true } }

  fileprivate static func part<Part>(_ type: Part.Type) -> (size: Int, type: ObjectIdentifier) {
    (MemoryLayout<Part>.size, ObjectIdentifier(type))
  }

  fileprivate static func offset(of keyPath: PartialKeyPath<Self>) -> Int {
    guard let offset = MemoryLayout<Self>.offset(of: keyPath) else { preconditionFailure("The property is stored") }
    return offset
  }

  /// A function that reads a number.
  fileprivate static func number(at offset: Int) -> (_UnsafeUndoPointer) -> Int {
    { unsafe $0.part(at: offset)[as: Int.self] }
  }

  /// A function that writes where a splice begins.
  fileprivate static func writeStart(at offset: Int) -> (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    { payload, change in
      guard case .splice(let splice) = change else { return false }
      unsafe payload.part(at: offset)[as: Int.self] = splice.start
      return true
    }
  }
}

extension _UndoReplacement: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Part.self) }
  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change { { _ in .value } }
}

extension _UndoTextSplice: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(String.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    let layout = numbers
    return { payload in
      let numbers = layout.read(payload)
      return .splice(.init(start: numbers.start, old: numbers.count, new: numbers.removed))
    }
  }

  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    { payload, change in
      guard case .splice(let splice) = change, Offset(exactly: splice.start + max(splice.old, splice.new)) != nil else {
        return false
      }
      unsafe payload[as: Self.self].start = Offset(splice.start)
      return true
    }
  }
}

extension _UndoSplice: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Elements.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    let (start, count) = (number(at: offset(of: \Self.start)), number(at: offset(of: \Self.count)))
    return { payload in
      .splice(.init(start: start(payload), old: count(payload), new: unsafe payload[as: Self.self].other.count))
    }
  }

  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    writeStart(at: offset(of: \Self.start))
  }
}

extension _UndoPresence: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Elements.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    let index = number(at: offset(of: \Self.index))
    return { payload in
      let isThere = unsafe payload[as: Self.self].absent == nil
      return .splice(.init(start: index(payload), old: isThere ? 1 : 0, new: isThere ? 0 : 1))
    }
  }

  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    writeStart(at: offset(of: \Self.index))
  }
}

extension _UndoRemovals: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Elements.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    { payload in
      let ranges = unsafe payload[as: Self.self].ranges
      if unsafe payload[as: Self.self].absent == nil {
        return .splices(ranges.map { .init(start: $0.lowerBound, old: $0.count, new: 0) })
      }
      var added = 0
      return .splices(
        ranges.map { range in
          defer { added += range.count }
          return .init(start: range.lowerBound - added, old: 0, new: range.count)
        })
    }
  }

  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    let offset = offset(of: \Self.ranges)
    return { payload, change in
      guard case .splices(let splices) = change else { return false }
      var (ranges, added): ([Range<Int>], Int) = ([], 0)
      for splice in splices {
        let start = splice.start + added
        let end = start + max(splice.old, splice.new)
        added += splice.new
        // What lay between two ranges may have gone.
        if let last = ranges.last, last.upperBound == start {
          ranges[ranges.count - 1] = last.lowerBound..<end
        } else {
          ranges.append(start..<end)
        }
      }
      unsafe payload.part(at: offset)[as: [Range<Int>].self] = ranges
      return true
    }
  }
}

extension _UndoSwapAt: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Elements.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    let (first, second) = (number(at: offset(of: \Self.first)), number(at: offset(of: \Self.second)))
    return { .swap(first($0), second($0)) }
  }

  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    let (first, second) = (offset(of: \Self.first), offset(of: \Self.second))
    return { payload, change in
      guard case .swap(let i, let j) = change else { return false }
      unsafe payload.part(at: first)[as: Int.self] = i
      unsafe payload.part(at: second)[as: Int.self] = j
      return true
    }
  }
}

extension _UndoMove: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Elements.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    let (current, other) = (number(at: offset(of: \Self.current)), number(at: offset(of: \Self.other)))
    return { payload in
      let (source, target) = (current(payload), other(payload))
      return .move(.init(source: source, gap: target < source ? target : target + 1))
    }
  }

  static var footprintMove: (_UnsafeUndoPointer, _UndoFootprint.Change) -> Bool {
    { payload, change in
      guard case .move(let move) = change else { return false }
      unsafe (payload[as: Self.self].current, payload[as: Self.self].other) = (move.source, move.target)
      return true
    }
  }
}

extension _UndoEntry: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part([Key: Element].self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    { unsafe .key(.init(AnyHashable($0[as: Self.self].key))) }
  }
}

extension _UndoMember: _UndoFootprinted {
  static var footprintPart: (size: Int, type: ObjectIdentifier) { part(Set<Member>.self) }

  static var footprintChange: (_UnsafeUndoPointer) -> _UndoFootprint.Change {
    { unsafe .member(.init(AnyHashable($0[as: Self.self].member))) }
  }
}

// MARK: - Boxes

/// A delta that holds another one, of which the footprint is.
protocol _UndoBoxing {
  func withDelta<Result>(_ body: (Any.Type, _UnsafeUndoPointer) -> Result) -> Result
}

extension _UndoBoxedDelta: _UndoBoxing {
  func withDelta<Result>(_ body: (Any.Type, _UnsafeUndoPointer) -> Result) -> Result {
    var result: Result?
    box.withDelta { result = body($0, $1) }
    guard let result else { preconditionFailure("a box calls the closure") }
    return result
  }
}

/// The forms of the operations of a log, by their indices.
struct _UndoFootprintForms {
  private var forms: [_UndoFootprintForm?] = []

  /// The footprint of what the next exchange of a record's payload does.
  mutating func footprint(ofExchanging record: _UndoLog.Record, of operations: _UnsafeUndoOperationTable)
    -> _UndoFootprint
  {
    if let form = knownForm(record.header.operation, of: operations) {
      return unsafe form.footprint(ofExchanging: record.payload, argument: record.header.argument)
    }
    return unsafe withForm(record.header.operation, record.payload, of: operations) { form, payload in
      guard let form else {
        return _UndoFootprint(part: _UndoPartRange(offset: 0, size: .max, type: .init(Never.self)), change: .whole)
      }
      return form.footprint(ofExchanging: payload, argument: record.header.argument)
    }
  }

  /// Whether the edit of a record may overlap one of some parts of the document.
  mutating func mayOverlap(
    _ record: _UndoLog.Record, _ ranges: [_UndoPartRange], of operations: _UnsafeUndoOperationTable
  ) -> Bool {
    if let form = knownForm(record.header.operation, of: operations) {
      return unsafe form.mayOverlap(ranges, record.payload, argument: record.header.argument)
    }
    return unsafe withForm(record.header.operation, record.payload, of: operations) { form, payload in
      form?.mayOverlap(ranges, payload, argument: record.header.argument) ?? true
    }
  }

  /// Lets a payload do what it does in another footprint; false where it has no room for that.
  mutating func move(
    _ payload: _UnsafeUndoPointer, _ operation: _UndoOperationIndex, of operations: _UnsafeUndoOperationTable,
    to footprint: _UndoFootprint
  ) -> Bool {
    withForm(operation, payload, of: operations) { form, payload in
      form?.move(payload, to: footprint) ?? false
    }
  }

  private func knownForm(
    _ index: _UndoOperationIndex, of operations: _UnsafeUndoOperationTable
  ) -> _UndoFootprintForm? {
    guard index.value < forms.count, let form = forms[index.value], operations.with(index, { $0.delta == form.delta })
    else { return nil }
    return form
  }

  private mutating func withForm<Result>(
    _ index: _UndoOperationIndex, _ payload: _UnsafeUndoPointer, of operations: _UnsafeUndoOperationTable,
    _ body: (_UndoFootprintForm?, _UnsafeUndoPointer) -> Result
  ) -> Result {
    if let form = knownForm(index, of: operations) { return body(form, payload) }
    let operation = operations[index]
    if let type = operation.delta as? any _UndoBoxing.Type {
      func withDelta<Boxing: _UndoBoxing>(_ type: Boxing.Type) -> Result {
        unsafe payload[as: Boxing.self].withDelta { body(makeForm($0, $1), $1) }
      }
      return withDelta(type)
    }
    let form = makeForm(operation.delta, payload)
    while forms.count <= index.value { forms.append(nil) }
    forms[index.value] = form
    return body(form, payload)
  }

  private func makeForm(_ delta: Any.Type, _ payload: _UnsafeUndoPointer) -> _UndoFootprintForm? {
    func form<Delta: _UndoFootprinted>(_ type: Delta.Type) -> _UndoFootprintForm { _UndoFootprintForm(type, payload) }
    return (delta as? any _UndoFootprinted.Type).map { form($0) }
  }
}
