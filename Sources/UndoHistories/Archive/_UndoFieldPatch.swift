/// A patch of a stored property that no part names: it goes by the property's own name.
///
///     | 0 | 13 | name:shape | bytes | kind | ... |
///     | 0 | 14 | name:shape | bytes | kind | ... | 1 | value |
///
/// The shape says how values of its type are written, and is missing where an encoder has to: where a later version of
/// the type has another, they would be misread.
///
/// Only a value tells which properties its type has, and of which types. So a patch that is read is understood when the
/// value is there that it edits (`understood(in:carrying:)`).
///
/// Where the value around the property does not encode it by its name, that is written too, as it is behind the edit. A
/// reader believes it, and the edit where that makes the same of the value in front of it. What lies within goes by its
/// name then, however it is encoded. And where a piece cannot be encoded by itself, the value around is all.
final class _UndoFieldPatch<Whole>: _UndoPatch<Whole> {
  private let field: String
  private let content: Content
  /// The patch of the value around the property; nil for one that was read, where it was not written.
  private let around: _UndoPatch<Whole>?
  /// Whether that is written too.
  private let writesAround: Bool
  /// Writes what has no compact form.
  private let coding: UndoPieceCoding

  private enum Content {
    case patch(_UndoPatch<Whole>)
    /// What stands behind the number of a part.
    case bytes([UInt8])
  }

  private init(
    _ field: String, _ content: Content, around: _UndoPatch<Whole>?, writesAround: Bool, _ coding: UndoPieceCoding
  ) {
    (self.field, self.content, self.coding) = (field, content, coding)
    (self.around, self.writesAround) = (around, writesAround)
    super.init(number: 0)
  }

  /// The patch of a record that was just exchanged; nil where no property has all of what it changed.
  ///
  /// - Parameter around: The patch of the whole.
  convenience init?(
    _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, around: _UndoPatch<Whole>,
    _ schema: _UndoSchema
  ) {
    guard let coding = schema.fieldCoding, let fields = _UndoFields(whole),
      let field = fields.field(around: level.bytes), let form = fields.form(of: field)
    else { return nil }
    let isCoded = schema.isInValueAround || fields.isEncoded(field, with: whole)
    let patch = form.patch(0, edit, level, in: whole, isCoded ? schema.ofFields : schema.ofFieldsInValueAround)
    self.init(fields.name(of: field), .patch(patch), around: around, writesAround: !isCoded, coding)
  }

  /// Reads a patch behind its kind.
  ///
  /// - Parameter around: The form of the value around the property, where that is written too.
  convenience init(
    from reader: inout _UndoReader, around form: _UndoPartForm<Whole>? = nil, _ schema: _UndoSchema? = nil
  ) throws {
    guard let coding = reader.coding else { throw reader.damage }
    let (field, bytes) = (try reader.readText(), try reader.readBytes())
    guard form == nil || reader.nextPatchKind == .changed else { throw reader.damage }
    let around = try schema.flatMap { try form?.read(0, from: &reader, type: 0, $0) }
    self.init(field, .bytes(bytes), around: around, writesAround: around != nil, coding)
  }

  override var isOfField: Bool { true }
  override var isLost: Bool { patch?.isLost ?? false }
  override var hasValueAround: Bool { writesAround || patch?.hasValueAround ?? false }

  override func understood(in whole: Whole, carrying carriers: [_UndoCarrier]) throws -> _UndoPatch<Whole> {
    guard case .bytes(let bytes) = content else { return self }
    guard let around else { return try understood(bytes, in: whole) }
    let patch = try? understood(bytes, in: whole)
    return patch.flatMap { $0.makesTheSame(as: around, of: whole, carrying: carriers) ? $0 : nil } ?? around
  }

  private func understood(_ bytes: [UInt8], in whole: Whole) throws -> _UndoPatch<Whole> {
    var reader = _UndoReader(bytes, coding)
    do {
      guard let form = _UndoFields(whole)?.form(named: field) else { return try converted(&reader, in: whole) }
      let patch = try form.read(0, from: &reader, type: 0, _UndoSchema(ofFieldsWith: coding))
      guard reader.isAtEnd else { throw _UndoMisfit() }
      return _UndoFieldPatch(
        field, .patch(try patch.understood(in: whole, carrying: [])), around: around, writesAround: writesAround,
        coding)
    } catch UndoFormError.damaged {
      throw _UndoMisfit()
    }
  }

