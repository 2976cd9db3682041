extension UndoHistory {
  /// Lets a property go along with the steps: it is no step to assign it, but every step brings it back.
  ///
  /// ```swift
  /// struct Note { var text = "", caret = 0 }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history.carry(\.caret)
  /// for key in ["a", "b", "c"] {
  ///   history.edit.text.append(key)
  ///   history.edit.caret += 1
  /// }
  /// history.edit.caret = 0           // a click at the beginning
  /// history.undo()
  /// print(history.undoCount, history.redo() != nil, history.caret)  // 0 true 3
  /// ```
  ///
  /// An undo makes it what it was before the step, and a redo what it was behind it, wherever it went in between. So a
  /// step keeps two copies of it: carry what is small, as a caret, a selection, or the page that is shown.
  ///
  /// An edit and the caret that follows it are two assignments, so the first assignment behind an edit belongs to its
  /// step; later ones do not. Of a transaction every assignment does, and of an open step (``beginStep(_:)``) every one
  /// from its first edit on.
  ///
  /// Assigning it breaks no typing, drops nothing that could be redone, and does not lead away from the saved point. A
  /// transaction in which nothing else was edited is no step.
  ///
  /// Call this before the first edit. A property of which a step has edited a range, an element or a member, as also
  /// assigning a text does, cannot be carried any more, since that would fit no other value: its edits go on being
  /// steps. So it is where an archive has such steps, of an earlier version of an app.
  ///
  /// Several properties can be carried. An archive has them where ``UndoArchivable/undoParts`` names them, and the
  /// digest of its document leaves them out, as `==` does.
  ///
  /// - Parameter keyPath: A stored property without observers, of at most 4,000 bytes; any other one traps, and so does
  ///   the 65th.
  /// - Returns: Whether the property is carried from now on.
  /// - Complexity: O(*n*) for *n* edits in steps. A step takes 8 bytes more and twice the property, as 24 for an `Int`.
  @inlinable
  @discardableResult
  public mutating func carry<Part>(_ keyPath: WritableKeyPath<Value, Part>) -> Bool {
    guard let offset = MemoryLayout<Value>.offset(of: keyPath) else {
      preconditionFailure("A computed or observed property cannot be carried: carry a stored one")
    }
    precondition(
      MemoryLayout<Part>.size <= 4000 && MemoryLayout<Part>.alignment <= 8,
      "A property of this size or alignment cannot be carried: carry a smaller part of it, or an array of it")
    ensureUnique()
    precondition(storage.access.log.canCarryMore, "Too many properties are carried: carry a struct of them")
    return storage.access.log.carry(_UndoCarrier(Value.self, Part.self, at: offset), in: storage.access.documentPointer)
  }
}

extension UndoHistory {
  package var carriesValues: Bool { storage.access.log.carriesValues }
}

extension UndoHistory where Value: Equatable {
  /// Whether the documents are equal but for carried values.
  @inlinable
  func hasSameDocument(as other: Self) -> Bool {
    if storage.access.log.hasExtras || other.storage.access.log.hasExtras { return isSameBesideCarried(other) }
    return _UndoSameness.areEqualOrSame(storage.access.document, other.storage.access.document)
  }

  @usableFromInline
  func isSameBesideCarried(_ other: Self) -> Bool {
    let scratch = _UnsafeUndoPointer.allocate(holding: other.storage.access.document)
    defer { unsafe scratch.deallocate(as: Value.self) }
    for log in [storage.access.log, other.storage.access.log] {
      for value in log.extras.first?.carried.values ?? [] {
        value.carrier.copy(storage.access.documentPointer, scratch)
      }
    }
    return unsafe _UndoSameness.areEqualOrSame(scratch[as: Value.self], storage.access.document)
  }
}
