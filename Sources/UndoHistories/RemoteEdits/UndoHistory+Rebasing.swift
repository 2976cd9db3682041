// Merges a new value of the store into the document, and puts the unsaved steps on top of it (rebasing). Also merges
// two values that were made from one base.

extension UndoHistory {
  /// Merges the current value of the store into the document, and keeps the unsaved edits.
  ///
  /// ```swift
  /// struct Contact { var name = "", email = "", version = 1 }
  ///
  /// var history = UndoHistory(initialValue: Contact(name: "Ada"))
  /// history.edit.name = "Ada King"
  /// history.rebase(onto: Contact(name: "Ada L.", email: "ada@example.com", version: 2))  // a push
  /// print(history.name, history.email)                                // Ada King ada@example.com
  /// print(history.touches(\.email, since: .savedPoint))              // false
  /// history.undo()
  /// print(history.name, !history.isDirty)                       // Ada L. true
  /// ```
  ///
  /// The store's value becomes the saved point, as if the unsaved steps had been made on top of it. Each stored
  /// property is merged by itself. A property without an edit since the saved point takes the store's value. A property
  /// with an edit keeps its value, and undoing the edit gives the store's value. In collections, edits that don't
  /// overlap are both kept. Different elements that both sides inserted at the same place are also kept, the store's
  /// elements first. A text is merged as one value.
  ///
  /// Undo and redo skip the store's changes. If the store changed a part that an earlier, saved step had edited, the
  /// change becomes part of that step, and undoing the step restores the part as it was before the step.
  ///
  /// A save in flight is rebased too, as if it wrote the same edits on top of the new value. If the store already has
  /// what that save writes, the properties that it wrote count as edited until the save is answered. Restored values
  /// (``restoreOnUndo(_:)``) don't change, but positions move (``restoreOnUndo(_:in:unit:)``).
  ///
  /// If steps that led to the saved point were dropped, the properties that they edited keep their values, and count as
  /// edited if the store has other values. If the saved point itself isn't known any more, this is true of all
  /// properties.
  ///
  /// - Parameter stored: The newest value that the store is known to have.
  /// - Complexity: O(*n*) in the size of the document, and that of the steps since the saved point and of the redo
  ///   steps.
  public mutating func rebase(onto stored: Value) {
    ensureUnique()
    storage.access.log.unread?.loseTrack()
    // Ending the open step may detach the steps that led to the saved point.
    if storage.access.log.hasOpenStep { settle() }
    let access = storage.access
    access.log.bringSavesToMainLine()
    let (point, here) = (access.log.saves.saved, access.log.state)
    guard let place = point.state, place >= access.log.oldestState else {
      return rebaseHere(onto: stored, except: [0..<MemoryLayout<Value>.size])
    }
    let kept = point.differences + bytesSaved(in: stored, behind: place)
    if place == here { return merge(stored, except: kept) }
    let touched = access.log.records.bytesOfEdits(between: place, and: here)
    var (old, base) = (self, self)
    base.walk(toState: place)
    guard base.storage.access.log.state == place else { return rebaseHere(onto: stored, except: kept + touched) }
    let (edits, rest) = base.join(stored, except: kept)
    if edits.flatMap(\.editedBytes).contains(where: { $0.overlaps(oneOf: touched) }) {
      base.storage.access.log.rebase(onto: edits, base.storage.access.documentPointer)
      base.walk(toState: here)
      old.assignRestored(to: &base.storage.access.document)
      if old.storage.access.log.extras.first?.restoresPositions == true {
        // This moves the positions.
        old.applyRemote(base.currentItem)
        old.assignRestored(to: &base.storage.access.document)
      }
      self = base
    } else {
      merge(stored, except: kept + touched)
    }
    storage.access.log.saves.saved.differences = rest
  }

  private mutating func merge(_ stored: Value, except bytes: [Range<Int>]) {
    let (edits, rest) = join(stored, except: bytes)
    storage.access.log.rebase(onto: edits, storage.access.documentPointer)
    storage.access.log.saves.saved.differences = rest
  }

  /// Merges a value if no steps lead to the saved point, which becomes the document except for differences.
  private mutating func rebaseHere(onto stored: Value, except bytes: [Range<Int>]) {
    storage.access.log.saves.saved.state = storage.access.log.state
    merge(stored, except: bytes)
    let rest = storage.access.log.saves.saved.differences
    storage.access.log.saves.forEachPoint { $0.add(rest) }
  }

  /// The bytes that saves in flight have edited, if the store already has the values that they write.
  ///
  /// This happens if a push arrives before the answer to the save. Undoing such an edit restores the value before it.
  private func bytesSaved(in stored: Value, behind place: Int) -> [Range<Int>] {
    var bytes: [Range<Int>] = []
    for point in storage.access.log.saves.saves.map(\.point) {
      var copy = self
      guard let state = point.state, state >= storage.access.log.oldestState else { continue }
      copy.walk(toState: state)
      guard copy.storage.access.log.state == state else { continue }
      let others = copy.join(stored, except: [0..<MemoryLayout<Value>.size]).rest
      let edited = storage.access.log.records.bytesOfEdits(between: place, and: state)
      bytes += edited.filter { !$0.overlaps(oneOf: others) }
    }
    return bytes
  }

  /// Assigns the store's value to the document, except for some bytes and for restored values.
  ///
  /// - Returns: The edits that this made, and the other bytes in which the document differs from the value.
  private mutating func join(
    _ stored: Value, except bytes: [Range<Int>]
  ) -> (edits: [_UndoRemoteEdits.Edit], rest: [Range<Int>]) {
    let document = storage.access.documentPointer
    var stored = stored
    assignRestored(to: &stored)
    var own = assignAside(stored)
    return storage.access.withLog { $0.endRebasing(&own, document, except: bytes) }
  }

  /// The merge of two values that were made from one base, or nil if their changes conflict.
  ///
  /// Each value is compared with the base place by place: lines of a text, elements by identity, and properties. The
  /// changes conflict if both values changed the same place.
  ///
  /// - Complexity: That of comparing both values with the base.
  package static func merged(_ mine: Value, _ theirs: Value, base: Value) -> Value? {
    var history = UndoHistory(initialValue: base)
    history.storage.access.log.useOrigins()
    // Each property is a part of its own, as in the other value.
    history.storage.access.log.transaction.isSplit = true
    history.currentItem = mine
    guard history.undo() != nil else { return theirs }
    history.applyRemote(theirs)
    return history.redo() == nil ? nil : history.currentItem
  }
}

extension Range<Int> {
  fileprivate func overlaps(oneOf others: [Range<Int>]) -> Bool { others.contains { overlaps($0) } }
}
