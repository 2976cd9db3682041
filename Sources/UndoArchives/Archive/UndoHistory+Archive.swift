public import UndoHistories

// Writes the steps of a history into an archive, and restores them from one.

extension UndoHistory where Value: UndoArchivable {
  /// Returns the steps in a form that can be written to a file and restored with ``restoreSteps(from:)``.
  ///
  /// An archive contains the steps, the saved point, restored values and, if they are kept, ``branches``. It doesn't
  /// contain ``limit``, ``coalescing``, times or saves in flight. A step that is open is archived as if it had ended.
  ///
  /// A restored value (``restoreOnUndo(_:)``) is archived if one of the ``UndoArchivable/undoParts`` is exactly that
  /// property.
  ///
  /// An edit of a property that is in none of the parts can only be archived if the history has origins or remote
  /// edits: because these may move such an edit into another step, the archive then contains the whole document.
  ///
  /// - Throws: ``UndoArchiveError/unnamedPart(step:)`` if a step can't be archived, or an error from encoding the
  ///   document.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold.
  public func archive() throws -> Archive { try archive(keepsWhole: false) }

  /// Replaces the steps of this history with the steps of an archive.
  ///
  /// The document must be the same as when the archive was made, and doesn't change. ``limit``, ``coalescing`` and
  /// ``branches`` don't change either: the steps are cut to the limit, and branches are restored only if they are kept.
  /// The saved point is that of the archive; if the store has the document as it is now, call ``markSaved()``
  /// afterwards. The answers to saves in flight are refused from then on.
  ///
  /// The document may be of a later version of its type, which encodes it differently: a property was added or removed,
  /// or a number has another type. Then the ``UndoArchivable/undoParts`` that both versions encode alike must be the
  /// same, also within elements; a type without parts must be the same. Steps that edited a part that was removed are
  /// kept, and do nothing. If a step doesn't fit any more, it and all steps beyond it are left out.
  ///
  /// - Throws: ``UndoArchiveError/changed`` if the archive isn't as it was made, or has values of a type without parts
  ///   that encodes them differently now; ``UndoArchiveError/otherDocument`` if it belongs to another document;
  ///   ``UndoArchiveError/damaged`` if an edit doesn't fit the document; or an error from encoding the document. The
  ///   history is then unchanged.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold. If branches
  ///   are kept, also O(*b*²) for *b* branches.
  public mutating func restoreSteps(from archive: Archive) throws { try restore(archive) }
}

extension UndoHistory.Archive where Value: Codable {
  /// Whether the steps belong to this document, ignoring restored values.
  package func belongs(to document: Value) throws -> Bool {
    try digest(of: document) == contents.document
  }

  /// A digest of a document with the archive's restored values.
  fileprivate func digest(of document: Value) throws -> UInt64 { try _UndoDigest.of(withRestoredValues(document)) }

  /// Whether the steps belong to a document that a later version of its type has decoded.
  fileprivate func belongs(toLater document: Value) throws -> Bool {
    guard let known = contents.known else { return false }
    return try _UndoKnownDocument(withRestoredValues(document)).isSame(as: known)
  }

  private func withRestoredValues(_ document: Value) throws -> Value {
    guard let restored = contents.restored else { return document }
    var history = UndoHistory(initialValue: document)
    try history.perform(restored, nil)
    return history.currentItem
  }

  /// Removes the oldest steps, beginning with the given one; or all steps if other parts of the archive refer to them
  /// by number.
  ///
  /// - Returns: The number of removed steps.
  fileprivate static func cut(_ steps: inout Contents, to count: Int) -> Int {
    let kept = steps.hasRemoteEdits || steps.origins != nil || steps.branches != nil ? 0 : count
    let lost = steps.undo[kept...].count { $0.remoteEdit == nil }
    if kept < count { steps.redo = [] }
    steps.saved = steps.saved.flatMap { $0 < lost ? nil : $0 - lost }
    steps.undo.removeSubrange(kept...)
    (steps.origins, steps.branches) = (nil, nil)
    return lost
  }
}

extension UndoHistory where Value: Codable {
  /// Whether two documents encode the same, regardless of the order in their sets and dictionaries.
  package static func encodeTheSame(_ one: Value, _ other: Value) throws -> Bool {
    try _UndoDigest.of(one) == _UndoDigest.of(other)
  }

