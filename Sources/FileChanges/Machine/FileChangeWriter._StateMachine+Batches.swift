internal import Journals
package import PendingChanges

// Batches: several changes that are accepted, applied and reported as one.

extension FileChangeWriter._StateMachine {
  // MARK: Submitting

  /// Whether nothing else is pending, if the order of all files is kept.
  var isInTurn: Bool { !keepsOrder || queue.isIdle && !journal.hasStaged }

  /// Whether no file of the batch has a pending change.
  func hasFreePaths(_ batch: FileChange._Batch) -> Bool {
    batch.paths.allSatisfy { queue.newest(for: $0) == nil && !journal.isStaged($0) }
  }

  func byteCount(of batch: FileChange._Batch) -> Int {
    batch.effects.reduce(0) { $0 + $1.change.recordByteCount }
  }

  /// Whether a change of the file was submitted that isn't accepted yet.
  ///
  /// - Complexity: O(*n*) for *n* submissions that wait for admission.
  func isOnItsWay(_ path: FileChange.Path) -> Bool { journal.isStaged(path) || admission.holdsUp(path) }

  /// Adds a batch to the queue, which has no other change of its files.
  ///
  /// - Parameters:
  ///   - held: The failed batch, if this is a new attempt.
  ///   - changes: The placeholders in the queue; by default a change of each path.
  /// - Returns: The index of the batch among the open ones.
  mutating func adopt(
    _ batch: FileChange._Batch, sequence: UInt64?, after held: FileChangeWriter._Batches.Held? = nil,
    as changes: [FileChange]? = nil
  ) -> Int {
    var ids: [PendingChangeID] = []
    for change in changes ?? batch.effects.map(\.change) {
      let insertion = queue.insert(change, policy: .replace)
      // Only older failures; and after a kill, changes that a lost record would have completed.
      for displaced in insertion.displacedFailures + [insertion.displaced].compactMap(\.self) {
        if errors.removeValue(forKey: displaced.id) == nil { admission.remove(displaced) }
        journal.forget(displaced.id, of: change.path)
      }
      admission.add(change)
      let begun = queue.begin(insertion.id)
      assert(begun != nil, "A batch is accepted when nothing of its files is pending")
      waiters.extendToTheEnd(change.path, insertion.id)
      ids.append(insertion.id)
    }
    if held == nil { counts.accepted += ids.count }
    var open = FileChangeWriter._Batches.Batch(
      id: held?.id ?? ids[ids.count - 1], batch: batch, placeholders: ids, sequence: sequence, stage: .unplanned,
      past: held == nil ? .nothing : .rolledBack, origin: .thisProcess)
    if let held { open.replaced = held.replaced }
    switch held?.remains {
    case nil, .nothing: break
    // The batch continues from there, as after a kill.
    case .part(let plan): (open.stage, open.past) = (.planned(plan), .begun)
    case .unknown: (open.origin, open.past) = (.damagedJournal, .begun)
    }
    batches.open.append(open)
    return batches.open.count - 1
  }

  // MARK: Applying

  mutating func beginBatches() -> [Action] {
    var actions: [Action] = []
    for index in batches.open.indices where batches.open[index].phase == .ready {
      guard phase < .abandoned, runningCount < configuration.parallelFiles else { break }
      batches.open[index].phase = .running
      let batch = batches.open[index]
      switch batch.stage {
      case .unplanned:
        var known: [FileChange.Path: FileChange.Version] = [:]
        for path in batch.batch.paths where !batch.replaced.paths.contains(path) {
          known[path] = journal.versions[path]
        }
        let names = batch.origin == .thisProcess ? nil : batch.sequence.map(journal.names)
        actions.append(.runBatch(batch.id, batch.batch, .inspect(knowing: known, recovering: names)))
      case .planned(let plan):
        batches.open[index].past = .begun
        actions.append(.runBatch(batch.id, batch.batch, .apply(plan, after: batch.past)))
      case .over(let plan, _): actions.append(.runBatch(batch.id, batch.batch, .apply(plan, after: .over)))
      }
    }
    return actions
  }

