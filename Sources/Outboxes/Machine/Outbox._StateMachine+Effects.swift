package import Journals
internal import PendingChanges
internal import UniqueQueues

// The effect of a record on the queue, which is the same after it was written and when a start reads it.

extension Outbox._StateMachine {
  /// Accepts a change, which either joins the newest change of its key or waits for it.
  mutating func accept(_ change: Change, _ id: _OutboxID, _ contents: [UInt8], joins: Bool) {
    if !joins { seal(change.key) }
    for (letter, item) in takeLetters(of: change.key) { add(letter, item) }
    add(change, Outbox._Table.Item(id: id, contents: contents))
  }

  private mutating func add(_ change: Change, _ item: Outbox._Table.Item) {
    let insertion = queue.insert(change)
    for letter in insertion.displacedDeadLetters {
      table.remove(letter.id)
      letters[letter.key] = nil
    }
    let older = insertion.displaced.flatMap { table.remove($0.id) }
    switch insertion.outcome {
    case .kept: return
    case .added, .replaced, .movedToEnd: table.add(item, as: insertion.id)
    case .merged:
      let joined = older?.joined(by: item) ?? item
      table.add(joined, as: insertion.id)
      // Limits how many contents are kept of a change that many others join.
      if joined.contents.count % 16 == 0, let entry = queue[insertion.id] { unite(entry) }
    }
  }

  /// Removes the dead letters that a newer change of the key is merged with.
  private mutating func takeLetters(of key: Change.Key) -> [(Change, Outbox._Table.Item)] {
    guard !letters.isEmpty, case .merge = Change.policy, let ids = letters.removeValue(forKey: key) else { return [] }
    return ids.compactMap { id in
      guard let change = queue.remove(id: id)?.change, let item = table.remove(id) else { return nil }
      return (change, item.known(as: item.id))
    }
  }

  /// Removes a change that was sent or removed, or that a newer one has replaced.
  mutating func leave(_ id: PendingChangeID) {
    guard let entry = queue.remove(id: id) else { return }
    table.remove(id)
    due.remove(id)
    sleepers.remove(id)
    ending[id] = nil
    unrecorded[id] = nil
    forgetLetter(id, of: entry.key)
  }

  /// Makes a failed change a dead letter, unless a newer change of its key replaces it or is merged with it.
  mutating func moveToDeadLetters(_ id: PendingChangeID, _ failure: _OutboxRecord.Failure, takenAs other: _OutboxID) {
    let id = beginAgain(id)
    guard let entry = queue[id], queue.status(of: id) == .inFlight else { return }
    if let newer = queue.newest(for: entry.key), newer.id != id {
      switch Change.policy {
      case .replace, .moveToEnd: return leave(id)
      case .merge(let merge):
        guard let item = table[id] else { return }
        leave(id)
        _ = put(entry.change, item, below: newer.id, as: other, merge)
        return
      case .keep: break
      }
    }
    makeLetter(of: entry, failure)
  }

  private mutating func makeLetter(of entry: PendingChangeQueue<Change>.Entry, _ failure: _OutboxRecord.Failure) {
    let id = entry.id
    queue.fail(id, retry: .never, reason: failure.reason)
    due.remove(id)
    sleepers.remove(id)
    ending[id] = nil
    unrecorded[id] = nil
    table.setAttempts(failure.attempts, reason: failure.reason, of: id)
    table.setDeadLetter(true, id)
    letters[entry.key, default: []].append(id)
  }

  /// Merges a change that left into the newer one of its key, which has the identity `other` from then on.
  private mutating func put(
    _ change: Change, _ older: Outbox._Table.Item, below newer: PendingChangeID, as other: _OutboxID,
    _ merge: @escaping @Sendable (Change, Change) -> Change
  ) -> PendingChangeID {
    let insertion = queue.insert(change, policy: .merge { newer, older in merge(older, newer) })
    guard let item = table.remove(newer) else { return newer }
    table.add(older.joined(by: item).known(as: other), as: insertion.id)
    return insertion.id
  }

  /// Tries a dead letter again.
  ///
  /// - Returns: Whether it is tried again, which isn't possible while there is another change of its key.
  mutating func revive(_ id: PendingChangeID) -> Bool {
    // The server may have seen the change, so no other may join it: it begins at once, and can't wait for another.
    guard let key = queue[id]?.key, queue.newest(for: key) == nil, queue.requeue(id: id), queue.begin(id) != nil else {
      return false
    }
    forgetLetter(id, of: key)
    table.setDeadLetter(false, id)
    table.setAttempts(0, reason: nil, of: id)
    due.append(id)
    return true
  }

  private mutating func forgetLetter(_ id: PendingChangeID, of key: Change.Key) {
    guard let ids = letters[key] else { return }
    let others = ids.filter { $0 != id }
    letters[key] = others.isEmpty ? nil : others
  }
}

// MARK: - Starting

