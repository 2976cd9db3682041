internal import FileChanges
internal import Journals
internal import UndoHistories

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Whether the file has the document.
  public enum State: Sendable {
    /// The file has the document.
    case saved
    /// The file has an older document, or doesn't exist yet.
    case edited
    /// The file is being written.
    case saving
    /// The last save failed, and the document was not saved since.
    case failed(EditingSessionError)
    /// Another program's contents of the file can't be merged, or the file is gone or empty; call
    /// ``EditingSession/resolve(_:)``.
    case conflict
  }

  /// A way to end a conflict.
  ///
  /// Undo can reach both documents afterwards.
  public enum Resolution: Sendable {
    /// The document of the session replaces the other one.
    case mine
    /// The other document replaces that of the session.
    case theirs
    /// A document that was made of both replaces both.
    case merged(Document)
  }

  /// Whether the file has the document, or why not.
  public var state: State {
    if status.hasConflict { return .conflict }
    if status.saving != nil, !status.isReloading { return .saving }
    if !isDirty { return .saved }
    return status.failure.map { .failed($0) } ?? .edited
  }

  /// Whether the document differs from what the file has, as far as is known.
  ///
  /// If an edit is undone, the document is again what the file has.
  public var isDirty: Bool {
    // Read in any case, so that observers are told about the next edit.
    let isAtSavedPoint = !history.isDirty
    return !status.files.haveDocument(of: edits) && !(status.isSavedPointInFile && isAtSavedPoint)
  }

  // MARK: Saving

  /// Writes the document to the file, in one step, and makes this the saved point.
  ///
  /// It first merges the changes of another program, as ``reload()`` does. In a conflict it checks the file once more,
  /// and throws if the conflict remains. You can edit meanwhile; these edits aren't part of the save.
  ///
  /// - Throws: ``EditingSessionError`` if the file doesn't have the document. The reason is `unwritable`, before the
  ///   file is touched, if the format can't read what it has written.
  public func save() async throws(EditingSessionError) {
    var hasLooked = false
    while status.saving != nil || status.hasConflict {
      while let saving = status.saving { _ = await saving.value }
      guard status.hasConflict else { continue }
      guard !hasLooked else { throw sessionError(.conflict) }
      try await reload()
      hasLooked = true
    }
    guard !status.isClosed else { throw sessionError(.closed) }
    let save = change { $0.beginSave() }
    try await write(save)
  }

  /// Writes the document to the file.
  ///
  /// - Parameter save: The history's save that this answers; nil for a save that wasn't requested.
  func write(_ save: UndoHistory<Document>.Save? = nil) async throws(EditingSessionError) {
    // Read now: edits that are made before the task begins come after the save.
    let (number, document) = (edits, history.currentItem)
    try await useFile(isReloading: false) { await self.carryOut(document, number, over: nil, save) }
  }

  /// Runs `body`, which alone reads and writes the file until it has set `status.saving` to nil.
  func useFile(
    isReloading: Bool, _ body: @escaping @MainActor () async -> EditingSessionError?
  ) async throws(EditingSessionError) {
    let task = Task { await body() }
    status.saving = task
    // Each assignment notifies the observers.
    if isReloading { status.isReloading = true }
    if isOverdue { task.cancel() }
    if let error = await task.value { throw error }
  }

  /// Ends the use of the file other than by a save.
  func didUseFile(_ error: EditingSessionError?) -> EditingSessionError? {
    (status.saving, status.isReloading) = (nil, false)
    scheduleAutosave()
    return error
  }

  private func carryOut(
    _ document: Document, _ number: Int, over theirs: FileChangeWriter.File.OtherVersion?,
    _ save: UndoHistory<Document>.Save?
  ) async -> EditingSessionError? {
    var (document, number, save) = (document, number, save)
    var reason = await replaceFile(by: document, number, over: theirs)
    // If another program has written the file, its edits are merged if possible, and the result is written.
    while theirs == nil, case .conflict? = reason, let found = try? await handle.otherVersion(),
      await applyRemote(found) == nil
    {
      if let old = save {
        save = change {
          $0.failSave(old)
          return $0.beginSave()
        }
      }
      (document, number) = (_history.currentItem, edits)
      reason = await replaceFile(by: document, number, over: found)
    }
    let error = reason.map { sessionError($0) }
    savePause = error == nil ? .zero : min(max(savePause * 2, .milliseconds(500)), .seconds(30))
    announcing {
      (_status.saving, _status.failure) = (nil, error)
      switch reason {
      case nil: (_status.hasConflict, _status.isSavedPointInFile, base) = (false, save != nil, document)
      // The file wasn't touched.
      case .unwritable: break
      case .file where _status.files.last?.isConfirmed ?? false: break
      default:
        if case .conflict? = reason { _status.hasConflict = true }
        // The file may have the contents all the same, for example if only the last call failed.
        _status.files.doubt()
        _status.isSavedPointInFile = false
      }
      if let save {
        changeAnnounced { _ = error == nil ? $0.finishSave(save) : $0.failSave(save) }
      }
    }
    scheduleAutosave()
    return error
  }

  private func replaceFile(
    by document: Document, _ number: Int, over theirs: FileChangeWriter.File.OtherVersion?
  ) async -> EditingSessionError.Reason? {
    let (contents, digest): (Data, FileDigest)
    do { (contents, digest) = try await encode(document) } catch { return .unwritable(error) }
    // Before the file can have the contents, so that the next session recognizes them.
    status.files.expect(digest, edits: number)
    log.append(.saving(digest, isNewest: number == edits))
    _ = await log.durable()
    do throws(FileChangeError) {
      if let theirs {
        try await handle.save(contents, over: theirs, durability: .memory)
      } else {
        try await handle.save(contents, durability: .memory)
      }
      try await handle.flush()
      status.files.confirm(digest)
      log.append(.saved(digest))
      return nil
    } catch {
      // The writer still has the contents, and may be writing them.
      if error.reason == .waitEnded { return .file(error) }
      let hasOldContents = if error.isConflict { true } else { await hasOldContents() }
      guard hasOldContents else { return .file(error) }
      status.files.withdraw(digest)
      log.append(.refused(digest))
      _ = await log.durable()
      return error.isConflict ? .conflict : .file(error)
    }
  }

  /// The contents of a file with the document, and their digest.
  func encode(_ document: Document) async throws -> (Data, FileDigest) {
    try await elsewhere { [format] in
      let contents = try format.write(document)
      // As the next session would have to.
      _ = try format.read(contents)
      return (contents, FileDigest(contents))
    }
  }

  /// Whether the file still has its known contents after a save that failed.
  private func hasOldContents() async -> Bool {
    guard let contents = (try? await handle.otherVersion())?.contents else { return false }
    let digest = await elsewhere { FileDigest(contents) }
    return status.files.contains { $0.digest == digest && $0.isConfirmed }
  }

  // MARK: Autosave

  func scheduleAutosave() {
    guard let delay = autosave, autosaving == nil else { return }
    guard _status.closing == nil, !_status.hasConflict, isDirty else { return }
    let pause = max(delay, savePause)
    autosaving = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: pause.forSleeping, tolerance: nil)) != nil, let self, !Task.isCancelled
      else { return }
      autosaving = nil
      while let saving = status.saving { _ = await saving.value }
      guard autosave != nil, isDirty, !status.hasConflict, status.closing == nil else { return }
      // The result is in the state.
      try? await write()
    }
  }

  func cancelAutosave() {
    autosaving?.cancel()
    autosaving = nil
  }

  // MARK: Conflicts

  /// Ends a conflict: the other document becomes a step, and `.mine` and `.merged` a second one on top of it.
  ///
  /// An open step ends first. If another program has removed the file, `.theirs` takes the document that a new file
  /// begins with, and the next save creates the file. If the format can't read the file's contents, they don't become a
  /// step, but `.mine` and `.merged` overwrite them all the same.
  ///
  /// - Throws: ``EditingSessionError`` if the file can't be read or written, or was changed once more. With `.theirs`
  ///   also if the file has no document, or if it is gone and no document was given for a new one.
  public func resolve(_ resolution: Resolution) async throws(EditingSessionError) {
    while let saving = status.saving { _ = await saving.value }
    guard !status.isClosed else { throw sessionError(.closed) }
    try await useFile(isReloading: true) { await self.endConflict(by: resolution) }
  }

  private func endConflict(by resolution: Resolution) async -> EditingSessionError? {
    var reason: EditingSessionError.Reason?
    do throws(FileChangeError) {
      let theirs = try await handle.otherVersion()
      if let contents = theirs.contents { format = format.like(contents) }
      switch (resolution, await elsewhere { [format] in Result { try theirs.contents.map(format.read) } }) {
      case (.theirs, .success(let other)):
        // If the other program has removed the file, the document that a new file begins with remains.
        guard let document = other ?? new else {
          reason = .missing
          break
        }
        let digest = await elsewhere { theirs.contents.map { FileDigest($0) } }
        try await handle.accept(theirs)
        take(document, digest)
      case (.theirs, .failure(let error)): reason = .unreadable(error)
      case (.mine, let other): return await overwrite(theirs, try? other.get(), with: nil, "Keep Mine")
      case (.merged(let both), let other): return await overwrite(theirs, try? other.get(), with: both, "Merge")
      }
    } catch {
      reason = .file(error)
    }
    return didUseFile(reason.map { sessionError($0) })
  }

  /// - Parameter digest: The digest of the file's contents; nil if there is no file.
  private func take(_ other: Document, _ digest: FileDigest?) {
    announcing {
      // An open step ends here, and stays a step of its own.
      changeAnnounced { $0.settle() }
      changeAnnounced { $0.replaceDocument(with: other, label: "Take Theirs") }
      if digest != nil { changeAnnounced { $0.markSaved() } }
      (_status.hasConflict, _status.failure, _status.isSavedPointInFile) = (false, nil, digest != nil)
      base = digest == nil ? nil : other
      if let digest { return setNewest(digest) }
      // The next session doesn't miss the old contents either: the log begins anew, without them.
      _status.files = []
      log.demandSnapshot()
      log.append(.messages([], haveEdits: false))
    }
  }

  /// Records that the file has the newest document, even if this session hasn't written it; observers were told.
  func setNewest(_ digest: FileDigest) {
    _status.failure = nil
    _status.files.expect(digest, edits: edits)
    _status.files.confirm(digest)
    log.append(.saving(digest, isNewest: true))
    log.append(.saved(digest))
  }

  /// - Parameters:
  ///   - other: Their document, if they have one, which becomes a step of its own.
  ///   - document: The document that overwrites theirs; nil for the session's own.
  private func overwrite(
    _ theirs: FileChangeWriter.File.OtherVersion, _ other: Document?, with document: Document?, _ label: String
  ) async -> EditingSessionError? {
    let (newest, number, save) = announcing {
      let newest = document ?? _history.currentItem
      changeAnnounced { $0.settle() }
      if let other { changeAnnounced { $0.replaceDocument(with: other, label: "Take Theirs") } }
      changeAnnounced { $0.replaceDocument(with: newest, label: label) }
      let save = changeAnnounced { $0.beginSave() }
      _status.isReloading = false
      return (newest, edits, save)
    }
    return await carryOut(newest, number, over: theirs, save)
  }
}

/// Does work outside of the main actor.
@concurrent
func elsewhere<Value: Sendable, Failure: Error>(
  _ work: @Sendable () throws(Failure) -> Value
) async throws(Failure) -> Value {
  try work()
}
