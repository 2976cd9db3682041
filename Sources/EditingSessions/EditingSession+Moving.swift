public import FileChanges
internal import Journals
internal import UndoHistories

// First the new file, then the new log, then the old log is removed. So after a kill at any moment, one of the two
// paths opens with every edit.

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Writes the document to another file, with which the session continues.
  ///
  /// All steps are kept. The old file stays as it was saved last, and without the log of this session.
  ///
  /// ```swift
  /// @MainActor func saveAs(_ file: URL, _ session: EditingSession<String>, overwrites: Bool) async throws {
  ///   let version = overwrites ? try FileChange.Version(of: file) : nil
  ///   try await session.save(as: file, replacing: version)
  /// }
  /// ```
  ///
  /// In a conflict, this saves the session's document, and the other program's contents stay in the old file.
  ///
  /// - Parameters:
  ///   - file: The new file. If it is the session's own, this is the same as ``save()``.
  ///   - version: The version of a file that may be replaced; nil if there must be no file.
  /// - Throws: ``EditingSessionError``, and the session continues with the old file. The reason is `fileExists` if
  ///   there is a file and no version is given, and `conflict` if the file has another version. If only the log can't
  ///   be written, the new file stays.
  public func save(as file: URL, replacing version: FileChange.Version? = nil) async throws(EditingSessionError) {
    guard let place = try await place(of: file) else { return try await save() }
    try await relocate(isReloading: false) { await self.write(to: place, replacing: version) }
  }

  /// Moves the file, and continues there; unsaved edits stay unsaved.
  ///
  /// All steps are kept. A file that doesn't exist yet is created by the next save, at its new place.
  ///
  /// - Parameters:
  ///   - file: The new place, on the same file system.
  ///   - version: The version of a file that may be replaced; nil if there must be no file.
  /// - Throws: ``EditingSessionError``, and the session continues with the old file. The reason is `fileExists` if
  ///   there is a file and no version is given, and `conflict` if the file has another version.
  public func move(to file: URL, replacing version: FileChange.Version? = nil) async throws(EditingSessionError) {
    let isOnlySpelling = FileChange.Path(file).differsOnlyInCase(from: FileChange.Path(self.file))
    guard try await place(of: file) != nil || isOnlySpelling else { return }
    try await relocate(isReloading: true) { await self.rename(to: file, replacing: version) }
    // Another program may have written the file while it was moved; a conflict is visible in the state.
    _ = try? await reload()
  }

  // MARK: Steps

  /// The place of another file; nil if it is the session's own.
  private func place(of file: URL) async throws(EditingSessionError) -> _SessionPlace? {
    if let reason = options.objection(to: FileChange.Path(file)) {
      let error = FileChangeError(path: FileChange.Path(file), operation: .submit, reason: reason)
      throw EditingSessionError(file: file, reason: .file(error))
    }
    let new = await findPlace(of: file)
    return new.relativePath.utf8.elementsEqual(_status.place.relativePath.utf8) ? nil : new
  }

  private func findPlace(of file: URL) async -> _SessionPlace {
    await elsewhere { [system, options, recovery = _status.place.recovery] in
      _SessionPlace(file: file, recovery: recovery, followsLinks: options.symbolicLinks == .follow, in: system)
    }
  }

  /// Runs `body`, while nothing else reads or writes the file.
  private func relocate(
    isReloading: Bool, _ body: @escaping @MainActor () async -> EditingSessionError?
  ) async throws(EditingSessionError) {
    while let saving = status.saving { _ = await saving.value }
    guard status.closing == nil else { throw sessionError(.closed) }
    cancelAutosave()
    try await useFile(isReloading: isReloading) { self.didUseFile(await body()) }
  }

  private func write(to place: _SessionPlace, replacing version: FileChange.Version?) async -> EditingSessionError? {
    var log: _OpenedLog?
    let save = change { $0.beginSave() }
    // Does nothing if the save was finished.
    defer { change { _ = $0.failSave(save) } }
    do {
      // First, because another session may have the file open.
      log = try await openLog(of: place)
      let handle = try await writer.file(at: FileChange.Path(place.file))
      if version == nil, try await self.version(of: place.file) != .absent { throw sessionError(.fileExists) }
      let (number, document) = (edits, _history.currentItem)
      let (contents, digest) = try await encode(document)
      do throws(FileChangeError) {
        try await handle.save(contents, expecting: version ?? .absent)
        try await handle.flush()
      } catch {
        // Otherwise the writer would keep the contents for a file that the session doesn't have.
        if let other = try? await handle.otherVersion() { try? await handle.accept(other) }
        throw error
      }
      let file = _SessionFile(digest: digest, edits: number, isConfirmed: true, wasInFile: true)
      announcing {
        // Until the log is there, the session has the old file.
        _status.isSavedPointInFile = false
        changeAnnounced { _ = $0.finishSave(save) }
      }
      try await goOn(at: place, handle, files: [file], base: document, in: log)
      announcing { (_status.hasConflict, _status.failure, _status.isSavedPointInFile) = (false, nil, true) }
      return nil
    } catch {
      if let log { await log.journal.close(removing: log.isNew) }
      return refusal(error, at: place.file, hasVersion: version != nil)
    }
  }

  private func rename(to file: URL, replacing version: FileChange.Version?) async -> EditingSessionError? {
    let (old, new) = (FileChange.Path(_status.place.file), FileChange.Path(file))
    var log: _OpenedLog?
    var isMoved = false
    let move = { @MainActor [system, options] (changes: [FileChange]) async throws(FileChangeError) in
      try await elsewhere { () throws(FileChangeError) in
        try FileChange.apply(changes, options: options, in: system)
      }
    }
    do {
      // What isn't in the file must be in the log before the file is elsewhere.
      _ = await self.log.durable()
      if let place = try await place(of: file) { log = try await openLog(of: place) }
      let isTaken = log != nil ? try await self.version(of: file) != .absent : false
      if isTaken, version == nil { throw sessionError(.fileExists) }
      var changes: [FileChange] = []
      if isTaken, let version { changes.append(.remove(new).based(on: version)) }
      let isThere = try await self.version(of: _status.place.file, orWithoutFolder: .absent) != .absent
      if isThere { changes.append(.move(old, to: new)) }
      if !changes.isEmpty { try await move(changes) }
      isMoved = isThere
      // In a folder that ignores case, the log has another name only now; for a moved link, it keeps its name.
      let place = await findPlace(of: file)
      if let opened = log, opened.path != place.log {
        await opened.journal.close(removing: opened.isNew)
        log = nil
      }
      if log == nil, place.log != _status.place.log { log = try await openLog(of: place) }
      try await goOn(at: place, writer.file(at: new), files: _status.files, base: base, in: log)
      return nil
    } catch {
      if isMoved { try? await move([.move(new, to: old)]) }
      if let log { await log.journal.close(removing: log.isNew) }
      return refusal(error, at: file, hasVersion: version != nil)
    }
  }

  private func version(
    of file: URL, orWithoutFolder version: FileChange.Version? = nil
  ) async throws(FileChangeError) -> FileChange.Version {
    do throws(FileChangeError) {
      return try await elsewhere { [system, options] () throws(FileChangeError) in
        try FileChange.Version(of: FileChange.Path(file), options: options, in: system)
      }
    } catch {
      guard error.reason == .noSuchFolder, let version else { throw error }
      return version
    }
  }

  /// Opens the log of another place; its contents are obsolete.
  ///
  /// - Parameter keepsEdits: Whether edits that no file has are kept beside it; otherwise they are a reason to throw.
  private func openLog(
    of place: _SessionPlace, keepsEdits: Bool = true
  ) async throws(EditingSessionError) -> _OpenedLog {
    let opened = try await _OpenedLog(at: place.log, of: place.file, in: system, clock, waits: false)
    if let failure = opened.failure {
      // A log that can be written isn't given up.
      if log.isOpen { throw EditingSessionError(file: place.file, reason: .log(failure)) }
    } else if let records = opened.found?.contents.records, !records.isEmpty,
      !(await elsewhere { _RecordedFiles(records)?.haveNewest(of: place.file) ?? false })
    {
      guard keepsEdits else {
        await opened.journal.close(removing: false)
        throw EditingSessionError(file: place.file, reason: .fileExists)
      }
      _ = try? await opened.journal.keepNow(isNeeded: false)
    }
    return opened
  }

  /// Moves a log that was read at another place to where the next session of the file looks for it.
  func moveLogHere(from log: URL) async throws(EditingSessionError) {
    let place = _status.place
    guard log.lastPathComponent != place.log.url.lastPathComponent, self.log.isOpen else { return }
    let opened = try await openLog(of: place, keepsEdits: false)
    do throws(EditingSessionError) {
      try await goOn(at: place, handle, files: _status.files, base: base, in: opened)
    } catch {
      // The session keeps the log that it has read, which lists the file's new path from now on.
      await opened.journal.close(removing: opened.isNew)
    }
  }

  /// Continues at another place: first the log has everything there, then the old one is removed.
  private func goOn(
    at place: _SessionPlace, _ handle: FileChangeWriter.File, files: [_SessionFile], base: Document?,
    in log: _OpenedLog?
  ) async throws(EditingSessionError) {
    let (oldPlace, oldHandle, oldFiles, oldBase) = (_status.place, self.handle, _status.files, self.base)
    take(place, handle, files, base)
    guard let log else { return }
    // The snapshot is of the new place.
    beginning = nil
    let reason = await self.log.move(to: log) { self.take(oldPlace, oldHandle, oldFiles, oldBase) }
    if let reason { throw sessionError(reason) }
    _OpenSessions.add(self, at: place.log, log.journal.release)
  }

  private func take(
    _ place: _SessionPlace, _ handle: FileChangeWriter.File, _ files: [_SessionFile], _ base: Document?
  ) {
    announcing { (_status.place, _status.files) = (place, files) }
    (self.handle, self.base) = (handle, base)
  }

  private func refusal(_ error: any Error, at file: URL, hasVersion: Bool) -> EditingSessionError {
    let reason: EditingSessionError.Reason =
      switch error {
      case let error as EditingSessionError: error.reason
      case let error as FileChangeError where error.reason == .targetExists: .fileExists
      case let error as FileChangeError where error.isConflict: hasVersion ? .conflict : .fileExists
      case let error as FileChangeError: .file(error)
      default: .unwritable(error)
      }
    return EditingSessionError(file: file, reason: reason)
  }
}
