/// An edit that was written when the value had another type, such as an integer that is a `Double` now, or a text that
/// is optional now.
///
/// The value is converted to its old type, edited, and converted back. If that isn't possible, the edit is lost.
/// Applying a lost edit records an empty step, so that the other steps keep their positions. Edits that continue its
/// text are lost as well. This file reads the patch of such an edit, and converts values and edits.
struct _UndoConversion {
  /// The range of a text that the edit replaces, if it replaces one.
  let text: _UndoTextPatch?
  /// Makes the edit in a value, with another range of a text if one is passed, and returns the new value; nil if the
  /// edit is lost in any case, because the document no longer has what was edited.
  let make: ((Any, _UndoTextPatch?) throws -> Any)?
}

extension _UndoCoder {
  /// Reads a patch of a part whose values may have had another shape when it was written.
  static func read(of shape: Substring, from reader: inout _UndoReader, type: Int) throws -> _UndoPatch {
    if shape == self.shape { return try readValue(from: &reader, type: type) }
    return patch(.converted(try _UndoConversion(to: Value.self, of: shape, from: &reader, type: type)))
  }
}

extension _UndoConversion {
  /// Reads a patch of a part; the edit is lost if values of that shape can't be converted.
  fileprivate init<Value: Codable>(
    to new: Value.Type, of shape: Substring, from reader: inout _UndoReader, type: Int
  ) throws {
    func edit<Wrapped: Codable>(_ wrapped: Wrapped.Type) throws -> Self {
      let patch = try _undoCoder(of: Wrapped.self).readValue(from: &reader, type: type)
      return Self(patch, of: Wrapped.self, text: patch.textPatch)
    }
    if let wrapping = Value.self as? any _UndoWrapping.Type, let wrapped = wrapping.wrapped as? any Codable.Type,
      _undoCoder(of: wrapped).shape == shape
    {
      self = wrapping.lifted(try edit(wrapped))
    } else if let other = _undoType(of: shape) {
      let coding = reader.coding
      func read<Other: Codable>(_ other: Other.Type) throws -> Self {
        let edit = try edit(Other.self)
        return Self(text: edit.text) { value, text in
          guard let make = edit.make, let value = value as? Value, let old: Other = try converted(value, coding),
            let edited = try make(old, text) as? Other, let new: Value = try converted(edited, coding)
          else { throw UndoFormError.unfit }
          return new
        }
      }
      self = try read(other)
    } else {
      self = Self(text: try reader.skipChange(of: shape, type: type), make: nil)
    }
  }

  /// The edit that a patch makes of a value of this type, or the same in another range of a text.
  init<Value>(_ patch: _UndoPatch, of type: Value.Type, text: _UndoTextPatch?) {
    self.init(text: text) { value, text in
      guard let value = value as? Value else { throw UndoFormError.unfit }
      return try patch.resolved(in: value).with(text).applied(to: value)
    }
  }
}

/// The value as a value of another type, or nil.
///
/// Without a coding, only numbers are converted.
private func converted<Value: Codable, Other: Codable>(_ value: Value, _ coding: UndoPieceCoding?) throws -> Other? {
  if let coding { return try coding.decode(Other.self, coding.encode(value)) as? Other }
  return switch (value, Other.self as Any.Type) {
  case (let number as any BinaryInteger, let type as any FixedWidthInteger.Type): type.init(exactly: number) as? Other
  case (let number as any BinaryInteger, let type as any BinaryFloatingPoint.Type):
    type.init(exactly: number) as? Other
  case (let number as any BinaryFloatingPoint, let type as any FixedWidthInteger.Type):
    type.init(exactly: number) as? Other
  case (let number as any BinaryFloatingPoint, let type as any BinaryFloatingPoint.Type): type.init(number) as? Other
  default: nil
  }
}

/// The type of values that are written in a shape without an encoder; nil for other shapes.
///
/// Longer shapes are refused: a forged one could nest types deeply, and the runtime takes twice as long for each level.
private func _undoType(of shape: Substring) -> (any Codable.Type)? {
  guard shape.utf8.count <= 8 else { return nil }
  func optional<Value: Codable>(_ type: Value.Type) -> any Codable.Type { Value?.self }
  func array<Value: Codable>(_ type: Value.Type) -> any Codable.Type { [Value].self }
  if shape.first == "?" { return _undoType(of: shape.dropFirst()).map { optional($0) } }
  if shape.first == "*" { return _undoType(of: shape.dropFirst()).map { array($0) } }
  let types: [any (Codable & _UndoCompact).Type] = [
    Int64.self, UInt64.self, Int8.self, UInt8.self, Bool.self, Double.self, Float.self, String.self,
  ]
  return types.first { $0.shape == shape }
}

/// A value that may be missing.
protocol _UndoWrapping {
  static var wrapped: Any.Type { get }
  var wrappedValue: Any? { get }
  /// An edit of the wrapped value, as an edit of this type.
  static func lifted(_ edit: _UndoConversion) -> _UndoConversion
}

extension Optional: _UndoWrapping {
  static var wrapped: Any.Type { Wrapped.self }
  var wrappedValue: Any? { self }

  static func lifted(_ edit: _UndoConversion) -> _UndoConversion {
    _UndoConversion(text: edit.text) { value, text in
      guard let value = value as? Self, let value, let make = edit.make, let edited = try make(value, text) as? Wrapped
      else { throw UndoFormError.unfit }
      return edited as Self as Any
    }
  }
}
