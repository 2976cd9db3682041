/// Steps of one kind which undo and redo take without a call, where one follows the other: what their deltas are made of
/// is known from the type of the document.
@usableFromInline
protocol _UndoRow {
  /// The kind.
  static func kind(in log: borrowing _UndoLog) -> _UndoKind

  /// Exchanges the payload of such a record, which has this argument, with the document.
  static func exchange(_ payload: _UndoPlace, _ offset: Int, _ document: _UndoPlace)
}

/// Steps that replaced a number of eight bytes in the document itself.
@usableFromInline
enum _UndoWordRow: _UndoRow {
  @inlinable
  @inline(__always)
  static func kind(in log: borrowing _UndoLog) -> _UndoKind { _UndoKind(words: 2, operation: .word) }

  @inlinable
  @inline(__always)
  static func exchange(_ payload: _UndoPlace, _ offset: Int, _ document: _UndoPlace) {
    payload.exchangeWord(with: document, at: offset)
  }
}

/// Steps that replaced an element of the document, which is a collection.
@usableFromInline
enum _UndoElementRow<Elements: MutableCollection>: _UndoRow where Elements.Index == Int {
  @inlinable
  @inline(__always)
  static func kind(in log: borrowing _UndoLog) -> _UndoKind {
    _UndoKind(words: _UndoLog.words(_UndoElementSwap<Elements>.self), operation: log.elementOperation)
  }

  @inlinable
  @inline(__always)
  static func exchange(_ payload: _UndoPlace, _ offset: Int, _ document: _UndoPlace) {
    payload.exchangeElement(with: document, of: Elements.self)
  }
}

// Which way a branch goes nearly always, so that the compiler lays that way out without jumps; of these an undo has more
// than of anything else. The standard library's own functions for this are public, but underscored. They are used here
// only, and do nothing but hint: with internal checks the tests run without them.

@inlinable
@inline(__always)
func isLikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _fastPath(condition)
  #endif
}

@inlinable
@inline(__always)
func isUnlikely(_ condition: Bool) -> Bool {
  #if InternalChecks
    condition
  #else
    _slowPath(condition)
  #endif
}
