// Faster overloads of `init(initialValue:)`, hidden from the documentation, which choose how an assigned document is
// compared with its old value.
//
// How the document is compared depends on its type. These overloads choose the comparison where the history is created.
// Generic code, which doesn't know the type, uses the documented initializer. That one inspects the type with each
// comparison, which takes longer but finds the same differences.

extension UndoHistory
where
  Value: MutableCollection & RangeReplaceableCollection & RandomAccessCollection,
  Value.Index == Int
{
  /// Creates a history of a collection without steps, at its saved point.
  @_documentation(visibility: internal)
  @inlinable
  public init(initialValue: consuming Value) {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: nil) }
  }

  /// Creates a history of a collection without steps, at its saved point.
  ///
  /// Assigning a collection with the same elements records nothing.
  @_documentation(visibility: internal)
  @inlinable
  public init(initialValue: consuming Value) where Value: Equatable, Value.Element: Equatable {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: { _UndoSameness.areSame($0, $1) }) }
  }

  /// Creates a history of a collection of texts without steps, at its saved point.
  ///
  /// Assigning a collection with the same texts, byte by byte, records nothing.
  @_documentation(visibility: internal)
  @inlinable
  public init(initialValue: consuming Value) where Value: Equatable, Value.Element == String {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, isSame: String.isSameText) }
  }
}

extension UndoHistory where Value == String {
  /// Creates a history of a text without steps, at its saved point.
  ///
  /// Assigning the same text, byte by byte, records nothing.
  @_documentation(visibility: internal)
  @inlinable
  public init(initialValue: String) {
    self.init(initialValue) { editor, old in editor.recordChange(from: old, to: editor.currentItem) }
  }
}
