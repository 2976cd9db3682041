internal import Journals
public import PendingChanges

extension FileChangeWriter {
  /// The durability of a change when ``FileChangeWriter/submit(_:durability:)`` returns.
  public enum Durability: Hashable, Sendable {
    /// The change survives the end of the process, and a power failure if the device keeps synchronized data.
    ///
    /// For a writer without a journal, this is the same as ``memory``.
    case journal

    /// The change is only in the memory of the process.
    ///
    /// It is recorded nevertheless if the journal has a change of the same file, and always with the policy that keeps
    /// the waiting change.
    case memory
  }

  /// Accepts a change, which is applied as soon as possible.
  ///
  /// When the call returns, the change is in the journal, so it will be applied even if the process is killed. While
  /// submissions keep coming, the file may be written later: after a second, and after other files, which together take
  /// a tenth of the time. ``flush()`` ends that delay. Calls that arrive while the journal is being written share the
  /// next write, so many of them cost little more than one.
  ///
  /// Without a journal, and with `durability: .memory`, the change is only in the writer's *memory*. It survives
  /// errors, retries and ``close(within:)``, but not the end of the process: wait for ``flush()`` before you report
  /// that it is safe. If the journal already has a change of the same file, the new change is recorded in any case,
  /// since the older one could otherwise overwrite it later.
  ///
  /// If more bytes wait than `waitingByteLimit` allows, the call waits for room. Waiting calls are accepted one after
  /// the other, in their order. If its task is canceled, a waiting call throws ``FileChangeError/Reason/cancelled``;
  /// ``close(within:)`` ends all of them with ``FileChangeError/Reason/closed``. In both cases nothing was accepted.
  /// Canceling the task doesn't cancel an accepted change: see ``remove(id:)``. If a batch waits for a file, newer
  /// changes of the file are accepted after the batch (``submit(batch:)``).
  ///
  /// Changes are ordered as the writer receives the calls. Calls from different tasks have no order: wait for one call
  /// before the next, and submit only the newest contents.
  ///
  /// - Returns: The id of the change in the ``events()``, which may be published before this call returns. If the
  ///   change replaces an older one, or is replaced by a newer one, only the newest has events. Newer changes have
  ///   greater ids.
  /// - Throws: `FileChangeError` if the path cannot name a file, the writer is shut down, or the task was canceled
  ///   before there was room. If the journal cannot be written, the error has the path of the journal. The change is
  ///   not accepted then. (Only if the journal cannot even be repaired before the process ends, the next writer may
  ///   still find the change.)
  /// - Complexity: Amortized O(1), not counting the write.
  @discardableResult
  public func submit(
    _ change: FileChange, durability: Durability = .journal
  ) async throws(FileChangeError) -> PendingChangeID {
    // A move has two paths, so it is submitted as a batch.
    if change.target != nil, let id = try await submit(batch: [change]) { return id }
    // The caller sees the state that its change has caused.
    defer { publish(change.path) }
    guard machine.waits(change, durability) else {
      let (id, actions) = try machine.submit(change)
      perform(actions)
      return id
    }
    let id = try await submit { machine, ticket throws(FileChangeError) in
      try machine.submit(change, durability, ticket: ticket)
    }
    guard let id else { preconditionFailure("A submitted change has an id") }
    return id
  }

