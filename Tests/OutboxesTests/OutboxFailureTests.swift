import Foundation
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Changes that the server refuses become failures: they can be requeued, merged and removed.
final class OutboxFailureTests: XCTestCase {
  private let folder = Result { try TemporaryFolder() }

  private func open<Change: Numbers>(
    _ server: Server<Change>, _ configure: (inout Outbox<Change>.Configuration) -> Void = { _ in }
  ) async throws -> Outbox<Change> { try await Outbox.open(in: folder.get(), to: server, configure) }

  /// A server that refuses all values below a limit.
  private func server<Change: Numbers>(refusingBelow limit: Int) async -> Server<Change> {
    let server = Server<Change>()
    await server.answers { $0.change.values.last! < limit ? .refused("below \(limit)") : .done }
    return server
  }

  func testRefusedChangeBecomesAFailureWithItsReason() async throws {
    let server: Server<Joined> = await server(refusingBelow: 5)
    let outbox = try await open(server)
    let id = try await outbox.insert(Joined(1, 1))
    try await outbox.insert(Joined(2, 7))
    try await outbox.drain()
    let letters = await outbox.failures
    XCTAssertEqual(letters.map(\.id), [id])
    XCTAssertEqual(letters.map(\.change.values), [[1]])
    XCTAssertEqual(letters.map(\.failureReason), ["below 5"])
    await outbox.close()

    let other = try await open(server)
    XCTAssertEqual("\(other.recovery)", "0 changes to send, 1 failures")
    expectEqual(await other.failures, letters)
  }

  func testLaterChangeMergesWithTheFailureOfItsKey() async throws {
    let server: Server<Joined> = await server(refusingBelow: 5)
    let outbox = try await open(server)
    try await outbox.insert(Joined(1, 1))
    try await outbox.drain()
    let id = try await outbox.insert(Joined(1, 7))
    try await outbox.drain()
    let (received, letters) = (await server.received, await outbox.failures)
    XCTAssertEqual(received.map(\.change.values), [[1], [1, 7]])
    XCTAssertEqual(received.last?.id, id)
    XCTAssertEqual(letters, [])
  }

  func testFailureMergesIntoAChangeThatAlreadyWaits() async throws {
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { entry in
      await gate.pass()
      return entry.change.values == [1] ? .refused("no") : .done
    }
    let outbox = try await open(server)
    try await outbox.insert(Joined(1, 1))
    try await outbox.insert(Joined(1, 2))
    let id = try await outbox.insert(Joined(1, 3))
    gate.open()
    try await outbox.drain()
    let received = await server.received
    XCTAssertEqual(received.map(\.change.values), [[1], [1, 2, 3]])
    XCTAssertNotEqual(received.last?.id, id, "changed contents need a new ID")
    XCTAssertEqual(Set(received.map(\.id)).count, 2)
  }

  func testReplacingChangeRemovesTheFailureOfItsKey() async throws {
    let server: Server<Newest> = await server(refusingBelow: 5)
    let outbox = try await open(server)
    try await outbox.insert(Newest(1, 1))
    try await outbox.drain()
    try await outbox.insert(Newest(1, 7))
    try await outbox.drain()
    let (values, letters) = (await server.values, await outbox.failures)
    XCTAssertEqual(values, [[1], [7]])
    XCTAssertEqual(letters, [])
  }

  func testReplacingChangeIsSentInsteadOfTheFailedOne() async throws {
    let (server, gate) = (Server<Newest>(), Gate())
    await server.answers { entry in
      await gate.pass()
      if entry.change.values == [1] { throw Server<Newest>.Away() }
      return .done
    }
    let outbox = try await open(server)
    try await outbox.insert(Newest(1, 1))
    try await outbox.insert(Newest(1, 2))
    gate.open()
    await outbox.state { $0.failure != nil }
    await outbox.resume()
    try await outbox.drain()
    expectEqual(await server.values, [[1], [2]])
  }

  func testRequeuedFailureKeepsItsID() async throws {
    let server: Server<Joined> = await server(refusingBelow: 5)
    let outbox = try await open(server) { $0.backoff.attempts = 1 }
    let id = try await outbox.insert(Joined(1, 1))
    try await outbox.drain()
    await server.answers { _ in .done }
    expect(await outbox.requeue(id: id))
    // The server may have applied it already, so a newer change must not be merged into it.
    try await outbox.insert(Joined(1, 2))
    try await outbox.drain()
    let received = await server.received
    XCTAssertEqual(received.map(\.change.values), [[1], [1], [2]])
    XCTAssertEqual(received.map(\.attempts), [1, 1, 1])
    XCTAssertEqual(received[1].id, id)
    expectEqual(await outbox.requeue(id: id), false)
  }

