package import UniqueQueues

/// The values that were stored last, by their keys.
///
/// Their number is limited, because a writer or an outbox may live long.
package struct _RecentValues<Key: Hashable & Sendable, Value: Sendable>: Sendable {
  package var values: [Key: Value] = [:]
  /// The keys in the order in which their values were stored, oldest first.
  package var order = UniqueQueue<Key>()
  package let limit: Int

  package init(limit: Int) { self.limit = limit }

  package var count: Int { values.count }

  package subscript(key: Key) -> Value? { values[key] }

  package mutating func store(_ value: Value, of key: Key) {
    values[key] = value
    order.appendOrMoveToEnd(key)
    if values.count > limit, let oldest = order.popFirst() { values[oldest] = nil }
  }
}