  /// Accepts several changes that are applied all or not at all.
  ///
  /// ```swift
  /// func rename(_ note: URL, to name: URL, index: Data, at list: URL, with writer: FileChangeWriter) async throws {
  ///   try await writer.submit(batch: [.move(note, to: name), .write(index, to: list)])
  ///   try await writer.flush()
  /// }
  /// ```
  ///
  /// - The changes are meant to happen one after the other, but only the final state of each path counts. Three moves
  ///   can exchange the names of two files. A move replaces nothing, unless the batch removes or moves that file
  ///   before.
  /// - With a journal, this also holds after a kill or a power failure: the next writer with the journal finishes a
  ///   batch that a killed process has begun. Without a journal, a kill may leave a part of the batch.
  /// - If one of the changes fails for good, the others are rolled back: every file is as it was, except where another
  ///   program has changed it meanwhile. The batch is then one of the ``failures``, with all its changes
  ///   (``Failure/batch``), until it is retried or removed. A newer change of its files doesn't replace it, so look at
  ///   the files before you retry the batch. For the same reason, the next writer with the journal doesn't retry it
  ///   automatically.
  /// - A program that reads the files meanwhile may see a part of the changes.
  /// - Older changes of its files are applied before the batch, and newer ones after it. So the call waits until its
  ///   files have no pending changes, and newer changes of them wait for the batch.
  ///
  /// Each file has an event with the id of the batch: a moved file is removed at its old path and written at its new
  /// one.
  ///
  /// - Returns: The id of the batch in the ``events()`` and the ``failures``; nil if the array is empty.
  /// - Throws: `FileChangeError` as ``submit(_:durability:)`` does. Also if a change cannot follow those before it, for
  ///   example the move of a file that the batch has removed; and if the newest contents of a moved file could not be
  ///   written.
  /// - Complexity: O(*n*) for *n* changes, not counting the write. The journal is synchronized twice.
  @discardableResult
  public func submit(batch changes: [FileChange]) async throws(FileChangeError) -> PendingChangeID? {
    guard !changes.isEmpty else { return nil }
    let batch = try FileChange._Batch(changes)
    defer { for path in batch.paths { publish(path) } }
    return try await submit { machine, ticket throws(FileChangeError) in try machine.submit(batch, ticket: ticket) }
  }

  /// Submits a request that is acknowledged later, and waits for its answer.
  func submit(
    _ request: (inout _StateMachine, Int) throws(FileChangeError) -> [_StateMachine.Action]
  ) async throws(FileChangeError) -> PendingChangeID? {
    let ticket = submitters.issue()
    let answer = await withTaskCancellationHandler {
      await waitForAnswer(under: ticket) { () throws(FileChangeError) in try request(&machine, ticket) }
    } onCancel: {
      Task { await self.withdraw(ticket) }
    }
    return try answer.get()
  }

  /// Makes a request and waits for its answer.
  ///
  /// After a write, the journal wakes one of the callers that wait for it, which then resumes the others.
  private func waitForAnswer(
    under ticket: Int, after request: () throws(FileChangeError) -> [_StateMachine.Action]
  ) async -> _Submitter.Answer {
    let isPrompt = _Submitter.isPrompt
    var wakeup: _Submitter.Wakeup = await withCheckedContinuation { continuation in
      let submitter = _Submitter(continuation: continuation, isPrompt: isPrompt)
      do throws(FileChangeError) {
        let actions = try request()
        submitters.values[ticket] = submitter
        perform(actions)
      } catch {
        submitter.wake(.answer(.failure(error)))
      }
    }
    while true {
      switch wakeup {
      case .answer(let answer): return answer
      case .written(let error): finishRecording(error)
      }
      if let answer = answers.removeValue(forKey: ticket) { return answer }
      // The journal retries the group.
      wakeup = await withCheckedContinuation { continuation in
        submitters.values[ticket] = _Submitter(continuation: continuation, isPrompt: isPrompt)
      }
    }
  }

  private func withdraw(_ ticket: Int) { perform(machine.withdraw(ticket)) }

  /// Cancels a change that was accepted and not applied, such as the save of a discarded document.
  ///
  /// ```swift
  /// func discard(_ draft: PendingChangeID, of writer: FileChangeWriter) async {
  ///   if let change = await writer.remove(id: draft) { print("did not", change) }
  /// }
  /// ```
  ///
  /// A change can be canceled if it waits, sleeps until a retry, or failed for good. If it has replaced older changes,
  /// they are canceled, too. When the call returns, the change is also removed from the journal. If the journal cannot
  /// be written, the next write or the shutdown removes the change.
  ///
  /// - Parameter id: The id that ``submit(_:durability:)`` returned.
  /// - Returns: The canceled change. Nil if it is a batch, is being applied or was applied, was replaced by a newer
  ///   change, or after ``close(within:)``.
  /// - Complexity: O(1) on average, not counting the write.
  @discardableResult
  public func remove(id: PendingChangeID) async -> FileChange? { await cancel([id]).first }

  /// Cancels all of them at once, so that none of them begins meanwhile.
  @discardableResult
  func cancel(_ ids: [PendingChangeID]) async -> [FileChange] {
    let ticket = submitters.issue()
    let (changes, isRecorded, actions) = machine.cancel(ids, ticket: ticket)
    defer { for change in changes { publish(change.path) } }
    await perform(actions, ticket, isRecorded)
    return changes
  }

