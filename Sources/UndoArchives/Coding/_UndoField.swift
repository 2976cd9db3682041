internal import UndoHistories

/// How a stored property without a named part is written: identified by its own name.
///
/// This file makes the patch of an edit of such a property, and resolves a patch that was read: it finds the property
/// in a later version of the type, where it may have another name or type. How a property is named is in
/// `_UndoFields+Parts`.
///
///     | 0 | 13 | name:shape | bytes | kind | ... |
///     | 0 | 14 | name:shape | bytes | kind | ... | 1 | value |
///
/// The shape says how values of the property's type are written, because a later version of the type may have another
/// one. No shape is written if an encoder writes the values.
///
/// If the enclosing value doesn't encode the property by its name, the enclosing value after the edit is written too. A
/// reader makes the edit if that gives the written value; otherwise it assigns the written value. If a piece can't be
/// encoded by itself, only the enclosing value is written.
struct _UndoField {
  /// The name and the shape.
  let name: String
  /// The enclosing value.
  let around: any Codable
  /// Whether the enclosing value is written too.
  let writesAround: Bool
  /// Writes values without a compact form.
  let coding: UndoPieceCoding
}

/// A patch of a stored property that was read and not resolved yet.
///
/// Only a value shows which properties its type has. So the patch is resolved when it is applied to a value.
struct _UndoUnreadField {
  let name: String
  /// The patch of the property, as bytes.
  let bytes: [UInt8]
  let coding: UndoPieceCoding
  /// The enclosing value, if it was written too.
  var around: (any Codable)?

  init(from reader: inout _UndoReader) throws {
    guard let coding = reader.coding else { throw reader.damage }
    (name, bytes, self.coding) = (try reader.readText(), try reader.readBytes(), coding)
  }
}

extension _UndoCoder {
  // MARK: Writing

  /// Describes an edit by the stored property that contains it, or nil.
  static func describeField(_ description: inout _UndoDescription, _ level: _UndoLevelOfEdit) -> _UndoPatch.Change? {
    let whole = unsafe level.value[as: Value.self]
    guard let coding = description.schema.fieldCoding, let fields = _UndoFields(whole),
      let field = fields.field(around: level.bytes), let member = fields.member(of: field)
    else { return nil }
    let isCoded = description.isInValueAround || fields.isEncoded(field, with: whole)
    let written = _UndoField(name: member.nameOfField, around: whole, writesAround: !isCoded, coding: coding)
    description.path.append(.part(0, member, written))
    (description.isNamed, description.isInValueAround) = (false, description.isInValueAround || !isCoded)
    return member.coder.describeValue(&description, level.within(member, of: description.edit))
  }

  // MARK: Resolving

  fileprivate static func resolved(
    _ field: _UndoUnreadField, in value: _UnsafeUndoPointer, restoring restoredProperties: [_UndoRestored]
  ) throws -> _UndoPatch {
    let whole = unsafe value[as: Value.self]
    guard let around = field.around else { return try resolved(field, in: whole) }
    let value: Value = try _UndoPatch.value(around)
    if let patch = try? resolved(field, in: whole),
      patch.makesTheSame(as: value, of: whole, restoring: restoredProperties)
    {
      return patch
    }
    return patch(.changed(around))
  }

  private static func resolved(_ field: _UndoUnreadField, in whole: Value) throws -> _UndoPatch {
    var reader = _UndoReader(field.bytes, field.coding)
    let fields = _UndoFields(whole)
    if let member = fields?.member(named: field.name) {
      let patch = try member.coder.readValue(from: &reader, type: 0)
      guard reader.isAtEnd else { throw UndoFormError.unfit }
      return try patch.behind([.part(0, member)], in: Self.self).resolved(in: whole)
    }
    // The value has no property of that name and shape any more.
    let (key, shape) = (String(field.name.prefix { $0 != ":" }), field.name.drop { $0 != ":" }.dropFirst())
    if let fields {
      var found: [_UndoPatch] = []
      for candidate in fields.fields(forKey: key, of: whole) {
        guard let member = fields.member(of: candidate) else { continue }
        var reader = reader
        let patch = try? member.coder.read(of: shape, from: &reader, type: 0)
        guard let patch = try? patch?.behind([.part(0, member)], in: Self.self).resolved(in: whole) else { continue }
        if case .converted(let conversion) = patch.change, conversion.make == nil { continue }
        found.append(patch)
      }
      if found.count > 1, let before = _UndoCodingKeys.digest(of: key, in: whole) {
        // The property that is encoded by the key is the right one.
        let changed = found.filter { patch in
          let other = try? patch.applied(to: whole)
          return other.flatMap { _UndoCodingKeys.digest(of: key, in: $0) } ?? before != before
        }
        if !changed.isEmpty { found = changed }
      }
      if let patch = found.first { return patch }
    } else if let wrapping = whole as? any _UndoWrapping, let value = wrapping.wrappedValue as? any Codable {
      func conversion<Wrapped: Codable>(_ value: Wrapped) -> _UndoConversion {
        let patch = _UndoPatch(root: _undoCoder(of: Wrapped.self), path: [], change: .unread(field))
        return _UndoConversion(patch, of: Wrapped.self, text: (try? patch.resolved(in: value))?.textPatch)
      }
      return patch(.converted(type(of: wrapping).lifted(conversion(value))))
    }
    return patch(.converted(_UndoConversion(text: try reader.skipChange(of: shape, type: 0), make: nil)))
  }
}

extension _UndoPatch {
  /// The patch with its stored property resolved, for the value that it is going to edit.
  ///
  /// - Parameter restoredProperties: The restored properties, which have patches of their own.
  /// - Throws: `UndoFormError` if the patch doesn't fit the value.
  func resolved<Whole>(in whole: Whole, restoring restoredProperties: [_UndoRestored] = []) throws -> _UndoPatch {
    guard case .unread(let field) = change else { return self }
    var (whole, patch) = (whole, self)
    try unsafe withUnsafeMutablePointer(to: &whole) { whole in
      try root.walk(path[...], from: unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(whole))) { coder, value in
        let inside = try coder.resolved(field, in: value, restoring: path.isEmpty ? restoredProperties : [])
        patch = inside.behind(path[...], in: root)
      }
    }
    return patch
  }

  /// The value with the patch applied.
  func applied<Whole>(to whole: Whole) throws -> Whole {
    let history = UndoHistory(initialValue: whole)
    _ = try apply(in: history.storage.access)
    return history.currentItem
  }

  /// Whether the patch turns a value into another one: both encode the same, or a comparison finds no difference.
  ///
  /// A comparison alone isn't enough, because it finds differences between objects and in properties that aren't
  /// encoded. The restored values are ignored, because the value that was written may have been assigned new ones
  /// already.
  fileprivate func makesTheSame<Whole: Codable>(
    as other: Whole, of whole: Whole, restoring restoredProperties: [_UndoRestored]
  ) -> Bool {
    guard var value = try? applied(to: whole) else { return false }
    var restored = UndoHistory(initialValue: other)
    for property in restoredProperties { restored.restoreOnUndo(property) }
    restored.assignRestored(to: &value)
    if let coded = try? _UndoDigest.of(value) {
      if (try? _UndoDigest.of(other)) != coded { return false }
      if (try? _UndoDigest.of(whole)) != coded { return true }
    }
    let history = UndoHistory(initialValue: value)
    let cursor = UndoHistory.Editor(history.storage.access, UndoDocumentPlace(), offset: 0)
    cursor.recordDifference(from: cursor.replaceTarget(with: other))
    return history.undoCount == 0
  }
}
