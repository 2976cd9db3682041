internal import Dispatch

extension FileChangeWriter {
  /// The state of one file, which the writer publishes and the handles of the file share.
  ///
  /// It can be read without waiting for the writer, so it has a lock of its own. The writer does not hold it: it goes
  /// with the last handle and the last reader.
  final class _FileStates: @unchecked Sendable {
    private let lock = DispatchQueue(label: "FileChangeWriter.File")
    private var state: File.State
    private var readers = _Tickets<AsyncStream<File.State>.Continuation>()
    private var hasEnded = false

    /// Where the file is read: one thread a file, so that a device that hangs holds up no other file.
    let thread: DispatchQueue

    init(_ state: File.State) {
      self.state = state
      thread = DispatchQueue(label: "FileChangeWriter.File reading")
    }

    deinit { for reader in readers.all { reader.finish() } }

    var current: File.State { lock.sync { state } }

    func publish(_ new: File.State) {
      lock.sync {
        guard !hasEnded, new != state else { return }
        state = new
        for reader in readers.all { reader.yield(new) }
      }
    }

    /// There will be no other state.
    func end() {
      // A reader that ends asks to be removed at once, which needs the lock.
      let ended = lock.sync {
        hasEnded = true
        return readers.takeAll()
      }
      for reader in ended { reader.finish() }
    }

    /// The states from now on, the present one first.
    ///
    /// - Parameter limit: How many a slow reader has before it misses the oldest.
    func stream(limit: Int) -> AsyncStream<File.State> {
      let (stream, reader) = AsyncStream.makeStream(of: File.State.self, bufferingPolicy: .bufferingNewest(limit))
      let (ticket, hasEnded) = lock.sync {
        reader.yield(state)
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
}
