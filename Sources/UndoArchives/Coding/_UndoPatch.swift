internal import UndoHistories

/// An edit of a value in a form that doesn't depend on the build: the path to what is edited, and the change.
///
/// Patches are made by coders (`_UndoCoder`) from records that were just exchanged, or from bytes. They are applied
/// through a cursor. The pieces of values that they hold are here too (`_UndoPatchPiece`).
///
///     | part | kind | ... |       a number, a byte, and the details of that kind
struct _UndoPatch {
  /// The type of the value.
  let root: any _UndoCoder.Type
  var path: [Place]
  var change: Change

  /// One step on the path.
  enum Place {
    /// A part by its number, counted from 1; 0 for an unnamed stored property whose bytes are known.
    case part(Int, _UndoPart)
    /// An element by its distance from the first; its index wouldn't do, because a decoded slice begins at 0.
    case element(Int, any _UndoCoder.Type)
    /// A stored property without a named part.
    case field(_UndoField)
  }

  enum Change {
    case replaced(_UndoPatchPiece)
    /// Something within the value changed, and nothing smaller has a name.
    case changed(_UndoPatchPiece)
    case text(_UndoTextPatch)
    /// A change of elements, counted from the first, and the new elements. Several ranges are either removed or
    /// inserted.
    case elements(_UndoChange, _UndoPatchPiece)
    /// A key of a dictionary was set, or a member was added to a set.
    case entry(_UndoPatchPiece, _UndoPatchPiece?)
    case absent(_UndoPatchPiece)
    /// The edit was read, and its value has another type now.
    case converted(_UndoConversion)
    /// The document no longer has what was edited. Applying it records an empty step, so that the other steps keep
    /// their positions. Edits that continue its text are lost as well.
    case lost(_UndoTextPatch?)
    /// The edit was read, and is resolved once the value is known.
    case unread(_UndoUnreadField)
  }

  /// The number of the outermost part; 0 for the whole.
  var number: Int { if case .part(let number, _)? = path.first { number } else { 0 } }

  /// The bytes of the outermost part.
  func bytes<Whole>(in whole: Whole.Type) -> Range<Int> {
    switch (path.first, change) {
    case (.part(_, let part)?, _): part.bytes
    case (.field(let field)?, _): field.member.bytes
    // No part has these bytes.
    case (nil, .lost): MemoryLayout<Whole>.size..<MemoryLayout<Whole>.size + 1
    default: 0..<MemoryLayout<Whole>.size
    }
  }

  /// The range of a text that the edit replaces, if it replaces one.
  var textPatch: _UndoTextPatch? {
    switch change {
    case .text(let text): text
    case .converted(let conversion): conversion.text
    case .lost(let text): text
    default: nil
    }
  }

  /// Whether the edit may join the latest record: it edits a text, or assigns a value that may contain one.
  var mayJoin: Bool {
    switch change {
    case .replaced, .changed, .converted, .unread, .entry, .absent: true
    default: textPatch != nil
    }
  }

  /// Whether the path contains a stored property without a named part.
  var isOfField: Bool {
    if case .unread = change { return true }
    return path.contains { if case .field = $0 { true } else { false } }
  }

  /// Whether an enclosing value is written too.
  var hasValueAround: Bool { path.contains { if case .field(let field) = $0 { field.writesAround } else { false } } }

