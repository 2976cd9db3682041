internal import UniqueQueues

// A queue is coded as the number of the next generation and its entries in order:
//
//     { "nextID": 9, "entries": [ { "id": 4, "change": ..., "attempts": 1 }, { "id": 7, "change": ..., "role": "follower" } ] }

extension PendingChangeQueue {
  private enum CodingKeys: String, CodingKey { case nextID, entries }

  /// What an entry is to its key; an entry without a role waits or was in flight.
  fileprivate enum Role: String, Codable {
    /// It waits for an older change of the key.
    case follower

    /// It waits for an older change of the key, and replaces that should it fail.
    case replacement

    case deadLetter
  }

  fileprivate struct CodedEntry {
    enum CodingKeys: String, CodingKey { case id, change, attempts, failureReason, role }

    var entry: Entry
    var role: Role?
  }
}

extension PendingChangeQueue.CodedEntry: Encodable where Change: Encodable {
  fileprivate func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(entry.id, forKey: .id)
    try container.encode(entry.change, forKey: .change)
    if entry.attempts > 0 { try container.encode(entry.attempts, forKey: .attempts) }
    try container.encodeIfPresent(entry.failureReason, forKey: .failureReason)
    try container.encodeIfPresent(role, forKey: .role)
  }
}

extension PendingChangeQueue.CodedEntry: Decodable where Change: Decodable {
  fileprivate init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let attempts = try container.decodeIfPresent(Int.self, forKey: .attempts) ?? 0
    // Attempts are counted on, which must not overflow.
    guard 0...Int(Int32.max / 2) ~= attempts else {
      throw DecodingError.dataCorruptedError(
        forKey: .attempts, in: container, debugDescription: "\(attempts) is not a number of attempts.")
    }
    entry = PendingChangeQueue.Entry(
      id: try container.decode(PendingChangeID.self, forKey: .id),
      change: try container.decode(Change.self, forKey: .change),
      attempts: attempts,
      failureReason: try container.decodeIfPresent(String.self, forKey: .failureReason))
    role = try container.decodeIfPresent(PendingChangeQueue.Role.self, forKey: .role)
  }
}

extension PendingChangeQueue: Encodable where Change: Encodable {
  /// Writes what is to be done: what is in flight is written as waiting, what was cancelled in flight is left out.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(_nextID, forKey: .nextID)
    try container.encode(_line.slots.flatMap { coded($0) }, forKey: .entries)
  }

  private func coded(_ slot: _Slot) -> [CodedEntry] {
    let others = _line.others(of: slot)
    let current = slot.state == .cancelled ? nil : _line.current(of: slot)
    let role: Role? = current == nil ? nil : others?.followerReplaces == true ? .replacement : .follower
    return (others?.deadLetters ?? []).map { .init(entry: $0, role: .deadLetter) }
      + [current].compactMap { entry in entry.map { .init(entry: $0) } }
      + [others?.follower].compactMap { entry in entry.map { .init(entry: $0, role: role) } }
  }
}

extension PendingChangeQueue: Decodable where Change: Decodable {
  /// Reads what is to be done: nothing is in flight, and the order is kept.
  ///
  /// - Throws: `DecodingError` when a number was given twice or was not given yet, or when a key has more than the queue
  ///   would have accepted for it.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    self.init()
    _nextID = try container.decode(UInt64.self, forKey: .nextID)
    // Numbers are counted on, which must not overflow.
    guard 1...UInt64.max / 2 ~= _nextID else {
      throw DecodingError.dataCorruptedError(
        forKey: .nextID, in: container, debugDescription: "\(_nextID) cannot be the number of the next change.")
    }
    var numbers: Set<PendingChangeID> = []
    for (index, coded) in try container.decode([CodedEntry].self, forKey: .entries).enumerated() {
      let isNew = numbers.insert(coded.entry.id).inserted
      if let objection = isNew ? restore(coded) : "has a number that another one has" {
        throw DecodingError.dataCorruptedError(
          forKey: .entries, in: container,
          debugDescription: "The entry at index \(index), number \(coded.entry.id), \(objection).")
      }
    }
    _line.restoreGenerations()
    _checkInvariants()
  }

  /// Puts an entry where it was, its generation not noted yet.
  ///
  /// - Returns: what is wrong with it, if it cannot have been there.
  private mutating func restore(_ coded: CodedEntry) -> String? {
    let entry = coded.entry
    guard _wasAccepted(entry.id) else { return "has a number that was not given yet" }
    let place = _line.place(of: entry.key)
    switch coded.role {
    case nil:
      if let place {
        guard _line.read(place, { $0.state == .idle }) else { return "is the second of its key that waits" }
        _append(entry, at: place)
      } else {
        _line.setCurrent(entry, at: _line.appendIdle(entry.key))
        _line.follow()
      }
      _waitingCount += 1
    case .follower, .replacement:
      guard let place, let current = _line.read(place, { $0.current?.id }) else { return "follows no other of its key" }
      guard _line.others(at: place)?.follower == nil, current < entry.id else {
        return "cannot follow the other of its key"
      }
      _line.updateOthers(place) { others in
        others.follower = entry
        others.followerReplaces = coded.role == .replacement
      }
      _waitingCount += 1
    case .deadLetter:
      _line.updateOthers(place ?? _line.appendIdle(entry.key)) { $0.deadLetters.append(entry) }
      _line.follow()
      _deadLetterCount += 1
    }
    return nil
  }
}

extension PendingChangeQueue._Line {
  /// Appends a slot that is not ready.
  fileprivate mutating func appendIdle(_ key: Change.Key) -> Int {
    slots.append(Slot(key: key))
    return slots.arrivals.upperBound - 1
  }

  /// Notes every generation in the order of the numbers: that of the places may be another.
  fileprivate mutating func restoreGenerations() {
    // Nothing was taken out yet, so that there are no holes.
    let numbers = zip(slots.arrivals, slots).flatMap { place, slot in
      entries(of: slot).map { (number: $0.id.rawValue, place: place) }
    }
    for (number, place) in numbers.sorted(by: { $0.number < $1.number }) { generations.append(number, at: place) }
  }
}
