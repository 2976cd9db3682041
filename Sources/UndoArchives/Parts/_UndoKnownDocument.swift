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
    try add(document, _UndoSchema())
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

  /// Adds the digests of the named parts of a value, or else of the value.
  ///
  /// - Parameters:
  ///   - path: The names of the parts that lead to the value.
  ///   - salt: A digest of the indices that lead to the value.
  ///   - outer: The types of the enclosing values.
  private mutating func add<Value: Codable>(
    _ value: Value, _ schema: _UndoSchema, _ path: String = "", salt: UInt64 = 0, in outer: Set<ObjectIdentifier> = []
  ) throws {
    let parts = schema.parts(of: Value.self).all
    if !parts.isEmpty, !outer.contains(ObjectIdentifier(Value.self)) {
      let outer = outer.union([ObjectIdentifier(Value.self)])
      for part in parts {
        let path = path.isEmpty ? part.name : path + "/" + part.name
        try add(part.value(of: value), schema, path, salt: salt, in: outer)
      }
      return
    }
    /// Adds the digests of elements with named parts; returns false for other elements.
    func addElements<Elements: RandomAccessCollection>(_ elements: Elements) throws -> Bool {
      guard let type = Elements.Element.self as? any Codable.Type, !schema.parts(of: type).all.isEmpty else {
        return false
      }
      add(UInt64(elements.count), to: path + "#", salt)
      for (index, element) in elements.enumerated() {
        guard let element = element as? any Codable else { continue }
        try add(element, schema, path, salt: _UndoDigest.mix(salt, UInt64(index) + 1), in: outer)
      }
      return true
    }
    if let elements = value as? any RandomAccessCollection, try addElements(elements) { return }
    add(try _UndoDigest.of(value), to: path + ":" + schema.coder(of: Value.self).shape, salt)
  }

  private mutating func add(_ digest: UInt64, to name: String, _ salt: UInt64) {
    parts[name, default: 0] &+= _UndoDigest.mix(salt, digest)
  }
}
