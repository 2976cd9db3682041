/// The form of a part of a value of any type.
///
/// What a key needs stands here: in a generic class each step asks for metadata.
class _UndoAnyPartForm {
  final let name: String
  /// Where the part lies in the whole.
  final let bytes: Range<Int>

  init(_ name: String, _ bytes: Range<Int>) {
    self.name = name
    self.bytes = bytes
  }

  /// Writes the patch of a record that was just exchanged, for a whole that lies there.
  ///
  /// - Returns: The patch, where it replaces text by text.
  func write(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, of whole: _UnsafeUndoPointer,
    _ schema: _UndoSchema, to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    preconditionFailure("a part form of its own type does this")
  }
}

/// How edits of one part of a value become patches, and how those are read.
///
/// A part form knows the type of the part; there is one for each `UndoPart`.
class _UndoPartForm<Whole>: _UndoAnyPartForm {
  /// The type within the part that may name parts of its own, and that of the part.
  var inner: any Codable.Type { preconditionFailure("a part form of its own type does this") }
  var valueType: any Codable.Type { preconditionFailure("a part form of its own type does this") }

  /// How values of the part are written.
  final var shape: String {
    func shape<Part>(_ type: Part.Type) -> String { _undoShape(of: type) }
    return shape(valueType)
  }

  /// The patch of a record that was just exchanged, where the part has all of what it changed.
  ///
  /// - Parameters:
  ///   - number: The number of the part.
  ///   - level: Where in the whole the edit lies, and how deep in the levels of that.
  func patch(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    preconditionFailure("a part form of its own type does this")
  }

  override func write(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, of whole: _UnsafeUndoPointer,
    _ schema: _UndoSchema, to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    let patch = unsafe patch(number, edit, level, in: whole[as: Whole.self], schema)
    try patch.write(to: &writer)
    return patch.isOfText ? patch : nil
  }

  /// A patch that makes the part what it is.
  func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> {
    preconditionFailure("a part form of its own type does this")
  }

  /// Reads a patch behind the number of the part.
  ///
  /// - Parameter type: The index that the inner type has in the bytes.
  func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    preconditionFailure("a part form of its own type does this")
  }

  /// What a history has to carry for the part; nil where it cannot be carried.
  func carrier() -> _UndoCarrier? { nil }

  /// Whether an edit replaced a part of this type that lies here, and nothing smaller.
  ///
  /// A record of a number of eight bytes knows only that.
  fileprivate func isReplaced<Part>(by edit: _UndoEdit, _ level: _UndoLevelOfEdit, _ type: Part.Type) -> Bool {
    guard level.isInnermost(of: edit), level.bytes == bytes, case .value = edit.change else { return false }
    return edit.part.type == ObjectIdentifier(type) || edit.part.type == ObjectIdentifier(UInt64.self)
  }

  fileprivate func carrier<Part>(of type: Part.Type) -> _UndoCarrier? {
    let isPossible = MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8
    return isPossible ? _UndoCarrier(Whole.self, type, at: bytes.lowerBound) : nil
  }

  func part<Part>(_ type: Part.Type, of whole: Whole) -> Part {
    unsafe withUnsafePart(of: whole, at: bytes.lowerBound, as: type) { $0 }
  }
}

/// Where the edit of a record lies in one of the values around it.
struct _UndoLevelOfEdit {
  /// How many levels lead to that value.
  let depth: Int
  /// What lies in front of it, in the element that the levels lead to.
  let base: Int
  private let range: _UndoPartRange

  init(_ edit: _UndoEdit, depth: Int, base: Int = 0) {
    (self.depth, self.base) = (depth, base)
    range = edit.range(at: depth)
  }

  /// The bytes of that value in which it lies.
  var bytes: Range<Int> { range.bytes.lowerBound - base..<range.bytes.upperBound - base }
  var type: ObjectIdentifier { range.type }

  func isInnermost(of edit: _UndoEdit) -> Bool { depth == edit.levels.count }
}

// MARK: - Values

/// A part that is known as a whole only, or by parts of its own.
final class _UndoValuePart<Whole, Part: Codable>: _UndoPartForm<Whole> {
  let piece = _UndoPieceForm<Part>()

  private var isWhole: Bool { Part.self == Whole.self }

