extension PendingChangeQueue {
  /// What the queue knows of one key, but for what few keys have; equal and hashed by the key alone.
  ///
  /// It holds no more than what most slots need, and nothing that has to be released unless the change does: a slot of
  /// plain numbers is moved and dropped as bytes.
  @usableFromInline
  struct _KeyState: Hashable {
    @usableFromInline
    enum State: UInt32, Sendable {
      /// There is nothing but dead letters.
      case idle

      /// The current entry can begin.
      case ready

      /// The current entry was begun.
      case inFlight

      /// The current entry was begun, then cancelled.
      case cancelled
    }

    /// An entry without the reason of its failure, which few have.
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

    /// The entry whose turn it is, unless the slot is idle.
    @usableFromInline var current: Current?

    /// The state in the lowest two bits; above them the place in the table of extras: moved and compared as one.
    @usableFromInline var bits: UInt32

    @inlinable
    init(key: Change.Key, current: Current? = nil) {
      self.key = key
      self.current = current
      bits = (current == nil ? State.idle : .ready).rawValue
    }

    @inlinable
    var state: State {
      get {
        switch bits & 3 {
        case State.idle.rawValue: .idle
        case State.ready.rawValue: .ready
        case State.inFlight.rawValue: .inFlight
        default: .cancelled
        }
      }
      set { bits = bits & ~3 | newValue.rawValue }
    }

    /// Where the table has more about this key; 0 for nowhere.
    @inlinable
    var extrasPlace: UInt32 {
      get { bits >> 2 }
      set { bits = bits & 3 | newValue << 2 }
    }

    @inlinable
    static func == (left: Self, right: Self) -> Bool { left.key == right.key }

    @inlinable
    func hash(into hasher: inout Hasher) { hasher.combine(key) }

    /// The key's own, which for many types is faster than feeding a hasher.
    @inlinable
    var hashValue: Int { key.hashValue }

    @inlinable
    var hasExtras: Bool { bits > 3 }

    @inlinable
    var isReady: Bool { state == .ready }

    @inlinable
    var isInFlight: Bool { state == .inFlight || state == .cancelled }
  }
}

extension PendingChangeQueue._KeyState.Current: Equatable where Change: Equatable {}
extension PendingChangeQueue._KeyState.Current: Sendable where Change: Sendable {}
extension PendingChangeQueue._KeyState: Sendable where Change: Sendable, Change.Key: Sendable {}

extension PendingChangeQueue._KeyState where Change: Equatable {
  /// Whether both know the same of the same key.
  func isIdentical(to other: Self) -> Bool {
    key == other.key && state == other.state && current == other.current
  }
}
