internal import Dispatch
internal import PendingChanges

// What the state machine says is done here.

extension FileChangeWriter {
  func perform(_ actions: [_StateMachine.Action]) {
    for action in actions {
      switch action {
      case .run(let id, let change, let traces): run(id, change, traces)
      case .sleep(let id, let delay), .pause(let id, let delay): sleep(id, delay)
      // A sleeper that was left would end a later sleep of its change before its time.
      case .awaken(let id): sleepers.removeValue(forKey: id)?.cancel()
      case .emit(let event): for reader in readers.values { reader.yield(event) }
      case .record(let batch): record(batch)
      case .acknowledge(let ticket, let result): submitters.removeValue(forKey: ticket)?.resume(returning: result)
      case .closeJournal(let removing): closeJournal(removing: removing)
      case .resume(let waiter, let failures, let unfinished):
        let unwritten = UnwrittenError(failures: failures, unfinished: unfinished)
        waiters.removeValue(forKey: waiter)?.resume(returning: unwritten)
      case .end: end()
      }
    }
  }

  private func run(_ id: PendingChangeID, _ change: FileChange, _ traces: _Traces) {
    let lane = lanes.removeLast()
    let (options, system, sweeper) = (configuration.options, system, sweeper)
    Task {
      let (error, version) = await withCheckedContinuation { continuation in
        lane.async {
          var version: FileChange.Version?
          do throws(FileChangeError) {
            try change.apply(options: options, in: system, traces: traces, sweeper: sweeper) { version = $0 }
            continuation.resume(returning: (nil as FileChangeError?, version))
          } catch {
            continuation.resume(returning: (error, version))
          }
        }
      }
      lanes.append(lane)
      perform(machine.finish(id, error: error, version: version))
    }
  }

  private func record(_ batch: _Journal.Batch) {
    guard let journal else { return }
    Task { perform(machine.finishBatch(error: await journal.commit(batch))) }
  }

  private func closeJournal(removing: Bool) {
    guard let journal else { return }
    Task {
      await journal.close(removing: removing)
      perform(machine.closedJournal())
    }
  }

  private func sleep(_ id: PendingChangeID, _ delay: Duration) {
    sleepers[id] = Task {
      // A clock that fails only means that the change is tried early.
      try? await clock.sleep(for: delay)
      guard !Task.isCancelled else { return }
      sleepers[id] = nil
      perform(machine.wake(id))
    }
  }

  private func end() {
    hasEnded = true
    for reader in readers.values { reader.finish() }
    readers = [:]
  }
}
