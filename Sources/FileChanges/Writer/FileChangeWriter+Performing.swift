internal import Dispatch
internal import Journals
internal import PendingChanges

// Performs the actions that the state machine returns.

extension FileChangeWriter {
  func perform(_ actions: [_StateMachine.Action]) {
    if !files.isEmpty { publish(actions) }
    for action in actions {
      switch action {
      case .run(let id, let change, let leftovers): run(id, change, leftovers)
      case .runBatch(let id, let batch, let step): run(id, batch, step)
      case .sleep(let id, let delay), .pause(let id, let delay):
        timers[id] = after(delay, by: clock) { writer in
          writer.timers[id] = nil
          writer.perform(writer.machine.wake(id))
        }
      // Otherwise the timer would end a later sleep of the change too early.
      case .awaken(let id): timers.removeValue(forKey: id)?.cancel()
      case .watch(let delay): _ = after(delay, by: clock) { $0.perform($0.machine.tick()) }
      case .emit(let event): readers.publish(event)
      case .record(let write): record(write)
      case .acknowledge(let ticket, let answer):
        if let submitter = submitters.take(ticket) { submitter.wake(.answer(answer)) } else { answers[ticket] = answer }
      case .closeJournal(let removing):
        Task {
          await journal?.close(removing: removing)
          perform(machine.closedJournal())
        }
      case .resume(let waiter, let failures, let unfinished):
        let unwritten = UnwrittenError(failures: failures, unfinished: unfinished)
        waiters.take(waiter)?.resume(returning: unwritten)
      case .end:
        for alarm in alarms { alarm.cancel() }
        alarms = []
        readers.end()
        for file in files.values { file.shared?.states.end() }
      }
    }
  }

  private func run(_ id: PendingChangeID, _ change: FileChange, _ leftovers: _Leftovers) {
    let (options, system, sweeper, clock) = (configuration.options, system, sweeper, clock)
    Task {
      let (error, version, time) = await work {
        var (error, version): (FileChangeError?, FileChange.Version?)
        let time = clock.measure {
          do throws(FileChangeError) {
            try change.apply(options: options, in: system, leftovers: leftovers, sweeper: sweeper) { version = $0 }
          } catch let failure {
            error = failure
          }
        }
        return (error, version, time)
      }
      perform(machine.finish(id, error: error, version: version, after: time))
    }
  }

  private func run(_ id: PendingChangeID, _ batch: FileChange._Batch, _ step: _BatchStep) {
    let (options, system, sweeper) = (configuration.options, system, sweeper)
    Task {
      let outcome = await work { step.apply(to: batch, options: options, in: system, sweeper) }
      let actions = machine.finish(id, outcome)
      // A failure concerns all files of the batch, but has only one event.
      for path in batch.paths { publish(path) }
      perform(actions)
    }
  }

  /// Works on a file, on a thread of its own.
  private func work<Outcome: Sendable>(_ work: @escaping @Sendable () -> Outcome) async -> Outcome {
    let worker = idleWorkers.popLast() ?? DispatchQueue(label: "FileChangeWriter")
    defer { idleWorkers.append(worker) }
    return await worker.run(work)
  }

  private func record(_ write: _JournalWrite) {
    guard let journal else { return }
    let tickets = (machine.journal.inFlight?.submissions ?? []).lazy.compactMap(\.ticket)
    let leader = tickets.first { submitters.values[$0]?.isPrompt ?? false }.flatMap { submitters.take($0) }
    journal.commit(write) { error in
      // Resumes the leader directly on the journal's thread; a task would need one more thread.
      if let leader { leader.wake(.written(error)) } else { Task { await self.finishRecording(error) } }
    }
  }

  func finishRecording(_ error: JournalError?) {
    guard let journal else { return }
    perform(machine.finishWrite(error: error.map { FileChangeError($0, of: FileChange.Path(journal.path)) }))
  }

  /// A caller that waits until its submission is recorded.
  ///
  ///     journal's thread ──► one submitter of the group ──► the others
  ///
  /// After a write, the journal wakes one caller of the group. That caller processes the result for the writer, which
  /// wakes the others, and finds its own answer among the results. A separate task would mean waking one more thread,
  /// and waking takes most of the time of a save besides the device.
  struct _Submitter: Sendable {
    typealias Answer = Result<PendingChangeID?, FileChangeError>

    enum Wakeup: Sendable {
      case answer(Answer)
      /// The group was written, or failed with this error.
      case written(JournalError?)
    }

    let continuation: CheckedContinuation<Wakeup, Never>
    /// Whether the other callers of its group may rely on this one.
    let isPrompt: Bool

    func wake(_ wakeup: Wakeup) { continuation.resume(returning: wakeup) }

    /// Whether the current task resumes as fast as any other.
    ///
    /// A task of low priority may wait long while the system is busy. A task with its own executor waits for that.
    static var isPrompt: Bool {
      guard Task.currentPriority >= .medium else { return false }
      if #available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *) {
        return unsafe withUnsafeCurrentTask { unsafe $0?.unownedTaskExecutor == nil }
      }
      return true
    }
  }
}
