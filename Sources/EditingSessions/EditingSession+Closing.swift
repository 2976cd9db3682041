internal import FileChanges
internal import Journals
internal import UndoHistories

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// Ends the session: saves what an autosave would, and brings the log to the device.
  ///
  /// Without an autosave, what is not saved stays in the log, and the next session has it. What is typed while the call
  /// waits is there as well, as far as the document shows it. A closed session takes no edits: they change nothing.
  ///
  /// - Parameter limit: How long the file may take to be written, as on a disk that does not answer; by default as
  ///   long as it takes. After that the wait for it ends, and the next session has from the log what the file lacks.
  /// - Throws: ``EditingSessionError`` where the document or its steps would be lost: the log cannot be written, and
  ///   the file has not the document, or ``keepsSteps`` is on and there was a log. The session is still open then.
  public func close(within limit: Duration? = nil) async throws(EditingSessionError) {
    let closing = status.closing ?? Task { await end() }
    status.closing = closing
    let alarm = limit.map { limit in
      Task {
        try? await clock.sleep(for: limit.forSleeping)
        if !Task.isCancelled, status.closing != nil { await stopSaving() }
      }
    }
    defer { alarm?.cancel() }
    if let error = await closing.value { throw error }
  }

  /// Ends the wait for the file, also that of saves that begin from now on.
  private func stopSaving() async {
    isOverdue = true
    status.saving?.cancel()
    if isClosingWriter { try? await writer.close(within: .zero) }
  }

  private func end() async -> EditingSessionError? {
    cancelAutosave()
    while let saving = status.saving { _ = await saving.value }
    if autosave != .off, isDirty, !status.hasConflict { try? await write(over: nil, nil) }
    var (failure, roundsLeft): (EditingSessionError?, Int) = (nil, 100)
    // What was typed meanwhile has to be there, too, and what was asked to be saved in the file.
    func settle() async {
      repeat {
        while let saving = status.saving { _ = await saving.value }
        failure = await log.durable().map { EditingSessionError(file: file, reason: $0) }
        roundsLeft -= 1
      } while status.saving != nil || failure == nil && !log.isDurable && roundsLeft > 0
    }
    await settle()
    // Observers that are told of this can still edit. After that, edits change nothing.
    status.isClosed = true
    // An edit that is dropped from now on empties the recorder: the log takes what it has before.
    log.collectMessages()
    if failure == nil, !log.isDurable || status.saving != nil { await settle() }
    // In a conflict the file has not what it had when it was saved.
    let isInFile = !isDirty && !status.hasConflict
    // Where there never was a log, none has promised the steps.
    if let failure, !isInFile || keepsSteps && log.isOpen {
      // Before observers hear of it: what they edit counts again.
      flags.remove(.isClosed)
      _status.isClosed = false
      status.closing = nil
      isOverdue = false
      scheduleAutosave()
      return failure
    }
    isClosingWriter = true
    try? await writer.close(within: isOverdue ? .zero : nil)
    await log.close(removing: isInFile && !keepsSteps || !log.isBegun && !recovery.hasLog)
    return nil
  }
}
