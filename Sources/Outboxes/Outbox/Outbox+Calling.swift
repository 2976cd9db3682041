internal import Journals
internal import PendingChanges

// The calls that a program makes: insert, remove, requeue, wait, pause and close.

extension Outbox {
  /// Accepts a change, which is sent as soon as its turn comes.
  ///
  /// When the call returns, the change is on the journal's device. Calls that are made while the journal is being
  /// written share the next write, so that many of them cost little more than one. The order of changes is that in
  /// which the outbox receives the calls.
  ///
  /// - Returns: The id of the entry that contains the change now. If a newer change is combined with it, the result has
  ///   another id.
  /// - Throws: `OutboxError` when the change can't be encoded, when it can't be decoded again or has another key then,
  ///   when more waits than the configuration allows, when the outbox is closed, and when the journal can't be written.
  ///   The change is then not accepted. (Only if the journal can't even be repaired until the process ends, the next
  ///   outbox may still find the change.)
  /// - Complexity: O(1) amortized in the number of waiting changes, plus the write: the bytes of the change and of its
  ///   key, and 57 more, or 73 more if it is combined with another.
  @discardableResult
  public func insert(_ change: Change) async throws(OutboxError) -> String {
    let contents: _OutboxContents
    do { contents = try machine.coding.encode(change) } catch {
      throw OutboxError(path: journal.path, reason: .unencodable(OutboxError.explanation(of: error)))
    }
    guard JournalFrame.fits(contents.bytes.count + _OutboxRecord.overhead) else {
      throw OutboxError(path: journal.path, reason: .unencodable("it is larger than 4 GB"))
    }
    let ticket = callers.issue()
    let actions = try machine.insert(change, contents: contents, ticket: ticket)
    switch await answer(ticket, actions) {
    case .accepted(let id): return id
    case .failure(let error): throw error
    case .removed, .requeued, .discarded, .outcome, .done: preconditionFailure("An inserted change has an id")
    }
  }

  /// Performs the actions, and waits for the result of the ticket.
  private func answer(_ ticket: Int, _ actions: [_StateMachine.Action]) async -> _StateMachine.Result {
    await withCheckedContinuation { continuation in
      callers.values[ticket] = continuation
      perform(actions)
    }
  }

  /// Waits for the result of a call of the machine; nil if there is nothing to wait for.
  private func answer(
    _ begin: (inout _StateMachine, _ ticket: Int) -> [_StateMachine.Action]?
  ) async -> _StateMachine.Result? {
    let ticket = callers.issue()
    guard let actions = begin(&machine, ticket) else { return nil }
    return await answer(ticket, actions)
  }

  /// Removes a change from the outbox: a failure, or one that waits.
  ///
  /// When the call returns, the change is removed from the journal as well. If the journal can't be written, the next
  /// write makes up for that.
  ///
  /// - Parameter id: The id of an ``Entry``.
  /// - Returns: The change, which is not sent again, although the server may have received it by an attempt that
  ///   failed. Nil if the change is being sent, was sent, or was combined with a newer one, or if the outbox is closed.
  @discardableResult
  public func remove(id: String) async -> Entry? {
    guard case .removed(let entry) = await answer({ $0.remove(id, ticket: $1) }) else { return nil }
    return entry
  }

  /// The changes in the journal that can't be decoded, because another version of the app has written them.
  ///
  /// They are neither sent nor lost: the next outbox tries to decode them again. Meanwhile, newer changes of their keys
  /// wait, so that the server gets the changes of a key in order; other keys aren't affected. ``drain(within:)``
  /// doesn't wait for them. Remove those that no version will be able to decode.
  ///
  /// - Complexity: O(*n* log *n*) for *n* such changes.
  public var undecodable: [Undecodable] { machine.undecodable }

  /// Removes a change that can't be decoded, so that newer changes of its key are sent.
  ///
  /// - Parameter id: The id of one of the ``undecodable`` changes.
  /// - Returns: Whether it was removed, also from the journal. If the journal can't be written, the next write makes up
  ///   for that.
  @discardableResult
  public func removeUndecodable(id: String) async -> Bool {
    if case .discarded = await answer({ $0.remove(id, isUndecodable: true, ticket: $1) }) { true } else { false }
  }

  /// Tries a failure again, with the same id and without its earlier attempts.
  ///
  /// The change stays a failure if the journal can't be written, or if there is another change of its key, which
  /// happens only with the policy `.keep`.
  ///
  /// - Parameter id: The id of one of the ``failures``.
  /// - Returns: Whether it will be tried again.
  @discardableResult
  public func requeue(id: String) async -> Bool {
    if case .requeued(true) = await answer({ $0.requeue(id, ticket: $1) }) { true } else { false }
  }

  /// The changes that failed for good, each with its reason.
  ///
  /// They stay until they are removed or requeued, or until a newer change of their key replaces or includes them.
  ///
  /// - Complexity: O(*n*) for *n* changes; O(1) if none has failed.
  public var failures: [Entry] { machine.failures }

  /// The changes without an answer yet, including those being sent, in order; older ones of a key come first.
  ///
  /// - Complexity: O(*n*).
  public var pending: [Entry] { machine.pending }