  override var inner: any Codable.Type { Part.self }
  override var valueType: any Codable.Type { Part.self }

  override func patch(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    let part = part(Part.self, of: whole)
    if isReplaced(by: edit, level, Part.self) { return _UndoValuePatch(self, number, .replaced(part)) }
    // The whole is no part of its own.
    if isWhole {
      let changed = _UndoValuePatch(self, number, .changed(part))
      return _UndoFieldPatch(edit, level, in: whole, around: changed, schema) ?? changed
    }
    let inner = _UndoLevelOfEdit(edit, depth: level.depth, base: level.base + bytes.lowerBound)
    let patch = schema.form(of: Part.self).patch(edit, inner, in: part, schema)
    let isSmaller = patch.number > 0 || patch.isOfField
    return _UndoValuePatch(self, number, isSmaller ? .inside(patch) : .changed(part))
  }

  override func write(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, of whole: _UnsafeUndoPointer,
    _ schema: _UndoSchema, to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    guard isReplaced(by: edit, level, Part.self), let writePiece = piece.writeCompact else {
      return try super.write(number, edit, level, of: whole, schema, to: &writer)
    }
    writer.write(number)
    writer.write(.replaced)
    writePiece(whole.part(at: bytes.lowerBound), &writer)
    return nil
  }

  override func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> {
    _UndoValuePatch(self, number, .replaced(part(Part.self, of: whole)))
  }

  override func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    switch try reader.readPatchKind() {
    case .replaced: return _UndoValuePatch(self, number, .replaced(try piece.read(from: &reader)))
    case .changed: return _UndoValuePatch(self, number, .changed(try piece.read(from: &reader)))
    case .member where !isWhole:
      let form = schema.form(of: Part.self)
      return _UndoValuePatch(self, number, .inside(try form.read(from: &reader, type: type, schema)))
    case .field where isWhole: return try _UndoFieldPatch(from: &reader)
    case .fieldAndWhole where isWhole: return try _UndoFieldPatch(from: &reader, around: self, schema)
    default: throw reader.damage
    }
  }

  override func carrier() -> _UndoCarrier? { carrier(of: Part.self) }
}

// MARK: - Texts

/// A part that is a text.
final class _UndoStringPart<Whole>: _UndoPartForm<Whole> {
  override var inner: any Codable.Type { String.self }
  override var valueType: any Codable.Type { String.self }

  override func patch(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    let text = part(String.self, of: whole)
    if level.isInnermost(of: edit), level.bytes == bytes, edit.isOfText,
      case .range(let old, let new) = edit.change.kind
    {
      let patch = _UndoTextPatch(start: old.lowerBound, count: old.count, replacement: text.slice(utf8: new))
      return _UndoStringPatch(self, number, .range(patch))
    }
    return _UndoStringPatch(
      self, number, isReplaced(by: edit, level, String.self) ? .replaced(text) : .changed(text))
  }

  override func write(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, of whole: _UnsafeUndoPointer,
    _ schema: _UndoSchema, to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    guard level.isInnermost(of: edit), level.bytes == bytes, edit.isOfText,
      case .range(let old, let new) = edit.change.kind
    else { return try super.write(number, edit, level, of: whole, schema, to: &writer) }
    writer.write(number)
    writer.write(.range)
    writer.write(old.lowerBound)
    writer.write(old.count)
    unsafe whole.part(at: bytes.lowerBound).with(String.self) { writer.write($0, utf8: new) }
    // Of what was replaced nothing is asked any more.
    return _UndoStringPatch(self, number, .range(_UndoTextPatch(start: old.lowerBound, count: 0, replacement: "")))
  }

  override func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> {
    _UndoStringPatch(self, number, .replaced(part(String.self, of: whole)))
  }

  override func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    switch try reader.readPatchKind() {
    case .replaced: return _UndoStringPatch(self, number, .replaced(try reader.readText()))
    case .changed: return _UndoStringPatch(self, number, .changed(try reader.readText()))
    case .range:
      let (start, count) = (try reader.readCount(), try reader.readCount())
      let patch = _UndoTextPatch(start: start, count: count, replacement: try reader.readText())
      return _UndoStringPatch(self, number, .range(patch))
    default: throw reader.damage
    }
  }

  override func carrier() -> _UndoCarrier? { carrier(of: String.self) }
}

