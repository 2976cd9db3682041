import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// Changes that this version of an app can't decode are kept, and don't keep changes of other keys from being sent.
final class OutboxUndecodableTests: XCTestCase {
  private struct First: PendingChange, Codable {
    var key: Int
    var name: String
  }

  private struct Second: PendingChange, Codable, Equatable {
    var key: Int
    var title: String
  }

  /// A change whose key is encoded, but can't be decoded.
  private struct Odd: PendingChange, Codable {
    struct Key: Hashable, Encodable { var number: Int }
    var number: Int
    var key: Key { Key(number: number) }
  }

  private struct Unreadable: Error {}

  private let folder = Result { try TemporaryFolder() }
  private func journal() throws -> URL { try folder.get().file("outbox") }

  /// A journal with changes of the first version, which were never sent.
  private func insert(_ changes: [First]) async throws {
    let outbox = try await Outbox<First>(journal: journal()) { _ in throw Unreadable() }
    await outbox.pause()
    for change in changes { try await outbox.insert(change) }
    await outbox.close()
  }

  /// Opens the journal with the second version of the app.
  private func openSecond(
    version: Int = 1, _ server: Log<Second>,
    _ migrate: @escaping @Sendable (Data, Int) throws -> Second = { contents, version in
      let old = try JSONDecoder().decode(First.self, from: contents)
      guard !old.name.isEmpty else { throw Unreadable() }
      return Second(key: old.key, title: "\(old.name) of \(version)")
    }
  ) async throws -> Outbox<Second> {
    try await Outbox(
      journal: journal(), configuration: .init(typeName: "First"), version: version, migrate: migrate
    ) { entry in
      server.take(entry)
      return .done
    }
  }

  func testChangesOfAnEarlierVersionAreMigrated() async throws {
    try await insert([First(key: 1, name: "Ada"), First(key: 2, name: "Grace")])
    let server = Log<Second>()
    let second = try await openSecond(server)
    try await second.insert(Second(key: 3, title: "new"))
    try await second.drain()
    XCTAssertEqual(server.changes.sorted { $0.key < $1.key }.map(\.title), ["Ada of 0", "Grace of 0", "new"])
    await second.pause()
    try await second.insert(Second(key: 4, title: "newer"))
    await second.close()
    // Its own version is not migrated, but an unknown version is.
    let third = try await openSecond(server) { _, _ in throw Unreadable() }
    try await third.drain()
    XCTAssertEqual(server.changes.last?.title, "newer")
    await third.pause()
    try await third.insert(Second(key: 5, title: "newest"))
    await third.close()
    let other = try await openSecond(version: 0, server) { Second(key: 5, title: "\($0.count) bytes of \($1)") }
    try await other.drain()
    XCTAssertEqual(server.changes.last?.title, "26 bytes of 1")
    await other.close()
    XCTAssertEqual(try folder.get().names, [])
  }

  func testUndecodableChangeIsSetAsideAndOthersAreSent() async throws {
    try await insert([First(key: 1, name: ""), First(key: 2, name: "Grace")])
    let server = Log<Second>()
    let second = try await openSecond(server)
    XCTAssertTrue(second.recovery.isIntact)
    XCTAssertEqual(second.recovery.description, "1 changes to send, 0 failures, 1 undecodable")
    let undecodable = await second.undecodable
    XCTAssertEqual(undecodable.map(\.reason), ["Unreadable()"])
    XCTAssertEqual(undecodable.map(\.version), [0])
    let contents = try XCTUnwrap(undecodable.first?.contents.first)
    XCTAssertEqual(try JSONDecoder().decode(First.self, from: contents).key, 1)
    // A newer change of its key waits, whatever the policy, and isn't waited for.
    let id = try await second.insert(Second(key: 1, title: "new"))
    try await second.insert(Second(key: 3, title: "other"))
    try await second.drain()
    XCTAssertEqual(Set(server.changes.map(\.title)), ["Grace of 0", "other"])
    expectEqual(await second.pending.map(\.id), [id])
    let state = await second.state { _ in true }
    XCTAssertEqual(state?.pendingCount, 1)
    XCTAssertEqual(state?.activity, .idle)
    await second.close()
    // The newer change replaces the older one, also for a version that can decode both.
    let third = try await openSecond(server) { contents, _ in
      Second(key: try JSONDecoder().decode(First.self, from: contents).key, title: "found")
    }
    try await third.drain()
    XCTAssertEqual(Set(server.changes.map(\.title)), ["Grace of 0", "other", "new"])
    XCTAssertEqual(server.ids.last, id)
    await third.close()
  }

