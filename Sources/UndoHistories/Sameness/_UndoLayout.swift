/// Where the stored properties of a type lie, in each of its values.
///
///     | field | padding | field | field | ...     each with its bytes and its type
///
/// `_UndoFields` finds that by the mirror of one value, which takes 10,000 instructions for each property. A layout is
/// found once. Then the bytes of two values tell which properties differ, and only those are looked into.
struct _UndoLayout {
  let fields: [Field]

  struct Field {
    let name: String
    let bytes: Range<Int>
    /// The type, if the property can be read where it lies as a value of it.
    ///
    /// An object cannot: the reference to it may be one that does not own it, which its type does not tell.
    let type: Any.Type?
  }

  /// Nil where the properties of the example cannot be found.
  init?<Whole>(of example: Whole) {
    guard let found = _UndoFields(example) else { return nil }
    fields = found.fields.map {
      Field(name: $0.name, bytes: $0.offset..<$0.offset + $0.size, type: Self.readableType(of: $0.value))
    }
  }

  /// The fields in which two values have other bytes; nil if there is one that cannot be read.
  func differing<Whole>(_ a: Whole, _ b: Whole) -> [Field]? {
    var differing: [Field] = []
    for field in fields where !_UndoSameness.haveSameBytes(a, b, in: field.bytes) {
      if field.type == nil { return nil }
      differing.append(field)
    }
    return differing
  }

  private static func readableType<Value>(of value: Value) -> Any.Type? {
    // What is in an existential has another type.
    guard !(Value.self is AnyClass), _UndoSameness.dynamicType(of: value) == Value.self else { return nil }
    if let type = Value.self as? any _UndoStandardType.Type { return type.isReadable ? type : nil }
    if !_UndoWeight.retainsMemory(Value.self) { return Value.self }
    // No object, no existential: a type with a mirror of its own is a struct or an enum.
    if Value.self is any CustomReflectable.Type { return Value.self }
    switch Mirror(reflecting: value).displayStyle {
    case .struct, .tuple, .enum: return Value.self
    default: return nil
    }
  }
}

/// The layouts of the types of which a history has compared values, or that the first value showed none.
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
