extension UndoCursor where Target: MutableCollection, Target.Index == Int {
  /// The cursor at an element.
  ///
  /// - Precondition: The index is that of an element; otherwise the edit traps.
  @inlinable
  public subscript(index: Int) -> UndoCursor<_UndoElement<Anchor, Target>, Target.Element> {
    @inline(__always)
    _read {
      let cursor = elementCursor(at: index)
      yield cursor
    }
  }

  /// An element that is a leaf.
  ///
  /// Assigning the value that it has already records nothing.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript(index: Int) -> Target.Element where Target.Element: UndoLeaf {
    @inline(__always)
    get { readTarget { $0[index] } }
    @inline(__always)
    nonmutating set { elementCursor(at: index).replacePart(newValue, at: 0, isSame: Target.Element.isSame) }
  }

  /// An element that is a string, for assigning; its cursor edits it in place.
  ///
  /// - Complexity: O(1) and the comparison of old and new text; the old text moves into the history.
  @inlinable
  @_disfavoredOverload
  public subscript(index: Int) -> String where Target.Element == String {
    @available(*, unavailable, message: "edit a text by its cursor's methods; read it through `currentItem`")
    get { readTarget { $0[index] } }
    @inline(__always)
    nonmutating set { elementCursor(at: index).replacePart(newValue, at: 0, ownedBytes: String.ownedBytes) }
  }

  @inlinable
  @inline(__always)
  func elementCursor(at index: Int) -> UndoCursor<_UndoElement<Anchor, Target>, Target.Element> {
    UndoCursor<_UndoElement<Anchor, Target>, Target.Element>(
      access, _UndoElement(index, offset: offset, in: anchor), offset: 0)
  }
}

extension UndoCursor where Target: Collection {
  /// The number of elements: of characters in a text, of keys in a dictionary.
  ///
  /// - Complexity: As for the collection: O(*n*) for a text, O(1) for the others.
  @inlinable
  public var count: Int { readTarget { $0.count } }

  /// Whether there are no elements.
  @inlinable
  public var isEmpty: Bool { readTarget { $0.isEmpty } }
}
