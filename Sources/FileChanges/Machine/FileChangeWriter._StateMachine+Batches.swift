internal import Journals
package import PendingChanges

// How several changes are accepted, carried out and reported as one.

extension FileChangeWriter._StateMachine {
  // MARK: Submitting

  /// Takes in a batch whose submission is acknowledged later.
  package mutating func submit(_ batch: FileChange._Batch, ticket: Int) throws(FileChangeError) -> [Action] {
    defer { _checkInvariants() }
    for path in batch.paths {
      if let reason = objection(to: path) { throw FileChangeError(path: path, operation: .submit, reason: reason) }
    }
    if journal.isOpen, !FileChangeWriter._JournalBody.fits(batch) {
      throw FileChangeError(path: batch.paths[0], operation: .submit, reason: .tooLarge)
    }
    batches.line.append(.init(ticket: ticket, submission: .batch(batch)))
    // What a pause holds back keeps a caller waiting now.
    return endPauses() + proceed()
  }

  func objection(to path: FileChange.Path) -> FileChangeError.Reason? {
    if phase > .open { return .isShutDown }
    return journal.objection(to: FileChange.remove(path)) ?? configuration.options.objection(to: path)
  }

  /// Lets in what waits for no other change of its files any more, in the order of the calls.
  mutating func admitLine() -> [Action] {
    var actions: [Action] = []
    var blocked: Set<FileChange.Path> = []
    var left: [FileChangeWriter._Batches.Waiting] = []
    batches.waitsForRoom = false
    for waiting in batches.line {
      let isBehind = keepsOrder ? !left.isEmpty : waiting.paths.contains(where: blocked.contains)
      if !isBehind, let admitted = admit(waiting) {
        actions += admitted
      } else {
        blocked.formUnion(waiting.paths)
        left.append(waiting)
      }
    }
    batches.line = left
    return actions
  }

  /// Whether the order of all files is kept.
  private var keepsOrder: Bool { configuration.parallelFiles == 1 }

  private mutating func admit(_ waiting: FileChangeWriter._Batches.Waiting) -> [Action]? {
    switch waiting.submission {
    case .change(let change, let durability):
      guard admission.isIdle, fits(change) else {
        admission.enqueue(change, durability, ticket: waiting.ticket)
        return []
      }
      return letIn(change, durability, waiting.ticket)
    case .batch(let batch):
      guard isFree(batch) else { return nil }
      if let failure = failureOfSource(of: batch) {
        return [.acknowledge(ticket: waiting.ticket, .failure(failure))]
      }
      let byteCount = byteCount(of: batch)
      guard admission.fits(byteCount) else {
        batches.waitsForRoom = true
        return nil
      }
      if journal.isOpen {
        admission.stage(byteCount: byteCount, ticket: waiting.ticket)
        journal.stage(batch, ticket: waiting.ticket)
        return []
      }
      let id = adopt(batch, sequence: nil)
      return [.acknowledge(ticket: waiting.ticket, .success(id))]
    }
  }

  private func byteCount(of batch: FileChange._Batch) -> Int {
    placeholders(of: batch).reduce(0) { $0 + FileChangeWriter._Admission.byteCount(of: $1) }
  }

  /// Whether no other change of the batch's files is pending.
  private func isFree(_ batch: FileChange._Batch) -> Bool {
    if keepsOrder, !queue.isIdle || journal.hasStaged || !admission.isIdle { return false }
    return batch.paths.allSatisfy { path in
      queue.newest(for: path) == nil && !isAhead(path)
    }
  }

  /// Whether a change of the file is on its way to the queue, and no batch holds it up.
  private func isAhead(_ path: FileChange.Path) -> Bool { journal.isStaged(path) || admission.holdsUp(path) }

  /// Whether a change of the file was submitted that is not accepted yet.
  ///
  /// - Complexity: O(*n*) for *n* that are not accepted.
  func isOnItsWay(_ path: FileChange.Path) -> Bool {
    isAhead(path) || batches.holdsUp(path)
  }

