internal import Journals
internal import PendingChanges

// Performs the actions that the state machine returns, and reports the results to the machine.

extension Outbox {
  func perform(_ actions: [_StateMachine.Action]) {
    for action in actions {
      switch action {
      case .send(let id, let entry): attempt(id, entry)
      case .record(let write): record(write)
      case .acknowledge(let ticket, let result): callers.take(ticket)?.resume(returning: result)
      case .cancelAttempts: for task in attempts.values { task.cancel() }
      case .closeJournal(let removing): closeJournal(removing: removing)
      case .end:
        readers.publish(currentState)
        readers.end()
      }
    }
    setTimer()
    if !readers.isEmpty { readers.publish(currentState) }
  }

  private func attempt(_ id: PendingChangeID, _ entry: Entry) {
    // A function that isn't a closure would run on the actor and block it (swiftlang/swift#62984).
    attempts[id] = Task { @concurrent [send] in
      let verdict: _StateMachine.Verdict
      do {
        verdict = .answered(try await send(entry))
      } catch {
        // A cancelled task may throw any error. A task that isn't cancelled may throw a `CancellationError`, for
        // example after a time limit of its own.
        verdict = Task.isCancelled ? .cancelled : .failed(reason: "\(error)")
      }
      await didSend(id, verdict)
    }
  }

  private func didSend(_ id: PendingChangeID, _ verdict: _StateMachine.Verdict) {
    attempts[id] = nil
    perform(machine.answer(id, verdict, at: elapsed(), date: date()))
  }

  private func record(_ write: JournalWrite<_OutboxRecord>) {
    Task {
      let error = await journal.commit(write)
      perform(machine.finishWrite(error: error.map { OutboxError($0, path: journal.path) }, at: elapsed()))
    }
  }

  private func closeJournal(removing: Bool) {
    Task {
      await journal.close(removing: removing)
      perform(machine.closedJournal())
    }
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
      return Timer(deadline: deadline, date: Date(timeIntervalSinceNow: delay / .seconds(1)), task: task)
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
