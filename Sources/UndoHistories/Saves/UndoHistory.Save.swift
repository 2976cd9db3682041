// A save in flight as a client has it: only an identity. The state that it writes is in `_UndoSaves`.

extension UndoHistory {
  /// A save in flight: the identity to answer with.
  ///
  /// You can send copies of a save to another task or in the action of a reducer. The first answer counts.
  ///
  /// Unlike the save of a `Dirtyable`, it holds no value, because the history remembers the number of the state in
  /// which the save began. A copy of the document in each save would make the next edit copy the storage they share.
  /// Write ``UndoHistory/currentItem`` when the save begins.
  public struct Save: Identifiable, Hashable, Sendable {
    /// The identity of one save, different from that of every other.
    public struct ID: RawRepresentable, Hashable, Sendable, Codable {
      /// 64 random bits.
      public let rawValue: UInt64

      /// Restores an identity from its bits.
      public init(rawValue: UInt64) {
        self.rawValue = rawValue
      }
    }

    /// The identity to answer with.
    public let id: ID
  }
}