  func testRemovedUndecodableChangeReleasesItsKey() async throws {
    try await insert([First(key: 1, name: "")])
    let server = Log<Second>()
    let second = try await openSecond(server)
    try await second.insert(Second(key: 1, title: "new"))
    let (undecodable, pending) = (await second.undecodable, await second.pending)
    let id = try XCTUnwrap(undecodable.first?.id)
    expect(await second.remove(id: id) == nil)
    expect(await second.requeue(id: id) == false)
    expectEqual(await second.undecodable.map(\.id), [id])
    let waiting = try XCTUnwrap(pending.first?.id)
    expect(await second.removeUndecodable(id: waiting) == false)
    expect(await second.removeUndecodable(id: id))
    expect(await second.removeUndecodable(id: id) == false)
    try await second.drain()
    XCTAssertEqual(server.changes.map(\.title), ["new"])
    await second.close()
    XCTAssertEqual(try folder.get().names, [])
  }

  func testChangesOfEarlierVersionsNeedNotBeDecodedOnceTheyHaveLeft() async throws {
    let outbox = try await Outbox<First>(journal: journal()) { entry in
      entry.change.key == 1 ? .done : .refused("no")
    }
    for key in 1...3 { try await outbox.insert(First(key: key, name: "")) }
    try await outbox.drain()
    let failures = await outbox.failures
    await outbox.remove(id: try XCTUnwrap(failures.first?.id))
    // The copy has what a kill at this moment would leave.
    let copy = try folder.get().file("copy")
    try FileManager.default.copyItem(at: journal(), to: copy)
    await outbox.close()
    try? FileManager.default.removeItem(at: journal())
    try FileManager.default.moveItem(at: copy, to: journal())
    let server = Log<Second>()
    let second = try await openSecond(server)
    // A failure is kept, too, and replaced by a newer change.
    expectEqual(await second.undecodable.count, 1)
    expectEqual(await second.failures.count, 0)
    expectEqual(await second.state { _ in true }?.failureCount, 0)
    try await second.insert(Second(key: 3, title: "new"))
    try await second.drain()
    XCTAssertEqual(server.changes.map(\.title), ["new"])
    expectEqual(await second.undecodable.count, 0)
    await second.close()
  }

  func testOpeningThrowsIfNotEvenTheKeyCanBeDecoded() async throws {
    let first = try await Outbox<Odd>(journal: journal()) { _ in throw Unreadable() }
    try await first.insert(Odd(number: 1))
    await first.close()
    let before = try Data(contentsOf: journal())
    let error = await outboxError {
      let journal = try journal()
      _ = try await Outbox<Odd>(
        journal: journal, coding: ({ try JSONEncoder().encode($0) }, { _ in throw Unreadable() })
      ) { _ in .done }
    }
    XCTAssertEqual(error?.reason, .undecodable("Unreadable()"))
    XCTAssertEqual(try Data(contentsOf: journal()), before)
  }

