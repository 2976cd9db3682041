internal import Sameness

/// The offsets and types of the stored properties of a type, found once, and which of them differ between two values.
///
///     | field | padding | field | field | ...     each with its bytes and its type
///
/// `_UndoFields` finds them from the mirror of a value, which takes 10,000 instructions for each property. A layout is
/// therefore found only once per type. Afterwards, the bytes of two values show which properties differ.
struct _UndoLayout {
  let fields: [Field]

  struct Field {
    let name: String
    let bytes: Range<Int>
    /// The type, if the property can be read in place.
    ///
    /// A reference can't, because it may be weak or unowned.
    let type: Any.Type?
  }

  /// Nil if the properties can't be found.
  init?<Whole>(of example: Whole) {
    guard let found = _UndoFields(example) else { return nil }
    fields = found.fields.map { Field(name: $0.name, bytes: $0.bytes, type: Self.readableType(of: $0.value)) }
  }

  /// The fields whose bytes differ between two values; nil if one of them can't be read in place.
  func differing<Whole>(_ a: Whole, _ b: Whole) -> [Field]? {
    var differing: [Field] = []
    for field in fields where !UnsafeValueBytes.areSame(a, b, in: field.bytes) {
      if field.type == nil { return nil }
      differing.append(field)
    }
    return differing
  }

  private static func readableType<Value>(of value: Value) -> Any.Type? {
    // A value in an existential has another type.
    guard !(Value.self is AnyClass), _undoDynamicType(of: value) == Value.self else { return nil }
    if let type = Value.self as? any _UndoStandardType.Type { return type.isReadable ? type : nil }
    if !_UndoWeight.retainsMemory(Value.self) { return Value.self }
    // It is neither an object nor an existential, so it is a struct or an enum.
    if Value.self is any CustomReflectable.Type { return Value.self }
    switch Mirror(reflecting: value).displayStyle {
    case .struct, .tuple, .enum: return Value.self
    default: return nil
    }
  }
}

/// The layouts of the types that a history has compared; nil for types without one.
struct _UndoLayouts {
  private var found: [ObjectIdentifier: _UndoLayout?] = [:]

  /// The layout of the type of a value, if it has one.
  mutating func layout<Whole>(of value: Whole) -> _UndoLayout? {
    if let layout = found[ObjectIdentifier(Whole.self)] { return layout }
    let layout = _UndoLayout(of: value)
    found[ObjectIdentifier(Whole.self)] = .some(layout)
    return layout
  }
}
