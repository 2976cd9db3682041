extension PendingChangeQueue {
  /// What a new change does to a change of the same key that waits already.
  ///
  /// The type of the changes has one, ``PendingChange/policy``; an insertion may follow another.
  ///
  /// A change in flight is never touched: a new one of its key waits behind it, and the policy decides between that one
  /// and the next.
  public enum Policy: Sendable {
    /// The waiting change stays, the new one is not accepted.
    case keep

    /// The new change takes the place of the waiting one.
    case replace

    /// The waiting change is dropped and the new one goes to the end.
    case moveToEnd

    /// The change the closure makes of both takes the place of the waiting one. It must have the same key.
    ///
    /// That is for changes which hold a part of what the key names, as a PATCH does: `.replace` would lose what only
    /// the older one has. ``PendingChange`` has an example.
    ///
    /// A merged change is a new one: its attempts begin at zero. What is in flight, and dead letters, are not merged.
    case merge(@Sendable (_ waiting: Change, _ new: Change) -> Change)
  }

  /// What became of an inserted change.
  public struct Insertion {
    /// The generation that stands for the change now: its own, or that of the waiting change that was kept.
    public let id: PendingChangeID

    /// What the queue did.
    @usableFromInline
    package let outcome: Outcome

    /// The entries that gave way, the waiting one first; nil for none.
    ///
    /// They lie apart, since most insertions have none: a result that a caller does not read costs nothing then.
    @usableFromInline let _displaced: [Entry]?

    /// The waiting entry that gave way, with the generation that will not be run any more.
    @inlinable
    public var displaced: Entry? { outcome.displaces ? _displaced?.first : nil }

    /// The dead letters of the key that gave way.
    @inlinable
    public var displacedDeadLetters: [Entry] { Array(_displaced?.dropFirst(outcome.displaces ? 1 : 0) ?? []) }

    /// What the queue did with an inserted change.
    @usableFromInline
    package enum Outcome: Hashable, Sendable {
      /// No change of this key was waiting: the change is a new entry.
      case added

      /// The waiting change stayed, the new one was not accepted.
      case kept

      /// The change took the place of the waiting one.
      case replaced

      /// The waiting one was dropped, the change is at the end.
      case movedToEnd

      /// The waiting one and the change became one, in the place of the waiting one.
      case merged

      /// Whether a waiting entry gave way.
      @inlinable
      var displaces: Bool { self != .added && self != .kept }
    }

    @inlinable
    init(id: PendingChangeID, outcome: Outcome, displaced: [Entry]? = nil) {
      self.id = id
      self.outcome = outcome
      _displaced = displaced?.isEmpty == false ? displaced : nil
    }
  }

  /// Whether a failed change is tried again.
  public enum Retry: Hashable, Sendable {
    /// As often as it takes.
    case always

    /// Until it was begun this many times.
    case upTo(attempts: Int)

    /// Not once: the failure is permanent.
    case never
  }

}

extension PendingChangeQueue.Insertion: Equatable where Change: Equatable {}
extension PendingChangeQueue.Insertion: Hashable where Change: Hashable {}
extension PendingChangeQueue.Insertion: Sendable where Change: Sendable {}