  /// Performs the actions, and waits until their record is written if there is one.
  private func perform(_ actions: [_StateMachine.Action], _ ticket: Int, _ isRecorded: Bool) async {
    if isRecorded { _ = await waitForAnswer(under: ticket) { actions } } else { perform(actions) }
  }

  /// Returns when all changes that were accepted before the call are on disk.
  ///
  /// A submission that still waits for room is not accepted yet.
  ///
  /// The call also waits for changes that will be retried; the backoff determines how long that can take. Canceling the
  /// task ends the wait, and nothing else.
  ///
  /// - Throws: `UnwrittenError`, when all other changes are done, with every change of any file that was accepted
  ///   before the call and is not on disk. The writer keeps these changes in ``failures``, unless a newer change of the
  ///   file has replaced one: the newer change was accepted after the call, which doesn't wait for it.
  /// - Complexity: O(*n*) for *n* unfinished changes.
  public func flush() async throws(UnwrittenError) {
    let unwritten = await wait { machine, number in machine.wait(number) }
    if !unwritten.isEmpty { throw unwritten }
  }

  /// Shuts the writer down: refuses further changes, applies the accepted ones, closes the journal, and ends the
  /// ``events()``.
  ///
  /// Submissions that wait for room are refused, too.
  ///
  /// Sleeping changes are retried at once, and then at short intervals; none is dropped. An empty journal is removed.
  /// Changes that failed for good stay in the journal, and the next writer retries them.
  ///
  /// - Parameter limit: The longest duration of the shutdown, by the writer's clock; unlimited by default. After that,
  ///   no further change begins. Changes that are being applied then are finished; the others stay in the journal, if
  ///   there is one. Only then is the journal closed, and the ``events()`` end.
  /// - Throws: `UnwrittenError` with every change that failed for good, and those that were not applied when the time
  ///   was up or the task was canceled.
  public func close(within limit: Duration? = nil) async throws(UnwrittenError) {
    if let limit, machine.phase < .ended {
      // The timer continues if the task is canceled, because the limit applies to the writer.
      alarms.append(after(limit, by: clock) { $0.perform($0.machine.abandon()) })
    }
    let unwritten = await wait { machine, number in machine.shutDown(number) }
    if !unwritten.isEmpty { throw unwritten }
  }

  func wait(_ request: (inout _StateMachine, Int) -> [_StateMachine.Action]) async -> UnwrittenError {
    let number = waiters.issue()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters.values[number] = continuation
        perform(request(&machine, number))
      }
    } onCancel: {
      Task { await self.stopWaiting(number) }
    }
  }

  private func stopWaiting(_ number: Int) { perform(machine.stopWaiting(number)) }

  // MARK: Failures

  /// The changes that failed for good and were not replaced by a newer change of the same file, oldest first.
  public var failures: [Failure] { machine.failures }

  /// Retries all ``failures``, in their order, as if they were submitted now; they keep their ids.
  ///
  /// To retry only one of them, submit its ``Failure/change`` again; it then gets a new id. A change for which
  /// ``submit(_:durability:)`` threw isn't a failure; submit it again.
  ///
  /// Some failures are not retried yet: those with a newer change of their file on the way, and those without room. Of
  /// several failures of one file, the oldest are tried first. After ``close(within:)`` no failure is retried. A batch
  /// also overwrites newer contents of its files, unless its change is ``FileChange/based(on:)`` an older version. If
  /// only one file is written at a time, a batch isn't retried while any other change waits.
  ///
  /// - Returns: The number of failures that are retried.
  @discardableResult
  public func retryFailures() -> Int {
    let (count, actions) = machine.retryFailures()
    perform(actions)
    publishAll()
    return count
  }

  /// Removes all ``failures`` from the writer.
  ///
  /// When the call returns, they are also removed from the journal, unless the writer was shut down: then the next
  /// writer finds them. If the journal cannot be written, they are removed with the next write.
  ///
  /// - Returns: The removed failures.
  @discardableResult
  public func removeFailures() async -> [Failure] {
    let ticket = submitters.issue()
    let (removed, isRecorded, actions) = machine.removeFailures(ticket: ticket)
    await perform(actions, ticket, isRecorded)
    publishAll()
    return removed
  }
}
