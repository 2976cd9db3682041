public import UndoHistories

// The methods that make an archive of a history's steps and restore the steps from one, and whether an archive belongs
// to a document. The steps are made by `UndoHistory.Transcript`, and performed again in `+RestoringSteps`. Digests are
// computed in `Bytes/_UndoDigest`.

extension UndoHistory where Value: UndoArchivable {
  /// Returns the steps in a form that can be written to a file and restored with ``restoreSteps(from:)``.
  ///
  /// An archive contains the steps, the saved point, restored values and, if they are kept, `branches`. It doesn't
  /// contain `limit`, `coalescing`, times or saves in flight. A step that is open is archived as if it had ended.
  ///
  /// A restored value (`restoreOnUndo(_:)`) is archived if one of the `UndoArchivable/undoParts` is exactly that
  /// property.
  ///
  /// An edit of a property that is in none of the parts has no name in the archive, so archiving it throws an error. A
  /// history with origins or remote edits is an exception: these may move such an edit into another step, so the
  /// archive contains the whole document.
  ///
  /// - Throws: ``UndoArchiveError/unnamedPart(step:property:)`` if a step can't be archived, or an error from encoding
  ///   the document.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold.
  public func archive() throws -> Archive { try archive(keepsWhole: false) }

  /// Replaces the steps of this history with the steps of an archive.
  ///
  /// The document must be the same as when the archive was made, and doesn't change. `limit`, `coalescing` and
  /// `branches` don't change either: the steps are cut to the limit, and branches are restored only if they are kept.
  /// The saved point is that of the archive; if the store has the document as it is now, call `markSaved()`
  /// afterwards. The answers to saves in flight are refused from then on.
  ///
  /// The document may be of a later version of its type, which encodes it differently: a property was added or removed,
  /// or a number has another type. Then the `UndoArchivable/undoParts` that both versions encode alike must be the
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
  func digest(of document: Value) throws -> UInt64 { try _UndoDigest.of(withRestoredValues(document)) }

  /// Whether the steps belong to a document that a later version of its type has decoded.
  func belongs(toLater document: Value) throws -> Bool {
    try contents.known.map { try _UndoKnownDocument(withRestoredValues(document)).isSame(as: $0) } ?? false
  }

  private func withRestoredValues(_ document: Value) throws -> Value {
    guard let restored = contents.restored else { return document }
    var history = UndoHistory(initialValue: document)
    try history.perform(restored, nil)
    return history.currentItem
  }
}

extension UndoHistory where Value: Codable {
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
    steps.origins = access.log.archivedOrigins(from: oldest, inBranches: steps.branches?.identities ?? [])
    return try Archive(steps, fields: coding)
  }
}
