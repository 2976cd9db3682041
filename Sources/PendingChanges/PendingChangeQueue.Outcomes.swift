extension PendingChangeQueue {
  /// How a new change affects a waiting change of the same key.
  ///
  /// The type of the changes has a policy, ``PendingChange/policy``; an insertion may follow another.
  ///
  /// A change in flight is never affected: a new change of its key waits for it, and the policy decides between the new
  /// change and the next.
  public enum Policy: Sendable {
    /// The waiting change stays, and the new one isn't accepted.
    case keep

    /// The new change replaces the waiting one, in its place.
    case replace

    /// The waiting change is dropped, and the new one goes to the end.
    case moveToEnd

    /// The closure merges both changes into one of the same key, which replaces the waiting one.
    ///
    /// Use it for changes that contain only a part of what the key names, as a PATCH does: `.replace` would lose the
    /// parts that only the older one has. ``PendingChange`` has an example.
    ///
    /// A merged change is a new change: its attempts begin at zero. Changes in flight and failures aren't merged.
    case merge(@Sendable (_ waiting: Change, _ new: Change) -> Change)
  }

  /// The result of an insertion.
  public struct Insertion {
    /// The generation that now holds the change: its own, or that of the waiting change that was kept.
    public let id: PendingChangeID

    /// How the queue handled the change.
    @usableFromInline
    package let outcome: Outcome

    /// The displaced entries, the waiting one first; nil for none.
    ///
    /// They are stored separately because most insertions displace nothing: a result that the caller doesn't read then
    /// costs nothing.
    @usableFromInline let _displaced: [Entry]?

    /// The waiting entry that was displaced, with the generation that will not run.
    @inlinable
    public var displaced: Entry? { outcome.displaces ? _displaced?.first : nil }

    /// The failures of the key that were displaced.
    @inlinable
    package var displacedFailures: [Entry] { Array(_displaced?.dropFirst(outcome.displaces ? 1 : 0) ?? []) }

    /// How the queue handles an inserted change.
    @usableFromInline
    package enum Outcome: Hashable, Sendable {
      /// No change of this key was waiting: the change is a new entry.
      case added

      /// The waiting change stayed, and the new one wasn't accepted.
      case kept

      /// The change replaced the waiting one, in its place.
      case replaced

      /// The waiting change was dropped, and the new one is at the end.
      case movedToEnd

      /// Both were merged into one change, in the place of the waiting one.
      case merged

      /// Whether a waiting entry was displaced.
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
}

extension PendingChangeQueue.Insertion: Equatable where Change: Equatable {}
extension PendingChangeQueue.Insertion: Hashable where Change: Hashable {}
extension PendingChangeQueue.Insertion: Sendable where Change: Sendable {}
