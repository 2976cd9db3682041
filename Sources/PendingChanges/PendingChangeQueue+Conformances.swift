internal import UniqueQueues

extension PendingChangeQueue: Equatable where Change: Equatable {
  /// Whether both queues have equal entries in the same places and states, and would number the next one alike.
  ///
  /// - Complexity: O(*n*); O(1) when they share storage or differ in their counts.
  public static func == (left: Self, right: Self) -> Bool {
    guard left._nextID == right._nextID, left._line.slots.count == right._line.slots.count else { return false }
    let isShared = left._line.slots.storageIdentity == right._line.slots.storageIdentity
    return left._line.others == right._line.others
      && (isShared || left._line.slots.elementsEqual(right._line.slots) { $0.isIdentical(to: $1) })
  }
}

extension PendingChangeQueue: Hashable where Change: Hashable {
  /// Feeds the entries in the order of their places to the hasher.
  ///
  /// - Complexity: O(*n*).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_nextID)
    for slot in _line.slots {
      hasher.combine(slot.state)
      hasher.combine(_line.entries(of: slot))
    }
  }
}

extension PendingChangeQueue: CustomStringConvertible {
  /// The entries that wait in order, those in flight and the dead letters.
  public var description: String {
    "PendingChangeQueue(waiting: \(waiting), inFlight: \(inFlight), deadLetters: \(deadLetters))"
  }
}
