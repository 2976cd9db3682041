internal import UndoHistories

// Restores steps from an archive: performs each archived step and remote edit again in a new history, whose log then
// replaces the log of this one. Steps that don't fit a changed document are left out.

extension UndoHistory where Value: Codable {
  /// Replaces the steps of this history with the steps of an archive, as ``restoreSteps(from:)`` does.
  ///
  /// - Parameters:
  ///   - known: If given, the properties that the archived history restored are restored, instead of this one's. Those
  ///     among the given ones that are positions move with remote edits, which an archive doesn't say.
  ///   - isOfDocument: Whether the archive is known to belong to the document. Steps that don't fit any more are then
  ///     left out, with all earlier steps.
  /// - Returns: The number of steps that were left out, and the number of unsaved steps that edited a part that the
  ///   document no longer has.
  @discardableResult
  package mutating func restore(
    _ archive: Archive, restoringAsArchived known: [_UndoRestored]? = nil, isOfDocument: Bool = false
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
      known.map { known in
        (steps.restored ?? []).compactMap { patch in
          if case .part(_, let part, _)? = patch.path.first { part.property?.asKnown(in: known) } else { nil }
        }
      } ?? self.restoredProperties
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
        missingCount = Self.cut(&steps, to: index)
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
    restored.walk(toState: position)
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
  mutating func perform(_ edits: [_UndoPatch], _ label: String?) throws -> Bool {
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
        } catch is UndoFormError {
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

  /// Removes the oldest steps, beginning with the given one; or all steps if other parts of the archive refer to them
  /// by number.
  ///
  /// - Returns: The number of removed steps.
  private static func cut(_ steps: inout Archive.Contents, to count: Int) -> Int {
    let kept = steps.hasRemoteEdits || steps.origins != nil || steps.branches != nil ? 0 : count
    let lost = steps.undo[kept...].count { $0.remoteEdit == nil }
    if kept < count { steps.redo = [] }
    steps.saved = steps.saved.flatMap { $0 < lost ? nil : $0 - lost }
    steps.undo.removeSubrange(kept...)
    (steps.origins, steps.branches) = (nil, nil)
    return lost
  }
}
