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

    /// Whether other bytes mean another value, as in a number.
    let isPlain: Bool

    fileprivate init(_ field: _UndoFields<some Any>.Field) {
      // The type is asked, because a cast of a value would look into an optional.
      func isPlain<Value>(_ value: Value) -> Bool {
        let type: Any.Type = Value.self
        // A client's own number may have padding.
        let width =
          (type as? any FixedWidthInteger.Type)?.bitWidth
          ?? (type as? any BinaryFloatingPoint.Type).map { 1 + $0.exponentBitCount + $0.significandBitCount }
        return type == Bool.self || _isPOD(Value.self) && width == 8 * MemoryLayout<Value>.size
      }
      (name, bytes) = (field.name, field.bytes)
      type = _UndoLayout.readableType(of: field.value)
      self.isPlain = isPlain(field.value)
    }
  }

  /// Nil if the properties can't be found.
  init?<Whole>(of example: Whole) {
    guard let found = _UndoFields(example) else { return nil }
    fields = found.fields.map { Field($0) }
  }

  /// The fields whose bytes differ between two values; nil if one of them can't be read in place.
  func differing<Whole>(_ a: Whole, _ b: Whole) -> [Field]? {
    let differing = fields.filter { !UnsafeValueBytes.areSame(a, b, in: $0.bytes) }
    return differing.contains { $0.type == nil } ? nil : differing
  }

  /// Whether a number or a text in them shows that two values differ, which takes no mirror.
  func showsDifference<Whole>(_ a: Whole, _ b: Whole) -> Bool {
    fields.contains { field in
      if UnsafeValueBytes.areSame(a, b, in: field.bytes) { return false }
      if field.type != String.self { return field.isPlain }
      return unsafe withUnsafePart(of: a, at: field.bytes.lowerBound, as: String.self) { a in
        unsafe withUnsafePart(of: b, at: field.bytes.lowerBound, as: String.self) { b in !String.isSameText(a, b) }
      }
    }
  }

  fileprivate static func readableType<Value>(of value: Value) -> Any.Type? {
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

extension _UndoLog {
  /// How the elements of a collection with this first element are compared, if comparing their bytes isn't enough.
  @usableFromInline
  mutating func elementComparison<Element>(first: Element?) -> ((Element, Element) -> Bool)? {
    guard let first, _UndoWeight.retainsMemory(Element.self) else { return nil }
    let layout = layouts.layout(of: first)
    return { layout?.showsDifference($0, $1) != true && _UndoSameness.areSameIfEqual($0, $1) }
  }
}
