internal import PendingChanges

// A caller waits until what was accepted so far is on disk, or until the writer has ended.

extension FileChangeWriter._StateMachine {
  package mutating func wait(_ number: Int) -> [Action] { wait(number, isForTheEnd: false) }

  /// Waits for the changes of one file alone.
  ///
  /// - Complexity: O(*n*) for *n* changes that sleep or are failures.
  package mutating func wait(_ number: Int, for path: FileChange.Path) -> [Action] {
    defer { _checkInvariants() }
    let awakened = endPauses()
    let targets = queue.newest(for: path).map { [path: $0.id] } ?? [:]
    let replaced = Set(batches.held.filter { !$0.isAbout(path) }.map(\.id))
    let failures = failures.filter { $0.isAbout(path) && !replaced.contains($0.id) }
    return awakened + wait(number, targets, failures, isForTheEnd: false, path)
  }

  private mutating func wait(_ number: Int, isForTheEnd: Bool) -> [Action] {
    defer { _checkInvariants() }
    let awakened = endPauses()
    var targets: [FileChange.Path: PendingChangeID] = [:]
    for entry in queue.inFlight + queue.waiting { targets[entry.key] = max(entry.id, targets[entry.key] ?? entry.id) }
    return awakened + wait(number, targets, failures, isForTheEnd: isForTheEnd)
  }

  private mutating func wait(
    _ number: Int, _ targets: [FileChange.Path: PendingChangeID], _ failures: [FileChangeWriter.Failure],
    isForTheEnd: Bool, _ path: FileChange.Path? = nil
  ) -> [Action] {
    let unwritten = Dictionary(uniqueKeysWithValues: failures.map { ($0.id, $0) })
    waiters.add(.init(number: number, targets: targets, unwritten: unwritten, isForTheEnd: isForTheEnd, path: path))
    return proceed()
  }

  /// Lets the caller go on that waits under this number, with what it waited for.
  package mutating func stopWaiting(_ number: Int) -> [Action] {
    defer { _checkInvariants() }
    return waiters.remove(number).map { [resume($0)] } ?? []
  }

  /// Takes no more changes, also none that waits for room, and waits for no retry any longer than it must.
  package mutating func shutDown(_ number: Int) -> [Action] {
    phase = max(phase, .shuttingDown)
    let refusals = refuseWaiting()
    return refusals + endSleeps() + wait(number, isForTheEnd: true)
  }

  /// Begins nothing any more, and lets every caller go on that waits.
  package mutating func abandon() -> [Action] {
    defer { _checkInvariants() }
    phase = max(phase, .abandoned)
    return endSleeps() + waiters.all.map(\.number).flatMap { stopWaiting($0) } + proceed()
  }

  func isOver(_ waiter: FileChangeWriter._Waiters.Waiter) -> Bool {
    (waiter.targets.isEmpty || phase >= .abandoned) && (phase == .ended || !waiter.isForTheEnd)
  }

  /// Reports to a caller that goes on what is not on disk of what it waited for.
  func resume(_ waiter: FileChangeWriter._Waiters.Waiter) -> Action {
    var unfinished: [PendingChangeQueue<FileChange>.Entry] = []
    // What stands for a batch in the queue was submitted by nobody: to remove a file is not to move it.
    let standIns = Dictionary(
      uniqueKeysWithValues: batches.open.flatMap { batch in batch.placeholders.map { ($0, batch) } })
    var told: Set<PendingChangeID> = []
    for entry in queue.inFlight + queue.waiting where waiter.targets[entry.key].map({ entry.id <= $0 }) ?? false {
      if let batch = standIns[entry.id] {
        // One of which only the end is still to be recorded is done.
        let isDone = batch.versions != nil && batch.phase == .recording
        if !isDone, told.insert(batch.id).inserted { unfinished += batch.entries }
      } else {
        unfinished.append(entry)
      }
    }
    let failures = waiter.unwritten.values.sorted { $0.id < $1.id }
    return .resume(waiter: waiter.number, unwritten: failures, unfinished: unfinished)
  }
}
