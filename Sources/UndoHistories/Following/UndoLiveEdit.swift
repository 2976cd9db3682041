// A live edit, what it tells about texts and elements, and the record that it reads while `onEdit` runs
// (`_UndoLentRecord`). Its answers are `UndoTextChange` and `UndoElementsChange`. The changes of elements are made in
// `Edits/_UndoChange`.

/// An edit that an undo or a redo has just made, with the document as the edit left it.
///
/// It tells a view what was replaced in its text, or which of its rows were added, removed or changed. Each answer is
/// computed when you ask for it.
///
/// ```swift
/// struct Note { var title = "", lines: [String] = [] }
///
/// var history = UndoHistory(initialValue: Note())
/// history.transaction { edit in
///   edit.title.append("Shopping")
///   edit.lines.append("Milk")
/// }
/// history.undo { edit in
///   if let change = edit.text(at: \.title) {
///     print("title", change.utf16Range, change.replacement)  // title 0..<8
///   }
///   for change in edit.elements(of: \.lines) {
///     print("lines", change)  // lines 0..<1 -> 0..<0
///   }
/// }
/// ```
///
/// An edit is valid during one call and can't be kept. `Part` is the type of the document, or of an element that a
/// subscript leads to.
public struct UndoLiveEdit<Part>: ~Copyable {
  private let record: _UndoLentRecord
  /// The edit that the latest exchange made.
  private let edit: _UndoEdit
  /// The number of levels that lead to this part.
  private let depth: Int
  /// Whether the edit was made within this part, and not in another part or in a value around it.
  private let isInside: Bool
  private let read: (_UnsafeUndoPointer) -> Part
}

extension UndoLiveEdit {
  /// Creates a live edit of the record at the position of the log, which was exchanged last.
  init(_ document: _UnsafeUndoPointer, _ log: _UnsafeUndoPointer) {
    let edit = unsafe log.with(_UndoLog.self) { $0.records.latestEdit }
    self.init(
      record: _UndoLentRecord(document, log), edit: edit, depth: 0, isInside: true, read: { unsafe $0[as: Part.self] })
  }
}

/// The record that was exchanged, with the document and the log, which stay where they are until `onEdit` returns.
private final class _UndoLentRecord {
  private let document: _UnsafeUndoPointer
  private let log: _UnsafeUndoPointer
  /// Whether `onEdit` is still running.
  ///
  /// The compiler rejects code that keeps an edit, except for one that a subscript yields and an enum takes in (Swift
  /// 6.3).
  var isLent = true

  init(_ document: _UnsafeUndoPointer, _ log: _UnsafeUndoPointer) {
    self.document = document
    self.log = log
  }

  /// The document; traps if `onEdit` has returned.
  var lentDocument: _UnsafeUndoPointer {
    precondition(isLent, "An edit was kept beyond the call that lent it")
    return document
  }

  /// The text that the edit replaced; nil for an edit that isn't of a text.
  var text: String? {
    unsafe log.with(_UndoLog.self) { log in
      log.records.delta(of: log.records.current).insertedElements as? String
    }
  }

  /// Undoes the edit, or makes it again.
  func exchange() {
    let document = lentDocument
    unsafe log.with(_UndoLog.self) { $0.records.exchange($0.records.current, with: document) }
  }
}

// MARK: - What happened

extension UndoLiveEdit {
  /// The kind of change of the innermost part that was edited, or nil for an element that wasn't edited.
  ///
  /// For a letter in `rows[3].title`, this is the range in the title, while ``UndoEdit/kind-swift.property`` is element
  /// 3 of `rows`.
  package var kind: UndoEdit.Kind? { isInside ? edit.change.kind : nil }

  /// The indices of the elements that lead from here to the part that was edited, outermost first.
  ///
  /// For a letter in `rows[3].title`, this is `[3]`.
  public var indexPath: [Int] { isInside ? (depth..<edit.levels.count).map { edit.levels[$0].index } : [] }

  /// The document as this edit left it, or the element if a subscript led to one.
  ///
  /// Reading an element that doesn't exist traps, as in its collection.
  public var currentItem: Part { read(record.lentDocument) }

  /// Whether anything within a property may have changed.
  ///
  /// Every edit may have changed a computed property.
  public func touches<Property>(_ keyPath: KeyPath<Part, Property>) -> Bool {
    isTouched(Property.self, at: MemoryLayout<Part>.offset(of: keyPath))
  }

  /// The change that this edit made to a text, or nil if it made none; in an optional text, nil counts as empty.
  ///
  /// If a value that contains the text was replaced as a whole, the change is what lies between the common beginning
  /// and the common end of the old and the new text. The same is true for a computed property.
  ///
  /// - Complexity: O(1) for an edit of the text itself. Otherwise that of the edit, and O(*n*) in the length of the
  ///   text.
  public func text(at keyPath: KeyPath<Part, some UndoText>) -> UndoTextChange? {
    text(at: MemoryLayout<Part>.offset(of: keyPath)) { $0[keyPath: keyPath]._text }
  }

