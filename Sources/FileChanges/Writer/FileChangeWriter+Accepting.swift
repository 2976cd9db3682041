internal import Journals
public import PendingChanges

extension FileChangeWriter {
  /// What a change has survived when ``FileChangeWriter/submit(_:durability:)`` returns.
  public enum Durability: Hashable, Sendable {
    /// The end of the process, and a power failure as far as the device keeps what it was told to keep.
    ///
    /// A writer without a journal has no more to offer than ``memory``.
    case journal

    /// Nothing: the change is in the memory of the process.
    ///
    /// It is in the journal all the same where that has a change of the same file, and always with the policy that
    /// keeps the change that waits.
    case memory
  }
}

extension FileChangeWriter {
  /// Accepts a change, to be carried out as soon as its turn comes.
  ///
  /// When the call returns, the change is in the journal: whatever becomes of the process, it will be carried out.
  /// While submissions keep coming its file can wait: for a second, and then for its turn among the others, which take
  /// a tenth of the time. ``flush()`` does not wait for that. Calls that come while the journal is being written share
  /// the next writing, so that many of them cost little more than one.
  ///
  /// Without a journal, and with `durability: .memory`, the change is in the writer's *memory*. It survives errors,
  /// retries and ``close(within:)``, but not the end of the process: wait for ``flush()`` before you tell anybody
  /// that it is safe. A change of a file of which the journal has another one already goes into the journal in any
  /// case, since the older one could come back over it.
  ///
  /// Where more waits than `waitingByteLimit` allows, the call waits until there is room. Those that wait come in one
  /// after the other, in the order of their calls. When the task of one is cancelled it ends with
  /// ``FileChangeError/Reason/cancelled``, and ``close(within:)`` ends all of them with
  /// ``FileChangeError/Reason/closed``: in both cases nothing was accepted. A change that has come in is not called
  /// back by the task's end: see ``cancel(_:)``. A change of a file for which a batch waits comes in after the batch
  /// (``submit(batch:)``).
  ///
  /// The order of two changes is that in which the writer gets the calls. Calls from tasks of their own have none: wait
  /// for one before the next, and submit only what is newest by then.
  ///
  /// - Returns: What the change is called in the ``events()``, which may come before this call is back. Where it takes
  ///   the place of an older change, or an even newer one takes its place, only the newest has events; ids of newer
  ///   changes are greater.
  /// - Throws: `FileChangeError` when the path can name no file, when the writer is shut down, or when the task was
  ///   cancelled before there was room. When the journal cannot be written, the error has the path of the journal. The
  ///   change is not accepted then. (Only if the journal cannot even be repaired until the process ends, the next
  ///   writer may still find it.)
  /// - Complexity: O(1) amortised, not counting the writing.
  @discardableResult
  public func submit(
    _ change: FileChange, durability: Durability = .journal
  ) async throws(FileChangeError) -> PendingChangeID {
    // A file that is moved has two paths: that is a batch.
    if change.target != nil, let id = try await submit(batch: [change]) { return id }
    // A caller that goes on finds the state that its change has brought about.
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

  /// Accepts several changes that are carried out all or not at all.
  ///
  /// ```swift
  /// func rename(_ note: URL, to name: URL, index: Data, at list: URL, with writer: FileChangeWriter) async throws {
  ///   try await writer.submit(batch: [.move(note, to: name), .write(index, to: list)])
  ///   try await writer.flush()
  /// }
  /// ```
  ///
  /// - The changes are meant one after the other, but what counts is what each path has at the end. Two files may
  ///   change their names by three moves. A move replaces nothing, except what the batch removes or moves before.
  /// - With a journal, all or none holds also after a kill or a power failure: what a killed process has begun, the
  ///   next writer with the journal brings to its end. Without a journal a kill may leave a part.
  /// - When one of them fails for good, those that were done are taken back: every file is as it was, except where
  ///   another program has changed it meanwhile. The batch is one of the ``failures`` then, with all its changes
  ///   (``Failure/batch``), until it is tried again or removed. A newer change of its files does not take its place, so
  ///   look at the files before you try it again. For the same reason the next writer with the journal does not try it
  ///   by itself.
  /// - A program that reads the files meanwhile may see a part of the changes.
  /// - The files of a batch have the changes before it carried out first, and those after it later. So the call waits
  ///   until nothing of its files is pending. Newer changes of them wait for it.
  ///
  /// Each file has an event, with the id of the batch: a moved one is removed at its old path and written at its new.
  ///
  /// - Returns: What the batch is called in the ``events()`` and among the ``failures``; nil where the array is empty.
  /// - Throws: `FileChangeError` as ``submit(_:durability:)`` does. So it does when a change cannot follow those before
  ///   it, as when a file is moved that the batch has removed; and where the newest contents of a file that is moved
  ///   could not be written.
  /// - Complexity: O(*n*) for *n* changes, not counting the writing. The journal is brought to the device twice.
  @discardableResult
  public func submit(batch changes: [FileChange]) async throws(FileChangeError) -> PendingChangeID? {
    guard !changes.isEmpty else { return nil }
    let batch = try FileChange._Batch(changes)
    defer { for path in batch.paths { publish(path) } }
    return try await submit { machine, ticket throws(FileChangeError) in try machine.submit(batch, ticket: ticket) }
  }

  /// Submits what is acknowledged later, and waits for that.
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

  /// Does what was asked for, and waits for the answer.
  ///
  /// One of those that wait for a write of the journal is woken by it, and lets the others go on.
  private func waitForAnswer(
    under ticket: Int, after request: () throws(FileChangeError) -> [_StateMachine.Action]
  ) async -> _Submitter.Answer {
    let isPrompt = _Submitter.isPrompt
    var wakeup: _Submitter.Wakeup = await withCheckedContinuation { continuation in
      let submitter = _Submitter(continuation, isPrompt: isPrompt)
      do throws(FileChangeError) {
        let actions = try request()
        submitters.keep(submitter, under: ticket)
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
      // The journal tries the group once more.
      wakeup = await withCheckedContinuation { continuation in
        submitters.keep(_Submitter(continuation, isPrompt: isPrompt), under: ticket)
      }
    }
  }

  private func withdraw(_ ticket: Int) { perform(machine.withdraw(ticket)) }

  /// Takes back a change that was accepted and not carried out, such as the saving of a document that is discarded.
  ///
  /// ```swift
  /// func discard(_ draft: PendingChangeID, of writer: FileChangeWriter) async {
  ///   if let change = await writer.cancel(draft) { print("did not", change) }
  /// }
  /// ```
  ///
  /// A change that waits, that will be tried again after a while, or that failed for good is taken back. One that has
  /// taken the place of older changes goes together with those. When the call returns, the journal has forgotten the
  /// change, too; where the journal cannot be written, the next writing or the shutdown makes up for it.
  ///
  /// - Parameter id: What ``submit(_:durability:)`` has returned.
  /// - Returns: The change, which the writer has no more. Nil where it is a batch, is being carried out at this moment,
  ///   was carried out, a newer one has taken its place, or after ``close(within:)``.
  /// - Complexity: O(1) on average, not counting the writing.
  @discardableResult
  public func cancel(_ id: PendingChangeID) async -> FileChange? { await cancel([id]).first }

  /// Takes all of them back at once, so that none of them is begun meanwhile.
  @discardableResult
  func cancel(_ ids: [PendingChangeID]) async -> [FileChange] {
    let ticket = submitters.issue()
    let (changes, isRecorded, actions) = machine.cancel(ids, ticket: ticket)
    defer { for change in changes { publish(change.path) } }
    guard isRecorded else {
      perform(actions)
      return changes
    }
    _ = await waitForAnswer(under: ticket) { actions }
    return changes
  }

  /// Returns when everything that was accepted before the call is on disk.
  ///
  /// What still waits for room was not accepted.
  ///
  /// It also waits for changes that are to be tried again; the backoff says how long that can take. When the task is
  /// cancelled, the wait ends, and nothing else does.
  ///
  /// - Throws: `UnwrittenError`, once nothing is left to wait for, with every change accepted before the call, of any
  ///   file, that is not on disk. The writer still holds them among its ``failures``, except where a newer change of
  ///   the file has taken the place of one: that newer one was accepted after the call, and is not waited for.
  /// - Complexity: O(*n*) for *n* changes that are not done.
  public func flush() async throws(UnwrittenError) {
    let unwritten = await wait { machine, number in machine.wait(number) }
    if !unwritten.isEmpty { throw unwritten }
  }

  /// Accepts no more changes, carries out what was accepted, gives the journal back, and ends the ``events()``.
  ///
  /// A submission that waits for room at that moment throws as one does that comes later.
  ///
  /// Changes that sleep until they are tried again are tried at once, and then at short intervals; none is dropped. A
  /// journal in which nothing is left is removed. What failed for good stays in it, for the next writer to try.
  ///
  /// - Parameter limit: How long that may take, by the writer's clock; by default as long as it takes. After that
  ///   nothing more is begun. What is being carried out at that moment comes to its end, and what is not, a journal
  ///   keeps. Only then is the journal given back, and the ``events()`` end.
  /// - Throws: `UnwrittenError` with every change that failed for good, and those that were not carried out when the
  ///   time was up or the task was cancelled. This is where they are handed back.
  public func close(within limit: Duration? = nil) async throws(UnwrittenError) {
    if let limit, machine.phase < .ended {
      // It stays where the task is cancelled: the limit is one of the writer.
      alarms.append(
        Task {
          try? await clock.sleep(for: limit.forSleeping)
          if !Task.isCancelled { perform(machine.abandon()) }
        })
    }
    let unwritten = await wait { machine, number in machine.shutDown(number) }
    if !unwritten.isEmpty { throw unwritten }
  }

  func wait(_ request: (inout _StateMachine, Int) -> [_StateMachine.Action]) async -> UnwrittenError {
    let number = waiters.issue()
    return await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        waiters.keep(continuation, under: number)
        perform(request(&machine, number))
      }
    } onCancel: {
      Task { await self.stopWaiting(number) }
    }
  }