  /// Stops beginning changes until ``resume()``; attempts under way go on.
  ///
  /// Call it when there is no network. The outbox still accepts changes.
  public func pause() { perform(machine.pause()) }

  /// Continues after ``pause()``, and immediately tries the changes that wait for another attempt.
  ///
  /// Call it when the network is back. It also ends a pause that the server has asked for
  /// (``Answer/pauseAll(for:)``). Changes that the server asked to send later still wait for that.
  public func resume() { perform(machine.resume()) }

  /// Returns when everything is sent and the journal has recorded it.
  ///
  /// Changes that wait for another attempt are tried at once, as by ``resume()``. A paused outbox stays paused, also if
  /// the server has asked for that: the call waits for ``resume()`` or the end of the pause. The call doesn't wait for
  /// failures.
  ///
  /// - Parameter limit: How long to wait, by the outbox's clock; by default without limit.
  /// - Throws: `OutboxError` when the time is up (``OutboxError/Reason/notDrained``), when the task is cancelled, when
  ///   the outbox is closed, and when everything is sent but the journal can't be written. In the first two cases the
  ///   outbox continues to send the rest. It also throws inside of `send` (``OutboxError/Reason/insideSend``), where it
  ///   would wait for itself.
  public func drain(within limit: Duration? = nil) async throws(OutboxError) {
    let ticket = callers.issue()
    let alarm = limit.map { after($0, by: clock) { $0.stopWaiting(ticket, .notDrained) } }
    defer { alarm?.cancel() }
    _ = try await wait(ticket) { $0.drain(ticket: ticket) }
  }

  /// Waits until one change is sent, has failed for good, or has left the outbox otherwise.
  ///
  /// ```swift
  /// func send<Change>(_ change: Change, by outbox: Outbox<Change>) async throws -> Bool {
  ///   let id = try await outbox.insert(change)
  ///   return try await outbox.outcome(of: id) == .sent
  /// }
  /// ```
  ///
  /// The change is sent in its turn: call ``resume()`` to try it at once. The journal may not have the outcome yet, so
  /// after a kill, the change may be sent again, with the same id.
  ///
  /// - Parameter id: The id of an ``Entry``, as ``insert(_:)`` returns it.
  /// - Returns: The outcome; nil if the outbox doesn't know the change, because it left in an earlier outbox, or
  ///   because 1,000 others have left since.
  /// - Throws: `OutboxError` when the task is cancelled, when the outbox is closed before the change has an outcome,
  ///   and inside of `send` (``OutboxError/Reason/insideSend``). The outbox continues to send the change.
  public func outcome(of id: String) async throws(OutboxError) -> Outcome? {
    let ticket = callers.issue()
    guard case .outcome(let outcome) = try await wait(ticket, { $0.outcome(of: id, ticket: ticket) }) else {
      return nil
    }
    return outcome
  }

  /// Waits for the result of the ticket until the task is cancelled.
  private func wait(
    _ ticket: Int, _ begin: (inout _StateMachine) -> [_StateMachine.Action]
  ) async throws(OutboxError) -> _StateMachine.Result {
    guard !isInsideSend else { throw OutboxError(path: journal.path, reason: .insideSend) }
    let result = await withTaskCancellationHandler {
      await answer(ticket, begin(&machine))
    } onCancel: {
      Task { await self.stopWaiting(ticket, .cancelled) }
    }
    if case .failure(let error) = result { throw error }
    return result
  }

  private func stopWaiting(_ ticket: Int, _ reason: OutboxError.Reason) {
    perform(machine.stopWaiting(ticket: ticket, reason))
  }

  /// Cancels the attempts under way, and releases the journal when they have ended.
  ///
  /// Changes that were not sent stay in the journal, for the next outbox. A journal without changes is removed. The
  /// outbox accepts no more changes, and the ``states()`` end.
  ///
  /// Inside of `send`, the call doesn't wait: it returns at once, and the journal is released when all attempts, this
  /// one included, have ended.
  ///
  /// - Parameter limit: How long to wait, by the outbox's clock; by default without limit. A `send` that ignores its
  ///   cancellation goes on, and the journal is released when it has ended, or when the `sendTimeout` of the
  ///   configuration is over.
  public func close(within limit: Duration? = nil) async {
    guard !isInsideSend else { return perform(machine.close(ticket: nil)) }
    let ticket = callers.issue()
    let alarm = limit.map { after($0, by: clock) { $0.perform($0.machine.stopClosing(ticket: ticket)) } }
    defer { alarm?.cancel() }
    _ = await answer(ticket, machine.close(ticket: ticket))
  }

  /// The states of the outbox: the current one, and each newer one until the outbox is closed.
  ///
  /// ```swift
  /// func show<Change>(_ outbox: Outbox<Change>) async {
  ///   for await state in await outbox.states() {
  ///     print(state.pendingCount, "to send", state.failure ?? "")
  ///   }
  /// }
  /// ```
  ///
  /// A reader that is slower than the outbox gets the newest state and misses those in between. Each sequence has one
  /// reader.
  public func states() -> AsyncStream<State> {
    readers.publish(currentState)
    return readers.stream(limit: 1)
  }
}
