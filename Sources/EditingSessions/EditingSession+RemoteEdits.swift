internal import FileChanges
internal import Journals
internal import UndoArchives
internal import UndoHistories

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Looks whether another program has changed the file, and takes in what it has changed.
  ///
  /// ```swift
  /// @MainActor func didBecomeActive(_ session: EditingSession<String>) async {
  ///   do { try await session.reload() } catch { print(error.advice) }
  /// }
  /// ```
  ///
  /// If nothing was unsaved, the document of the file replaces that of the session. This is a step, called "Reload":
  /// undo leads back to the old document, which is not saved then. Steps that could be redone are discarded, as by
  /// every edit.
  ///
  /// Otherwise both are merged. What differs is found place by place: lines of a text, properties, elements of
  /// collections by their identities where they have any. The merge is not a step: undo keeps it and takes back the
  /// session's own edits (`UndoHistory.applyRemote`). What was not saved still is not, and the next save writes both.
  ///
  /// Each save looks as well. Call this where the user may have been in another program, or where the system says that
  /// the file has changed.
  ///
  /// A file that is empty all at once is in conflict, too: another program may be about to write it in place.
  ///
  /// - Returns: Whether the file had other contents.
  /// - Throws: ``EditingSessionError`` with a conflict where both have changed one place: call ``resolve(_:)``. So
  ///   it is where the file has gone, or where the session does not know what it had before. Also where it cannot be
  ///   read.
  /// - Complexity: As the sizes of the file and the document, outside of the main actor but for comparing them. Where
  ///   edits keep coming meanwhile, the whole is done there in the end.
  @discardableResult
  public func reload() async throws(EditingSessionError) -> Bool {
    while let saving = status.saving { _ = await saving.value }
    guard !status.isClosed else { throw EditingSessionError(file: file, reason: .closed) }
    let old = status.remoteEditCount
    let task = Task { await lookAtFile() }
    (status.saving, status.isReloading) = (task, true)
    if let error = await task.value { throw error }
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
        // Changed once more.
        if error.isConflict { continue }
        reason = .file(error)
      }
      break
    }
    (status.saving, status.isReloading) = (nil, false)
    scheduleAutosave()
    return reason.map { EditingSessionError(file: file, reason: $0) }
  }

  /// Absorbs what the file has; the reason why that cannot be.
  ///
  /// Then it is a conflict, unless the file cannot be read.
  func applyRemote(_ found: FileChangeWriter.File.OtherVersion) async -> EditingSessionError.Reason? {
    guard let contents = found.contents else {
      guard status.files.contains(where: \.wasInFile) else {
        // It never had anything of the session: what another program had made there is gone.
        if status.hasConflict { (status.hasConflict, status.failure) = (false, nil) }
        return nil
      }
      beginConflict()
      return .conflict
    }
    let digest = await Self.digest(of: contents)
    let isKnown = status.files.contains { $0.digest == digest }
    var rounds = 0
    while !status.files.contains(where: { $0.digest == digest }) {
      let number = edits
      rounds += 1
      // Where edits keep coming faster than it is found, it is found in one stretch.
      let change =
        rounds > 10
        ? Self.changeHere(
          contents, to: _history, isSaved: !isDirty, base: base, format, asksForSavedPoint: _status.isSavedPointInFile)
        : await Self.change(
          contents, to: _history, isSaved: !isDirty, base: base, format, asksForSavedPoint: _status.isSavedPointInFile)
      // What was edited meanwhile is not in it.
      guard number == edits else { continue }
      switch change {
      case .success(let change?):
        // Observers may edit, too, even each time.
        let isApplied = announcing {
          guard number == edits else { return false }
          applyRemote(change, digest)
          return true
        }
        if !isApplied, rounds >= 100 {
          beginConflict()
          return .conflict
        }
      case .success(nil):
        beginConflict()
        return .conflict
      case .failure(let error):
        beginConflict()
        return .unreadable(error)
      }
    }
    if !status.files.contains(where: { $0.digest == digest && $0.isConfirmed }) {
      // It was about to be written once, and the file has it after all.
      base = await Self.document(of: contents, in: format)
      status.files.confirm(digest)
      log.append(.saved(digest))
    }
    if isKnown { await lookForDocument(in: digest) }
    if status.hasConflict { (status.hasConflict, status.failure) = (false, nil) }
    return nil
  }

  /// The file has something else now, and so the log must have the document, also one that was only read.
  private func beginConflict() {
    status.hasConflict = true
    if !log.isBegun { log.append(.messages([], haveEdits: false)) }
  }

  /// If the file has exactly the document as it is now, remembers that it is saved: edits may have led back to it.
  ///
  /// - Parameter found: The digest of what the file has.
  private func lookForDocument(in found: _FileDigest) async {
    let (number, document) = (edits, _history.currentItem)
    if status.files.haveDocument(of: number) { return status.failure = nil }
    guard case .success((_, let digest)) = await Self.contents(of: document, in: format), digest == found,
      number == edits
    else { return }
    announcing {
      guard number == edits else { return }
      base = document
      setNewest(found)
    }
  }

  /// The label of a step that takes over what another program wrote.
  nonisolated static var reloadLabel: String { "Reload" }

  /// Takes in what was announced: a step where nothing of the session is unsaved, else what is merged with that.
  private func applyRemote(_ theirs: _TheirChange<Document>, _ digest: _FileDigest) {
    if theirs.isMine {
      (_status.isSavedPointInFile, base) = (theirs.isSavedPoint, theirs.theirs)
      _status.remoteEditCount += 1
      return setNewest(digest)
    }
    let messages =
      theirs.replacesSaved
      ? changeApart(
        { $0.settle() }, { $0.transaction(Self.reloadLabel) { $0.assignDocument(theirs.theirs) } }, { $0.markSaved() })
      : changeApart({ $0.applyRemote(theirs.merged, saved: true) })
    _status.isSavedPointInFile = theirs.isSavedPoint
    _status.remoteEditCount += 1
    _status.files.expect(digest, edits: theirs.isWhole ? edits : nil)
    _status.files.confirm(digest)
    base = theirs.theirs
    // In one record, so that a kill leaves both or none.
    log.append(.remoteEdits(digest, isNewest: theirs.isWhole, messages: messages))
    scheduleAutosave()
  }

  @concurrent
  private nonisolated static func change(
    _ contents: Data, to history: UndoHistory<Document>, isSaved: Bool, base: Document?,
    _ format: EditingFormat<Document>, asksForSavedPoint: Bool
  ) async -> Result<_TheirChange<Document>?, any Error> {
    changeHere(contents, to: history, isSaved: isSaved, base: base, format, asksForSavedPoint: asksForSavedPoint)
  }

  private nonisolated static func changeHere(
    _ contents: Data, to history: UndoHistory<Document>, isSaved: Bool, base: Document?,
    _ format: EditingFormat<Document>, asksForSavedPoint: Bool
  ) -> Result<_TheirChange<Document>?, any Error> {
    Result {
      try _TheirChange(
        contents, to: history, isSaved: isSaved, base: base, format, asksForSavedPoint: asksForSavedPoint)
    }
  }

  @concurrent
  nonisolated static func digest(of contents: Data) async -> _FileDigest { _FileDigest(contents) }

  @concurrent
  private nonisolated static func document(of contents: Data, in format: EditingFormat<Document>) async -> Document? {
    try? format.read(contents)
  }
}