  /// The patch for a value that has no property of that name, or one of another type.
  private func converted(_ reader: inout _UndoReader, in whole: Whole) throws -> _UndoPatch<Whole> {
    let (key, shape) = (String(field.prefix { $0 != ":" }), field.drop { $0 != ":" }.dropFirst())
    let start = reader
    if let fields = _UndoFields(whole) {
      var found: [_UndoPatch<Whole>] = []
      for field in fields.fields(forKey: key, of: whole) {
        reader = start
        guard let form = fields.form(of: field) else { continue }
        let schema = _UndoSchema(ofFieldsWith: coding)
        let patch =
          try? form.shape == shape
          ? form.read(0, from: &reader, type: 0, schema)
          : form.readConverted(0, shape, from: &reader, type: 0, schema)
        if let patch = try? patch?.understood(in: whole, carrying: []), !patch.isLost { found.append(patch) }
      }
      if found.count > 1, let before = _UndoCodingKeys.digest(of: key, in: whole) {
        // Whatever of them is encoded by the key is the one.
        let changed = found.filter { patch in
          let other = try? patch.applied(to: whole, nil)
          return other.flatMap { _UndoCodingKeys.digest(of: key, in: $0) } ?? before != before
        }
        if !changed.isEmpty { found = changed }
      }
      if let patch = found.first { return patch }
    } else if let wrapping = whole as? any _UndoWrapping, !wrapping.isMissing {
      return wrapping.patch(around: field, reader.bytes, coding) as? _UndoPatch<Whole> ?? _UndoLostPatch(nil)
    }
    reader = start
    return _UndoLostPatch(try reader.skipChange(of: shape, type: 0))
  }

  fileprivate convenience init(_ field: String, _ bytes: [UInt8], _ coding: UndoPieceCoding) {
    self.init(field, .bytes(bytes), around: nil, writesAround: false, coding)
  }

  private var patch: _UndoPatch<Whole>? { if case .patch(let patch) = content { patch } else { nil } }

  override var name: String? { nil }
  override var bytes: Range<Int> { patch?.bytes ?? 0..<MemoryLayout<Whole>.size }
  override var textPatch: _UndoTextPatch? { patch?.textPatch }
  override var mayBeOfText: Bool { patch?.mayBeOfText ?? true }

  override func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    patch?.writeText(utf8: range, of: whole, to: &writer)
  }

  override func writeChange(to writer: inout _UndoWriter) throws {
    let bytes: [UInt8]
    do {
      bytes = try encoded()
    } catch {
      guard let around else { throw error }
      return try around.writeChange(to: &writer)
    }
    writer.write(writesAround ? .fieldAndWhole : .field)
    writer.write(field)
    writer.write(bytes: bytes)
    if writesAround { try around?.writeChange(to: &writer) }
  }

  /// What stands behind the number of the part.
  private func encoded() throws -> [UInt8] {
    switch content {
    case .bytes(let bytes): return bytes
    case .patch(let patch):
      var writer = _UndoWriter(coding)
      try patch.writeChange(to: &writer)
      return writer.bytes
    }
  }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    guard let patch else { throw _UndoMisfit() }
    try patch.apply(at: cursor, text)
  }
}

