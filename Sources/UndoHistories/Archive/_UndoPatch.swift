/// A patch of a value of any type.
class _UndoAnyPatch {
  /// Whether it is written with a value around what it edits, as that is behind it: what goes on says so anew.
  var hasValueAround: Bool { false }

  /// Writes the text between two UTF-8 offsets of the one that the patch leads to in a value that lies there.
  func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    preconditionFailure("a patch of its own type does this")
  }
}

/// An edit of a named part of a value, in a form that means the same in every build: what is to be put where.
///
/// It is made of a record that was just exchanged, or read from bytes, and makes the edit again through a cursor.
///
///     | part | what | ... |       a number, a byte, and what that says
class _UndoPatch<Whole>: _UndoAnyPatch {
  /// The number of the part among those that the whole names, counted from 1; 0 is the whole.
  let number: Int

  init(number: Int) { self.number = number }

  /// The name of the outermost part; nil for the whole.
  var name: String? { preconditionFailure("a patch of its own type does this") }

  /// Where the outermost part lies in the whole.
  var bytes: Range<Int> { preconditionFailure("a patch of its own type does this") }

  /// The range of a text that it replaces, where it does that.
  var textPatch: _UndoTextPatch? { nil }
  var isOfText: Bool { textPatch != nil }
  /// Whether it does, or may do so where it finds out what changed.
  var mayBeOfText: Bool { isOfText }

  /// Whether another one of a text is of the same text.
  func isOfSameText(as other: _UndoPatch<Whole>) -> Bool { number == other.number }

  /// Whether it goes by the name of a stored property that no part names.
  var isOfField: Bool { false }

  /// Whether the value has nothing any more that it could edit.
  var isLost: Bool { false }

  /// The patch with all that is in it understood, for the value that it is to edit.
  ///
  /// - Parameter carriers: What is carried of the document, if the value is that: its own patches assign it.
  /// - Throws: Where the value has nothing of that name, or the patch does not fit it.
  func understood(in whole: Whole, carrying carriers: [_UndoCarrier]) throws -> _UndoPatch<Whole> { self }

  /// The patch that replaces another range of its text; nil where it has none.
  func replacing(_ range: _UndoTextPatch) -> _UndoPatch<Whole>? { nil }

  final func write(to writer: inout _UndoWriter) throws {
    writer.write(number)
    try writeChange(to: &writer)
  }

  /// Writes what stands behind the number of the part.
  func writeChange(to writer: inout _UndoWriter) throws { preconditionFailure("a patch of its own type does this") }

  /// Makes the edit.
  ///
  /// - Parameter text: What is to be done instead with the text that the patch leads to.
  /// - Throws: `_UndoMisfit` where it does not fit the value, which is then as it was.
  func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    preconditionFailure("a patch of its own type does this")
  }
}

/// A patch does not fit the document.
struct _UndoMisfit: Error {}

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
  /// A key of a dictionary or a member of a set came, went or changed.
  case entry = 10, absent = 11
  /// Elements of several ranges came.
  case insertions = 12
  /// A stored property was edited that no part names.
  case field = 13
  /// The same of one that the value around it does not encode by its name; that value stands behind it.
  case fieldAndWhole = 14
}

/// Text that replaces a range of UTF-8 offsets.
struct _UndoTextPatch {
  var start: Int
  var count: Int
  var replacement: String
  /// How far the range of the latest edit is to be moved back in the text before this one can join it.
  var slide = 0
}

extension UndoCursor {
  /// The cursor at a part of which it is known where it lies.
  func part<Part>(_ type: Part.Type, at distance: Int) -> UndoCursor<Anchor, Part> {
    UndoCursor<Anchor, Part>(access, anchor, offset: offset + distance)
  }

  /// Replaces the value, whatever it was: the patch would not be there if that had been no edit.
  func replace(with value: Target) { replacePart(value, at: offset) { _, _ in false } }

  /// Replaces the value, and records what differs, or the whole where nothing can be seen to.
  ///
  /// Entries of a dictionary or a set that was assigned are each written as the value behind all of them: so the first
  /// has it all, and the others have nothing left.
  func change(to value: Target) {
    let old = replaceTarget(with: value)
    if readTarget({ _UndoSameness.haveSameParts(old, $0) }) {
      // What changed is not in the value as it was written.
      recordNothing()
    } else {
      recordDifference(from: old)
    }
  }

  /// Records a step of nothing, which is in no other one's way; none beside other edits.
  func recordNothing() {
    if access.log.transaction.depth > 0, !access.log.isAtStepStart { return }
    access.log.record(_UndoReplacement(anchor, other: ()), offset: offset)
  }
}

// MARK: - Values

/// A patch of a part that is known as a whole only, or by the parts of its own.
final class _UndoValuePatch<Whole, Part: Codable>: _UndoPatch<Whole> {
  enum Change {
    case replaced(Part)
    case changed(Part)
    case inside(_UndoPatch<Part>)
  }

  private let part: _UndoValuePart<Whole, Part>
  private let change: Change

  init(_ part: _UndoValuePart<Whole, Part>, _ number: Int, _ change: Change) {
    self.part = part
    self.change = change
    super.init(number: number)
  }

  override var name: String? { number == 0 ? nil : part.name }
  override var bytes: Range<Int> { part.bytes }
  override var textPatch: _UndoTextPatch? {
    if case .inside(let patch) = change { patch.textPatch } else { nil }
  }
  override var mayBeOfText: Bool {
    switch change {
    case .replaced: false
    case .changed: true
    case .inside(let patch): patch.mayBeOfText
    }
  }

