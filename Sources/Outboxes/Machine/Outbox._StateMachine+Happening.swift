internal import Journals
package import PendingChanges
internal import UniqueQueues

// Events from outside: calls, answers of the server, and the clock.

extension Outbox._StateMachine {
  /// Submits a change, which is accepted when the journal has it.
  ///
  /// - Parameter contents: The encoded change, for the journal.
  package mutating func insert(_ change: Change, contents: _OutboxContents, ticket: Int) throws(OutboxError) -> [Action]
  {
    guard phase == .open else { throw OutboxError(path: path, reason: .closed) }
    let byteCount = _OutboxRecord.overhead + contents.bytes.count
    let waiting = pendingByteCount + stagedByteCount
    // A change that is larger than the limit is accepted if nothing else waits.
    guard waiting == 0 || waiting <= configuration.waitingByteLimit - byteCount else {
      throw OutboxError(path: path, reason: .full)
    }
    stage(.insert(change, makeIdentity(), contents: contents), ticket: ticket, key: change.key)
    return proceed()
  }

  /// Removes a change from the outbox, unless it is being sent.
  ///
  /// - Parameter isUndecodable: Whether the change to remove is one that can't be decoded.
  /// - Returns: The actions to perform; nil if there is nothing to wait for.
  package mutating func remove(_ id: String, isUndecodable: Bool = false, ticket: Int) -> [Action]? {
    submit(id, isUndecodable: isUndecodable, ticket: ticket) { .remove($0) }
  }

  /// Tries a failure again.
  ///
  /// - Returns: The actions to perform; nil if there is nothing to wait for.
  package mutating func requeue(_ id: String, ticket: Int) -> [Action]? {
    submit(id, isUndecodable: false, ticket: ticket) { .requeue($0) }
  }

  private mutating func submit(
    _ text: String, isUndecodable: Bool, ticket: Int, _ operation: (_OutboxID) -> Outbox._Submission.Operation
  ) -> [Action]? {
    guard phase == .open, let id = _OutboxID(text), let generation = ids[id], let key = queue[generation]?.key,
      undecodableIDs.contains(generation) == isUndecodable
    else { return nil }
    stage(operation(id), ticket: ticket, key: key)
    return proceed()
  }

  // MARK: The server

  /// Handles the outcome of an attempt.
  ///
  /// - Parameter date: The time by the system's clock, which outlives the process.
  package mutating func answer(
    _ id: PendingChangeID, _ verdict: Verdict, at now: Duration, date: Date = Date(timeIntervalSince1970: 0)
  ) -> [Action] {
    self.now = max(self.now, now)
    guard endRunning(id) else { return [] }
    update(id) { $0.interruptions = nil }
    guard let item = item(id) else { return [] }
    switch verdict {
    case .answered(.done): complete(id, item)
    case .answered(.retry(let delay)): fail(id, item, reason: item.reason ?? "try again later", after: delay, date)
    case .answered(.pauseAll(let delay)): pauseAll(id, for: delay, date)
    case .answered(.refused(let reason)): refuse(id, attempts: item.attempts, reason)
    case .failed(let reason): fail(id, item, reason: reason, after: .zero, date)
    case .cancelled:
      stop(id)
      due.append(id)
    }
    return proceed()
  }

  private mutating func complete(_ id: PendingChangeID, _ item: Item) {
    state.sentCount += 1
    state.failure = nil
    settle(item.id, .sent)
    guard let key = queue[id]?.key else { return }
    // A newer change of the key is sent only when the journal knows that this one was sent. Otherwise a restart could
    // mistake the newer one for one that was never begun, and others could join it.
    let isLast = queue.newest(for: key)?.id == id && !commits.isStaged(key.hashValue)
    guard isLast else { return end(id, .leave(id)) }
    leave(id)
    unacknowledged.append(.left(item.id))
  }

  /// - Parameter delay: How long the server asked to wait.
  private mutating func fail(_ id: PendingChangeID, _ item: Item, reason: String, after delay: Duration, _ date: Date) {
    state.failure = reason
    guard configuration.backoff.allows(item.attempts) else { return refuse(id, attempts: item.attempts, reason) }
    let failure = _OutboxRecord.Failure(attempts: item.attempts, reason: reason)
    unacknowledged.append(.failed(item.id, failure))
    let wait = delay > .zero ? _OutboxRecord.Wait(delay.forSleeping, from: date) : nil
    if let wait { unacknowledged.append(.delayed(item.id, wait)) }
    update(id) { ($0.reason, $0.wait) = (failure.reason, wait) }
    let backoff = configuration.backoff.delay(afterFailures: item.attempts, using: &random)
    sleep(id, for: backoff, atLeast: delay)
  }

  /// Sends nothing for a while; the change that got the answer comes first then.
  private mutating func pauseAll(_ id: PendingChangeID, for delay: Duration, _ date: Date) {
    stop(id)
    due.prepend(id)
    // The server must not be called all the time.
    let delay = max(delay.forSleeping, configuration.backoff.delay(afterFailures: 1, using: &random))
    if now + delay > pauseEnd ?? .zero { setPause(_OutboxRecord.Wait(delay, from: date)) }
  }

  /// Begins or ends a pause that the server has asked for.
  mutating func setPause(_ wait: _OutboxRecord.Wait?) {
    guard wait != pauseWait else { return }
    (pauseWait, pauseEnd) = (wait, wait.map { now + $0.delay })
    unacknowledged.append(.paused(wait))
  }

