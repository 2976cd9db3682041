/// A kind of step that undo and redo take without a call, if it follows another step of the same kind: one that
/// replaced a number in the document (`_UndoInlineWord`) or an element of a collection (`_UndoInlineElement`).
///
/// The type of the document determines the type of the deltas. `_UndoLog+FastPath` compares the header of a record with
/// the pattern, and takes the step. A step of an element takes 62 instructions; with a call it took 87. Price: every
/// caller contains this code, and a step of another kind still needs a call.
@usableFromInline
protocol _UndoInlineStep {
  /// The pattern that the headers of such steps have in common, given the operation of elements.
  static func pattern(elements: _UndoOperationIndex) -> _UndoHeaderPattern

  /// Exchanges the payload of such a record, with the given argument, with the document.
  static func exchange(_ payload: _UnsafeUndoPointer, _ offset: Int, _ document: _UnsafeUndoPointer)
}

/// Steps that replaced an eight-byte number in the document itself.
@usableFromInline
enum _UndoInlineWord: _UndoInlineStep {
  @inlinable
  @inline(__always)
  static func pattern(elements: _UndoOperationIndex) -> _UndoHeaderPattern {
    (_UndoLink(words: 2, flags: _UndoHeader.whole), .word)
  }

  @inlinable
  @inline(__always)
  static func exchange(_ payload: _UnsafeUndoPointer, _ offset: Int, _ document: _UnsafeUndoPointer) {
    unsafe payload.exchangeWord(with: document, at: offset)
  }
}

/// Steps that replaced an element of a document that is a collection.
@usableFromInline
enum _UndoInlineElement<Elements: MutableCollection>: _UndoInlineStep where Elements.Index == Int {
  @usableFromInline
  typealias Delta = _UndoReplacement<UndoElementPlace<UndoDocumentPlace<Elements>, Elements>, Elements.Element>

  @inlinable
  @inline(__always)
  static func pattern(elements: _UndoOperationIndex) -> _UndoHeaderPattern {
    (_UndoLink(words: _UndoHeader.wordCount(of: Delta.self), flags: _UndoHeader.whole), elements)
  }

  @inlinable
  @inline(__always)
  static func exchange(_ payload: _UnsafeUndoPointer, _ offset: Int, _ document: _UnsafeUndoPointer) {
    let index = unsafe payload[as: Delta.self].place.element.index
    unsafe swap(&document[as: Elements.self][index], &payload[as: Delta.self].other)
  }
}
