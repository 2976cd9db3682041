package import Journals
internal import PendingChanges
internal import UniqueQueues

// What a record does to the queue: the same when it was just written, and when it is read at a start.

extension Outbox._StateMachine {
  /// A change is accepted.
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
      // So that a change which many join does not keep all of them.
      if joined.contents.count % 16 == 0, let entry = queue[insertion.id] { unite(entry) }
    }
  }

  /// Takes out the dead letters that a newer change of the key takes along.
  private mutating func takeLetters(of key: Change.Key) -> [(Change, Outbox._Table.Item)] {
    guard !letters.isEmpty, case .merge = Change.policy, let ids = letters.removeValue(forKey: key) else { return [] }
    return ids.compactMap { id in
      guard let change = queue.remove(id: id)?.change, let item = table.remove(id) else { return nil }
      return (change, item.known(as: item.id))
    }
  }

  /// A change leaves: it was sent, removed, or a newer one has taken its place.
  mutating func leave(_ id: PendingChangeID) {
    guard let entry = queue.remove(id: id) else { return }
    table.remove(id)
    due.remove(id)
    sleepers.remove(id)
    ending[id] = nil
    unrecorded[id] = nil
    forgetLetter(id, of: entry.key)
  }

  /// A change failed for good: it becomes a dead letter, or goes below a newer change of its key.
  mutating func bury(_ id: PendingChangeID, _ failure: _OutboxRecord.Failure, takenAs other: _OutboxID) {
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

  /// Merges a change that left into the newer one of its key, which is from then on known by `other`.
  private mutating func put(
    _ change: Change, _ older: Outbox._Table.Item, below newer: PendingChangeID, as other: _OutboxID,
    _ merge: @escaping @Sendable (Change, Change) -> Change
  ) -> PendingChangeID {
    let insertion = queue.insert(change, policy: .merge { newer, older in merge(older, newer) })
    guard let item = table.remove(newer) else { return newer }
    table.add(older.joined(by: item).known(as: other), as: insertion.id)
    return insertion.id
  }

  /// A dead letter is tried anew.
  ///
  /// - Returns: Whether it is; not so where another change of its key is there.
  mutating func revive(_ id: PendingChangeID) -> Bool {
    // The server may have seen it: no other joins it, and so it does not wait behind another.
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

// MARK: - A start

extension Outbox._StateMachine {
  /// Takes in what the journal says.
  ///
  /// What was first of its key may have been begun, and so it counts as begun: no newer change joins it, and all of
  /// these come before what is accepted from now on.
  ///
  /// - Returns: What makes the journal's file.
  /// - Throws: `OutboxError` where the journal is of another type and has something, and where a change cannot be
  ///   decoded that is still to be sent.
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

  /// - Parameter skipped: The changes that were not decoded, with what they joined.
  private mutating func replay(
    _ body: _OutboxRecord, _ decode: ([UInt8]) throws -> Change, _ fates: Outbox._Fates,
    _ skipped: inout [_OutboxID: _OutboxID?]
  ) throws(OutboxError) {
    switch body {
    case .type: return
    case .change(let id, var older, let contents):
      guard older != nil || table.generation(of: id) == nil else { return }
      // The older one kept it out.
      if case .keep = Change.policy, let older, fates.hasLeft(older) { return }
      if let joined = older, let next = skipped[joined] { older = next }
      // A dead letter of its key may have gone with it.
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
          undecodedLetter = error
          // What it has replaced must not be sent in its place.
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
      if let generation = table.generation(of: id) { bury(generation, failure, takenAs: other) }
    case .requeued(let id): if let generation = table.generation(of: id) { _ = revive(generation) }
    }
  }

  /// Lets what a change has joined, whose contents are not decoded since it has left, leave when the journal says that.
  ///
  /// - Returns: Whether there is such a change; it has the identity of the newer one from then on.
  private mutating func leaveLater(_ id: _OutboxID, joining older: _OutboxID?) -> Bool {
    guard let generation = older.flatMap({ table.generation(of: $0) }), let item = table[generation],
      queue.status(of: generation) != .inFlight, !item.isDeadLetter
    else { return false }
    table.remove(generation)
    table.add(item.known(as: id), as: generation)
    return true
  }

  /// Puts back the changes that were merged at this start into a newer one, which has left: that was sent without them.
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

  /// Merges a change into a newer one that keeps its identity, since records to come name it so, until all is read.
  private mutating func putAtStart(
    _ change: Change, _ item: Outbox._Table.Item, below newer: PendingChangeID,
    _ merge: @escaping @Sendable (Change, Change) -> Change
  ) -> PendingChangeID {
    guard let other = table[newer]?.id else { return newer }
    let id = put(change, item, below: newer, as: other, merge)
    table.setOlder(change, item, of: id)
    return id
  }

  /// Makes the newest change of a key one that was begun: a newer one waits behind it.
  private mutating func seal(_ key: Change.Key) {
    if let newest = queue.newest(for: key) { _ = beginAgain(newest.id) }
  }

  /// Begins a change of which the journal says that it was begun.
  ///
  /// It cannot have begun before the older one of its key had left. Where that one is still there, damage has taken the
  /// record of it, or the two had not one key when they were accepted. Of three changes of a key only two can be held.
  /// So the older one leaves where newer ones replace it, and becomes a dead letter where it is to stay. Where changes
  /// are merged, both are until the newer one leaves, and get an identity of their own, for the server may have the
  /// newer one alone. They may be carried out twice.
  ///
  /// - Returns: By what it is known from then on.
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
