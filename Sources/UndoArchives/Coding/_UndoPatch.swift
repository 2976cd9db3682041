internal import UndoHistories

/// An edit of a value in a form that doesn't depend on the build: the path to what is edited, and the change.
///
/// Patches are made by coders (`_UndoCoder`) from records that were just exchanged, or from bytes. They are applied
/// through a cursor. The text and the elements that they hold are here too (`_UndoTextPatch`, `_UndoPatchElements`).
/// Their bytes are in `_UndoPatch+Bytes`.
struct _UndoPatch {
  /// The type of the value.
  let root: any _UndoCoder.Type
  var path: [Place]
  var change: Change

  /// One step on the path.
  enum Place {
    /// A part by its number, counted from 1; 0 for a stored property without a named part. Such a property is written
    /// as a field.
    case part(Int, _UndoPart, _UndoField? = nil)
    /// An element by its distance from the first; its index wouldn't do, because a decoded slice begins at 0.
    case element(Int, any _UndoCoder.Type)

    var field: _UndoField? { if case .part(_, _, let field) = self { field } else { nil } }
  }

  enum Change {
    case replaced(any Codable)
    /// Something within the value changed, and nothing smaller has a name.
    case changed(any Codable)
    case text(_UndoTextPatch)
    /// A change of elements, counted from the first, and the new elements. Several ranges are either removed or
    /// inserted.
    case elements(_UndoChange, any _UndoPatchElements)
    /// A key of a dictionary was set to a value, or a member was added to a set; without a value, it was removed.
    case entry(any Codable, (any Codable)?)
    /// An edit that was read, of a value that the document has no more, or has with another type.
    case converted(_UndoConversion)
    /// An edit that was read, and is resolved once the value is known.
    case unread(_UndoUnreadField)
  }

  /// The number of the outermost part; 0 for the whole.
  var number: Int { if case .part(let number, _, _)? = path.first { number } else { 0 } }

  /// The bytes of the outermost part.
  func bytes<Whole>(in whole: Whole.Type) -> Range<Int> {
    switch (path.first, change) {
    case (.part(_, let part, _)?, _): part.bytes
    // No part has these bytes.
    case (nil, .converted(let conversion)) where conversion.make == nil:
      MemoryLayout<Whole>.size..<MemoryLayout<Whole>.size + 1
    default: 0..<MemoryLayout<Whole>.size
    }
  }

  /// The range of a text that the edit replaces, if it replaces one.
  var textPatch: _UndoTextPatch? {
    switch change {
    case .text(let text): text
    case .converted(let conversion): conversion.text
    default: nil
    }
  }

  /// Whether the edit may join the latest record: it edits a text, or assigns a value that may contain one.
  var mayJoin: Bool {
    switch change {
    case .replaced, .changed, .unread, .entry: true
    case .converted(let conversion): conversion.make != nil || conversion.text != nil
    default: textPatch != nil
    }
  }

  /// Whether a stored property without a named part is written.
  var isOfField: Bool {
    if case .unread = change { true } else { path.contains { $0.field != nil } }
  }

  /// Whether an enclosing value is written too.
  var hasValueAround: Bool { path.contains { $0.field?.writesAround ?? false } }

  /// Whether both patches edit the same text.
  func isOfSameText(as other: _UndoPatch) -> Bool {
    path.elementsEqual(other.path) { one, other in
      switch (one, other) {
      case (.part(let one, _, nil), .part(let other, _, nil)): one == other
      case (.element(let one, _), .element(let other, _)): one == other
      default: false
      }
    }
  }

  /// The same patch with another range of its text, or nil if it has none.
  func replacing(_ range: _UndoTextPatch) -> _UndoPatch? {
    switch change {
    case .text: _UndoPatch(root: root, path: path, change: .text(range))
    case .converted(let conversion):
      _UndoPatch(root: root, path: path, change: .converted(_UndoConversion(text: range, make: conversion.make)))
    default: nil
    }
  }

  /// The patch with this range of its text; without a range, the patch as it is.
  func with(_ text: _UndoTextPatch?) -> _UndoPatch { text.flatMap { replacing($0) } ?? self }

  /// The same patch of an enclosing value, from which these places lead here.
  func behind(_ places: ArraySlice<Place>, in root: any _UndoCoder.Type) -> _UndoPatch {
    _UndoPatch(root: root, path: Array(places) + path, change: change)
  }

  /// Writes the text between two UTF-8 offsets of the text that the patch edits.
  func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    try? root.walk(path[...], from: whole) { _, text in
      unsafe text.with(String.self) { writer.write($0, utf8: range) }
    }
  }

  /// Applies the patch.
  ///
  /// - Returns: Whether the edit is lost, because the document no longer has what it edited.
  /// - Throws: `UndoFormError` if the patch doesn't fit the value, which is then unchanged.
  func apply<Value>(in access: _UndoAccess<Value>) throws -> Bool {
    try root.apply(self, from: 0, access, UndoDocumentPlace<Value>(), offset: 0)
  }

  /// A value of a patch, whose type is known where the patch is applied.
  static func value<Value>(_ value: Any) throws -> Value {
    guard let value = value as? Value else { throw UndoFormError.unfit }
    return value
  }
}

/// Text that replaces a range of UTF-8 offsets.
struct _UndoTextPatch {
  var start: Int
  var count: Int
  var replacement: String
  /// By how many bytes the latest edit has to be moved back before this one joins it.
  var slide = 0
}

/// The elements that a patch inserts.
protocol _UndoPatchElements {
  func writeEach(to writer: inout _UndoWriter) throws
}

extension Array: _UndoPatchElements where Element: Codable {
  func writeEach(to writer: inout _UndoWriter) throws {
    for element in self { try writer.write(value: element) }
  }
}
