extension PendingChangeQueue {
  /// What few keys have besides their slot.
  @usableFromInline
  struct _KeyExtras {
    /// Why the current entry failed the last time.
    @usableFromInline var failureReason: String?

    /// The entry that waits for the current one.
    @usableFromInline var follower: Entry?

    /// Whether the follower makes the current entry superfluous, should that fail.
    @usableFromInline var followerReplaces = false

    @usableFromInline var deadLetters: [Entry] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { failureReason == nil && follower == nil && deadLetters.isEmpty }

    /// Takes out what waits for the current entry.
    @inlinable
    mutating func takeFollower() -> Entry? {
      defer {
        follower = nil
        followerReplaces = false
      }
      return follower
    }

    @inlinable
    func deadLetter(_ id: PendingChangeID) -> Entry? { deadLetters.first { $0.id == id } }
  }

  /// The extras of the keys that have any, each at a place that its slot knows.
  ///
  ///     place      1       2       3      ...
  ///     extras   letters | empty | follower
  ///     free     2                                    the one to take next is the last
  ///
  /// A key is not looked up here: so what belongs to it is found even if the key does not equal itself, as a number
  /// that is NaN.
  @usableFromInline
  struct _KeyExtrasTable {
    @usableFromInline var rows: [_KeyExtras] = []
    @usableFromInline var free: [UInt32] = []

    @inlinable
    init() {}

    /// The number of keys that have extras.
    var count: Int { rows.count - free.count }

    @inlinable
    subscript(place: UInt32) -> _KeyExtras {
      _read { yield rows[Int(place) - 1] }
      _modify { yield &rows[Int(place) - 1] }
    }

    /// Makes a place for a key, with extras that are empty.
    @inlinable
    mutating func makePlace() -> UInt32 {
      if let place = free.popLast() { return place }
      precondition(rows.count < 1 << 30, "A queue holds the extras of 1,073,741,824 keys at most")
      rows.append(_KeyExtras())
      return UInt32(rows.count)
    }

    /// Gives up a place with extras that are empty.
    @inlinable
    mutating func giveUp(_ place: UInt32) {
      free.append(place)
      // An array keeps its room: it is let go once nothing is in it.
      if free.count == rows.count, rows.capacity > 64 { self = Self() }
    }
  }
}

extension PendingChangeQueue._KeyExtras: Equatable where Change: Equatable {}
extension PendingChangeQueue._KeyExtras: Sendable where Change: Sendable {}
extension PendingChangeQueue._KeyExtrasTable: Sendable where Change: Sendable {}
