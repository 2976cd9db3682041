package import Journals
internal import PendingChanges
internal import UniqueQueues

// The effect of a record on the queue, which is the same after it was written and when a start reads it.

extension Outbox._StateMachine {
  /// Accepts a change, which either joins the newest change of its key or waits for it.
  mutating func accept(_ item: Item, joins: Bool) {
    if !joins { markBegun(item.key) }
    if case .merge = Change.policy {
      // A newer change of the key is merged with its failures.
      for item in queue.failures(for: item.key).compactMap({ remove($0.id) }) { add(item) }
    }
    add(item)
  }

  private mutating func add(_ item: Item) {
    let insertion = insert(item)
    // Limits how many contents are kept of a change that many others join.
    if insertion.outcome == .merged, let joined = self.item(insertion.id), joined.contents.count % 16 == 0 {
      unite(insertion.id)
    }
  }

  /// Removes a change that was sent or removed, or that a newer one has replaced.
  mutating func leave(_ id: PendingChangeID) {
    guard remove(id) != nil else { return }
    forgetPlans(of: id)
  }

  /// Nothing is done any more with a change that left or became a failure.
  private mutating func forgetPlans(of id: PendingChangeID) {
    due.remove(id)
    sleepers.remove(id)
    setAside.remove(id)
    ending[id] = nil
    unrecorded[id] = nil
  }

  /// Adds a change that was refused to the failures, unless a newer change of its key replaces it or is merged with it.
  mutating func moveToFailures(_ id: PendingChangeID, _ failure: _OutboxRecord.Failure, takenAs other: _OutboxID) {
    let id = beginAgain(id)
    guard let entry = queue[id], queue.status(of: id) == .inFlight else { return }
    if let newer = queue.newest(for: entry.key), newer.id != id {
      switch Change.policy {
      case .replace, .moveToEnd:
        settleReplaced(id)
        return leave(id)
      case .merge(let merge):
        leave(id)
        _ = put(entry.change, below: newer.id, as: other, merge)
        return
      case .keep: break
      }
    }
    makeFailure(of: entry, failure)
  }

  private mutating func makeFailure(of entry: PendingChangeQueue<Item>.Entry, _ failure: _OutboxRecord.Failure) {
    forgetPlans(of: entry.id)
    queue.fail(entry.id, attempts: 1, reason: failure.reason)
    pendingByteCount -= entry.change.byteCount
    settle(entry.change.id, .failed(reason: failure.reason))
    update(entry.id) { ($0.attempts, $0.reason, $0.interruptions) = (failure.attempts, failure.reason, nil) }
  }

  /// Merges a change that left into the newer one of its key, which has the identity `other` from then on.
  ///
  /// At a start, a newer change keeps its identity while records are read, because later records use it.
  ///
  /// - Parameter isAtStart: Whether the server may have the newer change without the older one.
  private mutating func put(
    _ item: Item, below newer: PendingChangeID, as other: _OutboxID, isAtStart: Bool = false,
    _ merge: @escaping @Sendable (Change, Change) -> Change
  ) -> PendingChangeID {
    let policy = PendingChangeQueue<Item>.Policy.merge { newer, item in
      var joined = Item(item, newer, merge)
      joined.id = other
      if isAtStart { joined.older = [item] }
      return joined
    }
    return insert(item, policy: policy).id
  }

  /// Tries a failure again.
  ///
  /// - Returns: Whether it is tried again, which isn't possible while there is another change of its key.
  mutating func requeueFailure(_ id: PendingChangeID) -> Bool {
    // The server may have seen the change, so no other may join it: it begins at once, and can't wait for another.
    guard let item = item(id), queue.newest(for: item.key) == nil, queue.requeue(id: id), queue.begin(id) != nil else {
      return false
    }
    pendingByteCount += item.byteCount
    update(id) { ($0.attempts, $0.reason) = (0, nil) }
    due.append(id)
    return true
  }

  // MARK: Starting