extension _UndoPatch {
  /// Whether another patch makes the same of a value: something else is encoded of it then, and the same with both, or
  /// comparing finds nothing.
  ///
  /// Of a value with objects, or with what is not encoded, comparing finds more than there is. What is carried may
  /// have been assigned already in the value that was written.
  fileprivate func makesTheSame(as other: _UndoPatch<Whole>, of whole: Whole, carrying carriers: [_UndoCarrier])
    -> Bool
  {
    guard var value = try? applied(to: whole, nil), var other = try? other.applied(to: whole, nil) else { return false }
    unsafe withUnsafeMutablePointer(to: &value) { value in
      unsafe withUnsafeMutablePointer(to: &other) { other in
        for carrier in carriers {
          carrier.copy(
            unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(other)),
            unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(value)))
        }
      }
    }
    func digest(_ value: Whole) -> UInt64? { (value as? any Encodable).flatMap { try? _UndoDigest.of($0) } }
    if let coded = digest(value) {
      if digest(other) != coded { return false }
      if digest(whole) != coded { return true }
    }
    let history = UndoHistory(initialValue: value)
    let cursor = UndoHistory.Editor(history.storage.access, _UndoRoot(), offset: 0)
    cursor.recordDifference(from: cursor.replaceTarget(with: other))
    return history.undoCount == 0
  }

  /// What the patch makes of a value, or with another range of its text.
  func applied(to whole: Whole, _ text: _UndoTextPatch?) throws -> Whole {
    let history = UndoHistory(initialValue: whole)
    try apply(at: UndoHistory.Editor(history.storage.access, _UndoRoot(), offset: 0), text)
    return history.currentItem
  }
}

// MARK: - Fields as parts

extension _UndoFields {
  /// The field that has all of these bytes.
  fileprivate func field(around bytes: Range<Int>) -> Field? {
    fields.first { $0.offset <= bytes.lowerBound && bytes.upperBound <= $0.offset + $0.size && $0.size > 0 }
  }

  /// Whether the value is encoded with a field of its by the field's name: one that is decoded may lack another.
  fileprivate func isEncoded(_ field: Field, with whole: Whole) -> Bool {
    guard let whole = whole as? any Encodable else { return false }
    // Nothing is encoded of a value that is missing, and of another one what is wrapped.
    let isMissing = (field.value as? any _UndoWrapping)?.isMissing ?? false
    return _UndoCodingKeys(of: whole).contain(field.name, as: types(of: field), isMissing: isMissing)
  }

  /// The fields that may be encoded by a key: that of this name, or else those that are not by their own.
  fileprivate func fields(forKey key: String, of whole: Whole) -> [Field] {
    if let field = fields.first(where: { $0.name == key }) { return [field] }
    guard let whole = whole as? any Encodable else { return [] }
    let keys = _UndoCodingKeys(of: whole)
    let type = keys.type(of: key)
    return fields.filter { field in
      let types = types(of: field)
      if type.map({ type in !types.contains { $0 == type } }) ?? false { return false }
      return !keys.contain(field.name, as: types, isMissing: (field.value as? any _UndoWrapping)?.isMissing ?? false)
    }
  }

  /// The type of a field, and those that it wraps.
  private func types(of field: Field) -> [Any.Type] {
    func type<Value>(_ value: Value) -> Any.Type { Value.self }
    var types = [type(field.value)]
    while let wrapping = types[types.count - 1] as? any _UndoWrapping.Type { types.append(wrapping.wrapped) }
    return types
  }

  /// The form of the field of a name.
  fileprivate func form(named name: String) -> _UndoPartForm<Whole>? {
    fields.first { name.hasPrefix($0.name) && self.name(of: $0) == name }.flatMap { form(of: $0) }
  }

  /// What a field goes by: its name, and how values of its type are written.
  fileprivate func name(of field: Field) -> String {
    func shape<Value>(_ value: Value) -> String { _undoShape(of: Value.self) }
    let shape = shape(field.value)
    return shape.isEmpty ? field.name : "\(field.name):\(shape)"
  }

  fileprivate func form(of field: Field) -> _UndoPartForm<Whole>? {
    func form<Value>(_ value: Value) -> _UndoPartForm<Whole>? {
      .form(of: Value.self, field.name, field.offset..<field.offset + field.size)
    }
    return form(field.value)
  }
}

