import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// The next outbox can decode every accepted change, and only pending changes must be decodable.
final class OutboxReadingTests: XCTestCase {
  private struct Payment: PendingChange, Codable, Equatable {
    let key: Int
    var amount = Decimal(1)
    var email = Email(text: "a@b")
  }

  /// A value that can be encoded but not decoded if its text has no `@`.
  private struct Email: Codable, Equatable {
    let text: String

    init(text: String) { self.text = text }

    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      guard text.contains("@") else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: text))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  /// A change whose key is not encoded.
  private struct Forgetful: PendingChange, Codable {
    var key = 1
    var name = ""

    private enum CodingKeys: CodingKey { case name }
  }

  private struct Unreadable: Error {}

  // MARK: Accepting

  func testChangeThatCannotBeDecodedAgainIsNotAccepted() async throws {
    let folder = try TemporaryFolder()
    let outbox = try await Outbox<Payment>(journal: folder.file("outbox")) { _ in throw Unreadable() }
    let id = try await outbox.insert(Payment(key: 1))
    let unreadable = [Payment(key: 2, amount: .nan), Payment(key: 3, email: Email(text: "secret"))]
    for (change, place) in zip(unreadable, ["the change", "email"]) {
      let error = await outboxError { try await outbox.insert(change) }
      let description = error?.reason.description ?? ""
      let beginning = "the change cannot be recorded: it cannot be decoded again: \(place)"
      XCTAssertTrue(description.hasPrefix(beginning), description)
      XCTAssertFalse(description.contains("secret"), "an error has nothing of the contents")
    }
    await outbox.close()
    let next = try await Outbox<Payment>(journal: folder.file("outbox")) { _ in throw Unreadable() }
    let pending = await next.pending
    XCTAssertEqual(pending.map(\.id), [id])
    XCTAssertEqual(pending.map(\.change), [Payment(key: 1)])
    await next.close()
  }

  func testChangeWhoseKeyIsNotEncodedIsNotAccepted() async throws {
    let folder = try TemporaryFolder()
    let outbox = try await Outbox<Forgetful>(journal: folder.file("outbox")) { _ in .done }
    try await outbox.insert(Forgetful())
    let error = await outboxError { try await outbox.insert(Forgetful(key: 2)) }
    XCTAssertEqual(error?.reason, .unencodable("it has another key when it is decoded again"))
    await outbox.close()
  }

  // MARK: Decoding

  /// A machine that recovers from a journal and cannot decode some of its changes.
  private static func opened<Change: Numbers>(
    _ journal: JournalBytes, _ configuration: Outbox<Change>.Configuration = .init(),
    _ isReadable: @escaping @Sendable ([Int]) -> Bool = { _ in true }
  ) throws -> Outbox<Change>._StateMachine {
    let contents = try XCTUnwrap(journal.contents)
    var machine = Outbox<Change>._StateMachine(
      configuration: configuration, path: "/journal", opening: 2, random: SeededRandom(seed: 1),
      coding: .json { change in
        guard isReadable(change.values) else { throw Unreadable() }
        return change
      })
    _ = try machine.recover(contents)
    return machine
  }

  func testOnlyPendingChangesAreDecoded() throws {
    var steps = try Steps<Newest>(parallelKeys: 1)
    for value in 0..<98 {
      try steps.accept(Newest(value, value))
      steps.answer(.answered(.done))
      while steps.isWriting { steps.record() }
    }
    for value in 98..<100 { try steps.accept(Newest(value, value)) }
    let id = try XCTUnwrap(steps.machine.pending.last?.id)
    steps.perform(steps.machine.remove(id, ticket: 7) ?? [])
    while steps.isWriting { steps.record() }
    let machine: Outbox<Newest>._StateMachine = try Self.opened(steps.journal) { $0 == [98] }
    XCTAssertEqual(machine.undecodable, [])
    XCTAssertEqual(machine.pending.map(\.change.values), [[98]])
  }

  func testChangesNoLongerPendingNeedNotBeReadable() throws {
    try checkThatOnlyTheRestMustBeReadable(Newest.self)
    try checkThatOnlyTheRestMustBeReadable(NewestLast.self)
    try checkThatOnlyTheRestMustBeReadable(Oldest.self)
    try checkThatOnlyTheRestMustBeReadable(Joined.self)
  }

  /// Recovers from random histories without refusals, and can decode only the pending changes.
  private func checkThatOnlyTheRestMustBeReadable<Change: Numbers>(_: Change.Type) throws {
    try withSeeds(30) { random in
      var steps = try Steps<Change>(parallelKeys: 2)
      for value in 1...40 {
        switch random.int(in: 0..<8) {
        case 0..<4: try steps.insert(Change(random.int(in: 0..<4), value))
        case 4..<6: steps.answer(.answered(.done))
        case 6: steps.answer(.failed(reason: "away"))
        default:
          guard let entry = steps.machine.pending.randomElement(using: &random) else { break }
          steps.perform(steps.machine.remove(entry.id, ticket: value) ?? [])
          // The removal and the insertion are recorded in one write.
          try steps.insert(Change(entry.change.key, 100 + value))
        }
        if random.chance(oneIn: 3) { while steps.isWriting { steps.record() } }
        if random.chance(oneIn: 9) { steps.wake() }
      }
      while steps.isWriting { steps.record() }
      let rest = Set(steps.machine.pending.flatMap(\.change.values))
      let machine: Outbox<Change>._StateMachine = try Self.opened(steps.journal) { rest.isSuperset(of: $0) }
      expectEqual(machine.undecodable.map(\.id), [])
      // The order may differ, because the changes that are not decoded don't take part in it.
      expectEqual(
        machine.pending.map { "\($0.id) \($0.change)" }.sorted(),
        steps.machine.pending.map { "\($0.id) \($0.change)" }.sorted())
    }
  }

  /// Three changes replaced one another.
  ///
  /// Once the newest was sent, the older ones must not be sent.
  func testChangeReplacedByASentOneIsNotSentAfterARestart() throws {
    var steps = try Steps<Newest>(parallelKeys: 1)
    steps.perform(steps.machine.pause())
    try steps.accept(Newest(1, 1))
    // While this change is pending, the first one has to be decoded, but the next two don't.
    try steps.accept(Newest(9, 9))
    for value in 2...3 { try steps.accept(Newest(1, value)) }
    steps.perform(steps.machine.resume())
    steps.answer(.answered(.done))
    while steps.isWriting { steps.record() }
    let machine: Outbox<Newest>._StateMachine = try Self.opened(steps.journal)
    XCTAssertEqual(machine.pending.map(\.change.values), [[9]])
  }

  /// A newer change replaced the refused one, and was sent.
  func testRefusedChangeThatWasReplacedIsNotAFailureAfterARestart() throws {
    var steps = try Steps<Newest>(parallelKeys: 1)
    for value in 1...2 { try steps.accept(Newest(1, value)) }
    for answer in [Outbox<Newest>.Answer.refused("no"), .done] {
      steps.answer(.answered(answer))
      while steps.isWriting { steps.record() }
    }
    try steps.accept(Newest(9, 9))
    XCTAssertEqual(steps.machine.failures.count, 0)
    let machine: Outbox<Newest>._StateMachine = try Self.opened(steps.journal)
    XCTAssertEqual(machine.pending.map(\.change.values), [[9]])
    XCTAssertEqual(machine.failures.map(\.change.values), [])
  }

  /// The change is now part of a merged change with a new ID.
  func testChangeMergedWithARefusedOneCannotBeRemoved() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    try steps.accept(Joined(1, 2))
    try steps.insert(Joined(2, 3))
    steps.answer(.answered(.refused("no")))
    let second = try XCTUnwrap(steps.machine.pending.first { $0.change.values == [2] })
    steps.perform(steps.machine.remove(second.id, ticket: 7) ?? [])
    while steps.isWriting { steps.record() }
    guard case .removed(nil)? = steps.results[7] else { return XCTFail("a merged change was removed") }
    XCTAssertEqual(Set(try steps.found.pending), [[1, 2], [3]])
  }

  func testFailureBeingMergedWithANewerChangeCannotBeRemoved() throws {
    var steps = try Steps<Joined>(parallelKeys: 1)
    try steps.accept(Joined(1, 1))
    steps.answer(.answered(.refused("no")))
    while steps.isWriting { steps.record() }
    let failure = try XCTUnwrap(steps.machine.failures.first)
    steps.perform(steps.machine.pause())
    try steps.insert(Joined(9, 9))
    try steps.insert(Joined(1, 2))
    steps.perform(steps.machine.remove(failure.id, ticket: 7) ?? [])
    while steps.isWriting { steps.record() }
    guard case .removed(nil)? = steps.results[7] else { return XCTFail("a merged change was removed") }
    XCTAssertEqual(Set(try steps.found.pending), [[1, 2], [9]])
  }

  // MARK: The type

  func testJournalOfAnotherTypeIsRefusedAndNotChanged() async throws {
    let folder = try TemporaryFolder()
    let first = try await Outbox<Newest>.open(in: folder, to: Server<Newest>(), isPaused: true)
    try await first.insert(Newest(1, 1))
    await first.close()
    let bytes = try Data(contentsOf: folder.file("outbox"))
    let server = Server<NewestLast>()
    let error = await outboxError { _ = try await Outbox<NewestLast>.open(in: folder, to: server) }
    XCTAssertEqual(error, OutboxError(path: folder.file("outbox").path, reason: .ofAnotherType("Newest")))
    XCTAssertEqual(error?.description.contains("Newest"), true)
    XCTAssertEqual(try Data(contentsOf: folder.file("outbox")), bytes)
    // Setting `typeName` allows a renamed type to read its old journal.
    await server.answers { _ in throw Unreadable() }
    for _ in 0..<2 {
      let second = try await Outbox<NewestLast>.open(in: folder, to: server) { $0.typeName = "Newest" }
      XCTAssertEqual(second.recovery.changeCount, 1)
      await second.close()
    }
    await server.answers { _ in .done }
    let third = try await Outbox<NewestLast>.open(in: folder, to: server) { $0.typeName = "Newest" }
    try await third.drain()
    expectEqual(await server.values.last, [1])
    await third.close()
  }

  func testEmptyJournalOfAnotherTypeIsReused() throws {
    var steps = try Steps<Newest>(parallelKeys: 1)
    try steps.accept(Newest(1, 1))
    XCTAssertThrowsError(try Self.opened(steps.journal) as Outbox<NewestLast>._StateMachine)
    steps.answer(.answered(.done))
    while steps.isWriting { steps.record() }
    let machine: Outbox<NewestLast>._StateMachine = try Self.opened(steps.journal)
    XCTAssertEqual(machine.pending.count, 0)
  }

  // MARK: Another program

  func testTruncatedJournalIsRewrittenBeforeAnInsertionReturns() async throws {
    for size in [0, 100] {
      let folder = try TemporaryFolder()
      let server = Server<Joined>()
      let first = try await Outbox<Joined>.open(in: folder, to: server, isPaused: true)
      try await first.insert(Joined(1, 1))
      let file = try FileHandle(forWritingTo: folder.file("outbox"))
      try file.truncate(atOffset: UInt64(size))
      try file.close()
      try await first.insert(Joined(2, 2))
      // The copy has the state that a kill at this moment would leave.
      try FileManager.default.copyItem(at: folder.file("outbox"), to: folder.file("copy"))
      await first.close()
      XCTAssertEqual(folder.names.count { $0.hasPrefix("outbox.damaged-") }, size == 0 ? 0 : 1)
      try FileManager.default.removeItem(at: folder.file("outbox"))
      try FileManager.default.moveItem(at: folder.file("copy"), to: folder.file("outbox"))
      let second = try await Outbox<Joined>.open(in: folder, to: server)
      XCTAssertTrue(second.recovery.isIntact)
      try await second.drain()
      let values = await server.values
      XCTAssertEqual(Set(values), [[1], [2]], "\(size) bytes")
      await second.close()
    }
  }
}