  /// Restores the queue from the records of the journal.
  ///
  /// The first change of each key may have been begun before, so it counts as begun: no newer change joins it. All
  /// restored changes come before those that are accepted from now on.
  ///
  /// - Parameter date: The time by the system's clock.
  /// - Returns: The write that creates the journal's file.
  /// - Throws: `OutboxError` if the journal has changes of another type, or if neither a change that is still needed
  ///   nor its key can be decoded.
  package mutating func recover(
    _ contents: JournalContents<_OutboxRecord>, date: Date = Date(timeIntervalSince1970: 0)
  ) throws(OutboxError) -> JournalWrite<_OutboxRecord>? {
    defer { _checkInvariants() }
    let fates = Outbox._Fates(contents.records)
    commits.nextSequence = contents.nextSequenceAnew
    if let name = fates.typeName, name != configuration.typeName, fates.hasRemaining {
      throw OutboxError(path: path, reason: .ofAnotherType(name))
    }
    var skipped: [_OutboxID: _OutboxID?] = [:]
    var begun: Set<_OutboxID> = []
    for record in contents.records { try replay(record.body, fates, &skipped, &begun) }
    let merged = (queue.inFlight + queue.waiting + queue.failures).filter { !$0.change.older.isEmpty }
    for id in merged.map(\.id).sorted() {
      let identity = makeIdentity()
      update(id) { ($0.id, $0.older) = (identity, []) }
    }
    while queue.begin() != nil {}
    endInterrupted(begun)
    while queue.begin() != nil {}
    due.removeAll()
    let ready = queue.inFlight
    goOnWaiting(ready.map(\.id), date)
    let others = ready.filter { $0.change.interruptions == nil }
    let interrupted = ready.filter { $0.change.interruptions != nil }
    due.append(contentsOf: (others + interrupted).map(\.id).filter { !sleepers.contains($0) })
    lastRestored = (ready + queue.waiting).map(\.id).max() ?? lastRestored
    return nextWrite(isFirst: true)
  }

  /// Continues the waits that the server has asked for.
  private mutating func goOnWaiting(_ changes: [PendingChangeID], _ date: Date) {
    for id in changes {
      guard let wait = item(id)?.wait?.remaining(at: date), wait.delay > .zero else { continue }
      update(id) { $0.wait = wait }
      sleep(id, for: .zero, atLeast: wait.delay)
    }
    guard let wait = pauseWait?.remaining(at: date) else { return }
    pauseWait = nil
    setPause(wait.delay > .zero ? wait : nil)
  }

  /// Counts the interruption of a change that was being sent alone, and makes failures of those with too many.
  private mutating func endInterrupted(_ begun: Set<_OutboxID>) {
    for id in begun.compactMap({ ids[$0] }) {
      update(id) { $0.interruptions = ($0.interruptions ?? 0) + (begun.count == 1 ? 1 : 0) }
    }
    let limit = configuration.maximumInterruptions
    for entry in queue.inFlight where entry.change.interruptions ?? 0 >= limit {
      let reason = "the process ended while the change was being sent, \(limit) times"
      moveToFailures(
        entry.id, _OutboxRecord.Failure(attempts: entry.change.attempts, reason: reason), takenAs: makeIdentity())
    }
  }

