/// The types of a document that name parts, each with its parts.
///
/// It begins with the document, and leads from each part to the type of its elements, or of the part itself.
final class _UndoSchema {
  /// The types with names, in the order in which they are found.
  private var types: [_UndoAnyTypeForm] = []
  private var forms: [ObjectIdentifier: _UndoAnyTypeForm] = [:]
  private var indices: [ObjectIdentifier: Int] = [:]
  /// How fields that no part names are written, where they are told from the value around them.
  let fieldCoding: UndoPieceCoding?
  /// Whether types have their own names for parts.
  private let isNamed: Bool
  /// The forms of what lies in fields: there all goes by the names of fields, as the bytes have no other.
  private(set) lazy var ofFields = isNamed ? _UndoSchema(ofFieldsWith: fieldCoding) : self

  /// The same where the value around the field is written too.
  private(set) lazy var ofFieldsInValueAround =
    isInValueAround ? self : _UndoSchema(ofFieldsWith: fieldCoding, inValueAround: true)
  /// Whether a value around all that is written by it is written too, so that all there goes by the names of fields.
  let isInValueAround: Bool

  init(ofFieldsWith coding: UndoPieceCoding?, inValueAround isInValueAround: Bool = false) {
    (fieldCoding, isNamed, self.isInValueAround) = (coding, false, isInValueAround)
  }

  init<Root: Codable>(of root: Root.Type, fields coding: UndoPieceCoding? = nil) {
    (fieldCoding, isNamed, isInValueAround) = (coding, true, false)
    add(form(of: root))
    var next = 0
    while next < types.count {
      for inner in types[next].inner { if let form = namedForm(of: inner) { add(form) } }
      next += 1
    }
  }

  private func add(_ form: _UndoAnyTypeForm) {
    guard indices[form.type] == nil else { return }
    indices[form.type] = types.count
    types.append(form)
  }

  /// The form of a type, whether it names parts or not.
  func form<Whole: Codable>(of type: Whole.Type) -> _UndoTypeForm<Whole> {
    if let known = forms[ObjectIdentifier(type)] as? _UndoTypeForm<Whole> { return known }
    let form = _UndoTypeForm<Whole>(isNamed: isNamed)
    forms[ObjectIdentifier(type)] = form
    return form
  }

  /// The same for what a key needs.
  func anyForm<Whole: Codable>(of type: Whole.Type) -> _UndoAnyTypeForm {
    forms[ObjectIdentifier(type)] ?? form(of: type)
  }

  /// The form of a type that names parts.
  func named<Whole: Codable>(_ type: Whole.Type) -> _UndoTypeForm<Whole>? {
    let form = form(of: type)
    return form.parts.count > 1 ? form : nil
  }

  private func namedForm(of type: any Codable.Type) -> _UndoAnyTypeForm? {
    func named<Whole: Codable>(_ type: Whole.Type) -> _UndoAnyTypeForm? { self.named(type) }
    return named(type)
  }

  /// Writes the names of all parts, by which the numbers that follow can be understood.
  ///
  ///     | count | type | type | ... |        type: | count | part | part | ... |     part: | name:shape | type |
  ///
  /// The type of a part is counted from 1; 0 is one without names.
  func writeNames(to writer: inout _UndoWriter) {
    writer.write(types.count)
    for type in types {
      writer.write(type.namesWithShapes.count)
      for (name, inner) in zip(type.namesWithShapes, type.inner) {
        writer.write(name)
        writer.write(namedForm(of: inner).flatMap { indices[$0.type] }.map { $0 + 1 } ?? 0)
      }
    }
  }
}

/// What the numbers of types and parts mean in some bytes.
struct _UndoNames {
  struct Part {
    let name: String
    /// How its values are written; nil where that is not known.
    let shape: String?
    /// The index of the type within it, counted from 1.
    let type: Int
  }

  private(set) var types: [[Part]] = []

  init() {}

  init(from reader: inout _UndoReader) throws {
    for _ in 0..<(try reader.readCountOfBytes()) {
      var parts: [Part] = []
      for _ in 0..<(try reader.readCountOfBytes()) {
        let text = try reader.readText()
        let colon = text.lastIndex(of: ":")
        parts.append(
          Part(
            name: String(text[..<(colon ?? text.endIndex)]), shape: colon.map { String(text[$0...].dropFirst()) },
            type: try reader.readCount()))
      }
      types.append(parts)
    }
    guard types.allSatisfy({ $0.allSatisfy { $0.type <= types.count } }), !types.isEmpty else { throw reader.damage }
  }

