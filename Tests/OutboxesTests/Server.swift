import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// A server that remembers its requests, and gives the answers that a test sets.
actor Server<Change: Numbers> {
  typealias Entry = Outbox<Change>.Entry
  typealias Answer = Outbox<Change>.Answer

  struct Away: Error {}

  private(set) var received: [Entry] = []
  private(set) var mostAtATime = 0
  private var current: [Entry] = []
  private var answer: @Sendable (Entry) async throws -> Answer = { _ in .done }
  private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

  var values: [[Int]] { received.map(\.change.values) }
  var ids: [String] { received.map(\.id) }

  func answers(_ answer: @escaping @Sendable (Entry) async throws -> Answer) { self.answer = answer }

  func take(_ entry: Entry) async throws -> Answer {
    XCTAssertFalse(current.contains { $0.change.key == entry.change.key }, "two of one key are sent")
    received.append(entry)
    current.append(entry)
    mostAtATime = max(mostAtATime, current.count)
    defer { current.removeAll { $0.id == entry.id } }
    for watcher in watchers where watcher.count <= received.count { watcher.continuation.resume() }
    watchers.removeAll { $0.count <= received.count }
    return try await answer(entry)
  }

  /// Waits until the server has received this many requests.
  func waitForRequests(_ count: Int) async {
    guard received.count < count else { return }
    await withCheckedContinuation { watchers.append((count, $0)) }
  }
}

extension Outbox where Change: Numbers {
  /// Opens an outbox whose journal is in `folder`.
  static func open(
    in folder: TemporaryFolder, to server: Server<Change>, clock: any Clock<Duration> = ManualClock(),
    date: Double = 0,
    system: any FileSystem = PosixFileSystem(), isPaused: Bool = false,
    _ configure: (inout Configuration) -> Void = { _ in }
  ) async throws(OutboxError) -> Outbox {
    var configuration = Configuration()
    configuration.backoff.firstDelay = .seconds(1)
    configuration.startsPaused = isPaused
    configure(&configuration)
    return try await Outbox(
      journal: folder.file("outbox"), configuration: configuration,
      coding: .json(),
      clock: clock, random: SeededRandom(seed: 1), date: { Date(timeIntervalSince1970: date) }, system: system
    ) { entry in
      try await server.take(entry)
    }
  }
}

extension Outbox {
  /// Waits for the first state that satisfies the condition.
  @discardableResult
  func state(where isWanted: (State) -> Bool) async -> State? {
    for await state in states() where isWanted(state) { return state }
    return nil
  }
}

/// Runs `body`, and returns the `OutboxError` that it must throw.
func outboxError(
  file: StaticString = #filePath, line: UInt = #line, _ body: () async throws -> Void
) async -> OutboxError? {
  do {
    try await body()
    XCTFail("nothing was thrown", file: file, line: line)
    return nil
  } catch {
    XCTAssertTrue(error is OutboxError, "\(error)", file: file, line: line)
    return error as? OutboxError
  }
}
