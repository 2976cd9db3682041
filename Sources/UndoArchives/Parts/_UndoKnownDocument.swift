internal import UndoHistories

/// The digests of a document's parts, by which an archive recognizes the document if a later version of its type
/// encodes it differently.
///
///     shape   what is encoded, without the values
///     parts   "title:s" "rows#" "rows/size:i" ...     a digest of each, of the parts of elements one for all elements
///
/// It is written as | count + 1 | shape | name | digest | ... |, in the order of the names.
///
/// The parts are compared only if the shapes differ, and only the parts that both versions have and encode alike.
struct _UndoKnownDocument {
  private let shape: UInt64
  private var parts: [String: UInt64] = [:]

  init<Document: Codable>(_ document: Document) throws {
    shape = try _UndoDigest.of(document, hasValues: false)
    try add(document, Place(schema: _UndoSchema()))
  }

  func write(to writer: inout _UndoWriter) {
    writer.write(parts.count + 1)
    writer.write(shape)
    for (name, digest) in parts.sorted(by: { $0.key < $1.key }) {
      writer.write(name)
      writer.write(digest)
    }
  }

  /// Reads digests; nil if they are missing.
  init?(from reader: inout _UndoReader) throws {
    let count = try reader.readCountOfBytes()
    if count == 0 { return nil }
    shape = try reader.readNumber()
    for _ in 1..<count { parts[try reader.readText()] = try reader.readNumber() }
  }

  /// Whether both belong to the same document, encoded by two versions of its type.
  func isSame(as other: Self) -> Bool {
    let common = parts.filter { other.parts[$0.key] != nil }
    return shape != other.shape && !common.isEmpty && common.allSatisfy { other.parts[$0.key] == $0.value }
  }

  /// The place of a value in the document.
  struct Place {
    let schema: _UndoSchema
    fileprivate var path = ""
    fileprivate var salt: UInt64 = 0
    /// The types of the enclosing values.
    fileprivate var outer: Set<ObjectIdentifier> = []

    fileprivate func element(_ index: Int) -> Place {
      Place(schema: schema, path: path, salt: _UndoDigest.mix(salt, UInt64(index) + 1), outer: outer)
    }

    fileprivate func part(_ name: String, of type: Any.Type) -> Place {
      let path = path.isEmpty ? name : path + "/" + name
      return Place(schema: schema, path: path, salt: salt, outer: outer.union([ObjectIdentifier(type)]))
    }
  }

  /// Adds the digests of the named parts of a value, or else of the value.
  fileprivate mutating func add<Value: Codable>(_ value: Value, _ place: Place) throws {
    let parts = place.schema.parts(of: Value.self).all
    if !parts.isEmpty, !place.outer.contains(ObjectIdentifier(Value.self)) {
      for part in parts { try add(part.value(of: value), place.part(part.name, of: Value.self)) }
      return
    }
    if let elements = value as? any RandomAccessCollection, try add(elementsOf: elements, place) { return }
    add(try _UndoDigest.of(value), ":" + _undoShape(of: Value.self), place)
  }

  /// Adds the digests of elements with named parts; returns false for other elements.
  private mutating func add(elementsOf elements: some RandomAccessCollection, _ place: Place) throws -> Bool {
    func add<Element: Codable>(_ element: Element, at index: Int) throws { try self.add(element, place.element(index)) }
    let type = Swift.type(of: elements).elementType
    guard let type = type as? any Codable.Type, !place.schema.parts(of: type).all.isEmpty else { return false }
    self.add(UInt64(elements.count), "#", place)
    for (index, element) in elements.enumerated() {
      if let element = element as? any Codable { try add(element, at: index) }
    }
    return true
  }

  private mutating func add(_ digest: UInt64, _ suffix: String, _ place: Place) {
    parts[place.path + suffix, default: 0] &+= _UndoDigest.mix(place.salt, digest)
  }
}

extension Collection {
  fileprivate static var elementType: Any.Type { Element.self }
}
