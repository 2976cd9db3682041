extension PendingChangeQueue {
  /// Everything the queue knows of one key; equal and hashed by the key alone.
  @usableFromInline
  struct _Slot: Hashable {
    @usableFromInline
    enum State: Hashable, Sendable {
      /// There is nothing but dead letters.
      case idle

      /// The current entry can begin.
      case ready

      /// The current entry was begun.
      case inFlight

      /// The current entry was begun, then cancelled.
      case cancelled
    }

    @usableFromInline let key: Change.Key

    /// The entry whose turn it is, if the slot is not idle.
    @usableFromInline var current: Entry?

    @usableFromInline var state: State

    /// Whether the follower makes the current entry superfluous, should that fail.
    @usableFromInline var followerReplaces = false

    /// The entry that waits for the current one: at most one, in an array since most slots have none.
    @usableFromInline var followers: [Entry] = []

    @usableFromInline var deadLetters: [Entry] = []

    /// A slot that finds the one with this key.
    @inlinable
    init(key: Change.Key) {
      self.key = key
      current = nil
      state = .idle
    }

    /// A new slot with an entry that is ready.
    @inlinable
    init(key: Change.Key, current: Entry) {
      self.key = key
      self.current = current
      state = .ready
    }

    @inlinable
    static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    @inlinable
    func hash(into hasher: inout Hasher) { hasher.combine(key) }

    @inlinable
    var isReady: Bool { state == .ready }

    @inlinable
    var isInFlight: Bool { state == .inFlight || state == .cancelled }

    @inlinable
    var follower: Entry? { followers.first }

    /// The newest entry that waits: it is the one a policy decides about.
    @inlinable
    var newestWaiting: Entry? { followers.first ?? (isReady ? current : nil) }

    /// How many entries wait.
    @inlinable
    var waitingCount: Int { followers.count + (isReady ? 1 : 0) }

    @inlinable
    var isEmpty: Bool { state == .idle && deadLetters.isEmpty }

    /// Makes the follower the current entry, or nobody.
    @inlinable
    mutating func advance() {
      current = followers.popLast()
      state = current == nil ? .idle : .ready
      followerReplaces = false
    }

    /// Where the entry with this generation is.
    @inlinable
    func status(of id: PendingChangeID) -> Status? {
      if let current, current.id == id {
        switch state {
        case .idle: return nil
        case .ready: return .waiting
        case .inFlight: return .inFlight
        case .cancelled: return .inFlightCancelled
        }
      }
      if follower?.id == id { return .waitingForKey }
      return deadLetters.contains { $0.id == id } ? .deadLetter : nil
    }
  }
}

extension PendingChangeQueue._Slot: Sendable where Change: Sendable, Change.Key: Sendable {}

extension PendingChangeQueue._Slot where Change: Equatable {
  /// Whether both know the same of the same key.
  func isIdentical(to other: Self) -> Bool {
    key == other.key && current == other.current && state == other.state && followers == other.followers
      && followerReplaces == other.followerReplaces && deadLetters == other.deadLetters
  }
}
