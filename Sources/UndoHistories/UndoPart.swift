/// A stored property of a document, with its name in the archive of a history.
///
/// If an edit replaces text or elements, the archive keeps only those; in a dictionary or a set, only the key or the
/// member.
/// If the property or its elements are ``UndoArchivable`` themselves, as texts are, it keeps the edits of their parts.
/// For any other property it keeps the value.
public struct UndoPart<Root: Codable>: @unchecked Sendable {
  // Sendable, because it holds only a name, offsets and a type.

  package let name: String
  /// The bytes of the property in the document.
  package let bytes: Range<Int>
  package let type: any Codable.Type

  /// Names a property.
  ///
  /// - Precondition: The property is stored, without observers.
  public init<Part: Codable>(_ name: String, _ keyPath: any WritableKeyPath<Root, Part> & Sendable) {
    guard let bytes = keyPath.bytes else {
      preconditionFailure("\(name) is a computed or observed property, which cannot be a part")
    }
    (self.name, self.bytes, type) = (name, bytes, Part.self)
  }
}

extension KeyPath {
  /// The bytes of the property in the root; nil if the property isn't stored there.
  var bytes: Range<Int>? { MemoryLayout<Root>.offset(of: self).map { $0..<$0 + MemoryLayout<Value>.size } }
}
