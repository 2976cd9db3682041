extension UndoHistory {
  /// Takes in the value that the store has got, and keeps what is not saved yet.
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
  /// print(history.name, history.isAtSavedPoint)                       // Ada L. true
  /// ```
  ///
  /// The saved point becomes that value, and the steps are as if it had been so before them. Each stored property is
  /// taken in by itself: one without an edit since the saved point follows the store, another one keeps what it has. To
  /// take the edit back leads to what the store has. In collections, edits that lie apart are both kept, and so are
  /// different elements that both inserted at one place: those of the store come first. A text is one value.
  ///
  /// Undo and redo lead around what was taken in. Of a step that was saved before and edited what the store has changed
  /// now, the change is part: to undo it leads to what was there before it.
  ///
  /// A save in flight moves along: it will have made the same edits, on top of the new value. Where the store has that
  /// already, the properties that it wrote count as edited until it is answered. Carried values stay (``carry(_:)``).
  ///
  /// Where steps that led to the saved point are gone, the properties that those had edited stay, and are edited as far
  /// as the store has something else. If the saved point is not known any more, all properties stay so.
  ///
  /// - Parameter stored: What the store has, as far as it has told yet.
  /// - Complexity: O(*n*) in the size of the document, and that of the steps since the saved point and of those that
  ///   can be redone.
  public mutating func rebase(onto stored: Value) {
    ensureUnique()
    // Its end may set aside the steps that led to the saved point.
    if storage.access.log.hasOpenStep { settle() }
    let access = storage.access
    access.log.bringSavesToPresentLine()
    let (point, here) = (access.log.saves.saved, access.log.state)
    guard let anchor = point.state, anchor >= access.log.oldestState else {
      return rebaseHere(onto: stored, except: [0..<MemoryLayout<Value>.size])
    }
    let kept = point.differences + bytesSaved(in: stored, behind: anchor)
    if anchor == here { return merge(stored, except: kept) }
    let touched = access.log.bytesOfEdits(between: anchor, and: here)
    let old = self
    var base = self
    base.go(toState: anchor)
    guard base.storage.access.log.state == anchor else { return rebaseHere(onto: stored, except: kept + touched) }
    let (edits, rest) = base.takeIn(stored, except: kept)
    if edits.flatMap(\.editedBytes).contains(where: { $0.overlaps(oneOf: touched) }) {
      base.storage.access.log.rebase(onto: edits, base.storage.access.documentPointer)
      base.go(toState: here)
      // An optimiser may let the copy be this history, which is assigned below, where nothing holds the old one.
      withExtendedLifetime(old) {
        let document = old.storage.access.documentPointer
        for carrier in base.storage.access.log.carriers {
          carrier.copy(document, base.storage.access.documentPointer)
        }
      }
      self = base
    } else {
      let edits = takeIn(stored, except: kept + touched).edits
      storage.access.log.rebase(onto: edits, storage.access.documentPointer)
    }
    storage.access.log.saves.saved.differences = rest
  }

  /// Finishes a save with what the store has by then, and keeps what was edited meanwhile.
  ///
  /// ```swift
  /// struct Contact { var name = "", version = 1 }
  ///
  /// var history = UndoHistory(initialValue: Contact())
  /// history.edit.name = "Ada "
  /// let save = history.beginSave()
  /// history.finishSave(save, stored: Contact(name: "Ada", version: 2))
  /// print(history.name, history.version, history.isAtSavedPoint)  // Ada 2 true
  /// ```
  ///
  /// The state in which the document was when the save was begun becomes the saved one, and then what the store has: it
  /// may have trimmed a text, or given a number. See ``rebase(onto:)``.
  ///
  /// A save that isn't in flight is refused, and nothing changes.
  ///
  /// - Returns: Whether the save was in flight.
  /// - Complexity: As that of ``rebase(onto:)``.
  @discardableResult
  public mutating func finishSave(_ save: Save, stored: Value) -> Bool {
    guard finishSave(save) else { return false }
    rebase(onto: stored)
    return true
  }

  private mutating func merge(_ stored: Value, except bytes: [Range<Int>]) {
    let (edits, rest) = takeIn(stored, except: bytes)
    storage.access.log.rebase(onto: edits, storage.access.documentPointer)
    storage.access.log.saves.saved.differences = rest
  }

  /// The same where no step leads to the saved point: the document as it is becomes that, but for what differs.
  private mutating func rebaseHere(onto stored: Value, except bytes: [Range<Int>]) {
    storage.access.log.saves.saved.state = storage.access.log.state
    merge(stored, except: bytes)
    let rest = storage.access.log.saves.saved.differences
    storage.access.log.saves.forEachPoint { $0.add(rest) }
  }

  /// The bytes that saves in flight have edited, where the store has what they write.
  ///
  /// It is told of by a push before the answer comes. To undo such an edit leads to what was there before it.
  private func bytesSaved(in stored: Value, behind anchor: Int) -> [Range<Int>] {
    var bytes: [Range<Int>] = []
    for point in storage.access.log.saves.saves.map(\.point) {
      var copy = self
      guard let state = point.state, state >= storage.access.log.oldestState else { continue }
      copy.go(toState: state)
      guard copy.storage.access.log.state == state else { continue }
      let others = copy.takeIn(stored, except: [0..<MemoryLayout<Value>.size]).rest
      let edited = storage.access.log.bytesOfEdits(between: anchor, and: state)
      bytes += edited.filter { !$0.overlaps(oneOf: others) }
    }
    return bytes
  }

  /// Makes the document what the store has, except for some bytes and for carried values.
  ///
  /// - Returns: What was edited for that, and the other bytes that differ.
  private mutating func takeIn(
    _ stored: Value, except bytes: [Range<Int>]
  ) -> (edits: [_UndoAbsorbed.Edit], rest: [Range<Int>]) {
    let document = storage.access.documentPointer
    var stored = stored
    unsafe withUnsafeMutablePointer(to: &stored) { stored in
      let stored = unsafe _UnsafeUndoPointer(UnsafeMutableRawPointer(stored))
      for carrier in storage.access.log.carriers { carrier.copy(document, stored) }
    }
    var own = assignAside(stored)
    return storage.access.withLog { $0.endRebasing(&own, document, except: bytes) }
  }

  private mutating func go(toState target: Int) {
    if storage.access.log.hasOpenStep { settle() }
    while storage.access.log.state > target, undo() != nil {}
    while storage.access.log.state < target, redo() != nil {}
  }
}

extension Range<Int> {
  fileprivate func overlaps(oneOf others: [Range<Int>]) -> Bool { others.contains { overlaps($0) } }
}
