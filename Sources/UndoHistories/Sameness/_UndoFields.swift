/// The stored properties of a struct, or the elements of a tuple, and where they lie in it.
///
///     | field | padding | field | field | ...     each at the next multiple of its type's alignment
///
/// The order and the types are those that the value's mirror shows. They are good for nothing unless what follows from
/// them is the size of the whole. The bytes of a field must be found there too, unless it may have padding, which is
/// not copied.
package struct _UndoFields<Whole> {
  package let fields: [Field]

  package struct Field {
    package let name: String
    package let offset: Int
    package let size: Int
    package let value: Any
  }

  /// Nil where it cannot be told: for a type with a mirror of its own, of the C language, or with references that are
  /// weak.
  package init?(_ whole: Whole) {
    // Of what is in an existential the mirror shows the fields, which lie elsewhere.
    guard _UndoSameness.dynamicType(of: whole) == Whole.self, _UndoSameness.isReflected(Whole.self) else { return nil }
    let mirror = Mirror(reflecting: whole)
    guard mirror.displayStyle == .struct || mirror.displayStyle == .tuple else { return nil }
    var fields: [Field] = []
    var end = 0
    for child in mirror.children {
      func add<Value>(_ field: Value) -> Bool {
        let alignment = MemoryLayout<Value>.alignment
        let offset = (end + alignment - 1) / alignment * alignment
        end = offset + MemoryLayout<Value>.size
        guard end <= MemoryLayout<Whole>.size else { return false }
        fields.append(
          Field(name: child.label ?? "", offset: offset, size: MemoryLayout<Value>.size, value: child.value))
        // Larger values may have padding, which a copy need not have.
        let isComparable =
          !_UndoWeight.retainsMemory(Value.self) || MemoryLayout<Value>.size <= 8 || Value.self == String.self
        return !isComparable || _UndoSameness.hasBytes(of: field, at: offset, in: whole)
      }
      guard add(child.value) else { return nil }
    }
    guard !fields.isEmpty, end == MemoryLayout<Whole>.size else { return nil }
    self.fields = fields
  }
}

/// A part that differs between two values of one type.
struct _UndoDifferingPart<Anchor: _UndoAnchor> {
  let offset: Int
  let size: Int
  /// Records the difference at a cursor's access and anchor, for the value that lies at an offset there.
  let record: (_UndoAccess<Anchor.Root>, Anchor, _ offset: Int) -> Void

  /// Where the part lies, the whole being at an offset.
  func bytes(at base: Int) -> Range<Int> { base + offset..<base + offset + size }

  /// How long a record of the part as a whole would be.
  var recordSize: Int { 8 + MemoryLayout<Anchor>.size + (size + 7) / 8 * 8 }

  /// The whole value as the only part.
  init<Whole>(_ old: Whole, at offset: Int) {
    self.offset = offset
    size = MemoryLayout<Whole>.size
    record = { access, anchor, base in
      UndoCursor<Anchor, Whole>(access, anchor, offset: base + offset).recordAsOnePart(old)
    }
  }

  /// The smallest parts in which two values differ, in the order in which they lie in the whole.
  ///
  /// - Parameters:
  ///   - isSplit: Whether each field is a part of its own, also where the whole takes less memory.
  ///   - layouts: Those that were found before, and where others are kept.
  static func all<Whole>(
    from old: Whole, to new: Whole, at offset: Int = 0, isSplit: Bool, _ layouts: inout _UndoLayouts
  ) -> [Self] {
    if _UndoSameness.haveSameBytes(old, new) { return [] }
    let whole = [Self(old, at: offset)]
    if let type = Whole.self as? any _UndoStandardType.Type {
      // Of a collection its record finds out, at the same cost.
      return type.isWrapper && _UndoSameness.haveSameParts(old, new) ? [] : whole
    }
    // What cannot be taken apart is one part, if it is not the same after all.
    var undivided: [Self] { _UndoSameness.haveSameParts(old, new) ? [] : whole }
    var parts: [Self] = []
    func add<Field>(from old: Field, to new: Field, at distance: Int, named name: String) -> Bool {
      if _UndoSameness.haveSameContents(old, new) || _UndoSameness.areSameLeaves(old, new) { return true }
      if _UndoSameness.isUncomputed(old, named: name) { return true }
      if needsItsWhole(old) || needsItsWhole(new) { return false }
      parts += all(from: old, to: new, at: offset + distance, isSplit: isSplit, &layouts)
      return true
    }
    if let fields = layouts.layout(of: old)?.differing(old, new) {
      for field in fields {
        func addField<Field>(_ type: Field.Type) -> Bool {
          unsafe withUnsafePart(of: old, at: field.bytes.lowerBound, as: type) { old in
            unsafe withUnsafePart(of: new, at: field.bytes.lowerBound, as: type) { new in
              add(from: old, to: new, at: field.bytes.lowerBound, named: field.name)
            }
          }
        }
        guard let type = field.type, addField(type) else { return undivided }
      }
    } else {
      guard let oldFields = _UndoFields(old), let newFields = _UndoFields(new) else { return undivided }
      for (old, new) in zip(oldFields.fields, newFields.fields) {
        func addField<Field>(_ value: Field) -> Bool {
          (new.value as? Field).map { add(from: value, to: $0, at: old.offset, named: old.name) } ?? false
        }
        guard addField(old.value) else { return undivided }
      }
    }
    // Bytes that keep nothing are cheap to keep as they are.
    if !isSplit, !_UndoWeight.retainsMemory(Whole.self), parts.reduce(0, { $0 + $1.recordSize }) >= whole[0].recordSize
    {
      return whole
    }
    return parts
  }

  /// Whether a field can only be exchanged with all that lies around it.
  ///
  /// A reference may be one that does not own its object, which the type of the field does not tell; and of what has no
  /// style of its own, as a function, nothing is known.
  private static func needsItsWhole<Field>(_ field: Field) -> Bool {
    // What follows is known of most fields without their mirrors.
    if let type = Field.self as? any _UndoStandardType.Type {
      if !type.isWrapper { return false }
    } else if !_UndoWeight.retainsMemory(Field.self), Field.self is any CustomReflectable.Type {
      return false
    }
    let type = _UndoSameness.dynamicType(of: field)
    if type is AnyClass { return true }
    let mirror = Mirror(reflecting: field)
    guard mirror.displayStyle == .optional else {
      return mirror.displayStyle == nil && !(type is any CustomReflectable.Type)
    }
    guard let wrapped = mirror.children.first?.value else { return false }
    func isBound<Wrapped>(_ wrapped: Wrapped) -> Bool { needsItsWhole(wrapped) }
    return isBound(wrapped)
  }
}