  /// What stands for the batch in the queue: a change of each path.
  private func placeholders(of batch: FileChange._Batch) -> [FileChange] {
    batch.effects.map { effect in
      switch effect.outcome {
      case .contents(let contents): FileChange(path: effect.path, action: .write(contents), base: effect.base)
      case .absent: FileChange(path: effect.path, action: .remove, base: effect.base)
      // No change that is submitted moves a file to its own name.
      case .file: FileChange(path: effect.path, action: .move(to: effect.path))
      }
    }
  }

  /// Takes a batch into the queue, which has nothing else of its files.
  ///
  /// - Parameters:
  ///   - id: What it is called, where it failed before.
  ///   - changes: What stands for it in the queue; by default a change of each path.
  @discardableResult
  mutating func adopt(
    _ batch: FileChange._Batch, sequence: UInt64?, id: PendingChangeID? = nil,
    plan: FileChangeWriter._Batches.Plan? = nil, as changes: [FileChange]? = nil
  ) -> PendingChangeID {
    var ids: [PendingChangeID] = []
    for change in changes ?? placeholders(of: batch) {
      let insertion = queue.insert(change, policy: .replace)
      // Only older failures, and after a kill what a lost record would have completed.
      for letter in insertion.displacedDeadLetters { journal.forget(letter.id, of: change.path) }
      if let displaced = insertion.displaced {
        admission.remove(displaced)
        journal.forget(displaced.id, of: change.path)
      }
      forgetReplacedErrors(of: change.path)
      admission.add(change)
      let begun = queue.begin(insertion.id)
      assert(begun != nil, "A batch is accepted when nothing of its files is pending")
      waiters.extendToTheEnd(change.path, insertion.id)
      ids.append(insertion.id)
    }
    if id == nil { counts.accepted += ids.count }
    var open = FileChangeWriter._Batches.Batch(
      id: id ?? ids[ids.count - 1], batch: batch, placeholders: ids, sequence: sequence)
    open.plan = plan
    open.past = plan != nil ? .begun : id != nil ? .takenBack : .nothing
    batches.open.append(open)
    return open.id
  }

  // MARK: Carrying out

  mutating func beginBatches() -> [Action] {
    var actions: [Action] = []
    for index in batches.open.indices where batches.open[index].phase == .ready {
      guard phase < .abandoned, runningCount < configuration.parallelFiles else { break }
      batches.open[index].phase = .running
      let batch = batches.open[index]
      if let plan = batch.plan {
        batches.open[index].past = .begun
        let past = batch.versions == nil ? batch.past : .done
        actions.append(.runBatch(batch.id, .carryOut(batch.batch, plan, after: past)))
      } else {
        var known: [FileChange.Path: FileChange.Version] = [:]
        for path in batch.batch.paths where !batch.replaced.paths.contains(path) {
          known[path] = journal.versions[path]
        }
        let names = batch.isRecovered ? batch.sequence.map(journal.names) : nil
        actions.append(.runBatch(batch.id, .look(batch.batch, knowing: known, recovering: names)))
      }
    }
    return actions
  }

  /// The paths of the batch were looked at.
  package mutating func finishLook(
    _ id: PendingChangeID, _ result: Result<[FileChange.Version], FileChangeError>
  ) -> [Action] {
    defer { _checkInvariants() }
    guard let index = batches.index(of: id) else { return [] }
    switch result {
    case .failure(let error): return fail(index, error, isTakenBack: !batches.open[index].isUnclear) + proceed()
    case .success(let versions):
      if let sequence = batches.open[index].sequence, journal.isOpen {
        batches.open[index].phase = .recording
        batches.open[index].plan = .init(versions: versions, names: journal.plan(sequence, versions, of: id))
      } else {
        batches.open[index].phase = .ready
        batches.open[index].plan = .init(versions: versions, names: .random())
      }
      return proceed()
    }
  }

  /// The plan of the batch is in the journal, or `error` came of it: nothing is begun then.
  mutating func finishPlan(_ id: PendingChangeID, error: FileChangeError?) -> [Action] {
    guard let index = batches.index(of: id) else { return [] }
    // Or its end is.
    if let versions = batches.open[index].versions { return succeed(index, versions) }
    guard let error else {
      batches.open[index].phase = .ready
      return []
    }
    batches.open[index].plan = nil
    return fail(index, error, isTakenBack: !batches.open[index].isUnclear)
  }