  /// - Parameters:
  ///   - skipped: The changes that were not decoded, with the change that each of them joined.
  ///   - begun: The changes with an attempt that has begun and not ended.
  private mutating func replay(
    _ body: _OutboxRecord, _ fates: Outbox._Fates, _ skipped: inout [_OutboxID: _OutboxID?],
    _ begun: inout Set<_OutboxID>
  ) throws(OutboxError) {
    switch body {
    case .type: return
    case .change(let id, var older, let contents):
      guard older != nil || ids[id] == nil else { return }
      // The older change kept this one from being accepted.
      if case .keep = Change.policy, let older, fates.hasLeft(older) { return }
      if let joined = older, let next = skipped[joined] { older = next }
      // A failure of its key may have been merged with it.
      if fates.needless.contains(id), queue.failureCount == 0 {
        if !leaveLater(id, joining: older) { skipped[id] = .some(older) }
        return
      }
      let item: Item
      do {
        let change = try coding.decode(contents)
        item = Item(change.key, change, id: id, contents: contents)
      } catch {
        let reason = OutboxError.explanation(of: error)
        guard let key = coding.key(of: contents) else {
          if fates.needs(id, joining: older, Change.policy) {
            throw OutboxError(path: path, reason: .undecodable(reason))
          }
          if !fates.hasLeft(id) || !leaveLater(id, joining: older) { skipped[id] = .some(older) }
          return
        }
        item = Item(key, nil, objection: reason, id: id, contents: contents)
      }
      accept(item, joins: older != nil)
    case .left(let id):
      begun.remove(id)
      guard let generation = ids[id] else { return }
      let older = item(generation)?.older ?? []
      leave(generation)
      putBack(older, fates)
    case .failed(let id, let failure):
      begun.remove(id)
      guard let generation = ids[id] else { return }
      update(beginAgain(generation)) {
        ($0.attempts, $0.reason, $0.interruptions, $0.wait) = (failure.attempts, failure.reason, nil, nil)
      }
    case .begun(let id):
      begun.insert(id)
      if let generation = ids[id] { update(beginAgain(generation)) { $0.wait = nil } }
    case .delayed(let id, let wait): if let generation = ids[id] { update(generation) { $0.wait = wait } }
    case .paused(let wait): pauseWait = wait
    case .ended(let id, let interruptions):
      begun.remove(id)
      if let generation = ids[id] { update(generation) { $0.interruptions = interruptions } }
    case .refused(let id, let failure, let other):
      begun.remove(id)
      if let generation = ids[id] { moveToFailures(generation, failure, takenAs: other) }
    case .requeued(let id): if let generation = ids[id] { _ = requeueFailure(generation) }
    }
  }

  /// Gives the identity of a change that isn't decoded to the change that it joined, so that the record of its end
  /// removes that one.
  ///
  /// - Returns: Whether it joined a change that has not been begun.
  private mutating func leaveLater(_ id: _OutboxID, joining older: _OutboxID?) -> Bool {
    guard let generation = older.flatMap({ ids[$0] }),
      [.waiting, .waitingForKey].contains(queue.status(of: generation))
    else { return false }
    update(generation) { $0.id = id }
    return true
  }

  /// Restores changes that this start merged into a newer one that has left: the server got that one without them.
  private mutating func putBack(_ items: [Item], _ fates: Outbox._Fates) {
    for item in items.reversed() {
      if fates.hasLeft(item.id) {
        putBack(item.older, fates)
      } else if let newest = queue.newest(for: item.key), case .merge(let merge) = Change.policy,
        queue.status(of: newest.id) != .inFlight
      {
        _ = put(item, below: newest.id, as: newest.change.id, isAtStart: true, merge)
      } else {
        add(item)
        markBegun(item.key)
      }
    }
  }

  /// Makes the newest change of a key count as begun, so that a newer one waits for it.
  private mutating func markBegun(_ key: Change.Key) {
    if let newest = queue.newest(for: key) { _ = beginAgain(newest.id) }
  }

  /// Begins a change that has been begun according to the journal.
  ///
  /// The change can't have begun before the older one of its key had left. If the older one is still there, damage has
  /// destroyed the record of its end, or the two had different keys when they were accepted. The queue can hold only
  /// two out of three changes of a key. So the older one leaves if newer ones replace it, and becomes a failure if
  /// the policy is `.keep`. If the policy is `.merge`, both are merged until the newer one leaves, and get a new
  /// identity, because the server may have the newer one alone. They may be applied twice.
  ///
  /// - Returns: The id of the change from then on.
  private mutating func beginAgain(_ id: PendingChangeID) -> PendingChangeID {
    var id = id
    if queue.begin(id) == nil {
      guard queue.status(of: id) == .waitingForKey, let key = queue[id]?.key else { return id }
      for older in queue.inFlight where older.key == key {
        switch Change.policy {
        case .replace, .moveToEnd: leave(older.id)
        case .keep:
          makeFailure(
            of: older,
            _OutboxRecord.Failure(
              attempts: older.change.attempts, reason: "a newer change has the same key and may have been sent"))
        case .merge(let merge):
          guard let newer = queue[id] else { continue }
          leave(older.id)
          id = put(older.change, below: newer.id, as: newer.change.id, isAtStart: true, merge)
        }
      }
      _ = queue.begin(id)
    }
    due.append(id)
    return id
  }
}
