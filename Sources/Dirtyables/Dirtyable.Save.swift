extension Dirtyable {
  /// A save in flight: the value to write, and the identity to answer with.
  ///
  /// Copies may travel, in the action of a reducer or to another task; the first to be answered counts.
  public struct Save: Identifiable {
    /// The identity of one save, different from that of every other.
    public struct ID: RawRepresentable, Hashable, Sendable, Codable {
      /// 64 random bits.
      public let rawValue: UInt64

      /// Takes an identity up again that was written down as its bits.
      public init(rawValue: UInt64) {
        self.rawValue = rawValue
      }
    }

    /// What to answer with.
    public let id: ID

    /// What to write.
    public let value: Value

    internal init(id: ID, value: Value) {
      self.id = id
      self.value = value
    }
  }
}

extension Dirtyable.Save: Equatable where Value: Equatable {}
extension Dirtyable.Save: Hashable where Value: Hashable {}
extension Dirtyable.Save: Sendable where Value: Sendable {}
