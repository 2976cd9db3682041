internal import UniqueQueues

extension PendingChangeQueue: Equatable where Change: Equatable {
  /// Whether both queues have equal entries in the same places and states, and the same next generation.
  ///
  /// - Complexity: O(*n*); O(1) when they share storage or differ in their counts.
  public static func == (left: Self, right: Self) -> Bool {
    guard left._nextGeneration == right._nextGeneration, left._schedule.slots.count == right._schedule.slots.count
    else { return false }
    let isShared = left._schedule.slots.storageIdentity == right._schedule.slots.storageIdentity
    return left._schedule.extras == right._schedule.extras
      && (isShared
        || left._schedule.slots.elementsEqual(right._schedule.slots) {
          $0.key == $1.key && $0.state == $1.state && $0.current == $1.current
        })
  }
}

extension PendingChangeQueue: Hashable where Change: Hashable {
  /// Feeds the entries to the hasher, in the order of their keys.
  ///
  /// - Complexity: O(*n*).
  public func hash(into hasher: inout Hasher) {
    hasher.combine(_nextGeneration)
    for slot in _schedule.slots {
      hasher.combine(slot.state)
      hasher.combine(_schedule.entries(of: slot))
    }
  }
}

extension PendingChangeQueue: CustomDebugStringConvertible {
  /// The waiting entries in order, those in flight and the failures.
  public var debugDescription: String {
    "PendingChangeQueue(waiting: \(waiting), inFlight: \(inFlight), failures: \(failures))"
  }
}

#if !hasFeature(Embedded)
  extension PendingChangeQueue: CustomReflectable {
    /// The waiting entries in order, those in flight and the failures.
    public var customMirror: Mirror {
      let children: KeyValuePairs<String, Any> = ["waiting": waiting, "inFlight": inFlight, "failures": failures]
      return Mirror(self, children: children, displayStyle: .struct)
    }
  }
#endif