  /// The batch was carried out, or taken back as far as that was possible.
  package mutating func finishBatch(
    _ id: PendingChangeID, _ result: Result<FileChange._BatchResult, FileChange._BatchFailure>
  ) -> [Action] {
    defer { _checkInvariants() }
    guard let index = batches.index(of: id) else { return [] }
    let versions: [FileChange.Version]
    var isClean = false
    switch result {
    case .failure(let failure):
      for (path, version) in zip(batches.open[index].batch.paths, failure.versions) {
        if let version { journal.versions.store(version, of: path) }
      }
      // Nothing but the removal of old files can fail once all is done.
      guard let done = batches.open[index].versions else {
        return fail(index, failure.error, isTakenBack: failure.isTakenBack) + proceed()
      }
      versions = done
    case .success(let result):
      versions = batches.open[index].versions ?? result.versions
      isClean = result.isClean
    }
    // An old file that stays is tried again a few times: no sweeper does it.
    batches.open[index].failureCount += isClean ? 0 : 1
    guard isClean || batches.open[index].failureCount >= configuration.backoff.attempts || phase >= .abandoned else {
      batches.open[index].phase = .sleeping
      batches.open[index].versions = versions
      let delay = delay(afterFailures: batches.open[index].failureCount)
      return [.sleep(id, delay)] + proceed()
    }
    end(batches.open[index], leaving: versions)
    if isWaitedFor(batches.open[index]) {
      // A process that is killed must not leave a newer change of a path, and a batch that seems not to be done.
      (batches.open[index].versions, batches.open[index].phase) = (versions, .recording)
      journal.notify(id)
      return proceed()
    }
    return succeed(index, versions) + proceed()
  }

  /// Whether a newer change of one of its files waits, and the journal is to have the end of the batch before.
  private func isWaitedFor(_ batch: FileChangeWriter._Batches.Batch) -> Bool {
    journal.isOpen && batch.sequence != nil && phase < .abandoned
      && zip(batch.batch.effects, batch.placeholders).contains { effect, placeholder in
        queue.newest(for: effect.path)?.id != placeholder || journal.isStaged(effect.path)
      }
  }

  private mutating func end(_ batch: FileChangeWriter._Batches.Batch, leaving versions: [FileChange.Version]) {
    for (effect, version) in zip(batch.batch.effects, versions) {
      journal.complete(batch.sequence, of: effect.path, leaving: version)
    }
    if let sequence = batch.sequence { journal.end(sequence, .done) }
  }

  private mutating func succeed(_ index: Int, _ versions: [FileChange.Version]) -> [Action] {
    let batch = batches.open.remove(at: index)
    var actions: [Action] = []
    for ((effect, placeholder), version) in zip(zip(batch.batch.effects, batch.placeholders), versions) {
      complete(placeholder)
      batches.didChange(effect.path, batch.id)
      waiters.report(effect.path, placeholder, of: batch.id, failure: nil, isHeld: false)
      switch effect.outcome {
      case .absent:
        counts.removed += 1
        actions.append(emit(.removed, batch.id, effect.path))
      case .contents, .file:
        let byteCount = Int(clamping: version.stamp?.size ?? 0)
        counts.countWritten(byteCount)
        actions.append(emit(.written(byteCount: byteCount), batch.id, effect.path))
      }
    }
    return actions
  }

  private mutating func complete(_ placeholder: PendingChangeID) {
    guard let entry = queue[placeholder] else { return }
    queue.complete(placeholder)
    admission.remove(entry)
  }

