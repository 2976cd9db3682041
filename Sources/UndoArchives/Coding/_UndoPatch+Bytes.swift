internal import UndoHistories

// A patch as bytes: the byte of each kind, writing a patch, and reading its kind and its ranges. The coders read the
// rest of a patch (`_UndoCoder`), because each knows the type of its values.
//
//     | part | kind | ... |       a number, a byte, and the details of that kind

/// The byte after the number of a part.
enum _UndoPatchKind: UInt8 {
  /// The part was replaced as a whole.
  case replaced = 0
  /// Something without a name changed within the part, so the whole part is written.
  case changed = 1
  /// A range of a text, or of the elements, was replaced.
  case range = 2
  case inserted = 3, removed = 4
  /// Elements of several ranges were removed.
  case removals = 5
  case swapped = 6, moved = 7
  /// An element was edited, or a part of the part was.
  case element = 8, member = 9
  /// A key of a dictionary or a member of a set was added, removed or changed.
  case entry = 10, absent = 11
  /// Elements of several ranges were inserted.
  case insertions = 12
  /// A stored property without a named part was edited.
  case field = 13
  /// Such a property, followed by the enclosing value, because that value doesn't encode the property by its name.
  case fieldAndWhole = 14
  /// The elements of a range were reversed.
  case reversed = 15
}

extension _UndoPatch {
  /// Writes the patch; below the number of its outermost part are as many zero bits as `shift` says.
  func write(to writer: inout _UndoWriter, shift: Int = 0) throws { try write(path[...], to: &writer, shift: shift) }

  private func write(_ path: ArraySlice<Place>, to writer: inout _UndoWriter, shift: Int = 0) throws {
    let number = if case .part(let number, _, _)? = path.first { number } else { 0 }
    writer.write(number << shift)
    try writeRest(number > 0 ? path.dropFirst() : path, to: &writer)
  }

  private func writeRest(_ path: ArraySlice<Place>, to writer: inout _UndoWriter) throws {
    switch path.first {
    case nil: try change.write(to: &writer)
    case .part(_, _, nil)?:
      writer.write(.member)
      try write(path, to: &writer)
    case .element(let index, _)?:
      writer.write(.element)
      writer.write(index)
      try write(path.dropFirst(), to: &writer)
    case .part(_, _, let field?)?:
      var inside = _UndoWriter(field.coding)
      do { try writeRest(path.dropFirst(), to: &inside) } catch {
        // Then only the enclosing value is written.
        return try Change.changed(field.around).write(to: &writer)
      }
      writer.write(field.writesAround ? .fieldAndWhole : .field)
      writer.write(field.name)
      writer.write(bytes: inside.bytes)
      if field.writesAround { try Change.changed(field.around).write(to: &writer) }
    }
  }
}

extension _UndoPatch.Change {
  fileprivate func write(to writer: inout _UndoWriter) throws {
    switch self {
    case .replaced(let piece):
      writer.write(.replaced)
      try writer.write(value: piece)
    case .changed(let piece):
      writer.write(.changed)
      try writer.write(value: piece)
    case .text(let text):
      writer.write(.range, text.start, text.count)
      writer.write(text.replacement)
    case .elements(let change, let elements):
      switch change {
      case .range(let splice) where splice.isOfOneElement:
        writer.write(splice.new == 0 ? .removed : .inserted, splice.start)
      case .range(let splice): writer.write(.range, splice.start, splice.old, splice.new)
      case .ranges(let splices):
        writer.write(splices[0].old > 0 ? .removals : .insertions)
        writer.write(_UndoChange.rangesWhilePresent(splices))
      case .swap(let first, let second): writer.write(.swapped, first, second)
      case .move(let move): writer.write(.moved, move.source, move.target)
      case .reversed(let range): writer.write(.reversed, range.lowerBound, range.count)
      case .value, .key, .member, .whole: throw UndoFormError.damaged(offset: 0)
      }
      try elements.writeEach(to: &writer)
    case .entry(let key, let value):
      writer.write(value == nil ? .absent : .entry)
      try writer.write(value: key)
      if let value { try writer.write(value: value) }
    case .converted, .unread: throw UndoFormError.damaged(offset: 0)
    }
  }
}

extension _UndoWriter {
  mutating func write(_ kind: _UndoPatchKind, _ numbers: Int...) {
    bytes.append(kind.rawValue)
    for number in numbers { write(number) }
  }

  /// Writes ranges in increasing order, each as the distance from the previous one and the length.
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
  mutating func readPatchKind() throws -> _UndoPatchKind {
    guard let kind = _UndoPatchKind(rawValue: try readByte()) else { throw damage }
    return kind
  }

  /// Reads a change of elements after its kind; the elements that it inserts follow.
  mutating func readChangeOfElements(_ kind: _UndoPatchKind) throws -> _UndoChange {
    switch kind {
    case .range: return .range(.init(start: try readCount(), old: try readCount(), new: try readCount()))
    case .inserted, .removed:
      let new = kind == .inserted ? 1 : 0
      return .range(.init(start: try readCount(), old: 1 - new, new: new, isOfOneElement: true))
    case .removals, .insertions:
      var (removals, end): ([_UndoChange.Splice], Int) = ([], 0)
      for index in 0..<(try readCountOfBytes()) {
        let (distance, count) = (try readCount(), try readCount())
        guard count > 0, distance > 0 || index == 0, end < .largestUndoCount else { throw damage }
        removals.append(.init(start: end + distance, old: count, new: 0))
        end += distance + count
      }
      return .ranges(kind == .removals ? removals : _UndoChange.inverted(removals))
    case .swapped: return .swap(try readCount(), try readCount())
    case .moved: return .move(.init(from: try readCount(), to: try readCount()))
    case .reversed:
      let (start, count) = (try readCount(), try readCount())
      return .reversed(start..<start + count)
    default: throw damage
    }
  }
}
