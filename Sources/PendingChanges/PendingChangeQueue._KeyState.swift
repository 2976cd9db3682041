extension PendingChangeQueue {
  /// The state of one key in the queue, equal and hashed by the key alone.
  ///
  /// It has only what most keys need, and nothing that has to be released unless the change does: a slot of plain
  /// numbers is moved and dropped as bytes. `_KeyExtras` has the rest.
  @usableFromInline
  struct _KeyState: Hashable {
    @usableFromInline
    enum State: Hashable, Sendable {
      /// The key has only failures.
      case idle

      /// The current entry can begin.
      case ready

      /// The current entry was begun.
      case inFlight

      /// The current entry was begun, then cancelled.
      case cancelled
    }

    /// An entry without the reason of its failure, which few entries have.
    @usableFromInline
    struct Current {
      @usableFromInline let id: PendingChangeID
      @usableFromInline let change: Change
      @usableFromInline var attempts: Int

      @inlinable
      init(id: PendingChangeID, change: Change, attempts: Int = 0) {
        self.id = id
        self.change = change
        self.attempts = attempts
      }
    }

    @usableFromInline let key: Change.Key

    /// The entry whose turn it is; nil if the slot is idle.
    @usableFromInline var current: Current?

    @usableFromInline var state: State

    /// Whether the schedule has extras for this key.
    @usableFromInline var hasExtras: Bool

    @inlinable
    init(key: Change.Key, current: Current? = nil) {
      self.key = key
      self.current = current
      state = current == nil ? .idle : .ready
      hasExtras = false
    }

    @inlinable
    static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    @inlinable
    func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The hash value of the key, which for many types is faster than feeding a hasher.
    @inlinable
    var hashValue: Int { key.hashValue }

    @inlinable
    var isReady: Bool { state == .ready }

    @inlinable
    var isInFlight: Bool { state == .inFlight || state == .cancelled }
  }

  /// The data that only few keys need.
  @usableFromInline
  struct _KeyExtras {
    /// Why the current entry failed the last time.
    @usableFromInline var failureReason: String?

    /// The entry that waits for the current one.
    @usableFromInline var follower: Entry?

    /// Whether the follower replaces the current entry if that fails.
    @usableFromInline var followerReplaces = false

    @usableFromInline var failures: [Entry] = []

    @inlinable
    init() {}

    @inlinable
    var isEmpty: Bool { failureReason == nil && follower == nil && failures.isEmpty }

    /// Removes and returns the entry that waits for the current one.
    @inlinable
    mutating func takeFollower() -> Entry? {
      followerReplaces = false
      return follower.take()
    }

    @inlinable
    func failure(_ id: PendingChangeID) -> Entry? { failures.first { $0.id == id } }
  }
}

extension PendingChangeQueue._KeyState.Current: Equatable where Change: Equatable {}
extension PendingChangeQueue._KeyState.Current: Sendable where Change: Sendable {}
extension PendingChangeQueue._KeyState: Sendable where Change: Sendable, Change.Key: Sendable {}
extension PendingChangeQueue._KeyExtras: Equatable where Change: Equatable {}
extension PendingChangeQueue._KeyExtras: Sendable where Change: Sendable {}
