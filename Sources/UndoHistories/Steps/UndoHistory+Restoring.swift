// Registers properties that undo restores, such as a caret, assigns them to another document, and compares two
// documents without them. Positions that remote edits move are registered in
// `RestoredPositions/UndoHistory+RestoredPositions`.

public import Sameness

extension UndoHistory {
  /// Restores a property on undo and redo, without recording a step when it is assigned.
  ///
  /// ```swift
  /// struct Note { var text = "", caret = 0 }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history.restoreOnUndo(\.caret)
  /// for key in ["a", "b", "c"] {
  ///   history.edit.text.append(key)
  ///   history.edit.caret += 1
  /// }
  /// history.edit.caret = 0           // a click at the beginning
  /// history.undo()
  /// print(history.undoCount, history.redo() != nil, history.caret)  // 0 true 3
  /// ```
  ///
  /// An undo sets the property to its value before the step, and a redo to its value after the step. Each step keeps
  /// two copies of the property, so use this for small values such as a caret, a selection, or the page that is shown.
  ///
  /// An edit and the caret that follows it are usually two assignments. So the first change of the property after an
  /// edit belongs to the step of that edit, and later ones don't. In a transaction, every change belongs to the step;
  /// in an open step (``beginStep(_:id:)``), every change after its first edit does.
  ///
  /// Assigning the property doesn't interrupt typing, doesn't discard redo steps, and doesn't leave the saved point. A
  /// transaction that edits nothing else records no step.
  ///
  /// Call this before the first edit. The property can't be restored any more if a step has already edited a range, an
  /// element or a member of it, because such an edit fits only the value in which it was made. Assigning a text is such
  /// an edit too. The method then returns false, and edits of the property remain steps. The same is true if an archive
  /// from an earlier version of an app has such steps.
  ///
  /// You can restore several properties. An archive contains their values if ``UndoArchivable/undoParts`` names them.
  /// The digest of the archived document leaves them out, as `==` does.
  ///
  /// - Parameter keyPath: A stored property without observers, of at most 4,000 bytes. Any other key path traps, and so
  ///   does a 65th property.
  /// - Returns: Whether the property is restored from now on.
  /// - Complexity: O(*n*) for *n* edits in steps. Each step takes twice the size of the property more, for example 16
  ///   bytes for an `Int`.
  @inlinable
  @discardableResult
  public mutating func restoreOnUndo<Part>(_ keyPath: WritableKeyPath<Value, Part>) -> Bool {
    restore(keyPath, in: nil)
  }

  @inlinable
  mutating func restore<Part>(_ keyPath: WritableKeyPath<Value, Part>, in space: _UndoPositionSpace?) -> Bool {
    guard let offset = MemoryLayout<Value>.offset(of: keyPath) else {
      preconditionFailure("A computed or observed property cannot be restored: name a stored one")
    }
    precondition(
      _UndoRestored.isPossible(Part.self),
      "A property of this size or alignment cannot be restored: name a smaller part of it, or put it into an array")
    ensureUnique()
    precondition(storage.access.log.canRestoreMore, "Too many properties are restored: put them into a struct")
    let property = _UndoRestored(Part.self, at: offset, in: space)
    return storage.access.log.restoreOnUndo(property, in: storage.access.documentPointer)
  }

  package var restoresValues: Bool { storage.access.log.restoresValues }

  /// Assigns the document's values of some properties, or of all that are restored, to another document.
  package func assignRestored(to other: inout Value, _ properties: [_UndoRestored]? = nil) {
    // The optimizer may release the history early.
    withExtendedLifetime(storage) {
      unsafe withUnsafeMutablePointer(to: &other) { other in
        for property in properties ?? storage.access.log.restoredProperties {
          property.assign(from: storage.access.documentPointer, to: unsafe _UnsafeUndoPointer(other))
        }
      }
    }
  }
}

extension UndoHistory where Value: Equatable {
  /// Whether the documents are equal except for restored values.
  @inlinable
  func hasSameDocument(as other: Self) -> Bool {
    if storage.access.log.hasExtras || other.storage.access.log.hasExtras { return isSameBesideRestored(other) }
    return _areEqualOrSame(storage.access.document, other.storage.access.document)
  }

  @usableFromInline
  func isSameBesideRestored(_ other: Self) -> Bool {
    var document = other.storage.access.document
    assignRestored(to: &document, storage.access.log.restoredProperties + other.storage.access.log.restoredProperties)
    return _areEqualOrSame(document, storage.access.document)
  }
}
