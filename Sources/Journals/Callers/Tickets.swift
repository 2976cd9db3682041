/// Values that wait for an answer, each with its own ticket.
package struct Tickets<Value: Sendable>: Sendable {
  @usableFromInline var values: [Int: Value] = [:]
  @usableFromInline var last = 0

  @inlinable
  package init() {}

  @inlinable
  package subscript(ticket: Int) -> Value? { values[ticket] }

  /// Makes a ticket, to be used with ``keep(_:under:)``.
  @inlinable
  package mutating func issue() -> Int {
    last += 1
    return last
  }

  @inlinable
  package mutating func keep(_ value: Value, under ticket: Int) { values[ticket] = value }

  /// Removes and returns the value with the ticket; nil if it already has its answer.
  @inlinable
  package mutating func take(_ ticket: Int) -> Value? { values.removeValue(forKey: ticket) }
}
