internal import Journals
internal import PendingChanges

// Performs the actions that the state machine returns, and reports the results to the machine.

extension Outbox {
  func perform(_ actions: [_StateMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let id, let entry): attempt(id, entry)
      case .record(let write):
        Task {
          let error = await journal.commit(write)
          perform(machine.finishWrite(error: error.map { OutboxError($0, path: journal.path) }, at: elapsed()))
        }
      case .acknowledge(let ticket, let result): callers.take(ticket)?.resume(returning: result)
      case .cancelAttempts: for running in attempts.values { running.task.cancel() }
      case .closeJournal(let removing):
        Task {
          await journal.close(removing: removing)
          perform(machine.closedJournal())
        }
      case .end:
        readers.publish(currentState)
        readers.end()
      }
    }
    setTimer()
    if !readers.isEmpty { readers.publish(currentState) }
  }

  private func attempt(_ id: PendingChangeID, _ entry: Entry) {
    attemptCount += 1
    let attempt = Attempt(outbox: ObjectIdentifier(self), number: attemptCount)
    // A function that isn't a closure would run on the actor and block it (swiftlang/swift#62984).
    let task = Task { @concurrent [send] in
      let verdict: _StateMachine.Verdict
      do {
        verdict = .answered(try await Attempt.$current.withValue(attempt) { try await send(entry) })
      } catch {
        // A cancelled task may throw any error. A task that isn't cancelled may throw a `CancellationError`, for
        // example after a time limit of its own.
        verdict = Task.isCancelled ? .cancelled : .failed(reason: "\(error)")
      }
      await didSend(id, attempt, verdict)
    }
    let timeout = machine.configuration.sendTimeout.map { after($0, by: clock) { $0.giveUp(id, attempt) } }
    attempts[id] = (attempt, task, timeout)
  }

  private func didSend(_ id: PendingChangeID, _ attempt: Attempt, _ verdict: _StateMachine.Verdict) {
    // The answer of an attempt that took too long is ignored.
    guard let running = attempts[id], running.attempt == attempt else { return }
    running.timeout?.cancel()
    attempts[id] = nil
    perform(machine.answer(id, verdict, at: elapsed(), date: date()))
  }

  private func giveUp(_ id: PendingChangeID, _ attempt: Attempt) {
    guard let running = attempts[id], running.attempt == attempt, let limit = machine.configuration.sendTimeout
    else { return }
    running.task.cancel()
    didSend(id, attempt, machine.phase == .open ? .failed(reason: "no answer within \(limit)") : .cancelled)
  }

  /// Whether the call is made by an attempt under way, which can't end before the call returns.
  var isInsideSend: Bool {
    guard let current = Attempt.current, current.outbox == ObjectIdentifier(self) else { return false }
    return attempts.values.contains { $0.attempt == current }
  }

  /// Sets the only timer to the time at which the next change wakes.
  private func setTimer() {
    guard timer?.deadline != machine.nextWake else { return }
    timer?.task.cancel()
    timer = machine.nextWake.map { deadline in
      let delay = deadline - elapsed()
      // The timer doesn't keep the outbox alive: without references, nothing should be sent again.
      let task = Task { [weak self, clock] in
        // A clock that fails only means that a change is tried early.
        try? await clock.sleep(for: max(delay, .zero))
        if !Task.isCancelled { await self?.ring(deadline) }
      }
      return (deadline, Date(timeIntervalSinceNow: delay / .seconds(1)), task)
    }
  }

  private func ring(_ deadline: Duration) {
    guard timer?.deadline == deadline else { return }
    timer = nil
    perform(machine.wake(at: max(deadline, elapsed())))
  }

  /// How many groups were synchronized to the journal's device, and how many bytes of records were written.
  package var journalCounts: (groups: Int, bytes: Int) { (machine.groupCount, machine.recordedByteCount) }

  var currentState: State {
    var state = machine.currentState
    if machine.isWaiting, let date = timer?.date { state.activity = .waiting(until: date) }
    return state
  }
}

/// An attempt to send a change.
struct Attempt: Equatable {
  let outbox: ObjectIdentifier
  let number: Int

  /// The attempt that makes the present call.
  @TaskLocal static var current: Attempt?
}
