extension UndoHistory {
  /// Makes edits that are never a step: what a server pushes, or what the file has got from another program.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: ["Flour"])
  /// history.edit.append("Milk")
  /// history.absorb { $0.insert("From the server", at: 0) }
  /// history.undo()
  /// print(history.currentItem)  // ["From the server", "Flour"]
  /// history.redo()              // ["From the server", "Flour", "Milk"]
  /// ```
  ///
  /// Undo and redo of the steps lead around it: those are made as if it had been there before them. Typing goes on
  /// where it was. A step that is open (``beginStep(_:)``) ends.
  ///
  /// Where an absorbed edit changed what the next step to undo did, there is no way around. Then ``canUndo`` is false,
  /// ``obstacle`` names the edit, and ``adopt()`` makes it a step that can be undone. What can be redone goes from the
  /// first step on that conflicts.
  ///
  /// An edit that is in the way of no step is not kept: what it replaced cannot be had back, like what a server has
  /// changed. If the user is to be able to undo it, make it a step, with ``transaction(_:_:)``.
  ///
  /// A carried value (``carry(_:)``) that is assigned is no part of it: what it is then goes along with the steps.
  ///
  /// The store is taken not to have it: the saved point is the document without it, which undo does not lead back to.
  ///
  /// - Parameters:
  ///   - saved: Whether the store has the edit already. Then it belongs to the saved point as well.
  ///   - body: What is edited, all of it or nothing where it throws.
  /// - Complexity: That of the edits, O(1) for each step before which an undo or a key leads them, and O(*n*) for *n*
  ///   steps that can be redone.
  @inlinable
  @discardableResult
  public mutating func absorb<Result, Failure: Error>(
    saved: Bool = false, _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    let access = storage.access
    var own = access.withLog { $0.beginAbsorbing(_UndoLog(for: Value.self)) }
    do {
      var editor = Editor(access, _UndoRoot(), offset: 0)
      let result = try editor.transactionAsItIs(nil, body)
      access.withLog { $0.endAbsorbing(&own, isSaved: saved) }
      return result
    } catch {
      access.withLog { $0.endAbsorbing(&own, isSaved: true) }
      throw error
    }
  }

  /// Assigns the document, which is never a step: it absorbs what differs.
  ///
  /// ```swift
  /// struct Note { var title = "", body = "" }
  ///
  /// var history = UndoHistory(initialValue: Note())
  /// history.edit.title = "Shopping"
  /// history.absorb(Note(title: "Shopping", body: "Milk"))
  /// history.undo()
  /// print(history.title, history.body)  //  Milk
  /// ```
  ///
  /// - Parameter saved: Whether the store has it already.
  /// - Complexity: O(*n*) in the size of the document, and that of absorbing what differs.
  public mutating func absorb(_ newValue: Value, saved: Bool = false) {
    ensureUnique()
    var own = assignAside(newValue)
    storage.access.withLog { $0.endAbsorbing(&own, isSaved: saved) }
  }

  /// The same where a recorder reads what is absorbed before that meets the steps.
  mutating func absorb<Result, Failure: Error>(
    saved: Bool, readBy recorder: _UndoAnyRecorder, _ body: (inout Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    ensureUnique()
    let access = storage.access
    access.withLog { recorder.beginReading(&$0, access.documentPointer) }
    var own = access.withLog { $0.beginAbsorbing(_UndoLog(for: Value.self)) }
    defer { access.withLog { recorder.endAbsorbing(&own, in: &$0, isSaved: saved, access.documentPointer) } }
    var editor = Editor(access, _UndoRoot(), offset: 0)
    return try editor.transactionAsItIs(nil, body)
  }

  mutating func absorb(_ newValue: Value, saved: Bool, readBy recorder: _UndoAnyRecorder) {
    ensureUnique()
    let access = storage.access
    access.withLog { recorder.beginReading(&$0, access.documentPointer) }
    // Messages do not say what an edit without a name was recorded as, on which depends what commutes with it.
    var own = assignAside(newValue, isSplit: false)
    access.withLog { recorder.endAbsorbing(&own, in: &$0, isSaved: saved, access.documentPointer) }
  }

  /// Assigns the document, which a log of its own records; returns the one that has to be put back.
  ///
  /// - Parameter isSplit: Whether each stored property that differs gets a record of its own.
  mutating func assignAside(_ newValue: Value, isSplit: Bool = true) -> _UndoLog {
    let access = storage.access
    let own = access.withLog { $0.beginAbsorbing(_UndoLog(for: Value.self)) }
    access.log.transaction.isSplit = isSplit
    let old = access.document
    access.document = newValue
    access.log.beginTransaction(nil)
    storage.compare(Editor(access, _UndoRoot(), offset: 0), old)
    access.log.endTransaction()
    return own
  }

  /// The absorbed edit that is in the way of the next step to undo; nil if none is.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: 0)
  /// history.edit.set(1)
  /// history.absorb { $0.set(2) }
  /// print(history.canUndo, history.obstacle != nil)  // false true
  /// history.adopt()
  /// history.undo()
  /// print(history.currentItem)  // 1
  /// ```
  ///
  /// - Complexity: O(1).
  public var obstacle: UndoStepID? { storage.access.log.obstacle.map { UndoStepID(rawValue: $0) } }

  /// Makes the absorbed edit that is in the way a step, which can be undone: the latest one.
  ///
  /// It keeps its identity. What could be redone goes, as with every edit.
  ///
  /// - Returns: Whether there was one (``obstacle``).
  /// - Complexity: As that of recording its edits.
  @discardableResult
  public mutating func adopt() -> Bool {
    guard storage.access.log.obstacle != nil else { return false }
    ensureUnique()
    storage.access.log.adopt()
    return true
  }
}

extension _UndoLog {
  /// Lets another log record what is to be absorbed, and returns this one.
  @usableFromInline
  mutating func beginAbsorbing(_ scratch: consuming _UndoLog) -> _UndoLog {
    // What is assigned behind it is none of the step.
    if hasOpenStep { settle() }
    var own = scratch
    // So that what lies between changed places stays free.
    own.useOrigins()
    if carriesValues { own.carry(what: extras[0].carried) }
    swap(&own, &self)
    return own
  }

  /// Puts the log back, and absorbs what the other one has recorded, unless that is seen to elsewhere.
  @usableFromInline
  mutating func endAbsorbing(_ own: inout _UndoLog, isSaved: Bool?) {
    close()
    swap(&own, &self)
    if let isSaved { absorb(own, isSaved: isSaved) }
    own.chunks = []
  }
}
