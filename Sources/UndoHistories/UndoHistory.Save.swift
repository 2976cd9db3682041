extension UndoHistory {
  /// The identity of one save, different from that of every other.
  ///
  /// Copies may travel, in the action of a reducer or to another task; the first to be answered counts.
  public struct Save: RawRepresentable, Hashable, Sendable, Codable {
    /// 64 random bits.
    public let rawValue: UInt64

    /// Takes an identity up again that was written down as its bits.
    public init(rawValue: UInt64) {
      self.rawValue = rawValue
    }
  }
}

/// Which of a history's states is saved, and which are being saved.
///
/// A state is the number of steps that lead to it from where the history began. Nil stands for one that the history
/// cannot get back to: a step that led there was dropped.
struct _UndoSaves {
  /// What the store holds.
  var saved: Int? = 0

  /// What was begun and not answered yet, oldest first.
  var inFlight: [(id: UInt64, state: Int?)] = []

  /// Takes it that the history cannot get back to such states any more.
  mutating func forget(where isGone: (Int) -> Bool) {
    if let saved, isGone(saved) { self.saved = nil }
    for index in inFlight.indices {
      if let state = inFlight[index].state, isGone(state) { inFlight[index].state = nil }
    }
  }

  /// Gives the one state that is left the number 0.
  mutating func keepOnly(_ state: Int) {
    saved = saved == state ? 0 : nil
    for index in inFlight.indices { inFlight[index].state = inFlight[index].state == state ? 0 : nil }
  }

  /// Whether this save is in flight.
  func contains(_ id: UInt64) -> Bool { inFlight.contains { $0.id == id } }

  /// Makes the state of this save the saved one, and settles the saves before it; false if it is not in flight.
  mutating func finish(_ id: UInt64) -> Bool {
    guard let index = inFlight.firstIndex(where: { $0.id == id }) else { return false }
    saved = inFlight[index].state
    inFlight.removeFirst(index + 1)
    return true
  }

  /// Gives this save up; false if it is not in flight.
  mutating func fail(_ id: UInt64) -> Bool {
    guard let index = inFlight.firstIndex(where: { $0.id == id }) else { return false }
    inFlight.remove(at: index)
    return true
  }
}
