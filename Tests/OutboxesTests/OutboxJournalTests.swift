import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// The records of a journal, and how an outbox recovers from them at a start.
final class OutboxJournalTests: XCTestCase {
  private typealias Box = Outbox<Joined>

  // MARK: Records

  func testEachRecordIsReadAsItWasWritten() throws {
    let (id, other) = (_OutboxID(opening: 1, number: 2), _OutboxID(opening: .max, number: 3))
    let failure = _OutboxRecord.Failure(attempts: 7, reason: "wárum")
    let records: [_OutboxRecord] = [
      .change(id, joins: nil, _OutboxContents(Data([1, 2, 3]), key: Data([4, 5]), version: 6)),
      .change(other, joins: id, _OutboxContents(Data())), .left(id), .failed(id, failure),
      .refused(id, failure, takenAs: other), .requeued(other), .type("Größe"), .begun(id),
      .ended(id, interruptions: 3), .ended(other, interruptions: nil), .paused(nil),
      .delayed(other, .init(.seconds(3), from: Date(timeIntervalSince1970: 4))),
      .paused(.init(.seconds(5), from: Date(timeIntervalSince1970: -6))),
    ]
    for record in records {
      var bytes: [UInt8] = []
      record.append(to: &bytes)
      XCTAssertEqual(bytes.count, record.byteCount)
      XCTAssertEqual(try _OutboxRecord(bytes[...]), record)
      // A truncated record is unreadable or a change with shorter contents, which the checksum detects.
      for count in 0..<bytes.count {
        guard let cut = try _OutboxRecord(bytes[..<count]) else { continue }
        if case .type = cut { continue }
        guard case .change = cut else { return XCTFail("\(cut) of \(count) bytes") }
      }
    }
  }

  /// Further attempts are added to the count, and it is written again, so it must not overflow.
  func testHugeAttemptCountsAreClamped() throws {
    var bytes: [UInt8] = []
    _OutboxRecord.failed(_OutboxID(opening: 1, number: 2), .init(attempts: 1, reason: "")).append(to: &bytes)
    bytes.replaceSubrange(17..<21, with: [255, 255, 255, 255])
    guard case .failed(_, let failure) = try _OutboxRecord(bytes[...]) else { return XCTFail("unreadable") }
    XCTAssertEqual(failure.attempts, Int(Int32.max / 2))
  }

  func testLongReasonIsTruncated() {
    let failure = _OutboxRecord.Failure(attempts: 1, reason: String(repeating: "ö", count: 5000))
    XCTAssertEqual(failure.reason, String(repeating: "ö", count: 1000))
    XCTAssertEqual(_OutboxRecord.Failure(attempts: 1, reason: failure.reason), failure)
  }

  func testIDSurvivesARoundTripThroughText() {
    for id in [_OutboxID(opening: 0, number: 0), _OutboxID(opening: .max, number: .max)] {
      XCTAssertEqual(_OutboxID(id.text), id)
      XCTAssertLessThanOrEqual(id.text.utf8.count, 33)
    }
    for text in ["", "-", "1-1", "00000000000000AA-1", "0000000000000001-+1", "0000000000000001-1-1"] {
      XCTAssertNil(_OutboxID(text), text)
    }
  }

  // MARK: Starts

  func testRestartAfterAKillResendsChangesInOrderWithTheirIDs() async throws {
    let folder = try TemporaryFolder()
    let (server, gate) = (Server<Joined>(), Gate())
    await server.answers { _ in
      await gate.pass()
      return .done
    }
    let first = try await Box.open(in: folder, to: server) { $0.parallelKeys = 1 }
    for key in 1...5 { try await first.insert(Joined(key, key)) }
    try await first.insert(Joined(1, 10))
    let before = await first.pending
    // The copy has the state that a kill at this moment would leave.
    try FileManager.default.copyItem(at: folder.file("outbox"), to: folder.file("copy"))
    gate.open()
    try await first.drain()
    await first.close()
    try FileManager.default.moveItem(at: folder.file("copy"), to: folder.file("outbox"))

    let other = Server<Joined>()
    let second = try await Box.open(in: folder, to: other) { $0.parallelKeys = 1 }
    XCTAssertEqual(second.recovery.changeCount, 6)
    XCTAssertTrue(second.recovery.isIntact)
    // It isn't merged with a change that may have been sent.
    try await second.insert(Joined(3, 30))
    try await second.drain()
    let received = await other.received
    // The change that was being sent comes after the others, and the one that waits for it comes last.
    let restored = received.filter { $0.change.values != [30] }
    XCTAssertEqual(restored.map(\.change.values), [[2], [3], [4], [5], [1], [10]])
    XCTAssertEqual(restored.map(\.id).sorted(), before.map(\.id).sorted())
    XCTAssertEqual(received.map(\.attempts), Array(repeating: 1, count: 7))
  }

