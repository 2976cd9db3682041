/// Values that wait for an answer, each with its own ticket.
@usableFromInline package struct Tickets<Value: Sendable>: Sendable {
  /// The values that wait, by their tickets.
  @usableFromInline package var values: [Int: Value] = [:]
  @usableFromInline var last = 0

  @inlinable
  package init() {}

  /// Makes a ticket, under which a value can be kept.
  @inlinable
  package mutating func issue() -> Int {
    last += 1
    return last
  }

  /// Removes and returns the value with the ticket; nil if it already has its answer.
  @inlinable
  package mutating func take(_ ticket: Int) -> Value? { values.removeValue(forKey: ticket) }
}