  /// A part by the index of its type, counted from 1, and its number in that.
  func part(_ number: Int, of type: Int) -> Part? {
    type > 0 && number > 0 && number <= types[type - 1].count ? types[type - 1][number - 1] : nil
  }
}

/// The form of a type that is not known here.
class _UndoAnyTypeForm {
  /// The whole, and behind it the parts that have names.
  private final let anyParts: [_UndoAnyPartForm]

  init(_ parts: [_UndoAnyPartForm]) { anyParts = parts }

  /// The number of the smallest part that has all of these bytes; 0 for the whole.
  final func number(around bytes: Range<Int>) -> Int {
    var found = 0
    for number in 1..<anyParts.count {
      let part = anyParts[number].bytes
      guard part.lowerBound <= bytes.lowerBound, bytes.upperBound <= part.upperBound else { continue }
      if found == 0 || part.count < anyParts[found].bytes.count { found = number }
    }
    return found
  }

  /// Writes the patch of a record that was just exchanged, for a whole that lies there.
  ///
  /// - Returns: The patch, where it replaces text by text.
  final func write(
    _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, of whole: _UnsafeUndoPointer, _ schema: _UndoSchema,
    to writer: inout _UndoWriter
  ) throws -> _UndoAnyPatch? {
    let number = number(around: level.bytes)
    return try anyParts[number].write(number, edit, level, of: whole, schema, to: &writer)
  }

  var type: ObjectIdentifier { preconditionFailure("a form of its own type does this") }
  /// The names of the parts, and the types within them.
  var namesWithShapes: [String] { preconditionFailure("a form of its own type does this") }
  var inner: [any Codable.Type] { preconditionFailure("a form of its own type does this") }
}

/// How edits of values of one type become patches, and how those are read.
final class _UndoTypeForm<Whole: Codable>: _UndoAnyTypeForm {
  /// The whole, and behind it the parts that have names.
  let parts: [_UndoPartForm<Whole>]

  /// - Parameter isNamed: Without names, the whole is the text, or the elements or members, where it has such.
  init(isNamed: Bool = true) {
    let whole = isNamed ? nil : _UndoPartForm<Whole>.form(of: Whole.self, "", 0..<MemoryLayout<Whole>.size)
    parts = [whole ?? _UndoTypeForm.whole] + (isNamed ? _UndoTypeForm.namedParts : [])
    super.init(parts)
  }

  /// The whole, as a part without a name.
  static var whole: _UndoValuePart<Whole, Whole> { _UndoValuePart("", 0..<MemoryLayout<Whole>.size) }

  private static var namedParts: [_UndoPartForm<Whole>] {
    func parts<Named: UndoArchivable>(_ type: Named.Type) -> [_UndoPartForm<Whole>] {
      (Named.undoParts as? [UndoPart<Whole>])?.map(\.form) ?? []
    }
    guard let type = Whole.self as? any UndoArchivable.Type else { return [] }
    return parts(type)
  }

  override var type: ObjectIdentifier { ObjectIdentifier(Whole.self) }
  override var namesWithShapes: [String] { parts.dropFirst().map { "\($0.name):\($0.shape)" } }
  override var inner: [any Codable.Type] { parts.dropFirst().map(\.inner) }

  /// The number of the part of a name.
  func number(of name: String) -> Int? { parts.indices.dropFirst().first { parts[$0].name == name } }

  /// The patch of a record that was just exchanged.
  func patch(
    _ edit: _UndoEdit, _ level: _UndoLevelOfEdit, in whole: Whole, _ schema: _UndoSchema
  ) -> _UndoPatch<Whole> {
    let number = number(around: level.bytes)
    return parts[number].patch(number, edit, level, in: whole, schema)
  }

  /// Reads a patch of a value, of which the type has this index in the bytes, counted from 1.
  func read(from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema) throws -> _UndoPatch<Whole> {
    try read(reader.readCount(), from: &reader, type: type, schema)
  }

  /// Reads a patch behind the number that the part has in the bytes.
  func read(
    _ written: Int, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    if written == 0 { return try parts[0].read(0, from: &reader, type: 0, schema) }
    guard let part = reader.names.part(written, of: type) else { throw reader.damage }
    guard let number = number(of: part.name) else {
      guard let shape = part.shape else { throw UndoFormError.unknownPart(part.name) }
      return _UndoLostPatch(try reader.nest { try $0.skipChange(of: shape[...], type: part.type) })
    }
    if let shape = part.shape, shape != parts[number].shape {
      return try reader.nest {
        try parts[number].readConverted(number, shape[...], from: &$0, type: part.type, schema)
      }
    }
    return try reader.nest { try parts[number].read(number, from: &$0, type: part.type, schema) }
  }
}
