import Foundation
import Outboxes
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// An outbox whose journal another process has, and an outbox of a server that is told to end.
  @Suite(.serialized) struct OutboxProcessTests {
    @Test func journalOfAnotherProcessIsRefused() async throws {
      let folder = try TemporaryFolder()
      let outbox = try await folder.outbox(startsPaused: true) { _ in .done }
      try await outbox.insert(Joined(1, 1))
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in
        do throws(OutboxError) {
          _ = try await top.outbox { _ in .done }
          Issue.record("two processes have one journal")
        } catch {
          #expect(error.reason == .inUse)
        }
      }
      await outbox.resume()
      try await outbox.drain()
      await outbox.close()
    }

    @Test func journalOfAnEndedProcessIsTakenOver() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .signal(SIGKILL)) { [top = folder.url as URL] in
        let outbox = try await top.outbox(startsPaused: true) { _ in .done }
        for key in 1...3 { try await outbox.insert(Joined(key, key)) }
        kill(getpid(), SIGKILL)
      }
      let outbox = try await folder.outbox { _ in .done }
      #expect(outbox.recovery.changeCount == 3)
      try await outbox.drain()
      await outbox.close()
    }

    // MARK: SIGTERM

    /// The child accepts changes until it gets the signal, then sends what it can, and ends on its own.
    @Test(arguments: [true, false]) func serverThatIsToldToEndLosesNothing(isServerThere: Bool) async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .exitCode(0)) { [top = folder.url as URL, isServerThere] in
        try await top.serveUntilTerminated(isServerThere: isServerThere)
      }
      let accepted = Set(try KillLog.lines(of: folder.file("accepted")).compactMap { Int($0) })
      let sent = try KillLog.lines(of: folder.file("sent")).compactMap { Int($0) }
      #expect(!accepted.isEmpty)
      let outbox = try await folder.outbox(startsPaused: true) { _ in .done }
      let pending = await outbox.pending
      // The end was in order, so no attempt counts as interrupted, and no change is sent twice.
      #expect(outbox.recovery.isIntact)
      #expect(Set(sent).count == sent.count)
      #expect(Set(sent).isDisjoint(with: pending.map(\.change.key)))
      #expect(accepted.isSubset(of: sent + pending.map(\.change.key)))
      #expect(pending.isEmpty == isServerThere)
      #expect(pending.allSatisfy { $0.attempts == 0 })
      await outbox.close()
    }
  }

  extension TemporaryFolder {
    fileprivate func outbox(
      startsPaused: Bool = false,
      send: @escaping @Sendable (Outbox<Joined>.Entry) async throws -> Outbox<Joined>.Answer
    ) async throws(OutboxError) -> Outbox<Joined> { try await url.outbox(startsPaused: startsPaused, send: send) }
  }

  extension URL {
    fileprivate func outbox(
      startsPaused: Bool = false,
      send: @escaping @Sendable (Outbox<Joined>.Entry) async throws -> Outbox<Joined>.Answer
    ) async throws(OutboxError) -> Outbox<Joined> {
      try await Outbox(
        journal: appending(path: "outbox"), configuration: .init(startsPaused: startsPaused), send: send)
    }

    /// Runs in the child, which sends itself the signal after some changes.
    fileprivate func serveUntilTerminated(isServerThere: Bool) async throws {
      let (signals, sender) = AsyncStream.makeStream(of: Void.self)
      signal(SIGTERM, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: SIGTERM)
      source.setEventHandler { sender.yield() }
      source.resume()

      let accepted = try KillLog(appending(path: "accepted"))
      let sent = try KillLog(appending(path: "sent"))
      let outbox = try await outbox { entry in
        if !isServerThere {
          // Waits until `close` cancels the attempt.
          for await _ in AsyncStream<Never>.makeStream().stream {}
          throw CancellationError()
        }
        sent.write("\(entry.change.key)")
        return .done
      }
      let accepting = Task {
        var key = 0
        while !Task.isCancelled {
          try await outbox.insert(Joined(key, key))
          accepted.write("\(key)")
          key += 1
          if key == 20 { kill(getpid(), SIGTERM) }
        }
      }
      for await _ in signals { break }
      accepting.cancel()
      _ = await accepting.result
      try? await outbox.drain(within: isServerThere ? .seconds(60) : .milliseconds(1))
      await outbox.close(within: .seconds(60))
      exit(0)
    }
  }
#endif
