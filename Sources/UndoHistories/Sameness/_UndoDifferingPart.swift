internal import Sameness

/// A part that differs between two values of one type, with how to record it; and the search for all such parts,
/// through the stored properties at any depth.
struct _UndoDifferingPart<Place: UndoPlace> {
  /// The bytes of the part in the whole value.
  let bytes: Range<Int>
  /// Records the difference in a log, for a whole value that lies at an offset within a place of the document.
  let record: (_UndoAccess<Place.Root>, Place, _ offset: Int) -> Void

  /// The bytes of the part, if the whole value lies at an offset.
  func bytes(at base: Int) -> Range<Int> { base + bytes.lowerBound..<base + bytes.upperBound }

  /// The size of a record of the part as a whole.
  var recordSize: Int { 8 + MemoryLayout<Place>.size + (bytes.count + 7) / 8 * 8 }

  /// Creates a part that is a whole value.
  init<Whole>(_ old: Whole, at offset: Int) {
    bytes = offset..<offset + MemoryLayout<Whole>.size
    record = { access, place, base in
      UndoCursor<Place, Whole>(access, place, offset: base + offset).recordAsOnePart(old)
    }
  }

  /// The smallest parts in which two values differ, in the order in which they lie in the whole.
  ///
  /// - Parameters:
  ///   - isSplit: Whether each field is a part of its own, even if the whole takes less memory.
  ///   - layouts: The known layouts; new ones are added.
  static func all<Whole>(
    from old: Whole, to new: Whole, at offset: Int = 0, isSplit: Bool, _ layouts: inout _UndoLayouts
  ) -> [Self] {
    if UnsafeValueBytes.areSame(old, new) { return [] }
    let whole = [Self(old, at: offset)]
    if let type = Whole.self as? any _UndoStandardType.Type {
      // The differences of a collection are found when it is recorded.
      return type.isWrapper && _haveSameContents(old, new) ? [] : whole
    }
    // A value whose fields can't be found or exchanged is one part, unless both values are the same after all.
    var undivided: [Self] { _haveSameContents(old, new) ? [] : whole }
    var parts: [Self] = []
    func add<Field>(from old: Field, to new: Field, at distance: Int, named name: String) -> Bool {
      if UnsafeValueBytes.areSameExceptPadding(old, new) || _UndoSameness.areSameLeaves(old, new) { return true }
      if _isUncomputed(old, named: name) { return true }
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
          (new.value as? Field).map { add(from: value, to: $0, at: old.bytes.lowerBound, named: old.name) } ?? false
        }
        guard addField(old.value) else { return undivided }
      }
    }
    // One record of plain bytes may be smaller than several records.
    if !isSplit, !_UndoWeight.retainsMemory(Whole.self), parts.reduce(0, { $0 + $1.recordSize }) >= whole[0].recordSize
    {
      return whole
    }
    return parts
  }

  /// Whether a field can only be exchanged together with the whole value.
  ///
  /// This is true of a reference, which may be weak or unowned without its type showing it, and of a function.
  private static func needsItsWhole<Field>(_ field: Field) -> Bool {
    // For most fields, the answer is known without a mirror.
    if let type = Field.self as? any _UndoStandardType.Type {
      if !type.isWrapper { return false }
    } else if !_UndoWeight.retainsMemory(Field.self), Field.self is any CustomReflectable.Type {
      return false
    }
    let type = _undoDynamicType(of: field)
    if type is AnyClass { return true }
    let mirror = Mirror(reflecting: field)
    guard mirror.displayStyle == .optional else {
      return mirror.displayStyle == nil && !(type is any CustomReflectable.Type)
    }
    guard let wrapped = mirror.children.first?.value else { return false }
    return needsItsWhole(wrapped)
  }
}
