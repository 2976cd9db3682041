internal import Dispatch

/// The readers of what happens, each with a stream of its own.
///
/// It has a lock of its own: the state can be read, and a reader can end, without waiting for whoever publishes. The
/// streams end with it.
package final class Readers<Element: Equatable & Sendable>: @unchecked Sendable {
  private let lock = DispatchQueue(label: "Readers")
  /// Whether it is states that are published.
  private let hasStates: Bool
  // Apart from the table: mostly nobody reads, and this code is not specialised.
  private var count = 0
  private var lastTicket = 0
  private var hasEnded = false
  private var latest: Element?
  private var readers: [Int: AsyncStream<Element>.Continuation] = [:]

  /// - Parameter state: The present state, where it is states that are published: each reader begins with the present
  ///   one, and gets only those that differ. Nil where it is events.
  package init(state: Element? = nil) { (hasStates, latest) = (state != nil, state) }

  deinit { for reader in readers.values { reader.finish() } }

  /// The present state.
  package var state: Element? { lock.sync { latest } }

  package var isEmpty: Bool { lock.sync { count == 0 } }

  package func publish(_ new: Element) {
    lock.sync {
      if hasStates {
        guard !hasEnded, new != latest else { return }
        latest = new
      }
      if count > 0 { for reader in readers.values { reader.yield(new) } }
    }
  }

  /// Nothing is published any more.
  package func end() {
    // A reader that ends asks to be removed at once, which needs the lock.
    let ended = lock.sync {
      defer { (hasEnded, count, readers) = (true, 0, [:]) }
      return Array(readers.values)
    }
    for reader in ended { reader.finish() }
  }

  /// What is published from now on.
  ///
  /// - Parameter limit: How much a slow reader has before it misses the oldest.
  package func stream(limit: Int) -> AsyncStream<Element> {
    let (stream, reader) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    let (ticket, hasEnded) = lock.sync {
      if let latest { reader.yield(latest) }
      lastTicket += 1
      if !self.hasEnded { (readers[lastTicket], count) = (reader, count + 1) }
      return (lastTicket, self.hasEnded)
    }
    if hasEnded { reader.finish() }
    reader.onTermination = { [weak self] _ in self?.remove(ticket) }
    return stream
  }

  private func remove(_ ticket: Int) {
    lock.sync { if readers.removeValue(forKey: ticket) != nil { count -= 1 } }
  }
}
