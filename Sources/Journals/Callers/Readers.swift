internal import Dispatch

/// The subscribers to published states or events, each with its own stream.
///
/// A lock protects the subscribers, so reading the state or ending a stream never waits for the publisher. The streams
/// end when this object is deallocated.
package final class Readers<Element: Equatable & Sendable>: @unchecked Sendable {
  private let lock = DispatchQueue(label: "Readers")
  // Kept apart from the dictionary, because usually nothing reads and this generic code isn't specialized.
  private var count = 0
  private var lastTicket = 0
  private var hasEnded = false
  /// The present state; nil if events are published.
  private var latest: Element?
  private var readers: [Int: AsyncStream<Element>.Continuation] = [:]

  /// - Parameter state: The present state, if states are published: each reader begins with the present state and gets
  ///   only states that differ from the last one. Nil if events are published.
  package init(state: Element? = nil) { latest = state }

  deinit { for reader in readers.values { reader.finish() } }

  package var state: Element? { lock.sync { latest } }

  package var isEmpty: Bool { lock.sync { count == 0 } }

  package var isOver: Bool { lock.sync { hasEnded } }

  package func publish(_ new: Element) {
    lock.sync {
      if let latest {
        guard !hasEnded, new != latest else { return }
        self.latest = new
      }
      if count > 0 { for reader in readers.values { reader.yield(new) } }
    }
  }

  /// Ends all streams; later elements are ignored.
  package func end() {
    // Ending a reader removes it at once, which needs the lock.
    let ended = lock.sync {
      defer { (hasEnded, count, readers) = (true, 0, [:]) }
      return Array(readers.values)
    }
    for reader in ended { reader.finish() }
  }

  /// A stream of everything that is published from now on; a stream of states begins with the present one.
  ///
  /// - Parameters:
  ///   - limit: How many elements a slow reader can lag behind before it misses the oldest.
  ///   - owner: An object that lives at least as long as the stream.
  package func stream(limit: Int, keeping owner: (any AnyObject & Sendable)? = nil) -> AsyncStream<Element> {
    let (stream, reader) = AsyncStream.makeStream(of: Element.self, bufferingPolicy: .bufferingNewest(limit))
    let (ticket, hasEnded) = lock.sync {
      if let latest { reader.yield(latest) }
      lastTicket += 1
      if !self.hasEnded { (readers[lastTicket], count) = (reader, count + 1) }
      return (lastTicket, self.hasEnded)
    }
    if hasEnded { reader.finish() }
    reader.onTermination = { [weak self] _ in withExtendedLifetime(owner) { self?.remove(ticket) } }
    return stream
  }

  /// Waits for the end, but no longer than `limit`, also in a canceled task.
  package func waitForEnd(within limit: Duration, by clock: any Clock<Duration>) async {
    let end = Task { [stream = self.stream(limit: 1)] in for await _ in stream {} }
    let timer = Task {
      try? await clock.sleep(for: limit, tolerance: nil)
      end.cancel()
    }
    await end.value
    timer.cancel()
  }

  private func remove(_ ticket: Int) {
    lock.sync { if readers.removeValue(forKey: ticket) != nil { count -= 1 } }
  }
}