  override func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    guard case .inside(let patch) = change else { return }
    patch.writeText(utf8: range, of: whole.part(at: part.bytes.lowerBound), to: &writer)
  }

  override var isOfField: Bool { if case .inside(let patch) = change { patch.isOfField } else { false } }
  override var isLost: Bool { if case .inside(let patch) = change { patch.isLost } else { false } }
  override var hasValueAround: Bool { if case .inside(let patch) = change { patch.hasValueAround } else { false } }

  override func understood(in whole: Whole, carrying carriers: [_UndoCarrier]) throws -> _UndoPatch<Whole> {
    guard case .inside(let patch) = change, patch.isOfField else { return self }
    let part = part.part(Part.self, of: whole)
    return _UndoValuePatch(self.part, number, .inside(try patch.understood(in: part, carrying: [])))
  }

  override func isOfSameText(as other: _UndoPatch<Whole>) -> Bool {
    guard number == other.number, case .inside(let patch) = change,
      case .inside(let other) = (other as? _UndoValuePatch)?.change
    else { return false }
    return patch.isOfSameText(as: other)
  }

  override func replacing(_ range: _UndoTextPatch) -> _UndoPatch<Whole>? {
    guard case .inside(let patch) = change else { return nil }
    return patch.replacing(range).map { _UndoValuePatch(part, number, .inside($0)) }
  }

  override func writeChange(to writer: inout _UndoWriter) throws {
    switch change {
    case .replaced(let value):
      writer.write(.replaced)
      try part.piece.write(value, to: &writer)
    case .changed(let value):
      writer.write(.changed)
      try part.piece.write(value, to: &writer)
    case .inside(let patch):
      writer.write(.member)
      try patch.write(to: &writer)
    }
  }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    let cursor = cursor.part(Part.self, at: part.bytes.lowerBound)
    switch change {
    case .replaced(let value): cursor.replace(with: value)
    case .changed(let value): cursor.change(to: value)
    case .inside(let patch): try patch.apply(at: cursor, text)
    }
  }
}

// MARK: - Texts

/// A patch of a text.
final class _UndoStringPatch<Whole>: _UndoPatch<Whole> {
  enum Change {
    case replaced(String)
    case changed(String)
    case range(_UndoTextPatch)
  }

  private let part: _UndoStringPart<Whole>
  private let change: Change

  init(_ part: _UndoStringPart<Whole>, _ number: Int, _ change: Change) {
    self.part = part
    self.change = change
    super.init(number: number)
  }

  override var name: String? { part.name }
  override var bytes: Range<Int> { part.bytes }
  override var textPatch: _UndoTextPatch? { if case .range(let patch) = change { patch } else { nil } }
  override var mayBeOfText: Bool { if case .replaced = change { false } else { true } }

  override func writeText(utf8 range: Range<Int>, of whole: _UnsafeUndoPointer, to writer: inout _UndoWriter) {
    unsafe whole.part(at: part.bytes.lowerBound).with(String.self) { writer.write($0, utf8: range) }
  }

  override func replacing(_ range: _UndoTextPatch) -> _UndoPatch<Whole>? {
    _UndoStringPatch(part, number, .range(range))
  }

  override func writeChange(to writer: inout _UndoWriter) throws {
    switch change {
    case .replaced(let text):
      writer.write(.replaced)
      writer.write(text)
    case .changed(let text):
      writer.write(.changed)
      writer.write(text)
    case .range(let patch):
      writer.write(.range)
      writer.write(patch.start)
      writer.write(patch.count)
      writer.write(patch.replacement)
    }
  }

  override func apply<Anchor>(at cursor: borrowing UndoCursor<Anchor, Whole>, _ text: _UndoTextPatch?) throws {
    let cursor = cursor.part(String.self, at: part.bytes.lowerBound)
    if let text { return try cursor.apply(text) }
    switch change {
    case .replaced(let text): cursor.replace(with: text)
    case .changed(let text): cursor.change(to: text)
    case .range(let patch): try cursor.apply(patch)
    }
  }
}

extension UndoCursor where Target == String {
  fileprivate func apply(_ patch: _UndoTextPatch) throws {
    let length = utf8Count
    guard patch.start <= length, patch.count <= length - patch.start else { throw _UndoMisfit() }
    let range = patch.start..<patch.start + patch.count
    let isOfWholeScalars = readTarget { $0.isScalarBoundary(range.lowerBound) && $0.isScalarBoundary(range.upperBound) }
    guard isOfWholeScalars else { throw _UndoMisfit() }
    if patch.slide > 0 { slideLatest(by: patch.slide) }
    if range.isEmpty { return insert(patch.replacement, atUTF8: range.lowerBound) }
    // What the cursor's own methods take for no edit was one when the patch was made: a word that was typed anew.
    let removed = modifyTarget { $0.exchange(utf8: range, with: patch.replacement) }
    recordReplacement(of: removed, at: range.lowerBound, inserted: patch.replacement.utf8.count)
  }

  /// Moves the range of the latest edit, if that is of this text and can still be joined, to where it makes the same.
  private func slideLatest(by distance: Int) {
    typealias Delta = _UndoTextSplice<Anchor, UInt32>
    access.withLog { log in
      guard let latest = log.joinable(Delta.self, offset: offset) else { return }
      unsafe latest.with(Delta.self) { latest in
        guard latest.anchor == anchor, Int(latest.start) >= distance else { return }
        _ = readTarget { latest.slide(to: Int(latest.start) - distance, in: $0) }
      }
    }
  }
}

extension String {
  /// Whether a UTF-8 offset within the text does not lie inside of a scalar.
  fileprivate func isScalarBoundary(_ offset: Int) -> Bool {
    utf8.index(startIndex, offsetBy: offset).samePosition(in: unicodeScalars) != nil
  }
}

extension _UndoWriter {
  mutating func write(_ kind: _UndoPatchKind) { bytes.append(kind.rawValue) }
}
