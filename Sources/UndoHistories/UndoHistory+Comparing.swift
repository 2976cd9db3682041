// How the document is compared with its old value depends on its type, which is known where the history is created.
// In generic code that knows nothing about the type, the old value is kept unless both have the same bytes.
//
// The two initialisers that are good for any value are disfavoured: otherwise the compiler would take the one for
// `Equatable` rather than the one for dictionaries, neither being more special than the other.

extension UndoHistory where Value: Equatable {
  /// Creates a history without steps, at its saved point.
  ///
  /// To assign the same value is no edit.
  @inlinable
  @_disfavoredOverload
  public init(initialValue: consuming Value) {
    self.init(initialValue) { editor, old in
      if _UndoLog.areSame(editor.currentItem, old) {
        editor.restore(old)
      } else {
        editor.recordWhole(old)
      }
    }
  }
}

extension UndoHistory
where
  Value: MutableCollection & RangeReplaceableCollection & RandomAccessCollection,
  Value.Index == Int
{
  /// Creates a history of a collection without steps, at its saved point.
  @inlinable
  public init(initialValue: consuming Value) {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: nil) }
  }
}

extension UndoHistory
where
  Value: MutableCollection & RangeReplaceableCollection & RandomAccessCollection & Equatable,
  Value.Index == Int, Value.Element: Equatable
{
  /// Creates a history of a collection without steps, at its saved point.
  ///
  /// To assign a collection with the same elements is no edit.
  @inlinable
  public init(initialValue: consuming Value) {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: { _UndoLog.areSame($0, $1) }) }
  }
}

extension UndoHistory
where
  Value: MutableCollection & RangeReplaceableCollection & RandomAccessCollection & Equatable,
  Value.Index == Int, Value.Element == String
{
  /// Creates a history of a collection of texts without steps, at its saved point.
  ///
  /// To assign a collection with the same texts, byte by byte, is no edit.
  @inlinable
  public init(initialValue: consuming Value) {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: String.isSameText) }
  }
}

extension UndoHistory {
  /// Creates a history of a dictionary without steps, at its saved point.
  @inlinable
  public init<Key, Element>(initialValue: [Key: Element]) where Value == [Key: Element] {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: _UndoLog.haveSameBytes) }
  }

  /// Creates a history of a dictionary without steps, at its saved point.
  ///
  /// To give a key the same value is no edit.
  @inlinable
  public init<Key, Element: Equatable>(initialValue: [Key: Element]) where Value == [Key: Element] {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: { _UndoLog.areSame($0, $1) }) }
  }

  /// Creates a history of a dictionary of texts without steps, at its saved point.
  ///
  /// To give a key the same text, byte by byte, is no edit.
  @inlinable
  public init<Key>(initialValue: [Key: String]) where Value == [Key: String] {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: String.isSameText) }
  }

  /// Creates a history of a set without steps, at its saved point.
  ///
  /// To replace members by the same ones is no edit.
  @inlinable
  public init<Member>(initialValue: Set<Member>) where Value == Set<Member> {
    self.init(initialValue) { editor, old in editor.recordChange(from: old) }
  }
}

extension UndoHistory where Value == String {
  /// Creates a history of a text without steps, at its saved point.
  ///
  /// To assign the same text, byte by byte, is no edit.
  @inlinable
  public init(initialValue: String) {
    self.init(initialValue) { editor, old in editor.recordChange(from: old) }
  }
}