  private func stopWaiting(_ number: Int) { perform(machine.stopWaiting(number)) }
}

// MARK: - Failures

extension FileChangeWriter {
  /// The changes that failed for good and that no newer change of the same file has replaced, oldest first.
  public var failures: [Failure] { machine.failures }

  /// Tries the ``failures`` again, in their order, as if they were submitted now; they keep their ids.
  ///
  /// All of them are tried, of any file. To try one, submit its ``Failure/change`` again; that gets an id of its own.
  /// What ``submit(_:durability:)`` has thrown is not among them: submit that again.
  ///
  /// A failure stays where it is when a newer change of its file is on the way. Of several failures of one file, the
  /// oldest are tried first. A failure for which there is no room yet stays. After ``close(within:)`` none is tried. A
  /// batch is written also over what one of its files has got meanwhile, unless that change is
  /// ``FileChange/based(on:)`` what was there. Where one file is written at a time, a batch stays as long as any other
  /// change waits.
  ///
  /// - Returns: How many are tried.
  @discardableResult
  public func retryFailures() -> Int {
    let (count, actions) = machine.retryFailures()
    perform(actions)
    publishAll()
    return count
  }

  /// Lets go of the ``failures``.
  ///
  /// Returns when the journal has forgotten them, too, unless the writer was shut down: what is left in it then is the
  /// next writer's. Where that cannot be written, the writer tries it again with what it writes next.
  ///
  /// - Returns: The failures, which the writer holds no more.
  @discardableResult
  public func removeFailures() async -> [Failure] {
    let ticket = submitters.issue()
    let (removed, isRecorded, actions) = machine.removeFailures(ticket: ticket)
    if isRecorded {
      _ = await waitForAnswer(under: ticket) { actions }
    } else {
      perform(actions)
    }
    publishAll()
    return removed
  }
}