  func testMergedChangesSurviveARestartAndARewrittenJournal() async throws {
    for limit in [1, 1 << 20] {
      let folder = try TemporaryFolder()
      let server = Server<Joined>()
      let first = try await Box.open(in: folder, to: server, isPaused: true) { $0.journalByteLimit = limit }
      for value in 0..<50 { try await first.insert(Joined(value % 3, value)) }
      let before = await first.pending
      await first.close()
      let second = try await Box.open(in: folder, to: server) { $0.parallelKeys = 1 }
      try await second.drain()
      let received = await server.received
      XCTAssertEqual(received.map(\.change), before.map(\.change))
      XCTAssertEqual(received.map(\.id), before.map(\.id))
    }
  }

  func testIDsStayUniqueAcrossNewJournals() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    for value in 0..<5 {
      let outbox = try await Box.open(in: folder, to: server)
      try await outbox.insert(Joined(1, value))
      try await outbox.drain()
      await outbox.close()
      XCTAssertEqual(folder.names, [])
    }
    let ids = await server.ids
    XCTAssertEqual(Set(ids).count, 5)
  }

  func testMergedChangeThatCannotBeEncodedOrDecodedIsStoredInParts() async throws {
    struct TooMany: Error {}
    @Sendable func checked(_ change: Joined, _ isChecked: Bool) throws -> Joined {
      if isChecked, change.values.count > 1 { throw TooMany() }
      return change
    }
    for isEncoding in [true, false] {
      let folder = try TemporaryFolder()
      let server = Server<Joined>()
      func open() async throws -> Box {
        try await Box(
          journal: folder.file("outbox"), configuration: .init(journalByteLimit: 1),
          coding: (
            { try JSONEncoder().encode(checked($0, isEncoding)) },
            { try checked(JSONDecoder().decode(Joined.self, from: $0), !isEncoding) }
          ),
          send: { try await server.take($0) })
      }
      let first = try await open()
      await first.pause()
      for value in 0..<40 { try await first.insert(Joined(1, value)) }
      let before = await first.pending
      await first.close()
      let second = try await open()
      try await second.drain()
      let received = await server.received
      XCTAssertEqual(received.map(\.change.values), [Array(0..<40)])
      XCTAssertEqual(received.map(\.id), before.map(\.id))
    }
  }

  // MARK: The cost of an insertion

  func testInsertionWrites57Or73BytesBesidesItsContentsAndItsKey() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true)
    // The internal checks visit all waiting changes at each insertion.
    #if InternalChecks
      let tasks = 5
    #else
      let tasks = 100
    #endif
    await withTaskGroup(of: Void.self) { group in
      for task in 0..<tasks {
        group.addTask { for key in 0..<100 { _ = try? await outbox.insert(Joined(100 * task + key, 1)) } }
      }
    }
    expectEqual(await outbox.pending.count, 100 * tasks)
    for key in [1, 5000, 20_000] {
      let change = Joined(key, 2)
      let before = await outbox.journalCounts
      try await outbox.insert(change)
      let after = await outbox.journalCounts
      XCTAssertEqual(after.groups - before.groups, 1)
      let contents = try JSONEncoder().encode(change).count + JSONEncoder().encode(key).count
      XCTAssertEqual(after.bytes - before.bytes - contents, key < 100 * tasks ? 73 : 57)
    }
    let contents = try JournalContents<_OutboxRecord>(Array(Data(contentsOf: folder.file("outbox"))))
    let counts = await outbox.journalCounts
    XCTAssertEqual(contents.records.reduce(0) { $0 + $1.byteCount }, counts.bytes)
  }

  func testInsertionsDuringAWriteFormOneGroup() throws {
    var (machine, write) = try Box.machine(.init(), opening: 1, contents: XCTUnwrap(JournalBytes().contents))
    var groups = 0
    func take(_ actions: [Box._StateMachine.Action]) {
      for case .record(let next) in actions {
        groups += next.isSynchronized ? 1 : 0
        write = next
      }
    }
    take(machine.pause())
    take(machine.finishWrite(error: nil))
    for value in 0..<64 {
      let change = Joined(value % 7, value)
      take(try machine.insert(change, contents: .of(change), ticket: value))
    }
    take(machine.finishWrite(error: nil))
    XCTAssertEqual(write?.records.count, 63)
    take(machine.finishWrite(error: nil))
    XCTAssertEqual(groups, 2)
    XCTAssertEqual(machine.pending.count, 7)
  }

  // MARK: Limits

  /// A writer records only the newest save of a file, but each change of a key counts here.
  func testChangesOfOneKeyFillAWriteLikeThoseOfSeveral() throws {
    var counts: Set<Int> = []
    for limit in stride(from: 10, to: 400, by: 10) {
      let recorded = try [2, 3].map { key in
        var steps = try Steps<Joined>(parallelKeys: 1) { $0.journalByteLimit = limit }
        for (ticket, key) in [1, 2, key].enumerated() { try steps.insert(Joined(key, ticket), ticket: ticket) }
        for _ in 0..<2 { steps.record() }
        return steps.results.count
      }
      XCTAssertEqual(recorded[0], recorded[1], "\(limit)")
      counts.insert(recorded[0])
    }
    XCTAssertEqual(counts, [2, 3])
  }

  func testInsertionBeyondTheByteLimitIsRefusedUntilChangesAreSent() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true) { $0.waitingByteLimit = 200 }
    try await outbox.insert(Joined(1, 1))
    try await outbox.insert(Joined(2, 2))
    expectEqual(await outboxError { try await outbox.insert(Joined(3, 3)) }?.reason, .full)
    await outbox.resume()
    try await outbox.drain()
    // A change above the limit is accepted if nothing else waits.
    try await outbox.insert(Joined(key: 3, values: Array(0..<1000)))
    try await outbox.drain()
    // The two changes have different keys, so either may be sent first.
    let values = await server.values.sorted { ($0.count, $0[0]) < ($1.count, $1[0]) }
    expectEqual(values, [[1], [2], Array(0..<1000)])
  }

  func testChangeThatCannotBeEncodedIsNotAccepted() async throws {
    struct Measure: PendingChange, Codable {
      let key: Int
      let value: Double
    }
    let folder = try TemporaryFolder()
    let outbox = try await Outbox<Measure>(journal: folder.file("outbox")) { _ in .done }
    let error = await outboxError { try await outbox.insert(Measure(key: 1, value: .nan)) }
    XCTAssertEqual(error?.path, folder.file("outbox").path)
    XCTAssertEqual(error?.reason.description.hasPrefix("the change cannot be recorded"), true)
    XCTAssertEqual(error?.reason.description.contains("nan"), false, "an error has nothing of the contents")
    try await outbox.insert(Measure(key: 1, value: 1))
    try await outbox.drain()
  }

  // MARK: Refusals

  func testSecondOutboxCannotOpenTheJournal() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server)
    let error = await outboxError { _ = try await Box.open(in: folder, to: server) }
    XCTAssertEqual(error, OutboxError(path: folder.file("outbox").path, reason: .inUse))
    await outbox.close()
    _ = try await Box.open(in: folder, to: server)
  }

  func testInvalidJournalURLIsRefused() async throws {
    let urls = [
      "https://example.com/outbox", "file://elsewhere/outbox", "file:///", "file:///tmp/", "file:///tmp/a%00b",
    ].compactMap(URL.init)
    XCTAssertEqual(urls.count, 5)
    for url in urls {
      expectEqual(await outboxError { _ = try await Box(journal: url) { _ in .done } }?.reason, .invalidPath, "\(url)")
    }
    let missing = URL(filePath: "/tmp/\(UUID())/outbox")
    let error = await outboxError { _ = try await Box(journal: missing) { _ in .done } }
    XCTAssertEqual(error?.reason, .noSuchFolder)
    XCTAssertEqual(error?.path, missing.path)
    XCTAssertEqual(error?.code, ENOENT)
  }

  /// A journal is rewritten as a new file, which can't take the name of a mounted one.
  func testMountedJournalIsRefused() async throws {
    let folder = try TemporaryFolder()
    try folder.put(JournalHeader(writer: 1, identity: 2).bytes, "outbox")
    let system = ScriptedFileSystem { call, _ in call == .moveFile ? .failure(EBUSY) : nil }
    let error = await outboxError {
      let outbox = try await Box.open(in: folder, to: Server<Joined>(), system: system)
      try await outbox.insert(Joined(1, 1))
    }
    XCTAssertTrue(error?.description.contains("the journal is mounted") ?? false, "\(error?.description ?? "")")
  }

  func testRemovedFolderRefusesInsertionsUntilItIsBack() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let outbox = try await Box.open(in: folder, to: server, isPaused: true)
    try await outbox.insert(Joined(1, 1))
    try FileManager.default.removeItem(at: folder.url)
    expectEqual(await outboxError { try await outbox.insert(Joined(2, 2)) }?.reason, .noSuchFolder)
    try FileManager.default.createDirectory(at: folder.url, withIntermediateDirectories: false)
    try await outbox.insert(Joined(3, 3))
    // The new journal also has the change that was accepted before.
    let copy = try folder.copy()
    let next = try await Box.open(in: copy, to: server)
    try await next.drain()
    expectEqual(await server.values.sorted { $0[0] < $1[0] }, [[1], [3]])
    await next.close()
    await outbox.close()
  }

  func testJournalOfAnotherKindIsRefusedAndNotChanged() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    // The record of a file writer.
    var bytes = JournalHeader(writer: 1, identity: 2).bytes
    JournalRecord(sequence: 1, body: Foreign()).append(to: &bytes, identity: 2)
    try folder.put(bytes, "outbox")
    expectEqual(await outboxError { _ = try await Box.open(in: folder, to: server) }?.reason, .newerJournal)
    XCTAssertEqual(try Data(contentsOf: folder.file("outbox")), Data(bytes))
  }

  func testFailedDecodingDoesNotChangeTheJournal() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let first = try await Box.open(in: folder, to: server, isPaused: true)
    try await first.insert(Joined(1, 1))
    await first.close()
    let before = try Data(contentsOf: folder.file("outbox"))
    struct Other: PendingChange, Codable {
      let key: String
    }
    let error = await outboxError {
      let configuration = Outbox<Other>.Configuration(typeName: "Joined")
      _ = try await Outbox<Other>(journal: folder.file("outbox"), configuration: configuration) { _ in .done }
    }
    XCTAssertEqual(error?.path, folder.file("outbox").path)
    XCTAssertEqual(error?.reason.description.hasPrefix("a change in the journal cannot be decoded"), true)
    XCTAssertEqual(try Data(contentsOf: folder.file("outbox")), before)
    let second = try await Box.open(in: folder, to: server)
    try await second.drain()
    expectEqual(await server.values, [[1]])
  }

  func testDamagedJournalIsMovedAsideAndReported() async throws {
    let folder = try TemporaryFolder()
    let server = Server<Joined>()
    let first = try await Box.open(in: folder, to: server, isPaused: true)
    for key in 0..<3 { try await first.insert(Joined(key, key)) }
    await first.close()
    var bytes = try Data(contentsOf: folder.file("outbox"))
    bytes[JournalHeader.byteCount + 60] ^= 1
    try folder.put(bytes, "outbox")
    let second = try await Box.open(in: folder, to: server)
    XCTAssertFalse(second.recovery.isIntact)
    XCTAssertEqual(second.recovery.changeCount, 2)
    let kept = try XCTUnwrap(second.recovery.setAside)
    XCTAssertEqual(try Data(contentsOf: kept), bytes)
    try await second.drain()
    expectEqual(await server.values.sorted { $0[0] < $1[0] }, [[1], [2]])
    await second.close()
    XCTAssertEqual(folder.names, [kept.lastPathComponent])
  }

  private struct Foreign: JournalBody {
    var byteCount: Int { 1 }
    init() {}
    init?(_ payload: ArraySlice<UInt8>) throws(JournalRefusal) {}
    func append(to bytes: inout [UInt8]) { bytes.append(1) }
  }
}