  func testNewerChangeIsSentAfterOneThatCanBeDecodedAgain() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    let id = try XCTUnwrap(steps.machine.pending.first?.id)
    steps = try Steps(parallelKeys: 2, opening: 2, steps.journal, isReadable: { $0 != [1] })
    for value in 2...3 { try steps.accept(Joined(1, value)) }
    try steps.accept(Joined(4, 4))
    XCTAssertEqual(steps.sent, [[4]])
    XCTAssertEqual(steps.machine.undecodable.map(\.id), [id])
    steps = try Steps(parallelKeys: 2, opening: 3, steps.journal)
    for _ in 0..<3 {
      steps.answer(.answered(.done))
      while steps.isWriting { steps.record() }
    }
    XCTAssertEqual(steps.sent.filter { $0 != [4] }, [[1], [2, 3]])
  }

  func testPartsOfAMergedChangeAreSetAsideTogether() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(9, 9))
    for value in 1...3 { try steps.accept(Joined(1, value)) }
    let id = try XCTUnwrap(steps.machine.pending.last?.id)
    let machine = try opened(steps) { $0 != [2] }
    XCTAssertEqual(machine.undecodable.map(\.id), [id])
    XCTAssertEqual(machine.undecodable.first?.contents.count, 3)
    XCTAssertEqual(machine.pending.map(\.change.values), [[9]])
  }

  /// Random histories with undecodable changes.
  ///
  /// A later start that can decode everything sends everything, in order and with the same contents for an id.
  func testUndecodableChangesAreSentInOrderOnceTheyCanBeDecoded() throws {
    try check(Joined.self)
    try check(Newest.self)
    try check(Oldest.self)
  }

  private func check<Change: Numbers>(_: Change.Type) throws {
    try withSeeds(40) { random in
      var steps = try Steps<Change>(parallelKeys: random.int(in: 1..<4))
      var contents: [String: [Int]] = [:]
      var value = 0
      for opening in 2..<6 as Range<UInt64> {
        for _ in 0..<random.int(in: 1..<20) {
          switch random.int(in: 0..<8) {
          case 0..<4:
            value += 1
            try steps.insert(Change(random.int(in: 0..<3), value))
          case 4: steps.answer(.failed(reason: "away"))
          case 5: steps.answer(.answered(.refused("no")))
          case 6: steps.wake(at: steps.machine.nextWake ?? .zero)
          default: steps.answer(.answered(.done))
          }
          if random.chance(oneIn: 2) { while steps.isWriting { steps.record() } }
          for entry in steps.machine.pending where entry.attempts > 0 {
            let before = contents.updateValue(entry.change.values, forKey: entry.id) ?? entry.change.values
            expectEqual(entry.change.values, before, "contents of \(entry.id)")
          }
        }
        while steps.isWriting { steps.record() }
        let known = Set((steps.machine.pending + steps.machine.failures).flatMap(\.change.values))
        // Another version can't decode some of them. The last one can decode all again.
        let (first, other) = (random.int(in: 0..<3), random.int(in: 0..<3))
        let unreadable: @Sendable ([Int]) -> Bool = { opening < 5 && $0[0] % 3 == first && $0.count <= 1 + other }
        let middle = try Steps<Change>(
          parallelKeys: 1, opening: opening * 10, steps.journal, isReadable: { !unreadable($0) })
        let parts = middle.machine.undecodable.flatMap(\.contents)
        let kept = try parts.flatMap { try JSONDecoder().decode(Change.self, from: $0).values }
        let readable = (middle.machine.pending + middle.machine.failures).flatMap(\.change.values)
        expect(known.isSubset(of: kept + readable), "\(known) were known, \(kept) are kept, \(readable) are readable")
        steps = try Steps<Change>(parallelKeys: random.int(in: 1..<4), opening: opening, middle.journal)
        let found = Set((steps.machine.pending + steps.machine.failures).flatMap(\.change.values))
        expect(known.isSubset(of: found), "\(known) were known, and \(found) are found")
      }
    }
  }

  private func opened<Change: Numbers>(
    _ steps: Steps<Change>, _ isReadable: @escaping @Sendable ([Int]) -> Bool
  ) throws -> Outbox<Change>._StateMachine {
    try Steps<Change>(parallelKeys: 1, opening: 2, steps.journal, isReadable: isReadable).machine
  }
}

/// The changes that a server received.
private final class Log<Change: PendingChange & Sendable>: @unchecked Sendable {
  private let lock = NSLock()
  private var entries: [Outbox<Change>.Entry] = []

  func take(_ entry: Outbox<Change>.Entry) { lock.withLock { entries.append(entry) } }
  var changes: [Change] { lock.withLock { entries.map(\.change) } }
  var ids: [String] { lock.withLock { entries.map(\.id) } }
}
