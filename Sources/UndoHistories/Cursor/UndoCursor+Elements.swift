// Subscripts that lead to an element of a collection, as a cursor or as a value, and the number of elements. Methods
// that insert, remove and move elements are in `+Collection`.

extension UndoCursor where Target: MutableCollection, Target.Index == Int {
  /// The cursor at an element.
  ///
  /// - Precondition: `index` is the index of an element; otherwise the edit traps.
  @_alwaysEmitIntoClient
  public subscript(index: Int) -> UndoCursor<UndoElementPlace<Place, Target>, Target.Element> {
    @inline(__always)
    _read {
      let cursor = elementCursor(at: index)
      yield cursor
    }
    @inline(__always)
    _modify {
      var cursor = elementCursor(at: index)
      defer { cursor.expectLent(of: access) }
      yield &cursor
    }
  }

  /// The value of an element that is a leaf.
  ///
  /// Assigning the value that the element already has records nothing.
  ///
  /// - Complexity: O(1).
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  public subscript(index: Int) -> Target.Element where Target.Element: UndoLeaf {
    @inline(__always)
    get { readTarget { $0[index] } }
    @inline(__always)
    set { elementCursor(at: index).replace(with: consume newValue, isSame: Target.Element.isSame) }
  }

  /// An element that is a string, as a value; its cursor edits it in place.
  ///
  /// The history keeps the text between the common beginning and the common end of the old and the new string.
  /// Assignments join as typing does.
  ///
  /// - Complexity: O(*n*), the comparison of the old and the new text.
  @_documentation(visibility: internal)
  @_alwaysEmitIntoClient
  @_disfavoredOverload
  public subscript(index: Int) -> String where Target.Element == String {
    get { readTarget { $0[index] } }
    set { elementCursor(at: index).assign(newValue) }
  }

  @_alwaysEmitIntoClient
  @inline(__always)
  package func elementCursor(at index: Int) -> UndoCursor<UndoElementPlace<Place, Target>, Target.Element> {
    UndoCursor<UndoElementPlace<Place, Target>, Target.Element>(
      access, UndoElementPlace(index, offset: offset, in: place), offset: 0)
  }
}

extension UndoCursor where Target: Collection {
  /// The number of elements: of characters in a text, of keys in a dictionary.
  ///
  /// - Complexity: As for the collection: O(*n*) for a text, O(1) for the others.
  @_alwaysEmitIntoClient
  public var count: Int { readTarget { $0.count } }

  /// Whether there are no elements.
  @_alwaysEmitIntoClient
  public var isEmpty: Bool { readTarget { $0.isEmpty } }
}