  /// Whether both patches edit the same text.
  func isOfSameText(as other: _UndoPatch) -> Bool {
    path.elementsEqual(other.path) { one, other in
      switch (one, other) {
      case (.part(let one, _), .part(let other, _)): one == other
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
    case .lost: _UndoPatch(root: root, path: path, change: .lost(range))
    default: nil
    }
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
  /// - Throws: `_UndoPatchMismatch` if the patch doesn't fit the value, which is then unchanged.
  func apply<Value>(in access: _UndoAccess<Value>) throws -> Bool {
    try root.apply(self, from: 0, access, UndoDocumentPlace<Value>(), offset: 0)
  }
}

/// The error of a patch that doesn't fit the document.
struct _UndoPatchMismatch: Error {}

/// Text that replaces a range of UTF-8 offsets.
struct _UndoTextPatch {
  var start: Int
  var count: Int
  var replacement: String
  /// By how many bytes the latest edit has to be moved back before this one joins it.
  var slide = 0
}

/// A value of a patch, with its type erased.
struct _UndoPatchPiece {
  private let value: Any
  private let write: (inout _UndoWriter) throws -> Void

  init<Value: Codable>(_ value: Value) {
    self.value = value
    write = { try $0.write(value: value) }
  }

  init<Element: Codable>(elements: [Element]) {
    value = elements
    write = { for element in elements { try $0.write(value: element) } }
  }

  /// The value, whose type is known where the patch is applied.
  func value<Value>(as type: Value.Type = Value.self) throws -> Value {
    guard let value = value as? Value else { throw _UndoPatchMismatch() }
    return value
  }

  fileprivate func write(to writer: inout _UndoWriter) throws { try write(&writer) }
}

// MARK: - Writing

/// The byte after the number of a part.
enum _UndoPatchKind: UInt8 {
  /// The part was replaced as a whole; or something within it changed, and the part is the smallest with a name.
  case replaced = 0, changed = 1
  /// A range of a text, or of the elements, was replaced.
  case range = 2
  case inserted = 3, removed = 4
  /// Elements of several ranges were removed.
  case removals = 5
  case swapped = 6, moved = 7
  /// An element was edited, or a part of the part was.
  case element = 8, member = 9
  /// A key of a dictionary or a member of a set was added, removed or changed.
  case entry = 10, absent = 11
  /// Elements of several ranges were inserted.
  case insertions = 12
  /// A stored property without a named part was edited.
  case field = 13
  /// The same, followed by the enclosing value, which doesn't encode the property by its name.
  case fieldAndWhole = 14
  /// The elements of a range were reversed.
  case reversed = 15
}

extension _UndoPatch {
  func write(to writer: inout _UndoWriter) throws { try write(path[...], to: &writer) }

  /// Writes the patch without the number of its outermost part.
  func writeAfterNumber(to writer: inout _UndoWriter) throws {
    try writeRest(number > 0 ? path.dropFirst() : path[...], to: &writer)
  }

  private func write(_ path: ArraySlice<Place>, to writer: inout _UndoWriter) throws {
    if case .part(let number, _)? = path.first {
      writer.write(number)
      try writeRest(path.dropFirst(), to: &writer)
    } else {
      writer.write(0)
      try writeRest(path, to: &writer)
    }
  }

  private func writeRest(_ path: ArraySlice<Place>, to writer: inout _UndoWriter) throws {
    switch path.first {
    case nil: try change.write(to: &writer)
    case .part?:
      writer.write(.member)
      try write(path, to: &writer)
    case .element(let index, _)?:
      writer.write(.element)
      writer.write(index)
      try write(path.dropFirst(), to: &writer)
    case .field(let field)?:
      var inside = _UndoWriter(field.coding)
      do { try writeRest(path.dropFirst(), to: &inside) } catch {
        // Then only the enclosing value is written.
        return try Change.changed(field.around).write(to: &writer)
      }
      writer.write(field.writesAround ? .fieldAndWhole : .field)
      writer.write(field.name)
      writer.write(bytes: inside.bytes)
      if field.writesAround { try Change.changed(field.around).write(to: &writer) }
    }
  }
}

extension _UndoPatch.Change {
  fileprivate func write(to writer: inout _UndoWriter) throws {
    func begin(_ kind: _UndoPatchKind, _ numbers: Int...) {
      writer.write(kind)
      for number in numbers { writer.write(number) }
    }
    switch self {
    case .replaced(let piece):
      begin(.replaced)
      try piece.write(to: &writer)
    case .changed(let piece):
      begin(.changed)
      try piece.write(to: &writer)
    case .text(let text):
      begin(.range, text.start, text.count)
      writer.write(text.replacement)
    case .elements(let change, let elements):
      switch change {
      case .range(let splice) where splice.isOfOneElement:
        begin(splice.new == 0 ? .removed : .inserted, splice.start)
      case .range(let splice): begin(.range, splice.start, splice.old, splice.new)
      case .ranges(let splices):
        begin(splices[0].old > 0 ? .removals : .insertions)
        writer.write(_UndoChange.rangesWhilePresent(splices))
      case .swap(let first, let second): begin(.swapped, first, second)
      case .move(let move): begin(.moved, move.source, move.target)
      case .reversed(let range): begin(.reversed, range.lowerBound, range.count)
      case .value, .key, .member, .whole: throw UndoFormError.damaged(offset: 0)
      }
      try elements.write(to: &writer)
    case .entry(let key, let value):
      begin(.entry)
      try key.write(to: &writer)
      try value?.write(to: &writer)
    case .absent(let key):
      begin(.absent)
      try key.write(to: &writer)
    case .converted, .lost, .unread: throw UndoFormError.damaged(offset: 0)
    }
  }
}

extension _UndoWriter {
  mutating func write(_ kind: _UndoPatchKind) { bytes.append(kind.rawValue) }

  /// Writes ranges in increasing order, each as the distance from the previous one and the length.
  fileprivate mutating func write(_ ranges: [Range<Int>]) {
    write(ranges.count)
    var end = 0
    for range in ranges {
      write(range.lowerBound - end)
      write(range.count)
      end = range.upperBound
    }
  }
}