extension Outbox._StateMachine {
  /// Restores the queue from the records of the journal.
  ///
  /// The first change of each key may have been begun before, so it counts as begun: no newer change joins it. All
  /// restored changes come before those that are accepted from now on.
  ///
  /// - Returns: The write that creates the journal's file.
  /// - Throws: `OutboxError` if the journal has changes of another type, or if a change that is still to be sent can't
  ///   be decoded.
  package mutating func recover(
    _ contents: JournalContents<_OutboxRecord>, decode: ([UInt8]) throws -> Change
  ) throws(OutboxError) -> JournalWrite<_OutboxRecord>? {
    defer { _checkInvariants() }
    let fates = Outbox._Fates(contents.records)
    commits.nextSequence = contents.nextSequenceAnew
    if let name = fates.typeName, name != configuration.typeName, fates.hasRemaining {
      throw OutboxError(path: path, reason: .ofAnotherType(name))
    }
    var skipped: [_OutboxID: _OutboxID?] = [:]
    for record in contents.records { try replay(record.body, decode, fates, &skipped) }
    for id in table.idsToBeReplaced { table.identify(id, as: makeIdentity()) }
    while queue.begin() != nil {}
    due.removeAll()
    due.append(contentsOf: queue.inFlight.map(\.id))
    return nextWrite(isFirst: true)
  }

  /// - Parameter skipped: The changes that were not decoded, with the change that each of them joined.
  private mutating func replay(
    _ body: _OutboxRecord, _ decode: ([UInt8]) throws -> Change, _ fates: Outbox._Fates,
    _ skipped: inout [_OutboxID: _OutboxID?]
  ) throws(OutboxError) {
    switch body {
    case .type: return
    case .change(let id, var older, let contents):
      guard older != nil || table.generation(of: id) == nil else { return }
      // The older change kept this one from being accepted.
      if case .keep = Change.policy, let older, fates.hasLeft(older) { return }
      if let joined = older, let next = skipped[joined] { older = next }
      // A dead letter of its key may have been merged with it.
      if fates.needless.contains(id), letters.isEmpty {
        if !leaveLater(id, joining: older) { skipped[id] = .some(older) }
        return
      }
      let change: Change
      do { change = try decode(contents) } catch {
        let error = OutboxError(path: path, reason: .undecodable(OutboxError.explanation(of: error)))
        switch fates.need(for: id, joining: older, Change.policy) {
        case .none: if fates.hasLeft(id), leaveLater(id, joining: older) { return }
        case .letter:
          undecodedDeadLetter = error
          // A change that it replaced must not be sent in its place.
          if let replaced = older.flatMap({ table.generation(of: $0) }) { leave(replaced) }
        case .all: throw error
        }
        skipped[id] = .some(older)
        return
      }
      accept(change, id, contents, joins: older != nil)
    case .left(let id):
      guard let generation = table.generation(of: id) else { return }
      let older = table[generation]?.older ?? []
      leave(generation)
      putBack(older, fates)
    case .failed(let id, let failure):
      guard let generation = table.generation(of: id) else { return }
      table.setAttempts(failure.attempts, reason: failure.reason, of: beginAgain(generation))
    case .refused(let id, let failure, let other):
      if let generation = table.generation(of: id) { moveToDeadLetters(generation, failure, takenAs: other) }
    case .requeued(let id): if let generation = table.generation(of: id) { _ = revive(generation) }
    }
  }

  /// Gives the identity of a change that isn't decoded to the change that it joined, so that the record of its end
  /// removes that one.
  ///
  /// - Returns: Whether it joined a change that has not been begun.
  private mutating func leaveLater(_ id: _OutboxID, joining older: _OutboxID?) -> Bool {
    guard let generation = older.flatMap({ table.generation(of: $0) }), let item = table[generation],
      queue.status(of: generation) != .inFlight, !item.isDeadLetter
    else { return false }
    table.remove(generation)
    table.add(item.known(as: id), as: generation)
    return true
  }

  /// Restores changes that this start merged into a newer one that has left: the server got that one without them.
  private mutating func putBack(_ changes: [(change: Change, item: Outbox._Table.Item)], _ fates: Outbox._Fates) {
    for (change, item) in changes.reversed() {
      if fates.hasLeft(item.id) {
        putBack(item.older, fates)
      } else if let newest = queue.newest(for: change.key), case .merge(let merge) = Change.policy,
        queue.status(of: newest.id) != .inFlight
      {
        _ = putAtStart(change, item, below: newest.id, merge)
      } else {
        add(change, item)
        seal(change.key)
      }
    }
  }

  /// Merges a change into a newer one, which keeps its identity while records are read, because later ones use it.
  private mutating func putAtStart(
    _ change: Change, _ item: Outbox._Table.Item, below newer: PendingChangeID,
    _ merge: @escaping @Sendable (Change, Change) -> Change
  ) -> PendingChangeID {
    guard let other = table[newer]?.id else { return newer }
    let id = put(change, item, below: newer, as: other, merge)
    table.setOlder(change, item, of: id)
    return id
  }

  /// Makes the newest change of a key count as begun, so that a newer one waits for it.
  private mutating func seal(_ key: Change.Key) {
    if let newest = queue.newest(for: key) { _ = beginAgain(newest.id) }
  }

  /// Begins a change that has been begun according to the journal.
  ///
  /// The change can't have begun before the older one of its key had left. If the older one is still there, damage has
  /// destroyed the record of its end, or the two had different keys when they were accepted. The queue can hold only
  /// two out of three changes of a key. So the older one leaves if newer ones replace it, and becomes a dead letter if
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
          let attempts = table[older.id]?.attempts ?? 0
          makeLetter(
            of: older,
            _OutboxRecord.Failure(attempts: attempts, reason: "a newer change has the same key and may have been sent"))
        case .merge(let merge):
          guard let item = table[older.id] else { continue }
          leave(older.id)
          id = putAtStart(older.change, item, below: id, merge)
        }
      }
      _ = queue.begin(id)
    }
    due.append(id)
    return id
  }
}
