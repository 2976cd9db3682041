internal import Journals
internal import PendingChanges

// What a program asks of an outbox.

extension Outbox {
  /// Accepts a change, to be sent as soon as its turn comes.
  ///
  /// When the call returns, the change is on the journal's device. Calls that come while the journal is being written
  /// share the next writing, so that many of them cost little more than one. The order of two changes is that in which
  /// the outbox gets the calls.
  ///
  /// - Returns: The id of the entry that stands for the change now. A newer change that joins it has another one.
  /// - Throws: `OutboxError` when the change cannot be encoded, when it cannot be decoded again or has another key
  ///   then, when more waits than the configuration allows, when the outbox is closed, and when the journal cannot be
  ///   written. The change is not accepted then. (Only if the journal cannot even be repaired until the process ends,
  ///   the next outbox may still find it.)
  /// - Complexity: O(1) amortised for how many wait, not counting the writing, which is the bytes of the change and 49,
  ///   or 65 where it joins another.
  @discardableResult
  public func insert(_ change: Change) async throws(OutboxError) -> String {
    let contents: [UInt8]
    do { contents = try encode(change) } catch {
      throw OutboxError(path: journal.path, reason: .unencodable(OutboxError.explanation(of: error)))
    }
    guard JournalFrame.fits(contents.count + _OutboxRecord.overhead) else {
      throw OutboxError(path: journal.path, reason: .unencodable("it is larger than 4 GB"))
    }
    let ticket = makeTicket()
    let actions = try machine.insert(change, contents: contents, ticket: ticket)
    switch await answer(ticket, actions) {
    case .accepted(let id): return id
    case .failure(let error): throw error
    case .removed, .requeued, .done: preconditionFailure("An inserted change has an id")
    }
  }

  /// Performs the actions, and waits for the answer under the ticket.
  private func answer(_ ticket: Int, _ actions: [_StateMachine.Action]) async -> _StateMachine.Result {
    await withCheckedContinuation { continuation in
      callers[ticket] = continuation
      perform(actions)
    }
  }

  /// Takes a change out of the outbox: a dead letter, or one that waits.
  ///
  /// When the call returns, the journal has forgotten the change, too; where the journal cannot be written, the next
  /// writing makes up for it.
  ///
  /// - Parameter id: The id of an ``Entry``.
  /// - Returns: The change, which is not sent any more, although the server may have got it by an attempt that failed.
  ///   Nil where it is being sent at this moment, was sent, or a newer change has taken it in; and of a closed outbox.
  @discardableResult
  public func remove(id: String) async -> Entry? {
    let ticket = makeTicket()
    guard let actions = machine.remove(id, ticket: ticket), case .removed(let entry) = await answer(ticket, actions)
    else { return nil }
    return entry
  }

  /// Tries a dead letter anew, with the same id, its attempts forgotten.
  ///
  /// A letter stays one where the journal cannot be written. So it does where another change of its key is there, which
  /// happens only with the policy `.keep`.
  ///
  /// - Parameter id: The id of one of the ``deadLetters``.
  /// - Returns: Whether it is tried.
  @discardableResult
  public func requeue(id: String) async -> Bool {
    let ticket = makeTicket()
    guard let actions = machine.requeue(id, ticket: ticket), case .requeued(let isDone) = await answer(ticket, actions)
    else { return false }
    return isDone
  }

  /// The changes that failed for good, each with its reason.
  ///
  /// They stay until they are removed, requeued, or a newer change of their key takes them along or takes their place.
  ///
  /// - Complexity: O(*n*) for *n* changes; O(1) where there are no dead letters.
  public var deadLetters: [Entry] { machine.deadLetters }

  /// The changes without an answer yet, also those being sent, in the order of their turns; of one key the older first.
  ///
  /// - Complexity: O(*n*).
  public var pending: [Entry] { machine.pending }

  /// Begins to send nothing any more until ``resume()``; what is being sent goes on.
  ///
  /// Call it when there is no network. Changes are accepted all the same.
  public func pause() { perform(machine.pause()) }

  /// Goes on after ``pause()``, and tries at once what waits for another attempt.
  ///
  /// Call it when the network is back. What the server asked to send later waits all the same.
  public func resume() { perform(machine.resume()) }

  /// Returns when everything is sent, and the journal knows.
  ///
  /// What waits for another attempt is tried at once, as by ``resume()``. A paused outbox stays paused: the call waits
  /// for ``resume()``. Dead letters are not waited for. Within `send` it would wait for itself.
  ///
  /// - Parameter limit: How long that may take, by the outbox's clock; by default as long as it takes.
  /// - Throws: `OutboxError` when the time is up (``OutboxError/Reason/notDrained``), when the task is cancelled, when
  ///   the outbox is closed, and when all is sent but the journal cannot be written. In all but the last two cases the
  ///   outbox goes on with what is left.
  public func drain(within limit: Duration? = nil) async throws(OutboxError) {
    let ticket = makeTicket()
    let alarm = limit.map { limit in
      Task {
        try? await clock.sleep(for: limit.forSleeping)
        if !Task.isCancelled { stopDraining(ticket, .notDrained) }
      }
    }
    defer { alarm?.cancel() }
    let result = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        callers[ticket] = continuation
        perform(machine.drain(ticket: ticket))
      }
    } onCancel: {
      Task { await self.stopDraining(ticket, .cancelled) }
    }
    if case .failure(let error) = result { throw error }
  }

  private func stopDraining(_ ticket: Int, _ reason: OutboxError.Reason) {
    perform(machine.stopDraining(ticket: ticket, reason))
  }

  /// Cancels what is being sent, and gives the journal back when that has ended.
  ///
  /// What is not sent stays in the journal, for the next outbox. A journal in which nothing is left is removed. Nothing
  /// is accepted any more, and the ``states()`` end. Within `send` it would wait for itself.
  ///
  /// - Parameter limit: How long to wait for that, by the outbox's clock; by default as long as it takes. A `send` that
  ///   does not heed its cancellation goes on, and the journal is given back when it has ended.
  public func close(within limit: Duration? = nil) async {
    let ticket = makeTicket()
    let alarm = limit.map { limit in
      Task {
        try? await clock.sleep(for: limit.forSleeping)
        if !Task.isCancelled { perform(machine.stopClosing(ticket: ticket)) }
      }
    }
    defer { alarm?.cancel() }
    _ = await withCheckedContinuation { continuation in
      callers[ticket] = continuation
      perform(machine.close(ticket: ticket))
    }
  }

  /// The states of the outbox: the one of this moment, and each newer one, until the outbox is closed.
  ///
  /// ```swift
  /// func show<Change>(_ outbox: Outbox<Change>) async {
  ///   for await state in await outbox.states() {
  ///     print(state.pendingCount, "to send", state.failure ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// A reader that is slower than the outbox gets the newest state, not all between. Each sequence has one reader.
  public func states() -> AsyncStream<State> {
    readers.publish(currentState)
    return readers.stream(limit: 1)
  }
}
