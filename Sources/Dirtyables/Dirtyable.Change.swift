extension Dirtyable {
  /// What a member of a ``Dirtyable`` was and what it is now.
  @frozen
  public struct Change<Member> {
    /// The member of the original.
    public let old: Member

    /// The member of the current value.
    public let new: Member

    @inlinable
    internal init(old: Member, new: Member) {
      self.old = old
      self.new = new
    }
  }
}

extension Dirtyable.Change: Equatable where Member: Equatable {}
extension Dirtyable.Change: Hashable where Member: Hashable {}
extension Dirtyable.Change: Sendable where Member: Sendable {}

extension Dirtyable.Change: CustomStringConvertible {
  /// The old and the new member, as `old → new`.
  public var description: String { "\(old) → \(new)" }
}
