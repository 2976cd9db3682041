internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The callers that wait until what was accepted so far is on disk.
  struct _Waiters: Sendable {
    struct Waiter: Sendable {
      let number: Int
      /// The newest change of each file that was not done when the wait began.
      var targets: [FileChange.Path: PendingChangeID]
      var unwritten: [PendingChangeID: Failure]
      /// Whether the wait goes on until the journal is given back, too.
      let isForTheEnd: Bool
      /// The one file that the caller asks for; nil for all of them.
      var path: FileChange.Path?
    }

    private(set) var all: [Waiter] = []

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ waiter: Waiter) { all.append(waiter) }

    mutating func remove(_ number: Int) -> Waiter? {
      all.firstIndex { $0.number == number }.map { all.remove(at: $0) }
    }

    mutating func removeAll(where isOver: (Waiter) -> Bool) -> [Waiter] {
      let removed = all.filter(isOver)
      if !removed.isEmpty { all.removeAll(where: isOver) }
      return removed
    }
  }
}

extension FileChangeWriter._Waiters {
  /// Reports that the changes of a file up to `id` are done, or that this one failed for good.
  ///
  /// - Parameters:
  ///   - batch: What the batch is called that the change stands for in the queue.
  ///   - isHeld: Whether the failure is held, so that no newer change has taken its place.
  mutating func report(
    _ path: FileChange.Path, _ id: PendingChangeID, of batch: PendingChangeID? = nil,
    failure: FileChangeWriter.Failure?, isHeld: Bool
  ) {
    let name = batch ?? id
    // Where many wait for files of their own, all of them would be a lot to look at for each.
    for index in all.indices where all[index].path.map({ $0 == path }) ?? true {
      let target = all[index].targets[path]
      let isLast = target.map { $0 <= id } ?? false
      if isLast { all[index].targets[path] = nil }
      if let failure {
        // A failure that gave way is the newer change's to report, unless that one was accepted after the wait began:
        // a wait for each next one would last as long as a file is saved that cannot be written.
        let isReported = all[index].unwritten[failure.id] != nil
        if isLast || target != nil && isHeld || isReported { all[index].unwritten[failure.id] = failure }
      } else {
        all[index].unwritten = all[index].unwritten.filter { key, failure in
          if failure.batch.isEmpty { return failure.change.path != path || key > id }
          // This writes no other file of an older batch; but a wait for one file is not about those.
          return key > name || key < name && all[index].path == nil
        }
      }
    }
  }

  /// Lets no caller wait for a change of the file that is newer than the newest that is left.
  mutating func retarget(_ path: FileChange.Path, newest: PendingChangeID?) {
    for index in all.indices {
      all[index].targets[path] = all[index].targets[path].flatMap { target in newest.map { min($0, target) } }
    }
  }

  /// Lets those that wait for the end wait for one more change.
  mutating func extendToTheEnd(_ path: FileChange.Path, _ id: PendingChangeID) {
    for index in all.indices where all[index].isForTheEnd { all[index].targets[path] = id }
  }
}

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
