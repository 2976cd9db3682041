import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import XCTest

/// The power fails at any moment, and the device keeps any part of the writes that were not synchronized.
final class OutboxPowerFailureTests: XCTestCase {
  func testPowerFailureLosesNoAcceptedChangeAndAppliesNoneTwice() async throws {
    try await withSeeds(6) { random in
      let folder = try TemporaryFolder(isInMemory: true)
      let system = ScriptedFileSystem(isRecording: true)
      let server = RememberingServer(seed: random.next()) { system.device.effects.count }
      let outbox = try await Self.open(folder, system, server)
      var accepted: [(effects: Int, change: Joined)] = []
      for value in 1...40 {
        let change = Joined(random.int(in: 0..<3), value)
        try await outbox.insert(change)
        accepted.append((system.device.effects.count, change))
        if random.chance(oneIn: 3) { await outbox.resume() }
      }
      // An attempt that fails later would wait for a clock that stands still.
      _ = await outbox.state { $0.sendingCount == 0 }
      server.takeEverything()
      try await outbox.drain()
      await outbox.close()
      for _ in 0..<25 {
        let count = random.int(in: 0..<system.device.effects.count + 1)
        try await Self.check(
          system.device.files(after: count, using: &random)["outbox"], server.restarted(after: count),
          accepted.filter { $0.effects <= count }.map(\.change), "after \(count)")
      }
    }
  }

  private static func check(
    _ bytes: [UInt8]?, _ server: RememberingServer, _ accepted: [Joined], _ name: String
  ) async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    if let bytes {
      try folder.put(bytes, "outbox")
    }
    let outbox = try await Self.open(folder, PosixFileSystem(), server)
    expect(outbox.recovery.setAside == nil, "\(name): the journal counts as damaged")
    // New changes are appended, and aren't merged with changes that were sent.
    for key in 0..<3 { try await outbox.insert(Joined(key, 1000)) }
    try await outbox.drain()
    await outbox.close()
    for (key, values) in server.applied {
      expectEqual(values, Set(values).sorted(), "\(name): not applied once and in order")
      let due = accepted.filter { $0.key == key }.flatMap(\.values)
      expect(Set(due).isSubset(of: values), "\(name): \(due) were accepted, and \(values) applied")
    }
    expectEqual(server.changedIDs, [], "\(name): an ID was sent with different contents")
  }

  private static func open(
    _ folder: TemporaryFolder, _ system: any FileSystem, _ server: RememberingServer
  ) async throws(OutboxError) -> Outbox<Joined> {
    try await Outbox(
      journal: folder.file("outbox"), configuration: .init(journalByteLimit: 700),
      coding: .json(),
      clock: ManualClock(), random: SeededRandom(seed: 1), system: system
    ) { entry in try server.take(entry) }
  }
}

/// A server that remembers its requests and their times, and sometimes fails after it has applied a change.
private final class RememberingServer: @unchecked Sendable {
  struct Away: Error {}

  private let lock = NSLock()
  private let moment: @Sendable () -> Int
  private var random: SeededRandom?
  private var requests: [(moment: Int, id: String, change: Joined)] = []

  /// - Parameter seed: The seed of the answers. Without one, the server accepts everything.
  init(seed: UInt64?, moment: @escaping @Sendable () -> Int) {
    random = seed.map { SeededRandom(seed: $0) }
    self.moment = moment
  }

  func takeEverything() { lock.withLock { random = nil } }

  func take(_ entry: Outbox<Joined>.Entry) throws -> Outbox<Joined>.Answer {
    let moment = moment()
    return try lock.withLock {
      requests.append((moment, entry.id, entry.change))
      if random?.chance(oneIn: 4) ?? false { throw Away() }
      return .done
    }
  }

  /// The server as it was at a moment.
  ///
  /// It doesn't fail from then on.
  func restarted(after moment: Int) -> RememberingServer {
    let other = RememberingServer(seed: nil) { 0 }
    other.requests = lock.withLock { requests.filter { $0.moment <= moment } }
    return other
  }

  /// The values applied for each key, counting each ID once.
  var applied: [Int: [Int]] {
    lock.withLock {
      var ids: Set<String> = []
      return requests.reduce(into: [:]) { applied, request in
        if ids.insert(request.id).inserted { applied[request.change.key, default: []] += request.change.values }
      }
    }
  }

  /// The IDs that arrived with different contents.
  var changedIDs: [String] {
    lock.withLock {
      var contents: [String: Joined] = [:]
      return requests.compactMap { request in
        contents.updateValue(request.change, forKey: request.id).map { $0 == request.change } ?? true ? nil : request.id
      }
    }
  }
}