  /// Handles the end of a batch's step.
  package mutating func finish(_ id: PendingChangeID, _ outcome: FileChangeWriter._BatchOutcome) -> [Action] {
    guard let index = batches.index(of: id) else { return [] }
    switch outcome {
    case .applied(let result): return finishWork(index, result) + proceed()
    case .inspected(.failure(let error)): return fail(index, error, leaving: batches.open[index].remains) + proceed()
    case .inspected(.success(let versions)):
      let sequence = journal.isOpen ? batches.open[index].sequence : nil
      let names = sequence.map { journal.plan($0, versions, of: id) } ?? .random()
      batches.open[index].phase = sequence == nil ? .ready : .recording
      batches.open[index].stage = .planned(.init(versions: versions, names: names))
      return proceed()
    }
  }

  /// Handles the end of a write of the batch's plan, or of its end; `error` is nil if it is in the journal.
  mutating func finishRecord(of id: PendingChangeID, error: FileChangeError?) -> [Action] {
    guard let index = batches.index(of: id) else { return [] }
    if batches.open[index].versions != nil { return succeed(index) }
    guard let error else {
      batches.open[index].phase = .ready
      return []
    }
    // Without its plan in the journal, the batch isn't begun.
    batches.open[index].stage = .unplanned
    return fail(index, error, leaving: batches.open[index].remains)
  }

  /// Handles the result of a batch that was applied, or rolled back as far as possible.
  private mutating func finishWork(
    _ index: Int, _ result: Result<FileChange._BatchResult, FileChange._BatchFailure>
  ) -> [Action] {
    var batch = batches.open[index]
    guard let plan = batch.plan else { return [] }
    if case .failure(let failure) = result {
      for case (let path, let version?) in zip(batch.batch.paths, failure.versions) {
        journal.versions.store(version, of: path)
      }
    }
    let (final, isClean): (Result<[FileChange.Version], FileChangeError>, Bool)
    switch (batch.stage, result) {
    // Only the removal of old files can succeed or fail now.
    case (.over(_, let known), _): (final, isClean) = (known, (try? result.get().isClean) ?? false)
    case (_, .success(let result)):
      // Earlier failures were those of a different step.
      batch.failureCount = 0
      (final, isClean) = (.success(result.versions), result.isClean)
    case (_, .failure(let failure)):
      if failure.isClean || mayTryAgain(batch, failure.error) {
        return fail(index, failure.error, leaving: failure.isRolledBack ? .nothing : .part(plan))
      }
      batch.failureCount = 0
      (final, isClean) = (.failure(failure.error), false)
    }
    batch.stage = .over(plan, final)
    // Removing an old file is retried a few times, because no sweeper removes it.
    batch.failureCount += isClean ? 0 : 1
    let isEnough = batch.failureCount >= configuration.backoff.attempts ?? 5
    let isDone = isClean || isEnough || phase >= .abandoned
    if !isDone { batch.phase = .sleeping }
    batches.open[index] = batch
    guard isDone else { return [.sleep(batch.id, delay(afterFailures: batch.failureCount))] }
    switch final {
    case .failure(let error): return fail(index, error, leaving: .nothing, isFinal: true)
    case .success(let versions):
      for (path, version) in zip(batch.batch.paths, versions) {
        journal.complete(batch.sequence, of: path, leaving: version)
      }
      if let sequence = batch.sequence { journal.end(sequence, .done) }
      guard isWaitedFor(batch) else { return succeed(index) }
      // If the process is killed, the journal must not have a newer change of a path and a batch that seems unfinished.
      batches.open[index].phase = .recording
      journal.stage(.batchRecord(of: batch.id))
      return []
    }
  }

  /// Whether a batch that failed is tried again.
  private func mayTryAgain(_ batch: FileChangeWriter._Batches.Batch, _ error: FileChangeError) -> Bool {
    error.isTransient && configuration.backoff.allows(batch.failureCount + 1)
  }

