internal import UndoHistories

/// An edit that was written when the value had another type, as a number without fractions, or a text that was always
/// there.
///
/// The value is converted to the type it had, edited there, and converted back. Where that is not possible, the edit is
/// lost.
struct _UndoConversion {
  /// The range of a text that it replaces, where it does that.
  let text: _UndoTextPatch?
  /// Makes the edit of a value of the type that it has now, or another one in the text that it leads to.
  let make: (Any, _UndoTextPatch?) throws -> Any
}

extension _UndoPatch {
  /// The patch that replaces another range of its text, if there is one.
  func with(_ text: _UndoTextPatch?) -> _UndoPatch { text.flatMap { replacing($0) } ?? self }
}

extension _UndoCoder {
  /// Reads a patch behind the number of the part, of which the values were written in another shape then.
  static func readConverted(
    _ shape: Substring, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch {
    if let conversion = try _UndoConversion(to: Value.self, of: shape, from: &reader, type: type, schema) {
      return patch(.converted(conversion))
    }
    return patch(.lost(try reader.skipChange(of: shape, type: type)))
  }
}

extension _UndoConversion {
  /// Reads what stands behind the number of a part; nil where values of that shape cannot be converted.
  fileprivate init?<Value: Codable>(
    to new: Value.Type, of shape: Substring, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws {
    if let wrapping = Value.self as? any _UndoWrappingCodable.Type, wrapping.wrappedShape == shape {
      self = try wrapping.conversion(from: &reader, type: type, schema)
    } else if let other = _undoType(of: shape) {
      let coding = reader.coding
      func read<Other: Codable>(_ other: Other.Type) throws -> Self {
        let edit = try _UndoConversion(from: &reader, type: type, schema, of: Other.self)
        return Self(text: edit.text) { value, text in
          guard let value = value as? Value, let old: Other = try converted(value, coding),
            let edited = try edit.make(old, text) as? Other, let new: Value = try converted(edited, coding)
          else { throw _UndoMisfit() }
          return new
        }
      }
      self = try read(other)
    } else {
      return nil
    }
  }

  /// Reads what stands behind the number of a part of this very type.
  fileprivate init<Value: Codable>(
    from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema, of: Value.Type
  ) throws {
    let patch = try _undoCoder(of: Value.self).readValue(from: &reader, type: type, schema)
    self.init(text: patch.textPatch) { value, text in
      guard let value = value as? Value else { throw _UndoMisfit() }
      return try patch.understood(in: value).with(text).applied(to: value)
    }
  }
}

/// A value that may be missing, and was always there once.
private protocol _UndoWrappingCodable: Codable {
  static var wrappedShape: String { get }
  /// Reads an edit of what is wrapped, as one of the value.
  static func conversion(from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema) throws -> _UndoConversion
}

extension Optional: _UndoWrappingCodable where Wrapped: Codable {
  fileprivate static var wrappedShape: String { _undoShape(of: Wrapped.self) }

  fileprivate static func conversion(
    from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoConversion {
    let edit = try _UndoConversion(from: &reader, type: type, schema, of: Wrapped.self)
    return _UndoConversion(text: edit.text) { value, text in
      guard let value = value as? Self, let value, let edited = try edit.make(value, text) as? Wrapped else {
        throw _UndoMisfit()
      }
      return edited as Self as Any
    }
  }
}

/// A value as one of another type; nil where that has none.
///
/// Without a coder only numbers are converted.
private func converted<Value: Codable, Other: Codable>(_ value: Value, _ coding: UndoPieceCoding?) throws -> Other? {
  if let coding { return try coding.decode(Other.self, coding.encode(value)) as? Other }
  func integer(_ number: some BinaryInteger) -> Other? {
    if let type = Other.self as? any FixedWidthInteger.Type { return type.init(exactly: number) as? Other }
    return (Other.self as? any BinaryFloatingPoint.Type)?.init(exactly: number) as? Other
  }
  func fraction(_ number: some BinaryFloatingPoint) -> Other? {
    if let type = Other.self as? any FixedWidthInteger.Type { return type.init(exactly: number) as? Other }
    return (Other.self as? any BinaryFloatingPoint.Type)?.init(number) as? Other
  }
  return switch value {
  case let number as any BinaryInteger: integer(number)
  case let number as any BinaryFloatingPoint: fraction(number)
  default: nil
  }
}

/// The type of values that are written as themselves in a shape; nil for another shape.
private func _undoType(of shape: Substring) -> (any Codable.Type)? {
  func optional<Value: Codable>(_ type: Value.Type) -> any Codable.Type { Value?.self }
  func array<Value: Codable>(_ type: Value.Type) -> any Codable.Type { [Value].self }
  let inner = shape.dropFirst()
  switch shape.first {
  case "?": return _undoType(of: inner).map { optional($0) }
  case "*": return _undoType(of: inner).map { array($0) }
  default: break
  }
  switch shape {
  case "i": return Int64.self
  case "u": return UInt64.self
  case "a": return Int8.self
  case "b": return UInt8.self
  case "o": return Bool.self
  case "d": return Double.self
  case "f": return Float.self
  case "s": return String.self
  default: return nil
  }
}