  /// The changes that this edit made to the elements of a collection, in order; empty if it made none.
  ///
  /// Apply each change to the rows as the previous change left them. Added elements are in ``currentItem``.
  ///
  /// If a value that contains the collection was replaced as a whole, all elements were replaced. The same is true for
  /// a computed property, with every edit.
  ///
  /// - Complexity: O(1), or O(*n*) in the number of ranges that the edit changed. If a value that contains the
  ///   collection was replaced, that of the edit.
  public func elements<Elements: RandomAccessCollection>(
    of keyPath: KeyPath<Part, Elements>
  ) -> [UndoElementsChange] where Elements.Index == Int {
    let offset = MemoryLayout<Part>.offset(of: keyPath)
    guard isTouched(Elements.self, at: offset) else { return [] }
    if isPart(Elements.self, at: offset) {
      if depth < edit.levels.count { return [.element(at: edit.levels[depth].index)] }
      if let changes = edit.change.changesOfElements { return changes }
    }
    func bounds(_ part: Part) -> Range<Int> {
      let elements = part[keyPath: keyPath]
      return elements.startIndex..<elements.endIndex
    }
    let (old, new) = (bounds(readOther()), bounds(currentItem))
    return old.isEmpty && new.isEmpty ? [] : [.range(old: old, new: new)]
  }

  /// The same edit, as seen from an element.
  ///
  /// ```swift
  /// struct Row { var title = "" }
  ///
  /// var history = UndoHistory(initialValue: [Row(title: "one"), Row(title: "two")])
  /// history.edit[1].title.append("!")
  /// history.undo { edit in
  ///   if let change = edit[\.self, 1].text(at: \.title) { print(change.utf16Range) }  // 3..<4
  /// }
  /// ```
  ///
  /// It describes only changes within the element. Use ``elements(of:)`` to learn whether the element was added,
  /// removed or moved, for example to update the index in a view of one element.
  public subscript<Elements: RandomAccessCollection>(
    keyPath: KeyPath<Part, Elements>, index: Int
  ) -> UndoLiveEdit<Elements.Element> where Elements.Index == Int {
    _read {
      let isElement =
        isInside && depth < edit.levels.count && edit.levels[depth].index == index
        && isPart(Elements.self, at: MemoryLayout<Part>.offset(of: keyPath))
      let read = read
      let element = UndoLiveEdit<Elements.Element>(
        record: record, edit: edit, depth: depth + 1, isInside: isElement, read: { read($0)[keyPath: keyPath][index] })
      yield element
    }
  }

  // MARK: Implementation

  /// Makes each later use of the edit trap, because `onEdit` has returned.
  func giveBack() { record.isLent = false }

  /// The range in which the edit lies, as seen from this part: the next collection on the path, or the part that the
  /// edit changes.
  private var partRange: _UndoPartRange { edit.range(at: depth) }

  /// Whether the edit may have changed a property of this type at this offset; a property without an offset may be
  /// changed by every edit within this part.
  private func isTouched<Property>(_ type: Property.Type, at offset: Int?) -> Bool {
    guard isInside, let offset else { return isInside }
    return _UndoPartRange(type, at: offset).bytes.overlaps(partRange.bytes)
  }

  /// Whether the range in which the edit lies is exactly a property of this type at this offset.
  private func isPart<Property>(_ type: Property.Type, at offset: Int?) -> Bool {
    offset.map { partRange == _UndoPartRange(type, at: $0) } ?? false
  }

  /// The part as it was before this edit, read by undoing the edit and making it again.
  ///
  /// This costs two edits, but works for every kind of edit and every key path.
  private func readOther() -> Part {
    record.exchange()
    defer { record.exchange() }
    return read(record.lentDocument)
  }

  private func text(at offset: Int?, _ text: (Part) -> String) -> UndoTextChange? {
    guard isTouched(String.self, at: offset) else { return nil }
    // An optional text lies where the text does.
    if depth == edit.levels.count, isPart(String.self, at: offset),
      case .elements(.range(let old, let new)) = edit.change.kind, let replaced = record.text
    {
      return UndoTextChange(text(currentItem), replaced: replaced, utf8Range: old, newUTF8Range: new)
    }
    let old = text(readOther())
    return UndoTextChange(from: old, to: text(currentItem))
  }
}

extension UndoLiveEdit where Part == String {
  /// The change that this edit made to the text, or nil if it made none.
  public var text: UndoTextChange? { text(at: \.self) }
}

extension UndoLiveEdit where Part: RandomAccessCollection, Part.Index == Int {
  /// The changes that this edit made to the elements, in order; empty if it made none.
  public var elements: [UndoElementsChange] { elements(of: \.self) }
}