  /// Returns an archive for ``restore(_:)``.
  ///
  /// - Parameters:
  ///   - keepsWhole: Whether the whole document is archived for an edit that no part contains.
  ///   - coding: If given, such an edit is archived by the smallest stored property that contains it. The archive can
  ///     then only be read from its bytes.
  package func archive(keepsWhole: Bool, fields coding: UndoPieceCoding? = nil) throws -> Archive {
    var copy = self
    copy.separate()
    let access = copy.storage.access
    access.log.settle()
    let known = coding == nil ? try _UndoKnownDocument(currentItem) : nil
    var steps = Archive.Contents(document: try _UndoDigest.of(currentItem), known: known)
    let parts = restoredParts(of: restoredProperties)
    if !parts.isEmpty { steps.restored = parts.map { $0.part.patch($0.number, of: currentItem) } }
    // A remote edit without a named part may have become part of a step.
    let transcript = Transcript(
      history: copy, parts: parts, schema: _UndoSchema(fields: coding), keepsWhole: keepsWhole || access.hasOrigins,
      layers: access.log.takeRemoteEdits())
    let (undoCount, redoCount) = (access.log.records.counts.undo, access.log.redoCount)
    steps.undo = try transcript.steps(.back, undoCount, from: undoCount - 1)
    steps.redo = try transcript.steps(.forward, redoCount, from: undoCount)
    let oldest = access.log.state - undoCount
    steps.saved = access.log.saves.saved.exact.flatMap { $0 < oldest ? nil : $0 - oldest }
    if access.log.keepsBranches { steps.branches = try transcript.branches() }
    steps.origins = access.log.archivedOrigins(from: oldest, steps.branches)
    return try Archive(steps, fields: coding)
  }

  /// Replaces the steps of this history with the steps of an archive, as ``restoreSteps(from:)`` does.
  ///
  /// - Parameters:
  ///   - restoresAsArchived: Whether to restore the properties that the archived history restored, instead of this
  ///     one's.
  ///   - isOfDocument: Whether the archive is known to belong to the document. Steps that don't fit any more are then
  ///     left out, with all earlier steps.
  /// - Returns: The number of steps that were left out, and the number of unsaved steps that edited a part that the
  ///   document no longer has.
  @discardableResult
  package mutating func restore(
    _ archive: Archive, restoringAsArchived restoresAsArchived: Bool = false, isOfDocument: Bool = false
  ) throws -> (missingCount: Int, lostCount: Int) {
    guard archive.isAsItWasMade else { throw UndoArchiveError.changed }
    var (steps, missingCount, lostCount) = (archive.contents, 0, 0)
    let unsavedCount = steps.count - steps.redo.count - (steps.saved ?? 0)
    let document = try archive.digest(of: currentItem)
    let isExact = document == steps.document
    guard try isExact || isOfDocument || archive.belongs(toLater: currentItem) else {
      throw UndoArchiveError.otherDocument
    }

    let restoredProperties =
      restoresAsArchived ? restoredProperties(asIn: steps.restored) : storage.access.log.restoredProperties
    let parts = restoredParts(of: restoredProperties)
    // Undo the archived steps by recording edits; undoing those gives the steps from the oldest state on.
    var back = UndoHistory(initialValue: currentItem)
    for (index, step) in steps.undo.enumerated() {
      do {
        let isLost = try back.perform(step, restoring: [])
        let isUnsaved = isLost && steps.undo[...index].count { $0.remoteEdit == nil } <= unsavedCount
        if isUnsaved, step.remoteEdit == nil { lostCount += 1 }
      } catch {
        if isExact { throw error }
        missingCount = Archive.cut(&steps, to: index)
        break
      }
    }
    if steps.undo.isEmpty { back = UndoHistory(initialValue: currentItem) }
    let schema = _UndoSchema(fields: archive.fieldCoding)
    let transcript = Transcript(history: back, parts: [], schema: schema, keepsWhole: true, layers: [])
    var forward = try transcript.steps(.back, back.undoCount, from: 0)
    if forward.count == steps.undo.count {
      for (index, step) in steps.undo.reversed().enumerated() {
        (forward[index].restored, forward[index].remoteEdit) = (step.restored, step.remoteEdit)
      }
    } else if steps.hasRemoteEdits {
      throw UndoArchiveError.damaged
    }
    var restored = UndoHistory(initialValue: back.currentItem)
    var layers: [_UndoRemoteEdits.Layer] = []
    restored.keepsBranches = keepsBranches
    var branching = keepsBranches ? steps.branches.map { Branching($0, parts) } : nil
    try branching?.addBranches(to: &restored)
    for (index, step) in forward.enumerated() {
      if let remoteEdit = step.remoteEdit {
        try restored.applyRemote(step, remoteEdit, into: &layers)
      } else {
        try restored.perform(step, restoring: parts)
        layers.didRecordStep(in: restored.storage.access.log.records)
      }
      // A remote edit that blocks undo is also in the branches that leave its state.
      let next = index + 1 < forward.count ? forward[index + 1].remoteEdit : nil
      if next?.blocks != true { try branching?.addBranches(to: &restored) }
    }
    let position = restored.undoCount
    for step in steps.redo {
      do { try restored.perform(step, restoring: parts) } catch {
        if isExact || steps.branches != nil { throw error }
        break
      }
      try branching?.addBranches(to: &restored)
    }
    restored.walk(to: position)
    guard try archive.digest(of: restored.currentItem) == document else { throw UndoArchiveError.damaged }

    let count = steps.count
    let isComplete = restored.undoCount + restored.redoCount == count
    guard isComplete && layers.allSatisfy({ $0.blocks || $0.state < position }) || layers.isEmpty else {
      throw UndoArchiveError.damaged
    }
    restored.storage.access.log.saves.saved.state = steps.saved.flatMap { isComplete && (0...count) ~= $0 ? $0 : nil }
    try branching?.end(in: &restored)
    if isComplete, let origins = steps.origins { restored.storage.access.log.restore(origins) }
    restored.storage.access.log.putRemoteEdits(layers)
    restored.storage.access.log.records.forgetTypes()
    for property in restoredProperties { restored.restoreOnUndo(property) }
    restored.recordTimes(storage.access.log.extras.first?.now)
    restored.coalescing = coalescing
    restored.limit = limit
    ensureUnique()
    swap(&storage.access.log, &restored.storage.access.log)
    storage.access.log.rebind(to: storage.access.documentPointer)
    return (missingCount, lostCount)
  }

