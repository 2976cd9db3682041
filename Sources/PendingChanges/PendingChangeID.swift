/// The generation of an accepted change: a number that identifies it in its queue.
///
/// Every change that a queue accepts gets a number of its own, even if it replaces an older change. So a completion
/// that names an old generation can never be mistaken for the completion of a newer one. Later numbers are greater. A
/// number is never used twice by one queue, nor by a queue restored from it. Numbers of different queues are unrelated.
public struct PendingChangeID: RawRepresentable, Hashable, Comparable, Sendable {
  /// The number.
  public let rawValue: UInt64

  /// The generation with this number, as a journal or a log would restore it.
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  /// Whether the left change was accepted before the right one.
  @inlinable
  public static func < (left: Self, right: Self) -> Bool {
    left.rawValue < right.rawValue
  }
}

#if !hasFeature(Embedded)
  /// Encoded as the plain number.
  extension PendingChangeID: Codable {}
#endif

extension PendingChangeID: CustomStringConvertible {
  /// The number after a hash sign: `#7`.
  public var description: String { "#\(rawValue)" }
}