  private mutating func refuse(_ id: PendingChangeID, attempts: Int, _ reason: String) {
    state.failure = reason
    let failure = _OutboxRecord.Failure(attempts: attempts, reason: reason)
    end(id, .refuse(id, failure, takenAs: makeIdentity()))
  }

  /// - Parameter least: How long the server asked to wait, which nothing cuts short.
  mutating func sleep(_ id: PendingChangeID, for delay: Duration, atLeast least: Duration = .zero) {
    let earliest = now + least.forSleeping
    sleepers.add(id, Outbox._Sleepers.Sleep(deadline: max(now + delay.forSleeping, earliest), earliest: earliest))
  }

  // MARK: The clock

  /// Wakes the changes whose time has come.
  package mutating func wake(at now: Duration) -> [Action] {
    self.now = max(self.now, now)
    if let pauseEnd, pauseEnd <= now { setPause(nil) }
    due.append(contentsOf: sleepers.wake(at: now))
    return proceed()
  }

  // MARK: Callers

  /// Stops beginning changes until ``resume()``.
  package mutating func pause() -> [Action] {
    isPaused = true
    return []
  }

  /// Continues, and immediately tries the changes that wait for another attempt.
  package mutating func resume() -> [Action] {
    isPaused = false
    setPause(nil)
    due.append(contentsOf: sleepers.wakeAll(at: now))
    return proceed()
  }

  /// Makes a caller wait until everything is sent and recorded, and wakes the changes that wait for another attempt.
  package mutating func drain(ticket: Int) -> [Action] {
    guard phase == .open else { return refuse(ticket, .closed) }
    waiters[nil, default: []].append(ticket)
    if !isPaused { due.append(contentsOf: sleepers.wakeAll(at: now)) }
    return proceed()
  }

  /// Makes a caller wait until a change is sent, has failed for good or has left otherwise.
  package mutating func outcome(of text: String, ticket: Int) -> [Action] {
    let id = _OutboxID(text)
    let outcome = id.flatMap { outcomes[$0] ?? failure($0) }
    guard outcome == nil, let id, ids[id] != nil else { return [.acknowledge(ticket: ticket, .outcome(outcome))] }
    guard phase == .open else { return refuse(ticket, .closed) }
    waiters[id, default: []].append(ticket)
    return []
  }

  private func failure(_ id: _OutboxID) -> Outbox.Outcome? {
    guard let generation = ids[id], queue.status(of: generation) == .failure else { return nil }
    return .failed(reason: item(generation)?.reason ?? "")
  }

  /// Keeps the outcome of a change, and tells the callers that wait for it.
  mutating func settle(_ id: _OutboxID, _ outcome: Outbox.Outcome) {
    if case .failed = outcome {} else { outcomes.store(outcome, of: id) }
    for ticket in waiters.removeValue(forKey: id) ?? [] {
      settled.append(.acknowledge(ticket: ticket, .outcome(outcome)))
    }
  }

  /// Settles a change that the newest one of its key replaces.
  mutating func settleReplaced(_ id: PendingChangeID) {
    guard let item = item(id), let newest = queue.newest(for: item.key) else { return }
    settle(item.id, .replaced(by: newest.change.id.text))
  }

  /// Resumes a caller that waits until everything is sent, or for the outcome of a change.
  package mutating func stopWaiting(ticket: Int, _ reason: OutboxError.Reason) -> [Action] {
    guard let group = waiters.first(where: { $0.value.contains(ticket) }) else { return [] }
    waiters[group.key]?.removeAll { $0 == ticket }
    return refuse(ticket, reason)
  }

  private func refuse(_ ticket: Int, _ reason: OutboxError.Reason) -> [Action] {
    [.acknowledge(ticket: ticket, .failure(OutboxError(path: path, reason: reason)))]
  }

  /// Cancels the attempts under way, and releases the journal.
  ///
  /// - Parameter ticket: Nil for a caller that doesn't wait.
  package mutating func close(ticket: Int?) -> [Action] {
    guard phase < .closed else { return ticket.map { [.acknowledge(ticket: $0, .done)] } ?? [] }
    if let ticket { closers.append(ticket) }
    guard phase == .open else { return [] }
    endUnrecorded()
    phase = .closing
    // If the process ends from now on, these attempts are not the reason.
    for id in running {
      update(id) { $0.interruptions = nil }
      if let item = item(id) { unacknowledged.append(.ended(item.id, interruptions: nil)) }
    }
    var stopped: [Action] = []
    for caller in waiters.values.joined().sorted() { stopped += stopWaiting(ticket: caller, .closed) }
    return stopped + [.cancelAttempts] + proceed()
  }

  /// Resumes a caller that waits until the journal is released.
  package mutating func stopClosing(ticket: Int) -> [Action] {
    guard let index = closers.firstIndex(of: ticket) else { return [] }
    closers.remove(at: index)
    return [.acknowledge(ticket: ticket, .done)]
  }

  /// Handles the release of the journal.
  package mutating func closedJournal() -> [Action] {
    defer { _checkInvariants() }
    phase = .closed
    defer { closers = [] }
    return [.end] + closers.map { .acknowledge(ticket: $0, .done) }
  }
}