extension _UndoFields {
  /// The names of the fields that lead to a carried property, where each is encoded by its name; nil if they do not.
  func names<Root>(of carrier: _UndoCarrier, in whole: Whole, _ root: Root.Type, base: Int = 0) -> [String]? {
    let bytes = carrier.bytes.lowerBound - base..<carrier.bytes.upperBound - base
    guard let field = field(around: bytes), isEncoded(field, with: whole) else { return nil }
    func names<Value>(in value: Value) -> [String]? {
      let own = _UndoCarrier(root, Value.self, at: base + field.offset)
      if own.isSame(as: carrier) { return [field.name] }
      let inner = _UndoFields<Value>(value)?.names(of: carrier, in: value, root, base: base + field.offset)
      return inner.map { [field.name] + $0 }
    }
    return names(in: field.value)
  }

  /// What is carried where names of fields lead; nil where they do not, or that cannot be carried.
  func carrier<Root>(named names: ArraySlice<String>, in root: Root.Type, base: Int = 0) -> _UndoCarrier? {
    guard let name = names.first, let field = fields.first(where: { $0.name == name }) else { return nil }
    func carrier<Value>(in value: Value) -> _UndoCarrier? {
      let (rest, base) = (names.dropFirst(), base + field.offset)
      if !rest.isEmpty { return _UndoFields<Value>(value)?.carrier(named: rest, in: root, base: base) }
      let isPossible = MemoryLayout<Value>.size <= 4000 && MemoryLayout<Value>.alignment <= 8
      return isPossible ? _UndoCarrier(root, Value.self, at: base) : nil
    }
    return carrier(in: field.value)
  }
}

extension _UndoPartForm {
  /// The form of a part of which nothing but the type is known; nil where it is not written by itself.
  static func form<Part>(
    of type: Part.Type, _ name: String, _ bytes: Range<Int>
  ) -> _UndoPartForm<Whole>? {
    if type is String.Type { return _UndoStringPart(name, bytes) }
    if let type = _UndoElementwise<Part>.self as? any _UndoMembered.Type {
      return type.partForm(name, bytes, in: Whole.self)
    }
    if let type = type as? any _UndoMembered.Type { return type.partForm(name, bytes, in: Whole.self) }
    func form<Value: Codable>(_ type: Value.Type) -> _UndoPartForm<Whole> { _UndoValuePart<Whole, Value>(name, bytes) }
    // A reference may be one that does not own its object.
    guard !isReference(type), let type = type as? any Codable.Type else { return nil }
    return form(type)
  }

  private static func isReference(_ type: Any.Type) -> Bool {
    (type as? any _UndoWrapping.Type).map { isReference($0.wrapped) } ?? (type is AnyClass)
  }
}

/// A value that may be missing.
private protocol _UndoWrapping {
  static var wrapped: Any.Type { get }
  var isMissing: Bool { get }
  /// The patch of a property of what is wrapped, as one of this.
  func patch(around field: String, _ bytes: [UInt8], _ coding: UndoPieceCoding) -> Any
}

extension Optional: _UndoWrapping {
  fileprivate static var wrapped: Any.Type { Wrapped.self }
  fileprivate var isMissing: Bool { self == nil }

  fileprivate func patch(around field: String, _ bytes: [UInt8], _ coding: UndoPieceCoding) -> Any {
    let patch = _UndoFieldPatch<Wrapped>(field, bytes, coding)
    let text = flatMap { try? patch.understood(in: $0, carrying: []).textPatch }
    let edit = _UndoValueEdit<Self>(text: text) { value, text in
      guard let value else { throw _UndoMisfit() }
      return try patch.understood(in: value, carrying: []).applied(to: value, text)
    }
    return _UndoConvertedPatch<Self, Self>(nil, 0..<MemoryLayout<Self>.size, 0, edit)
  }
}

/// Leads from any type to a part form of which elements are edited, where the type has them.
enum _UndoElementwise<Elements> {}

extension _UndoElementwise: _UndoMembered
where Elements: _UndoElements & Codable, Elements.Index == Int, Elements.Element: Codable {
  static var shape: String {
    let isArray = Elements.self == [Elements.Element].self
    return "\(isArray ? "*" : "+")\(_undoShape(of: Elements.Element.self))"
  }

  static func partForm<Whole>(_ name: String, _ bytes: Range<Int>, in whole: Whole.Type) -> _UndoPartForm<Whole> {
    _UndoElementsPart<Whole, Elements>(name, bytes)
  }
}
