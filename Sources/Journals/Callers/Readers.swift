internal import Dispatch

/// The readers of what happens, each with a stream of its own.
///
/// It has a lock of its own: the state can be read, and a reader can end, without waiting for whoever publishes. The
/// streams end with it.
package final class Readers<Element: Equatable & Sendable>: @unchecked Sendable {
  private let lock = DispatchQueue(label: "Readers")
  private var latest: Element?
  private var readers = Tickets<AsyncStream<Element>.Continuation>()
  private var hasEnded = false

  /// - Parameter state: The present state, where it is states that are published: each reader begins with the present
  ///   one, and gets only those that differ. Nil where it is events.
  package init(state: Element? = nil) { latest = state }

  deinit { for reader in readers.all { reader.finish() } }

  /// The present state.
  package var state: Element? { lock.sync { latest } }

  package var isEmpty: Bool { lock.sync { readers.all.isEmpty } }

  package func publish(_ new: Element) {
    lock.sync {
      if latest != nil {
        guard !hasEnded, new != latest else { return }
        latest = new
      }
      for reader in readers.all { reader.yield(new) }
    }
  }

  /// Nothing is published any more.
  package func end() {
    // A reader that ends asks to be removed at once, which needs the lock.
    let ended = lock.sync {
      hasEnded = true
      return readers.takeAll()
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
      let ticket = readers.issue()
      if !self.hasEnded { readers.keep(reader, under: ticket) }
      return (ticket, self.hasEnded)
    }
    if hasEnded { reader.finish() }
    reader.onTermination = { [weak self] _ in self?.remove(ticket) }
    return stream
  }

  private func remove(_ ticket: Int) { lock.sync { _ = readers.take(ticket) } }
}
