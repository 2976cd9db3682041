internal import UndoHistories

/// An edit of a value in a form that means the same in every build: the way to what is edited, and what is put there.
///
/// It is made of a record that was just exchanged, or read from bytes, and makes the edit again through a cursor.
///
///     | part | what | ... |       a number, a byte, and what that says
struct _UndoPatch {
  /// The type of the value.
  let root: any _UndoCoder.Type
  var path: [Place]
  var change: Change

  /// One step on the way.
  enum Place {
    /// A part by its number, counted from 1; 0 for a property that no part names, where it was found.
    case part(Int, _UndoPart)
    /// An element, counted from the first: in another process a slice begins at 0.
    case element(Int, any _UndoCoder.Type)
    /// A property that no part names.
    case field(_UndoField)
  }

  enum Change {
    case replaced(_UndoPatchPiece)
    /// Something changed within, and nothing smaller has a name.
    case changed(_UndoPatchPiece)
    case text(_UndoTextPatch)
    /// Elements replaced others.
    case range(start: Int, count: Int, _UndoPatchPiece)
    case inserted(Int, _UndoPatchPiece)
    case removed(Int)
    /// In increasing order; between two of them there are elements.
    case removals([Range<Int>])
    /// As counted with the elements there.
    case insertions([Range<Int>], _UndoPatchPiece)
    case swapped(Int, Int)
    case moved(from: Int, to: Int)
    /// A key of a dictionary, with its value, or a member of a set is there.
    case entry(_UndoPatchPiece, _UndoPatchPiece?)
    case absent(_UndoPatchPiece)
    /// It was read, and the value was written in another shape then.
    case converted(_UndoConversion)
    /// The value has nothing any more that could be edited: it makes a step of nothing, so that the others stay where
    /// they are. What goes on in its text is lost as well.
    case lost(_UndoTextPatch?)
    /// It was read, and can be understood where the value is there.
    case unread(_UndoUnreadField)
  }

  /// The number of the outermost part; 0 for the whole.
  var number: Int { if case .part(let number, _)? = path.first { number } else { 0 } }

  /// Where the outermost part lies.
  func bytes<Whole>(in whole: Whole.Type) -> Range<Int> {
    switch (path.first, change) {
    case (.part(_, let part)?, _): part.bytes
    case (.field(let field)?, _): field.member.bytes
    // Those of no part.
    case (nil, .lost): MemoryLayout<Whole>.size..<MemoryLayout<Whole>.size + 1
    default: 0..<MemoryLayout<Whole>.size
    }
  }

  /// The range of a text that it replaces, where it does that.
  var textPatch: _UndoTextPatch? {
    switch change {
    case .text(let text): text
    case .converted(let conversion): conversion.text
    case .lost(let text): text
    default: nil
    }
  }

  /// Whether the latest record may take it in: it edits a text, or puts a value there that may have one.
  var mayJoin: Bool {
    switch change {
    case .replaced, .changed, .converted, .unread, .entry, .absent: true
    default: textPatch != nil
    }
  }

  /// Whether it goes by the name of a stored property that no part names.
  var isOfField: Bool {
    if case .unread = change { return true }
    return path.contains { if case .field = $0 { true } else { false } }
  }

  /// Whether it is written with a value around what it edits, as that is behind it: what goes on says so anew.
  var hasValueAround: Bool { path.contains { if case .field(let field) = $0 { field.writesAround } else { false } } }

  /// Whether another one of a text is of the same text.
  func isOfSameText(as other: _UndoPatch) -> Bool {
    path.elementsEqual(other.path) { one, other in
      switch (one, other) {
      case (.part(let one, _), .part(let other, _)): one == other
      case (.element(let one, _), .element(let other, _)): one == other
      default: false
      }
    }
  }

  /// The patch that replaces another range of its text; nil where it has none.
  func replacing(_ range: _UndoTextPatch) -> _UndoPatch? {
    var patch = self
    switch change {
    case .text: patch.change = .text(range)
    case .converted(let conversion):
      patch.change = .converted(_UndoConversion(text: range, make: conversion.make))
    case .lost: patch.change = .lost(range)
    default: return nil
    }
    return patch
  }

  /// Writes the text between two UTF-8 offsets of the one that the patch leads to in a value that lies there.
  func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    try? root.walk(path[...], from: whole) { _, text in
      unsafe text.with(String.self) { writer.write($0, utf8: range) }
    }
  }

  /// Makes the edit.
  ///
  /// - Returns: Whether it is lost.
  /// - Throws: `_UndoMisfit` where it does not fit the value, which is then as it was.
  func apply<Value>(in access: _UndoAccess<Value>) throws -> Bool {
    try root.apply(self, from: 0, access, _UndoRoot<Value>(), offset: 0)
  }
}

/// A patch does not fit the document.
struct _UndoMisfit: Error {}

/// Text that replaces a range of UTF-8 offsets.
struct _UndoTextPatch {
  var start: Int
  var count: Int
  var replacement: String
  /// How far the range of the latest edit is to be moved back in the text before this one can join it.
  var slide = 0
}

/// A value of a patch, which is written as itself or by an encoder.
struct _UndoPatchPiece {
  private let value: Any
  private let count: Int
  private let write: (inout _UndoWriter) throws -> Void

  init<Value: Codable>(_ value: Value) {
    (self.value, count) = (value, 1)
    write = { try _UndoPieceForm<Value>().write(value, to: &$0) }
  }

  init<Element: Codable>(elements: [Element]) {
    (value, count) = (elements, elements.count)
    write = { writer in
      let form = _UndoPieceForm<Element>()
      for element in elements { try form.write(element, to: &writer) }
    }
  }

  /// The value, of which the type is known where the patch is applied.
  func value<Value>(as type: Value.Type = Value.self) throws -> Value {
    guard let value = value as? Value else { throw _UndoMisfit() }
    return value
  }

  fileprivate func write(to writer: inout _UndoWriter) throws { try write(&writer) }

  fileprivate func writeWithCount(to writer: inout _UndoWriter) throws {
    writer.write(count)
    try write(&writer)
  }
}

// MARK: - Writing

/// What the byte behind a part's number says.
enum _UndoPatchKind: UInt8 {
  /// The part was replaced as a whole, or something within it changed, of which the part is the smallest with a name.
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
  /// Elements of several ranges came.
  case insertions = 12
  /// A stored property was edited that no part names.
  case field = 13
  /// The same of one that the value around it does not encode by its name; that value stands behind it.
  case fieldAndWhole = 14
}

extension _UndoPatch {
  func write(to writer: inout _UndoWriter) throws { try write(path[...], to: &writer) }

  /// Writes what stands behind the number of the outermost part.
  func writeBehindNumber(to writer: inout _UndoWriter) throws {
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
        // The value around is all then.
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
    case .range(let start, let count, let elements):
      begin(.range, start, count)
      try elements.writeWithCount(to: &writer)
    case .inserted(let index, let element):
      begin(.inserted, index)
      try element.write(to: &writer)
    case .removed(let index): begin(.removed, index)
    case .removals(let ranges):
      begin(.removals)
      writer.write(ranges)
    case .insertions(let ranges, let elements):
      begin(.insertions)
      writer.write(ranges)
      try elements.write(to: &writer)
    case .swapped(let first, let second): begin(.swapped, first, second)
    case .moved(let source, let target): begin(.moved, source, target)
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

  /// Writes ranges in increasing order: of each how far it lies behind the one before, and its length.
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
