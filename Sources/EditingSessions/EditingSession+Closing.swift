internal import FileChanges
internal import Journals

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Ends the session: saves if autosave is on, and waits until the log is on the device.
  ///
  /// Without autosave, unsaved edits stay in the log, and the next session has them. The log also has edits that are
  /// made while the call waits, as far as the document shows them. Once the session is closed, edits change nothing.
  ///
  /// - Parameter limit: How long writing the file may take, for example on a disk that doesn't respond; by default as
  ///   long as necessary. After that time the session stops waiting, and the next session restores from the log what
  ///   the file lacks.
  /// - Throws: ``EditingSessionError`` if the document or its steps would be lost: the log can't be written, and either
  ///   the file doesn't have the document, or ``keepsSteps`` is on and there was a log. The session is still open then.
  public func close(within limit: Duration? = nil) async throws(EditingSessionError) {
    let closing = status.closing ?? Task { await end() }
    status.closing = closing
    let alarm = limit.map { limit in
      Task {
        try? await clock.sleep(for: limit.forSleeping)
        guard !Task.isCancelled, status.closing != nil else { return }
        // Saves that begin later don't wait for the file either.
        isOverdue = true
        status.saving?.cancel()
        if isClosingWriter { try? await writer.close(within: .zero) }
      }
    }
    defer { alarm?.cancel() }
    if let error = await closing.value { throw error }
  }

  private func end() async -> EditingSessionError? {
    cancelAutosave()
    while let saving = status.saving { _ = await saving.value }
    if autosave != nil, isDirty, !status.hasConflict { try? await write() }
    var (failure, roundsLeft): (EditingSessionError?, Int) = (nil, 100)
    // Edits that were made meanwhile have to be in the log too, and requested saves in the file.
    func settle() async {
      repeat {
        while let saving = status.saving { _ = await saving.value }
        failure = await log.durable().map { sessionError($0) }
        roundsLeft -= 1
      } while status.saving != nil || failure == nil && !log.isDurable && roundsLeft > 0
    }
    await settle()
    // Observers of this change can still edit. After that, edits change nothing.
    status.isClosed = true
    // From now on, an edit that isn't kept empties the recorder, so the log takes the messages before that.
    log.collectMessages()
    if failure == nil, !log.isDurable || status.saving != nil { await settle() }
    // In a conflict, the file no longer has what it had when it was saved.
    let isInFile = !isDirty && !status.hasConflict
    // If there never was a log, none has promised the steps.
    if let failure, !isInFile || keepsSteps && log.isOpen {
      // Before observers are told, because their edits count again.
      flags.remove(.isClosed)
      _status.isClosed = false
      status.closing = nil
      isOverdue = false
      scheduleAutosave()
      return failure
    }
    isClosingWriter = true
    try? await writer.close(within: isOverdue ? .zero : nil)
    await log.close(removing: isInFile && !keepsSteps || !log.isBegun && !recovered.hasLog)
    return nil
  }
}
