/// An edit of a value, which is made in a copy of it.
struct _UndoValueEdit<Value> {
  let text: _UndoTextPatch?
  /// Makes the edit, or another one in the text that it leads to.
  let make: (Value, _UndoTextPatch?) throws -> Value
}

/// A patch that was written when the part had another type, as a number without fractions, or a text that was always
/// there.
///
/// What the part has is converted to the type it had, edited there, and converted back. Where that is not possible, the
/// edit is lost.
final class _UndoConvertedPatch<Whole, Part>: _UndoPatch<Whole> {
  private let partName: String?
  private let partBytes: Range<Int>
  private let edit: _UndoValueEdit<Part>
  private var wasLost = false

  init(_ name: String?, _ bytes: Range<Int>, _ number: Int, _ edit: _UndoValueEdit<Part>) {
    (partName, partBytes, self.edit) = (name, bytes, edit)
    super.init(number: number)
  }

  override var isLost: Bool { wasLost }
  override var name: String? { partName }
  override var bytes: Range<Int> { partBytes }
  override var textPatch: _UndoTextPatch? { edit.text }
  override var mayBeOfText: Bool { true }

  override func replacing(_ range: _UndoTextPatch) -> _UndoPatch<Whole>? {
    let make = edit.make
    let other = _UndoValueEdit<Part>(text: range) { try make($0, $1 ?? range) }
    return _UndoConvertedPatch(partName, partBytes, number, other)
  }

  override func writeChange(to writer: inout _UndoWriter) throws { throw UndoFormError.damaged(offset: 0) }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    let cursor = cursor.part(Part.self, at: partBytes.lowerBound)
    if let value = try? edit.make(cursor.readTarget { $0 }, text) { return cursor.change(to: value) }
    wasLost = true
    cursor.recordNothing()
  }
}

extension _UndoPartForm {
  /// Reads a patch behind the number of the part, of which the values were written in another shape then.
  func readConverted(
    _ number: Int, _ shape: Substring, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> _UndoPatch<Whole> {
    func read<Part: Codable>(_ part: Part.Type) throws -> _UndoPatch<Whole>? {
      try _UndoValueEdit<Part>(of: shape, from: &reader, type: type, schema).map {
        _UndoConvertedPatch(name, bytes, number, $0)
      }
    }
    if let patch = try read(valueType) { return patch }
    return _UndoLostPatch(try reader.skipChange(of: shape, type: type))
  }
}

extension _UndoValueEdit where Value: Codable {
  /// Reads what stands behind the number of a part; nil where values of that shape cannot be converted.
  init?(of shape: Substring, from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema) throws {
    if let wrapping = Value.self as? any _UndoWrappingCodable.Type, wrapping.wrappedShape == shape {
      guard let edit = try wrapping.wrappedEdit(from: &reader, type: type, schema) as? Self else { return nil }
      self = edit
    } else if let other = _undoType(of: shape) {
      let coding = reader.coding
      func read<Other: Codable>(_ other: Other.Type) throws -> Self {
        let edit = try _UndoValueEdit<Other>(from: &reader, type: type, schema)
        return Self(text: edit.text) { value, text in
          guard let old: Other = try converted(value, coding),
            let new: Value = try converted(edit.make(old, text), coding)
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
  fileprivate init(from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema) throws {
    let bytes = 0..<MemoryLayout<Value>.size
    let form = _UndoPartForm<Value>.form(of: Value.self, "", bytes) ?? _UndoValuePart<Value, Value>("", bytes)
    let patch = try form.read(0, from: &reader, type: type, schema)
    text = patch.textPatch
    make = { try patch.understood(in: $0, carrying: []).applied(to: $0, $1) }
  }
}

/// A value that may be missing, and was always there once.
private protocol _UndoWrappingCodable: Codable {
  static var wrappedShape: String { get }
  /// Reads an edit of what is wrapped, as one of the value.
  static func wrappedEdit(from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema) throws -> Any
}

extension Optional: _UndoWrappingCodable where Wrapped: Codable {
  fileprivate static var wrappedShape: String { _undoShape(of: Wrapped.self) }

  fileprivate static func wrappedEdit(
    from reader: inout _UndoReader, type: Int, _ schema: _UndoSchema
  ) throws -> Any {
    let edit = try _UndoValueEdit<Wrapped>(from: &reader, type: type, schema)
    return _UndoValueEdit<Self>(text: edit.text) { value, text in
      guard let value else { throw _UndoMisfit() }
      return try edit.make(value, text)
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