  mutating func fail(_ index: Int, _ error: FileChangeError, isTakenBack: Bool, isFinal: Bool = false)
    -> [Action]
  {
    var batch = batches.open[index]
    let path = batch.batch.paths.contains(error.path) ? error.path : batch.batch.paths[0]
    batch.failureCount += 1
    if !isFinal, error.isTransient, batch.failureCount < configuration.backoff.attempts {
      batch.phase = phase >= .abandoned ? .ready : .sleeping
      // What has the contents of a new file then is another program's.
      if isTakenBack, !batch.isUnclear, !batch.isRecovered { batch.past = .takenBack }
      batches.open[index] = batch
      guard phase < .abandoned else { return [] }
      counts.retried += 1
      let delay = delay(afterFailures: phase == .open ? batch.failureCount : 1)
      return [emit(.retrying(error, after: delay), batch.id, path), .sleep(batch.id, delay)]
    }
    batches.open.remove(at: index)
    hold(batch, error, isTakenBack: isTakenBack)
    counts.failed += batch.placeholders.count
    let failure = batchFailures.first { $0.id == batch.id }
    for (effect, placeholder) in zip(batch.batch.effects, batch.placeholders) {
      complete(placeholder)
      waiters.report(effect.path, placeholder, failure: failure, isHeld: true)
    }
    return [emit(.failed(error), batch.id, path)]
  }

  private mutating func hold(_ open: FileChangeWriter._Batches.Batch, _ error: FileChangeError, isTakenBack: Bool) {
    let plan = isTakenBack ? nil : open.plan
    let isUnclear = !isTakenBack && plan == nil
    // Where something of it is left, that is in place of what is newer.
    let replaced = isTakenBack ? open.replaced : .init(isOpen: !open.replaced.isNone)
    // One that was tried again is older than those behind it.
    let index = batches.held.firstIndex { $0.id > open.id } ?? batches.held.endIndex
    batches.held.insert(
      .init(
        id: open.id, batch: open.batch, error: error, plan: plan, isUnclear: isUnclear, sequence: open.sequence,
        replaced: replaced),
      at: index)
    if let sequence = open.sequence { journal.end(sequence, isTakenBack ? .takenBack : .left) }
  }

  /// The sleep of a batch is over; false where none of this name sleeps.
  mutating func endSleepOfBatch(_ id: PendingChangeID) -> Bool {
    guard let index = batches.index(of: id), batches.open[index].phase == .sleeping else { return false }
    batches.open[index].phase = .ready
    return true
  }

  // MARK: Failures

  var batchFailures: [FileChangeWriter.Failure] {
    batches.held.map { held in
      let change = held.batch.changes.first { $0.path == held.error.path || $0.target == held.error.path }
      return FileChangeWriter.Failure(
        id: held.id, change: change ?? held.batch.changes[0], error: held.error, batch: held.batch.changes,
        isTakenBack: held.isTakenBack)
    }
  }

  /// Tries the held batches again of which no file has anything pending.
  mutating func retryBatches(of path: FileChange.Path?) -> Int {
    var count = 0
    for held in batches.held where path.map(held.isAbout) ?? true {
      // A call for one file must not put older contents into another.
      guard path == nil || held.replaced.isNone, !isBehindAFailure(held) else { continue }
      guard isFree(held.batch), !held.batch.paths.contains(where: batches.holdsUp) else { continue }
      batches.held.removeAll { $0.id == held.id }
      // A part that is left is gone on from, as after a kill.
      let id = adopt(held.batch, sequence: held.sequence, id: held.id, plan: held.plan)
      if let index = batches.index(of: id) {
        batches.open[index].replaced = held.replaced
        if held.isUnclear { markUnclear(index) }
      }
      count += 1
    }
    return count
  }

  /// An earlier process may have begun the batch.
  mutating func markUnclear(_ index: Int) {
    (batches.open[index].isUnclear, batches.open[index].isRecovered, batches.open[index].past) = (true, true, .begun)
  }

  /// Whether a newer change of one of its files failed, which would be dropped.
  private func isBehindAFailure(_ held: FileChangeWriter._Batches.Held) -> Bool {
    held.batch.paths.contains { path in errors[path]?.keys.contains { $0 > held.id } ?? false }
  }

  /// - Returns: Whether the journal is to say so.
  mutating func removeBatchFailures() -> Bool {
    defer { batches.held = [] }
    return batches.held.reduce(false) { isRecorded, held in
      held.sequence.map { journal.end($0, .done) } ?? false || isRecorded
    }
  }

  // MARK: The beginning

  /// Whether a batch that is carried out, before anything is, has the file.
  func isBehindABatch(_ path: FileChange.Path) -> Bool {
    guard let newest = queue.newest(for: path) else { return false }
    return [.inFlight, .waitingForKey].contains(queue.status(of: newest.id))
  }
}
