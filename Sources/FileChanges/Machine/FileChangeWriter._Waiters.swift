internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The callers that wait until all changes accepted so far are on disk.
  struct _Waiters: Sendable {
    struct Waiter: Sendable {
      let number: Int
      /// The newest change of each file that was unfinished when the wait began.
      var targets: [FileChange.Path: PendingChangeID]
      var unwritten: [PendingChangeID: Failure]
      /// Whether the wait also includes the closing of the journal.
      let isForTheEnd: Bool
      /// The file that the caller waits for; nil for all files.
      var path: FileChange.Path?

      func isOver(in phase: _StateMachine.Phase) -> Bool {
        (targets.isEmpty || phase >= .abandoned) && (phase == .ended || !isForTheEnd)
      }
    }

    /// The waiters for each file; those for all files have the key nil.
    private var lists: [FileChange.Path?: [Waiter]] = [:]
    /// The files that were changed or waited for since waiters were last removed.
    private var changed: Set<FileChange.Path?> = []

    var isEmpty: Bool { lists.isEmpty }
    /// - Complexity: O(*n*).
    var all: [Waiter] { Array(lists.values.joined()) }

    mutating func add(_ waiter: Waiter) {
      lists[waiter.path, default: []].append(waiter)
      changed.insert(waiter.path)
    }

    /// - Complexity: O(*n*).
    mutating func remove(_ number: Int) -> Waiter? { remove(from: Set(lists.keys)) { $0.number == number }.first }

    private mutating func remove(from keys: Set<FileChange.Path?>, where isOver: (Waiter) -> Bool) -> [Waiter] {
      let removed = keys.flatMap { (lists[$0] ?? []).filter(isOver) }
      for waiter in removed {
        lists[waiter.path]?.removeAll { $0.number == waiter.number }
        if lists[waiter.path]?.isEmpty ?? false { lists[waiter.path] = nil }
      }
      return removed.sorted { $0.number < $1.number }
    }

    /// Removes and returns the waiters whose wait is over, in the order of the calls.
    mutating func removeAll(in phase: _StateMachine.Phase) -> [Waiter] {
      defer { changed = [] }
      // The end of the writer ends waits, too, and only callers without a file wait for that.
      return remove(from: changed.union([nil])) { $0.isOver(in: phase) }
    }

    /// Changes each waiter that waits for the file, alone or among all.
    ///
    /// Waits for other files aren't looked at: if there are many of them, that would take long for each change.
    private mutating func update(_ path: FileChange.Path, _ change: (inout Waiter) -> Void) {
      guard !lists.isEmpty else { return }
      changed.insert(path)
      for key in [path, nil] {
        for index in (lists[key] ?? []).indices { change(&lists[key, default: []][index]) }
      }
    }
  }
}

extension FileChangeWriter._Waiters {
  /// Reports that the changes of a file up to `id` are done, or that this one failed for good.
  ///
  /// - Parameters:
  ///   - batch: The id of the batch if the change is one of its placeholders.
  ///   - isHeld: Whether the failure is kept, because no newer change replaced it.
  mutating func report(
    _ path: FileChange.Path, _ id: PendingChangeID, of batch: PendingChangeID? = nil,
    failure: FileChangeWriter.Failure?, isHeld: Bool
  ) {
    let name = batch ?? id
    update(path) { waiter in
      let target = waiter.targets[path]
      let isLast = target.map { $0 <= id } ?? false
      if isLast { waiter.targets[path] = nil }
      if let failure {
        // If a newer change replaced the failure, that change reports the outcome, unless it was accepted after the
        // wait began. Otherwise a wait would not end while an unwritable file keeps being saved.
        let isReported = waiter.unwritten[failure.id] != nil
        if isLast || target != nil && isHeld || isReported { waiter.unwritten[failure.id] = failure }
      } else {
        waiter.unwritten = waiter.unwritten.filter { [isForAll = waiter.path == nil] key, failure in
          if failure.batch.isEmpty { return failure.change.path != path || key > id }
          // This change writes no other file of an older batch; but a wait for one file ignores those.
          return key > name || key < name && isForAll
        }
      }
    }
  }

