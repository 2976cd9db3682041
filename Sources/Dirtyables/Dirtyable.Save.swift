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

    /// What to write: the value as it was when the save was begun.
    ///
    /// In ``Dirtyable/savesInFlight`` it is what the original will be.
    ///
    /// - Complexity: O(1). Copies of a save share it.
    public var value: Value { version.value }

    internal var version: _Version<Value>

    internal init(id: ID, version: _Version<Value>) {
      self.id = id
      self.version = version
    }
  }
}

// A version is immutable; unchecked only as its superclass knows no Value to ask.
extension Dirtyable.Save: @unchecked Sendable where Value: Sendable {}

extension Dirtyable.Save: Equatable where Value: Equatable {
  /// Whether both are one save, of equal values.
  public static func == (left: Self, right: Self) -> Bool { left.id == right.id && left.value == right.value }
}

extension Dirtyable.Save: Hashable where Value: Hashable {
  /// Feeds the identity and the value.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(id)
    hasher.combine(value)
  }
}

extension Dirtyable.Save: CustomStringConvertible {
  /// The value to write.
  public var description: String { "Save(\(value))" }
}