  func testRemovedChangesLeaveTheJournal() async throws {
    let server: Server<Joined> = await server(refusingBelow: 5)
    let outbox = try await open(server)
    let id = try await outbox.insert(Joined(1, 1))
    try await outbox.drain()
    await outbox.pause()
    let waiting = try await outbox.insert(Joined(2, 9))
    let removed = [await outbox.remove(id: id), await outbox.remove(id: waiting)]
    XCTAssertEqual(removed.compactMap { $0?.change.values }, [[1], [9]])
    for other in [id, "", "x-1", "+1-1"] {
      expect(await outbox.remove(id: other) == nil)
    }
    await outbox.close()
    XCTAssertEqual(try folder.get().names, [])
  }

  func testChangeBeingSentCannotBeRemoved() async throws {
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { _ in
      await gate.pass()
      return .done
    }
    let outbox = try await open(server)
    let id = try await outbox.insert(Joined(1, 1))
    expect(await outbox.remove(id: id) == nil)
    gate.open()
    try await outbox.drain()
    expectEqual(await server.values, [[1]])
  }

  func testAttemptsAcrossRestartsCountTowardTheLimit() async throws {
    let server = Server<Joined>()
    await server.answers { _ in throw Server<Joined>.Away() }
    let first = try await open(server) { $0.backoff.attempts = 3 }
    let id = try await first.insert(Joined(1, 1))
    await first.state { $0.failure != nil && $0.sendingCount == 0 }
    await first.close()
    let second = try await open(server) { $0.backoff.attempts = 3 }
    XCTAssertEqual(second.recovery.changeCount, 1)
    await server.waitForRequests(2)
    await second.state { $0.failure != nil && $0.sendingCount == 0 }
    await second.resume()
    await second.state { $0.failureCount == 1 }
    let (received, letters) = (await server.received, await second.failures)
    XCTAssertEqual(received.map(\.attempts), [1, 2, 3])
    XCTAssertEqual(received.map(\.id), [id, id, id])
    XCTAssertEqual(letters.map(\.failureReason), ["Away()"])
  }

  /// The server may have applied both.
  ///
  /// Neither may be merged with another change, and only one may wait at a time.
  func testOnlyOneFailureOfAKeyIsRequeuedAtATime() throws {
    var steps = try Steps<Oldest>(parallelKeys: 1)
    for value in 1...2 {
      try steps.accept(Oldest(1, value))
      steps.answer(.answered(.refused("no")))
      steps.record()
    }
    let ids = steps.machine.failures.map(\.id)
    steps.perform(steps.machine.requeue(ids[0], ticket: 1) ?? [])
    while steps.isWriting { steps.record() }
    var next = try Steps<Oldest>(parallelKeys: 1, opening: 2, steps.journal)
    next.perform(next.machine.requeue(ids[1], ticket: 2) ?? [])
    while next.isWriting { next.record() }
    guard case .requeued(false) = next.results[2] else { return XCTFail("the other failure is in flight") }
    XCTAssertEqual(next.machine.failures.map(\.change.values), [[2]])
    XCTAssertEqual(try next.found.pending, [[1]])
    XCTAssertEqual(try next.found.letters, [[2]])
    try next.accept(Oldest(1, 3))
    next.answer(.answered(.done))
    while next.isWriting { next.record() }
    XCTAssertEqual(next.sent, [[1], [3]])
    next.answer(.answered(.done))
    while next.isWriting { next.record() }
    next.perform(next.machine.requeue(ids[1], ticket: 3) ?? [])
    while next.isWriting { next.record() }
    XCTAssertEqual(next.sent, [[1], [3], [2]])
  }

  func testFailuresDoNotCountTowardTheLimitOfWaitingBytes() throws {
    // One change may wait, however large it is.
    var steps = try Steps<Joined>(parallelKeys: 2) { $0.waitingByteLimit = 1 }
    func settle() { while steps.isWriting { steps.record() } }
    try steps.accept(Joined(1, 1))
    XCTAssertThrowsError(try steps.accept(Joined(2, 2)))
    steps.answer(.answered(.refused("no")))
    settle()
    try steps.accept(Joined(2, 2))
    steps.answer(.answered(.done))
    settle()
    steps.perform(try XCTUnwrap(steps.machine.requeue(try XCTUnwrap(steps.machine.failures.first).id, ticket: 1)))
    settle()
    XCTAssertThrowsError(try steps.accept(Joined(3, 3)), "the failure is tried again")
    steps.answer(.answered(.done))
    settle()
    try steps.accept(Joined(3, 3))
  }
}
