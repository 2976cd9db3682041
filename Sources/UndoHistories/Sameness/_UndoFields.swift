internal import Sameness

/// The stored properties of a struct or a tuple, with their offsets and values, found by a mirror of the value.
///
///     | field | padding | field | field | ...     each at the next multiple of its type's alignment
///
/// The order and the types of the fields come from the value's mirror. They are trusted only if they add up to the size
/// of the whole value, and if each field's bytes are found at its offset. Fields that may have padding aren't checked.
///
/// The names that lead to some bytes of a value (`path(to:in:)`), and the type that a value has at run time
/// (`_undoDynamicType`), are found here, too.
package struct _UndoFields<Whole> {
  package let fields: [Field]

  package struct Field {
    package let name: String
    /// The bytes of the field in the value.
    package let bytes: Range<Int>
    package let value: Any
  }

  /// Nil if the offsets can't be determined: for a type with a custom mirror, from C, or with weak references.
  package init?(_ whole: Whole) {
    // Most types without fields have a custom mirror. They are refused before their values are boxed.
    if Whole.self is any CustomReflectable.Type { return nil }
    // The fields of a value in an existential lie elsewhere.
    guard _undoDynamicType(of: whole) == Whole.self, let mirror = _wholeMirror(of: whole),
      mirror.displayStyle == .struct || mirror.displayStyle == .tuple
    else { return nil }
    var fields: [Field] = []
    var end = 0
    for child in mirror.children {
      func add<Value>(_ field: Value) -> Bool {
        let alignment = MemoryLayout<Value>.alignment
        let offset = (end + alignment - 1) / alignment * alignment
        end = offset + MemoryLayout<Value>.size
        guard end <= MemoryLayout<Whole>.size else { return false }
        fields.append(Field(name: child.label ?? "", bytes: offset..<end, value: child.value))
        // Larger values may have padding, which isn't copied.
        let isComparable =
          !_UndoWeight.retainsMemory(Value.self) || MemoryLayout<Value>.size <= 8 || Value.self == String.self
        return !isComparable || UnsafeValueBytes.areSame(field, at: offset, in: whole)
      }
      guard add(child.value) else { return nil }
    }
    guard !fields.isEmpty, end == MemoryLayout<Whole>.size else { return nil }
    self.fields = fields
  }

  /// The field that contains these bytes.
  package func field(around bytes: Range<Int>) -> Field? {
    fields.first {
      $0.bytes.lowerBound <= bytes.lowerBound && bytes.upperBound <= $0.bytes.upperBound && !$0.bytes.isEmpty
    }
  }
}

extension _UndoFields {
  /// The names of the stored properties that lead to some bytes of a value, as in `frame.origin.x`.
  ///
  /// The text is empty for the whole value. Bytes that belong to no single property are named by their offset, as in
  /// `@16`.
  package static func path(to bytes: Range<Int>, in whole: Whole) -> String {
    if bytes == 0..<MemoryLayout<Whole>.size { return "" }
    guard let field = _UndoFields(whole)?.field(around: bytes) else { return "@\(bytes.lowerBound)" }
    let offset = field.bytes.lowerBound
    func path<Value>(in value: Value) -> String {
      _UndoFields<Value>.path(to: bytes.lowerBound - offset..<bytes.upperBound - offset, in: value)
    }
    let rest = path(in: field.value)
    return rest.isEmpty || rest.hasPrefix("@") ? field.name + rest : "\(field.name).\(rest)"
  }
}

/// The type of a value, or of the value in an existential.
func _undoDynamicType<Content>(of content: Content) -> Any.Type {
  // Without `as`, this would be the existential type, like `Content.self`.
  type(of: content as Any)
}
