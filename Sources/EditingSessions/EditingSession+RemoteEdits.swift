internal import FileChanges
internal import Journals
internal import UndoHistories

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Checks whether another program has changed the file, and takes over its changes.
  ///
  /// ```swift
  /// @MainActor func didBecomeActive(_ session: EditingSession<String>) async {
  ///   do { try await session.reload() } catch { print(error.advice) }
  /// }
  /// ```
  ///
  /// If nothing was unsaved, the document of the file replaces that of the session. This is a step with the label
  /// "Reload": undoing it restores the old document, which then counts as unsaved. The step keeps only the differences
  /// (`UndoHistory.replaceDocument(with:label:)`). The redo steps are removed, as by every edit.
  ///
  /// Otherwise the two are merged. Differences are found place by place: lines of a text, properties, and elements of
  /// collections, by their identities if they have any. The merge isn't a step: undo keeps it, and undoes the session's
  /// own edits (`UndoHistory.applyRemote`). Unsaved edits are still unsaved, and the next save writes both.
  ///
  /// Each save also checks the file. Call this when the user may have been in another program, or when the system
  /// reports that the file has changed.
  ///
  /// If the file is suddenly empty, this is a conflict too, because another program may be about to write it in place.
  ///
  /// - Returns: Whether the file had other contents.
  /// - Throws: ``EditingSessionError`` with a conflict if both have changed the same place: call ``resolve(_:)``. It is
  ///   also a conflict if the file is gone, or if the session doesn't know what the file had before. Other errors say
  ///   that the file can't be read.
  /// - Complexity: Proportional to the sizes of the file and the document, outside of the main actor except for
  ///   comparing them. If edits keep coming meanwhile, the merge is finally done on the main actor, too.
  @discardableResult
  public func reload() async throws(EditingSessionError) -> Bool {
    while let saving = status.saving { _ = await saving.value }
    guard !status.isClosed else { throw sessionError(.closed) }
    let old = status.remoteEditCount
    try await useFile(isReloading: true) { await self.lookAtFile() }
    return status.remoteEditCount != old
  }

  private func lookAtFile() async -> EditingSessionError? {
    var reason: EditingSessionError.Reason?
    while true {
      do throws(FileChangeError) {
        let theirs = try await handle.otherVersion()
        reason = await applyRemote(theirs)
        if reason == nil { try await handle.accept(theirs) }
      } catch {
        // The file has changed once more.
        if error.isConflict { continue }
        reason = .file(error)
      }
      return didUseFile(reason.map { sessionError($0) })
    }
  }

  /// Takes over the contents of the file, and returns the reason if that isn't possible.
  ///
  /// There is a conflict then, even if the reason is that the format can't read the contents.
  func applyRemote(_ found: FileChangeWriter.File.OtherVersion) async -> EditingSessionError.Reason? {
    guard let contents = found.contents else {
      guard status.files.contains(where: \.wasInFile) else {
        // The file never had anything of the session, and the other program's contents are gone.
        if status.hasConflict { (status.hasConflict, status.failure) = (false, nil) }
        return nil
      }
      return beginConflict()
    }
    format = format.like(contents)
    let digest = await elsewhere { FileDigest(contents) }
    let isKnown = status.files.contains { $0.digest == digest }
    var rounds = 0
    var theirs: Document?
    do {
      if !isKnown { theirs = try await elsewhere { [format] in try _TheirChange.read(contents, format) } }
    } catch {
      return beginConflict(.unreadable(error))
    }
    while !status.files.contains(where: { $0.digest == digest }) {
      let number = edits
      rounds += 1
      guard let theirs, rounds <= 100 else { return beginConflict() }
      let find = {
        @Sendable [_history, isDirty, base, asks = _status.isSavedPointInFile] (format: EditingFormat<Document>?) in
        _TheirChange(
          theirs, isEmpty: contents.isEmpty, to: _history, isSaved: !isDirty, base: base, format,
          asksForSavedPoint: asks)
      }
      // If edits keep coming faster than the change is found, it is found in one stretch, without encoding anything.
      let change = if rounds > 10 { find(nil) } else { await elsewhere { [format] in find(format) } }
      // The change doesn't take edits into account that were made meanwhile.
      guard number == edits else { continue }
      guard let change else { return beginConflict() }
      // Observers may edit too, even each time.
      announcing { if number == edits { applyRemote(change, digest) } }
    }
    if !status.files.contains(where: { $0.digest == digest && $0.isConfirmed }) {
      // These contents were about to be written once, and the file has them after all.
      base = await elsewhere { [format] in try? format.read(contents) }
      status.files.confirm(digest)
      log.append(.saved(digest))
    }
    if isKnown { await lookForDocument(in: digest) }
    if status.hasConflict { (status.hasConflict, status.failure) = (false, nil) }
    return nil
  }

  /// Begins a conflict: the file has other contents now, so the log must have the document, even if it was only read.
  private func beginConflict(_ reason: EditingSessionError.Reason = .conflict) -> EditingSessionError.Reason {
    status.hasConflict = true
    if !log.isBegun { log.append(.messages([], haveEdits: false)) }
    return reason
  }

  /// Marks the document as saved if the file has exactly the current document, to which edits may have led back.
  ///
  /// - Parameter found: The digest of the file's contents.
  private func lookForDocument(in found: FileDigest) async {
    let (number, document) = (edits, _history.currentItem)
    if status.files.haveDocument(of: number) { return status.failure = nil }
    let digest = await elsewhere { [format] in (try? format.write(document)).map { FileDigest($0) } }
    guard digest == found, number == edits else { return }
    announcing {
      guard number == edits else { return }
      base = document
      setNewest(found)
    }
  }

  /// The label of a step that takes over another program's contents.
  nonisolated static var reloadLabel: String { "Reload" }

  /// Makes an announced change: a step if nothing of the session is unsaved, and otherwise a merge with the unsaved
  /// edits.
  private func applyRemote(_ theirs: _TheirChange<Document>, _ digest: FileDigest) {
    if theirs.isMine {
      (_status.isSavedPointInFile, base) = (theirs.isSavedPoint, theirs.theirs)
      _status.remoteEditCount += 1
      return setNewest(digest)
    }
    let messages =
      theirs.replacesSaved
      ? changeInOwnRecord(
        { $0.settle() }, { $0.replaceDocument(with: theirs.theirs, label: Self.reloadLabel) }, { $0.markSaved() })
      : changeInOwnRecord({ $0.applyRemote(theirs.merged, saved: true) })
    _status.isSavedPointInFile = theirs.isSavedPoint
    _status.remoteEditCount += 1
    _status.files.expect(digest, edits: theirs.isWhole ? edits : nil)
    _status.files.confirm(digest)
    base = theirs.theirs
    // In one record, so that a kill leaves both or neither.
    log.append(.remoteEdits(digest, isNewest: theirs.isWhole, messages: messages))
    scheduleAutosave()
  }
}
