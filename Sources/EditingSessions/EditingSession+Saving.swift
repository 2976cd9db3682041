internal import FileChanges
internal import UndoHistories

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// What the file has of the document.
  public enum State: Sendable {
    /// The file has the document.
    case saved
    /// The file has an older one.
    case edited
    /// The file is being written.
    case saving
    /// The last save failed, and the document was not saved since.
    case failed(EditingSessionError)
    /// Another program has changed what was not saved; call ``EditingSession/resolve(_:)``.
    case conflict
  }

  /// When a session writes its file without being asked for.
  public enum Autosave: Hashable, Sendable {
    /// Never.
    case off
    /// So long after the first edit that the file has not, also where the last save failed.
    case after(Duration)
  }

  /// What becomes of a conflict.
  ///
  /// Both texts can be reached by undo.
  public enum Resolution: Sendable {
    /// The document of the session takes the place of the other one.
    case mine
    /// The other document takes the place of the session's.
    case theirs
    /// A document that was made of both takes the place of both.
    case merged(Document)
  }

  /// What the file has of the document.
  public var state: State {
    if status.hasConflict { return .conflict }
    if status.saving != nil, !status.isReloading { return .saving }
    if isSaved { return .saved }
    return status.failure.map { .failed($0) } ?? .edited
  }

  /// Whether the file has the document, as far as is known.
  var isSaved: Bool {
    let isAtSavedPoint = history.isAtSavedPoint
    return status.files.haveDocument(of: edits) || status.isSavedPointInFile && isAtSavedPoint
  }

  // MARK: Saving

  /// Writes the document to the file, in one step, and makes this the saved point.
  ///
  /// Where another program has changed the file, that is absorbed first, as by ``reload()``.
  ///
  /// - Throws: ``EditingSessionError`` where the file does not have it. Edits go on meanwhile, and are not in it.
  public func save() async throws(EditingSessionError) {
    while let saving = status.saving { _ = await saving.value }
    guard !status.isClosed else { throw EditingSessionError(file: file, reason: .closed) }
    guard !status.hasConflict else { throw EditingSessionError(file: file, reason: .conflict) }
    let save = change(isEdit: false) { $0.beginSave() }
    try await write(over: nil, save)
  }

  /// Writes the document to the file.
  ///
  /// - Parameters:
  ///   - theirs: What another program has written, where that is to be replaced.
  ///   - save: The history's save that this answers; nil for one that nobody asked for.
  private func write(
    over theirs: FileChangeWriter.File.Theirs?, _ save: UndoHistory<Document>.Save?
  ) async throws(EditingSessionError) {
    // Now: what is edited before the task begins is behind the save.
    let (number, document) = (edits, history.currentItem)
    let task = Task { await carryOut(document, number, over: theirs, save) }
    status.saving = task
    let error = await task.value
    if let error { throw error }
  }

  private func carryOut(
    _ document: Document, _ number: Int, over theirs: FileChangeWriter.File.Theirs?,
    _ save: UndoHistory<Document>.Save?
  ) async -> EditingSessionError? {
    var (document, number, save) = (document, number, save)
    var reason = await replaceFile(by: document, number, over: theirs)
    // What another program has written is absorbed, if it can be, and both are written.
    while theirs == nil, case .conflict? = reason, let found = try? await handle.theirs(), await absorb(found) == nil {
      if let old = save {
        save = change(isEdit: false) {
          $0.failSave(old)
          return $0.beginSave()
        }
      }
      (document, number) = (_history.currentItem, edits)
      reason = await replaceFile(by: document, number, over: found)
    }
    let error = reason.map { EditingSessionError(file: file, reason: $0) }
    (status.saving, status.failure) = (nil, error)
    if case .conflict? = reason { status.hasConflict = true }
    if error == nil {
      (status.hasConflict, status.isSavedPointInFile, base) = (false, save != nil, document)
    } else {
      // The contents may be there all the same, as where only the last call failed.
      status.files.doubt()
      status.isSavedPointInFile = false
    }
    if let save {
      change(isEdit: false) { if error == nil { $0.finishSave(save) } else { $0.failSave(save) } }
    }
    scheduleAutosave()
    return error
  }

  private func replaceFile(
    by document: Document, _ number: Int, over theirs: FileChangeWriter.File.Theirs?
  ) async -> EditingSessionError.Reason? {
    let (contents, digest): (Data, _FileDigest)
    switch await Self.contents(of: document, in: format) {
    case .success(let written): (contents, digest) = written
    case .failure(let error): return .unwritable(error)
    }
    // Before the file can have it, so that the next session knows it.
    status.files.expect(digest, edits: number)
    log.append(.saving(digest, isNewest: number == edits))
    _ = await log.durable()
    do throws(FileChangeError) {
      if let theirs {
        try await handle.save(contents, over: theirs, durability: .memory)
      } else {
        try await handle.save(contents, durability: .memory)
      }
      try await handle.written()
      status.files.confirm(digest)
      log.append(.saved(digest))
      return nil
    } catch {
      return error.isConflict ? .conflict : .file(error)
    }
  }

  @concurrent
  private nonisolated static func contents(
    of document: Document, in format: EditingFormat<Document>
  ) async -> Result<(Data, _FileDigest), any Error> {
    Result {
      let contents = try format.write(document)
      return (contents, _FileDigest(contents))
    }
  }

  // MARK: Autosave

  func scheduleAutosave() {
    guard case .after(let delay) = autosave, autosaving == nil else { return }
    guard !_status.isClosed, !_status.hasConflict, !isSaved else { return }
    autosaving = Task { [weak self, clock] in
      guard (try? await clock.sleep(for: delay, tolerance: nil)) != nil else { return }
      await self?.saveByItself()
    }
  }

  private func saveByItself() async {
    autosaving = nil
    while let saving = status.saving { _ = await saving.value }
    guard !isSaved, !status.hasConflict, !status.isClosed else { return }
    // What came of it is the state.
    try? await write(over: nil, nil)
  }

  // MARK: Conflicts

  /// Ends a conflict: both documents become steps, the other one first.
  ///
  /// - Throws: ``EditingSessionError`` where the file cannot be read or written, or was changed once more.
  public func resolve(_ resolution: Resolution) async throws(EditingSessionError) {
    while let saving = status.saving { _ = await saving.value }
    guard !status.isClosed else { throw EditingSessionError(file: file, reason: .closed) }
    let theirs: FileChangeWriter.File.Theirs
    do throws(FileChangeError) { theirs = try await handle.theirs() } catch {
      throw EditingSessionError(file: file, reason: .file(error))
    }
    let other: Document?
    switch await Self.document(of: theirs.contents, in: format) {
    case .success(let document): other = document
    case .failure(let error): throw EditingSessionError(file: file, reason: .unreadable(error))
    }
    while let saving = status.saving { _ = await saving.value }
    let mine = history.currentItem
    if case .theirs = resolution {
      guard let other, let contents = theirs.contents else { throw EditingSessionError(file: file, reason: .missing) }
      do throws(FileChangeError) { try await handle.accept(theirs) } catch {
        throw EditingSessionError(file: file, reason: .file(error))
      }
      change { history in
        history.transaction("Take Theirs") { $0.assignDocument(other) }
        history.markSaved()
      }
      (status.hasConflict, status.failure, status.isSavedPointInFile, base) = (false, nil, true, other)
      let digest = _FileDigest(contents)
      status.files.expect(digest, edits: edits)
      status.files.confirm(digest)
      log.append(.saving(digest, isNewest: true))
      log.append(.saved(digest))
      return
    }
    if let other { change { $0.transaction("Take Theirs") { $0.assignDocument(other) } } }
    switch resolution {
    case .merged(let document): change { $0.transaction("Merge") { $0.assignDocument(document) } }
    default: change { $0.transaction("Keep Mine") { $0.assignDocument(mine) } }
    }
    let save = change(isEdit: false) { $0.beginSave() }
    try await write(over: theirs, save)
  }

  @concurrent
  private nonisolated static func document(
    of contents: Data?, in format: EditingFormat<Document>
  ) async -> Result<Document?, any Error> {
    Result { try contents.map(format.read) }
  }

  // MARK: Closing

  /// Ends the session: saves what an autosave would, and brings the log to the device.
  ///
  /// Without an autosave, what is not saved stays in the log, and the next session has it. What is typed while the call
  /// waits is there as well, as far as the document shows it. A closed session takes no edits: they change nothing.
  ///
  /// - Throws: ``EditingSessionError`` where the document or its steps would be lost: the log cannot be written, and
  ///   the file has not the document, or ``keepsSteps`` is on. The session is still open then.
  public func close() async throws(EditingSessionError) {
    guard !status.isClosed else { return }
    autosaving?.cancel()
    autosaving = nil
    while let saving = status.saving { _ = await saving.value }
    if autosave != .off, !isSaved, !status.hasConflict { try? await write(over: nil, nil) }
    var isDurable = false
    // What was typed meanwhile has to be there, too.
    repeat { isDurable = await durable() } while isDurable && !log.isDurable
    guard isDurable || isSaved && !keepsSteps else {
      scheduleAutosave()
      throw logFailure ?? EditingSessionError(file: file, reason: .conflict)
    }
    status.isClosed = true
    try? await writer.shutdown()
    await log.close(removing: isSaved && !keepsSteps || !log.isBegun && !recovered.hasLog)
  }
}
