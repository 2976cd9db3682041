/// The generation of an accepted change.
///
/// A queue numbers what it accepts: every new change gets a number of its own, also when it takes the place of an
/// older one. So a completion that names an old generation can never be mistaken for the completion of a newer one.
/// Later is greater. A number is never used twice by one queue, nor by a queue restored from it; numbers of different
/// queues have nothing to do with each other.
public struct PendingChangeID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// The generation with this number, as a journal or a log would restore it.
  @inlinable
  public init(rawValue: UInt64) {
    self.rawValue = rawValue
  }

  /// Whether the left change was accepted before the right one.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue < right.rawValue
  }
}

#if !hasFeature(Embedded)
  /// Is coded as the plain number.
  extension PendingChangeID: Codable {}
#endif

extension PendingChangeID: CustomStringConvertible {
  /// The number after a hash sign: `#7`.
  public var description: String { "#\(rawValue)" }
}