// MARK: - Collections

/// A part that is a collection of which elements are edited.
final class _UndoElementsPart<Whole, Elements: _UndoElements & Codable>: _UndoPartForm<Whole>
where Elements.Index == Int, Elements.Element: Codable {
  let piece = _UndoPieceForm<Elements>()
  let element = _UndoPieceForm<Elements.Element>()

  override var inner: any Codable.Type { Elements.Element.self }
  override var valueType: any Codable.Type { Elements.self }

  private typealias Patch = _UndoElementsPatch<Whole, Elements>

  override func patch(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    let elements = part(Elements.self, of: whole)
    return Patch(self, number, change(edit, level, elements, schema) ?? .changed(elements))
  }

  /// What happened to the elements; nil where that is not known.
  private func change(
    _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, _ elements: Elements, _ schema: _UndoSchema
  ) -> Patch.Change? {
    guard level.bytes == bytes, level.type == ObjectIdentifier(Elements.self) else { return nil }
    guard level.isInnermost(of: edit) else {
      let index = edit.levels[level.depth].index
      let inner = _UndoLevelOfEdit(edit, depth: level.depth + 1)
      let form = schema.form(of: Elements.Element.self)
      return .element(index - elements.startIndex, form.patch(edit, inner, in: elements[index], schema))
    }
    return Patch.Change(edit.change, in: elements)
  }

  override func write(
    _ number: Int, _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, of whole: _UnsafeUndoPointer,
    _ schema: _UndoSchema, to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    guard level.bytes == bytes, level.type == ObjectIdentifier(Elements.self), !level.isInnermost(of: edit) else {
      return try super.write(number, edit, level, of: whole, schema, to: &writer)
    }
    let index = edit.levels[level.depth].index
    writer.write(number)
    writer.write(.element)
    let distance = unsafe index - whole.part(at: bytes.lowerBound)[as: Elements.self].startIndex
    writer.write(distance)
    var element = unsafe whole.part(at: bytes.lowerBound)[as: Elements.self][index]
    let form = schema.anyForm(of: Elements.Element.self)
    let patch = try unsafe withUnsafeMutablePointer(to: &element) { element in
      try form.write(
        edit, _UndoLevelOfEdit(edit, depth: level.depth + 1),
        of: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(element)), schema, to: &writer)
    }
    return (patch as? _UndoPatch<Elements.Element>).map { Patch(self, number, .element(distance, $0)) }
  }

  override func value(_ number: Int, of whole: Whole) -> _UndoPatch<Whole> {
    Patch(self, number, .replaced(part(Elements.self, of: whole)))
  }

  override func read(
    _ number: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    Patch(self, number, try readChange(from: &reader, type: type, schema))
  }

  private func readChange(from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema) throws -> Patch.Change {
    switch try reader.readPatchKind() {
    case .replaced: return .replaced(try piece.read(from: &reader))
    case .changed: return .changed(try piece.read(from: &reader))
    case .range:
      let (start, removed) = (try reader.readCount(), try reader.readCount())
      var elements: [Elements.Element] = []
      for _ in 0..<(try reader.readCount()) { elements.append(try element.read(from: &reader)) }
      return .range(start: start, count: removed, elements)
    case .inserted: return .inserted(try reader.readCount(), try element.read(from: &reader))
    case .removed: return .removed(try reader.readCount())
    case .removals: return .removals(try reader.readRanges())
    case .insertions:
      let ranges = try reader.readRanges()
      var inserted: [Elements.Element] = []
      for range in ranges { for _ in range { inserted.append(try element.read(from: &reader)) } }
      return .insertions(ranges, inserted)
    case .swapped: return .swapped(try reader.readCount(), try reader.readCount())
    case .moved: return .moved(from: try reader.readCount(), to: try reader.readCount())
    case .element:
      let index = try reader.readCount()
      return .element(
        index, try schema.form(of: Elements.Element.self).read(from: &reader, type: type, schema))
    case .member, .entry, .absent, .field, .fieldAndWhole: throw reader.damage
    }
  }

  override func carrier() -> _UndoCarrier? { carrier(of: Elements.self) }
}