  /// Performs an archived step, with the values of those restored parts that it has.
  ///
  /// - Returns: Whether an edit of the step is lost.
  @discardableResult
  mutating func perform(_ step: Archive.Step, restoring parts: [RestoredPart]) throws -> Bool {
    func values(_ edits: [_UndoPatch]?) -> [_UndoPatch] {
      edits?.filter { edit in parts.contains { $0.number == edit.number } } ?? []
    }
    for part in parts where step.restored?.before.contains(where: { $0.number == part.number }) == true {
      restoreOnUndo(part.property)
    }
    try perform(values(step.restored?.before), nil)
    // The next assignment belongs to the next step.
    defer { storage.access.log.settle() }
    return try perform(step.edits + values(step.restored?.after), step.label)
  }

  /// Performs edits as one step, even if they leave the document unchanged.
  ///
  /// - Returns: Whether an edit is lost.
  @discardableResult
  fileprivate mutating func perform(_ edits: [_UndoPatch], _ label: String?) throws -> Bool {
    ensureUnique()
    let access = storage.access
    var isLost = false
    var editor = Editor(access, UndoDocumentPlace(), offset: 0)
    try editor.transaction(label, asItIs: true) { _ in
      for edit in edits {
        // Records are kept apart, so that the same edits commute with them as before.
        access.log.records.position.run = .none
        do {
          let edit = try edit.resolved(in: access.document, restoring: access.log.restoredProperties)
          isLost = try edit.apply(in: access) || isLost
        } catch let error where error is _UndoPatchMismatch || error is UndoFormError {
          throw UndoArchiveError.damaged
        }
      }
    }
    return isLost
  }

  /// Performs a remote edit after the steps that have been performed so far.
  private mutating func applyRemote(
    _ step: Archive.Step, _ remoteEdit: Archive.RemoteEdit, into layers: inout [_UndoRemoteEdits.Layer]
  ) throws {
    let access = storage.access
    var own = access.withLog { $0.beginRemoteEdit(_UndoLog(for: Value.self)) }
    defer { access.withLog { $0.endRemoteEdit(&own, isSaved: nil) } }
    try perform(step.edits, nil)
    guard var edit = _UndoRemoteEdits.Edit(id: remoteEdit.id, access.log.records) else {
      throw UndoArchiveError.damaged
    }
    edit.isOfStore = remoteEdit.isOfStore
    if layers.last?.state == own.state {
      guard layers[layers.count - 1].blocks == remoteEdit.blocks else { throw UndoArchiveError.damaged }
      layers[layers.count - 1].edits.append(edit)
    } else {
      guard own.state > own.oldestState else { throw UndoArchiveError.damaged }
      layers.append(
        .init(state: own.state, start: own.records.endOfLatestRecord, edits: [edit], blocks: remoteEdit.blocks))
    }
  }
}
