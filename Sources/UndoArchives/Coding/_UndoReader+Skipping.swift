// Skips the bytes of a patch whose part of the document no longer exists, so that the patches after it can be read.

extension _UndoReader {
  /// Skips a patch of a part that the document no longer has.
  ///
  /// - Parameters:
  ///   - shape: How values of the part are written.
  ///   - type: The index of the part's inner type in the written names.
  /// - Returns: The range of a text that the patch replaces, if it replaces one.
  mutating func skipChange(of shape: Substring, type: Int) throws -> _UndoTextPatch? {
    let element = shape.dropFirst()
    switch try readPatchKind() {
    case .replaced, .changed: try skipPiece(shape)
    case .range where shape == "s":
      return _UndoTextPatch(start: try readCount(), count: try readCount(), replacement: try readText())
    case .element:
      _ = try readCount()
      return try skipPatch(of: element, type: type)
    case .member: return try skipPatch(of: shape, type: type)
    case .entry:
      let parts = element.split(separator: ",", maxSplits: 1, omittingEmptySubsequences: false)
      for part in parts { try skipPiece(part) }
    case .absent: try skipPiece(element.prefix { $0 != "," })
    case .field: return try skipField()
    case .fieldAndWhole:
      let text = try skipField()
      guard try readPatchKind() == .changed else { throw damage }
      try skipPiece(shape)
      return text
    case let kind:
      for splice in try readChangeOfElements(kind).splices { for _ in 0..<splice.new { try skipPiece(element) } }
    }
    return nil
  }

  private mutating func skipPatch(of shape: Substring, type: Int) throws -> _UndoTextPatch? {
    let number = try readCount()
    let part = number > 0 ? names.part(number, of: type) : .init(name: "", shape: shape, type: type)
    guard let part else { throw damage }
    return try nest { try $0.skipChange(of: part.shape, type: part.type) }
  }

  private mutating func skipField() throws -> _UndoTextPatch? {
    let (name, bytes) = (try readText(), try readBytes())
    return try nest { reader in
      var inner = reader.inside(bytes)
      return try inner.skipChange(of: name.drop { $0 != ":" }.dropFirst(), type: 0)
    }
  }

  private mutating func skipPiece(_ shape: Substring) throws {
    // Values of these shapes are written without an encoder.
    let leaf = shape.drop { $0 == "?" || $0 == "*" }
    guard leaf.count == 1, "iuabodfs".contains(leaf[leaf.startIndex]) else {
      _ = try readPiece(_UndoAnyPiece.self)
      return
    }
    let inner = shape.dropFirst()
    switch shape.first {
    case "i", "u": _ = try readNumber()
    case "a", "b", "o": _ = try readByte()
    case "d": _ = try readBits() as UInt64
    case "f": _ = try readBits() as UInt32
    case "s": _ = try readText()
    case "?": if try Bool.read(from: &self) { try nest { try $0.skipPiece(inner) } }
    default: for _ in 0..<(try readCountOfBytes()) { try nest { try $0.skipPiece(inner) } }
    }
  }
}

/// A value of an unknown type that an encoder wrote.
package struct _UndoAnyPiece: Codable {
  package init(from decoder: any Decoder) {}
  package func encode(to encoder: any Encoder) throws {}
}
