// Embedded Swift has no `Codable`.
#if !hasFeature(Embedded)

  internal import UniqueQueues

  // A queue is coded as the number of the next generation and its entries in order:
  //
  //     { "nextID": 9, "entries": [
  //       { "id": 4, "change": ..., "attempts": 1 },
  //       { "id": 7, "change": ..., "role": "follower" } ] }

  extension PendingChangeQueue {
    private enum CodingKeys: String, CodingKey { case nextID, entries }

    /// The role of an entry for its key; an entry without a role waits or was in flight.
    fileprivate enum Role: String, Codable {
      /// It waits for an older change of the key.
      case follower

      /// It waits for an older change of the key, and replaces that one if it fails.
      case replacement

      case failure
    }

    fileprivate struct CodedEntry {
      let id: PendingChangeID
      let change: Change
      let attempts: Int?
      let failureReason: String?
      let role: Role?

      init(_ entry: Entry, as role: Role? = nil) {
        (id, change, failureReason, self.role) = (entry.id, entry.change, entry.failureReason, role)
        attempts = entry.attempts > 0 ? entry.attempts : nil
      }

      var entry: Entry { Entry(id: id, change: change, attempts: attempts ?? 0, failureReason: failureReason) }
    }
  }

  extension PendingChangeQueue.CodedEntry: Encodable where Change: Encodable {}
  extension PendingChangeQueue.CodedEntry: Decodable where Change: Decodable {}

  extension PendingChangeQueue: Encodable where Change: Encodable {
    /// Writes the unfinished changes; those in flight are written as waiting, those cancelled in flight are left out.
    public func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: CodingKeys.self)
      try container.encode(_nextGeneration, forKey: .nextID)
      try container.encode(_schedule.slots.flatMap { coded($0) }, forKey: .entries)
    }

    private func coded(_ slot: _KeyState) -> [CodedEntry] {
      let extras = _schedule.extras(of: slot)
      let current = slot.state == .cancelled ? nil : _schedule.current(of: slot)
      let role: Role? = current == nil ? nil : extras?.followerReplaces == true ? .replacement : .follower
      return (extras?.failures ?? []).map { .init($0, as: .failure) }
        + [current].compactMap { entry in entry.map { .init($0) } }
        + [extras?.follower].compactMap { entry in entry.map { .init($0, as: role) } }
    }
  }

  extension PendingChangeQueue: Decodable where Change: Decodable {
    /// Reads the unfinished changes in their order, with none in flight.
    ///
    /// - Throws: `DecodingError` when a number was used twice or was not given yet, or when a key has more than the
    ///   queue would have accepted for it.
    public init(from decoder: any Decoder) throws {
      let container = try decoder.container(keyedBy: CodingKeys.self)
      self.init()
      _nextGeneration = try container.decode(UInt64.self, forKey: .nextID)
      // Numbers are counted up from here, which must not overflow.
      guard 1...UInt64.max / 2 ~= _nextGeneration else {
        throw DecodingError.dataCorruptedError(
          forKey: .nextID, in: container,
          debugDescription: "\(_nextGeneration) cannot be the number of the next change.")
      }
      var numbers: Set<PendingChangeID> = []
      for (index, coded) in try container.decode([CodedEntry].self, forKey: .entries).enumerated() {
        let isNew = numbers.insert(coded.id).inserted
        if let objection = isNew ? restore(coded) : "has a number that another one has" {
          throw DecodingError.dataCorruptedError(
            forKey: .entries, in: container,
            debugDescription: "The entry at index \(index), number \(coded.id), \(objection).")
        }
      }
      _schedule.restoreGenerations()
      _checkInvariants()
    }

    /// Restores an entry to its place, without registering its generation.
    ///
    /// - Returns: The error, if the entry can't have been there.
    private mutating func restore(_ coded: CodedEntry) -> String? {
      let entry = coded.entry
      guard 1..<_nextGeneration ~= entry.id.rawValue else { return "has a number that was not given yet" }
      // Attempts are counted up from here, which must not overflow.
      guard 0...Int(Int32.max / 2) ~= entry.attempts else { return "has \(entry.attempts) attempts" }
      guard entry.key == entry.key else { return "has a key that does not equal itself" }
      let ordinal = _schedule.ordinal(of: entry.key)
      switch coded.role {
      case nil:
        if let ordinal {
          guard _schedule.read(ordinal, { $0.state == .idle }) else { return "is the second of its key that waits" }
          _append(entry, at: ordinal)
        } else {
          _schedule.setCurrent(entry, at: _schedule.appendIdle(entry.key))
          _schedule.advanceFrontier()
        }
        _waitingCount += 1
      case .follower, .replacement:
        guard let ordinal, let current = _schedule.read(ordinal, { $0.current?.id }) else {
          return "follows no other of its key"
        }
        guard _schedule.extras(at: ordinal)?.follower == nil, current < entry.id else {
          return "cannot follow the other of its key"
        }
        _schedule.updateExtras(ordinal) { extras in
          extras.follower = entry
          extras.followerReplaces = coded.role == .replacement
        }
        _waitingCount += 1
      case .failure:
        _schedule.updateExtras(ordinal ?? _schedule.appendIdle(entry.key)) { $0.failures.append(entry) }
        _schedule.advanceFrontier()
        _failureCount += 1
      }
      return nil
    }
  }

  extension PendingChangeQueue._Schedule {
    /// Appends a slot that is not ready.
    fileprivate mutating func appendIdle(_ key: Change.Key) -> _Ordinal {
      slots.append(Slot(key: key))
      return slots.lastOrdinal
    }

    /// Registers every generation in the order of the numbers, which may differ from that of the ordinals.
    fileprivate mutating func restoreGenerations() {
      // A key whose change comes after its failure has moved to the end, and left a gap.
      let numbers = zip(slots.ordinals.filter { slots.hasElement(ordinal: $0) }, slots).flatMap { ordinal, slot in
        entries(of: slot).map { (number: $0.id.rawValue, ordinal: ordinal) }
      }
      for (number, ordinal) in numbers.sorted(by: { $0.number < $1.number }) { generations.append(number, at: ordinal) }
    }
  }

#endif
