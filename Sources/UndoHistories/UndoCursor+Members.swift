extension UndoCursor {
  /// The cursor at a property.
  ///
  /// The property must be stored and have no observers, since what a setter does besides storing could not be taken
  /// back exactly: to edit another one traps. Assign it where it is a leaf, or assign it through
  /// ``UndoHistory/currentItem``.
  @inlinable
  public subscript<Part>(dynamicMember keyPath: WritableKeyPath<Target, Part>) -> UndoCursor<Anchor, Part> {
    @inline(__always)
    _read {
      let cursor = UndoCursor<Anchor, Part>(access, anchor, offset: offset(of: keyPath))
      yield cursor
    }
  }

  /// A property that is a leaf.
  ///
  /// Assigning the value that it has already records nothing. A property that is computed or observed may be assigned,
  /// too; then the value that has the property is what the history keeps. A property of an object may not: whoever has
  /// the object would see it taken back.
  ///
  /// - Complexity: O(1).
  @inlinable
  public subscript<Part: UndoLeaf>(dynamicMember keyPath: WritableKeyPath<Target, Part>) -> Part {
    @inline(__always)
    get { readTarget { $0[keyPath: keyPath] } }
    @inline(__always)
    nonmutating set { replacePart(newValue, keyPath) { Part.isSame($0, $1) ? nil : _UndoLog.ownedBytes(of: $0) } }
  }

  /// A property that is a string, for assigning; its cursor edits it in place.
  ///
  /// - Complexity: O(1) and the comparison of old and new text; the old text moves into the history.
  @inlinable
  @_disfavoredOverload
  public subscript(dynamicMember keyPath: WritableKeyPath<Target, String>) -> String {
    @available(*, unavailable, message: "edit a text by its cursor's methods; read it through `currentItem`")
    get { readTarget { $0[keyPath: keyPath] } }
    @inline(__always)
    nonmutating set { replacePart(newValue, keyPath, ownedBytes: String.ownedBytes) }
  }

  /// A property that is an optional string, for assigning.
  ///
  /// - Complexity: O(1) and the comparison of old and new text; the old text moves into the history.
  @inlinable
  public subscript(dynamicMember keyPath: WritableKeyPath<Target, String?>) -> String? {
    @available(*, unavailable, message: "read a text through `currentItem`")
    get { readTarget { $0[keyPath: keyPath] } }
    @inline(__always)
    nonmutating set { replacePart(newValue, keyPath, ownedBytes: String.ownedBytes) }
  }

  /// An optional string that may be missing, as in a form, for assigning.
  ///
  /// - Complexity: As of the value that has it, which the history keeps.
  @inlinable
  public subscript(dynamicMember keyPath: WritableKeyPath<Target, String??>) -> String?? {
    @available(*, unavailable, message: "read a text through `currentItem`")
    get { readTarget { $0[keyPath: keyPath] } }
    @inline(__always)
    nonmutating set { replacePart(newValue, keyPath, ownedBytes: String.ownedBytes) }
  }

  /// Where a stored property lies.
  ///
  /// A literal key path folds to a constant.
  @inlinable
  @inline(__always)
  func offset<Part>(of keyPath: WritableKeyPath<Target, Part>) -> Int {
    guard let distance = MemoryLayout<Target>.offset(of: keyPath) else {
      preconditionFailure(
        """
        A computed or observed property, as each of a Partial, cannot be edited in place: assign it if its type is an \
        UndoLeaf, or assign it through currentItem
        """)
    }
    return offset + distance
  }

  @inlinable
  @inline(__always)
  func replacePart<Part>(
    _ newValue: consuming Part, _ keyPath: WritableKeyPath<Target, Part>, ownedBytes: (_ old: Part, _ new: Part) -> Int?
  ) {
    if let distance = MemoryLayout<Target>.offset(of: keyPath) {
      return replacePart(newValue, at: offset + distance, ownedBytes: ownedBytes)
    }
    precondition(
      !(keyPath is ReferenceWritableKeyPath<Target, Part>),
      "What an object holds is not part of the document; set the object")
    let (whole, value) = (readTarget { $0 }, newValue)
    if ownedBytes(whole[keyPath: keyPath], value) == nil { return }
    modifyTarget { $0[keyPath: keyPath] = value }
    access.log.record(_UndoSwap(anchor, other: whole), offset: offset)
  }
}