  /// Whether a newer change of one of the files waits, so that the end of the batch must be recorded first.
  private func isWaitedFor(_ batch: FileChangeWriter._Batches.Batch) -> Bool {
    journal.isOpen && batch.sequence != nil && phase < .abandoned
      && zip(batch.batch.effects, batch.placeholders).contains { effect, placeholder in
        queue.newest(for: effect.path)?.id != placeholder || journal.isStaged(effect.path)
      }
  }

  private mutating func succeed(_ index: Int) -> [Action] {
    let batch = batches.open.remove(at: index)
    var actions: [Action] = []
    for (effect, placeholder) in zip(batch.batch.effects, batch.placeholders) {
      complete(placeholder)
      batches.didChange(effect.path, batch.id)
      waiters.report(effect.path, placeholder, of: batch.id, failure: nil, isHeld: false)
      if effect.outcome == .absent { counts.removed += 1 } else { counts.written += 1 }
      actions.append(.emit(.init(id: batch.id, path: effect.path, outcome: .done)))
    }
    return actions
  }

  private mutating func complete(_ placeholder: PendingChangeID) {
    guard let entry = queue[placeholder] else { return }
    queue.complete(placeholder)
    admission.remove(entry)
  }

  mutating func fail(
    _ index: Int, _ error: FileChangeError, leaving remains: FileChangeWriter._Batches.Remains, isFinal: Bool = false
  ) -> [Action] {
    var batch = batches.open[index]
    let path = batch.batch.paths.contains(error.path) ? error.path : batch.batch.paths[0]
    let mayTryAgain = !isFinal && mayTryAgain(batch, error)
    batch.failureCount += 1
    if mayTryAgain {
      batch.phase = phase >= .abandoned ? .ready : .sleeping
      // Since the batch was rolled back, a file with the contents of a new one belongs to another program.
      if remains == .nothing, batch.origin == .thisProcess { batch.past = .rolledBack }
      batches.open[index] = batch
      guard phase < .abandoned else { return [] }
      counts.retried += 1
      let delay = retryDelay(afterFailures: batch.failureCount)
      return [.emit(.init(id: batch.id, path: path, outcome: .retrying(error, after: delay))), .sleep(batch.id, delay)]
    }
    batches.open.remove(at: index)
    let held = FileChangeWriter._Batches.Held(batch, error, leaving: remains)
    // A batch that was tried again is older than the failed batches after it.
    batches.held.insert(held, at: batches.held.firstIndex { $0.id > batch.id } ?? batches.held.endIndex)
    if let sequence = batch.sequence { journal.end(sequence, remains == .nothing ? .rolledBack : .left) }
    counts.failed += batch.placeholders.count
    for (effect, placeholder) in zip(batch.batch.effects, batch.placeholders) {
      complete(placeholder)
      waiters.report(effect.path, placeholder, failure: held.failure, isHeld: true)
    }
    return [.emit(.init(id: batch.id, path: path, outcome: .failed(error)))]
  }

  // MARK: Failures

  /// Retries the failed batches whose files have no pending changes.
  mutating func retryBatches(of path: FileChange.Path?) -> Int {
    var count = 0
    // Checked once: the batches that are retried don't block each other.
    guard isInTurn else { return count }
    for held in batches.held where path.map(held.isAbout) ?? true {
      // A call for one file must not put older contents into another.
      guard path == nil || held.replaced.isNone, !isBehindAFailure(held) else { continue }
      guard hasFreePaths(held.batch), !held.batch.paths.contains(where: admission.holdsUp) else { continue }
      batches.held.removeAll { $0.id == held.id }
      _ = adopt(held.batch, sequence: held.sequence, after: held)
      count += 1
    }
    return count
  }

  /// Whether a newer change of one of its files failed, which the batch would replace.
  private func isBehindAFailure(_ held: FileChangeWriter._Batches.Held) -> Bool {
    held.batch.paths.contains { path in newestFailure(of: path).map { $0.id > held.id } ?? false }
  }

  // MARK: Recovery

  /// Whether the file belongs to a batch that is already open; called before anything runs.
  func isBehindABatch(_ path: FileChange.Path) -> Bool {
    queue.newest(for: path).map { [.inFlight, .waitingForKey].contains(queue.status(of: $0.id)) } ?? false
  }
}