  /// Limits the waits for a file to its newest remaining change.
  mutating func retarget(_ path: FileChange.Path, newest: PendingChangeID?) {
    update(path) { waiter in
      waiter.targets[path] = waiter.targets[path].flatMap { target in newest.map { min($0, target) } }
    }
  }

  /// Makes a shutdown wait for one more change.
  mutating func extendToTheEnd(_ path: FileChange.Path, _ id: PendingChangeID) {
    update(path) { waiter in if waiter.isForTheEnd { waiter.targets[path] = id } }
  }
}

// A caller waits until all changes accepted so far are on disk, or until the writer has ended.

extension FileChangeWriter._StateMachine {
  /// Waits for the accepted changes.
  ///
  /// - Parameters:
  ///   - path: The only file whose changes the caller waits for; nil for all files.
  ///   - isForTheEnd: Whether the wait also includes the closing of the journal.
  /// - Complexity: O(*n*) for *n* unfinished changes; for one file, only those count that sleep or are failures.
  package mutating func wait(_ number: Int, for path: FileChange.Path? = nil, isForTheEnd: Bool = false) -> [Action] {
    let awakened = endPauses()
    let entries = path.map { [queue.newest(for: $0)].compactMap(\.self) } ?? queue.inFlight + queue.waiting
    let targets = Dictionary(entries.map { ($0.key, $0.id) }, uniquingKeysWith: max)
    let replaced = path.map { path in Set(batches.held.filter { !$0.isAbout(path) }.map(\.id)) } ?? []
    let failures = failures.filter { path.map($0.isAbout) ?? true && !replaced.contains($0.id) }
    let unwritten = Dictionary(uniqueKeysWithValues: failures.map { ($0.id, $0) })
    waiters.add(.init(number: number, targets: targets, unwritten: unwritten, isForTheEnd: isForTheEnd, path: path))
    return awakened + proceed()
  }

  /// Resumes the caller with this number and reports the rest of its changes as unfinished.
  package mutating func stopWaiting(_ number: Int) -> [Action] {
    defer { _checkInvariants() }
    return waiters.remove(number).map { [resume($0)] } ?? []
  }

  /// Refuses further changes, and those that wait for admission; sleeping retries start at once.
  package mutating func shutDown(_ number: Int) -> [Action] {
    phase = max(phase, .shuttingDown)
    let tickets = admission.tickets
    let refusals = tickets.compactMap { refuse($0, .closed) }
    return refusals + endSleeps() + wait(number, isForTheEnd: true)
  }

  /// Starts nothing any more, and resumes every waiting caller.
  package mutating func abandon() -> [Action] {
    phase = max(phase, .abandoned)
    return endSleeps() + waiters.all.map(\.number).sorted().flatMap { stopWaiting($0) } + proceed()
  }

  /// Resumes a caller, and reports which of its changes are not on disk.
  func resume(_ waiter: FileChangeWriter._Waiters.Waiter) -> Action {
    let failures = waiter.unwritten.values.sorted { $0.id < $1.id }
    guard !waiter.targets.isEmpty else { return .resume(waiter: waiter.number, unwritten: failures) }
    var unfinished: [PendingChangeQueue<FileChange>.Entry] = []
    // A batch's placeholders in the queue were not submitted: moving a file, for example, isn't the same as removing
    // it.
    let standIns = Dictionary(
      uniqueKeysWithValues: batches.open.flatMap { batch in batch.placeholders.map { ($0, batch) } })
    var told: Set<PendingChangeID> = []
    for entry in queue.inFlight + queue.waiting where waiter.targets[entry.key].map({ entry.id <= $0 }) ?? false {
      if let batch = standIns[entry.id] {
        // The batch is done; only its end is still to be recorded.
        let isDone = batch.versions != nil && batch.phase == .recording
        if !isDone, told.insert(batch.id).inserted { unfinished += batch.entries }
      } else {
        unfinished.append(entry)
      }
    }
    return .resume(waiter: waiter.number, unwritten: failures, unfinished: unfinished)
  }
}
