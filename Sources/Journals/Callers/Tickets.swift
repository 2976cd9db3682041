/// What waits for an answer, each under a ticket of its own.
package struct Tickets<Value: Sendable>: Sendable {
  private var values: [Int: Value] = [:]
  private var last = 0

  package init() {}

  package var all: some Collection<Value> { values.values }

  package subscript(ticket: Int) -> Value? { values[ticket] }

  /// Makes a ticket; what waits comes under it with ``keep(_:under:)``.
  package mutating func issue() -> Int {
    last += 1
    return last
  }

  package mutating func keep(_ value: Value, under ticket: Int) { values[ticket] = value }

  /// Takes out what waits under the ticket; nil where it has its answer already.
  package mutating func take(_ ticket: Int) -> Value? { values.removeValue(forKey: ticket) }

  package mutating func takeAll() -> [Value] {
    defer { values = [:] }
    return Array(values.values)
  }
}
