import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Processes with an outbox are killed one after another, while the server's log survives them.
  @Suite(.serialized) struct OutboxKillTests {
    @Test func changesAcceptedBeforeAKillAreSentOnceAndInOrder() async throws {
      let folder = try TemporaryFolder(isInMemory: true)
      let stage = Stage(top: folder.url)
      let complaints = try await complaintsAfterKills(40) { round, isChecked, random in
        let order = Order(round: round, seed: random.next(), moment: random.int(in: 0..<500))
        await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage, order = order as Order] in
          try await stage.actUntilKilled(order)
        }
        return isChecked ? try await stage.complaints() : []
      }
      #expect(complaints == [])
    }
  }

  /// The work of a process, and the moment when it is killed.
  private struct Order: Codable {
    let round: Int
    let seed: UInt64
    /// The number of system calls and log lines after which the process is killed.
    let moment: Int
  }

  /// The folder with the journal, and with the log of the processes and the server.
  private struct Stage: Codable, Sendable {
    private static let keys = 4
    let top: URL
    private var log: URL { top.appending(path: "log") }

    /// - Parameters:
    ///   - version: The version of the app.
    ///   - readsAll: Whether it can decode all changes of other versions.
    private func outbox(
      _ system: any FileSystem, version: Int = 0, readsAll: Bool = true, startsPaused: Bool = false,
      _ send: @escaping @Sendable (Outbox<Joined>.Entry) async throws -> Outbox<Joined>.Answer
    ) async throws(OutboxError) -> Outbox<Joined> {
      // A failure may have been applied, and is merged with a newer change under another ID.
      var configuration = Outbox<Joined>.Configuration(
        maximumInterruptions: .max, sendTimeout: .seconds(60), journalByteLimit: 2000)
      configuration.startsPaused = startsPaused
      configuration.backoff = .init(firstDelay: .microseconds(100), longestDelay: .microseconds(400))
      return try await Outbox(
        journal: top.appending(path: "outbox"), configuration: configuration,
        coding: .init(version: version) { contents, _ in
          let change = try JSONDecoder().decode(Joined.self, from: contents)
          if !readsAll, change.values.contains(where: { $0 % 7 == 0 }) { throw Away() }
          return change
        },
        clock: ContinuousClock(), system: system, send: send)
    }

    // MARK: In the child

    func actUntilKilled(_ order: Order) async throws {
      let fuse = Fuse(order.moment)
      let log = try KillLog(log, fuse)
      let faults = Faults(seed: order.seed)
      let system = ScriptedFileSystem { call, _ in
        // The last write may be short.
        fuse.pass() && call == .append && order.seed % 2 == 0 ? .short(7) : nil
      }
      let outbox = try await outbox(
        system, version: order.round % 3, readsAll: order.seed % 3 > 0, startsPaused: order.seed % 4 == 0
      ) { entry in
        // The server has received the change as soon as it is in the log, whatever it answers.
        let fault = faults.next()
        switch fault {
        case 0: throw Away()
        case 1: return .retry(after: .microseconds(200))
        case 3: return .pauseAll(for: .microseconds(200))
        default: break
        }
        // The contents decide, because no process may refuse a change that another one has applied.
        if entry.change.values.last! % 5 == 3 { return .refused("no") }
        log.write("sent \(entry.id) \(line(entry.change))")
        if fault == 2 { throw Away() }
        return .done
      }
      await withTaskGroup(of: Void.self) { group in
        for key in 0..<Self.keys {
          group.addTask {
            for step in 0..<200 {
              let change = Joined(key, order.round * 1000 + step)
              log.write("inserting - \(line(change))")
              if (try? await outbox.insert(change)) != nil { log.write("accepted - \(line(change))") }
              if step % 20 == 5 { await outbox.resume() }
              if step % 20 == 19 { for failure in await outbox.failures { await outbox.requeue(id: failure.id) } }
            }
          }
        }
      }
      kill(getpid(), SIGKILL)
    }

    private struct Away: Error {}

    private func line(_ change: Joined) -> String {
      "\(change.key) \(change.values.map(String.init).joined(separator: ","))"
    }

    // MARK: In the parent

    /// Finishes the work, and returns the violations of the outbox's guarantees.
    ///
    /// If there are none, the log is empty afterwards.
    func complaints() async throws -> [String] {
      let notes = try KillLog(log)
      let outbox = try await outbox(PosixFileSystem()) { entry in
        notes.write("sent \(entry.id) \(line(entry.change))")
        return .done
      }
      for failure in await outbox.failures { await outbox.requeue(id: failure.id) }
      try await outbox.drain()
      await outbox.close()

      var complaints: [String] = []
      var contents: [String: String] = [:]
      var (inserting, accepted, applied) = ([Int: Set<Int>](), [Int: [Int]](), [Int: [Int]]())
      for line in try KillLog.lines(of: log) {
        let words = line.split(separator: " ").map(String.init)
        guard words.count == 4, let key = Int(words[2]) else { continue }
        let values = words[3].split(separator: ",").compactMap { Int($0) }
        switch words[0] {
        case "inserting": inserting[key, default: []].formUnion(values)
        case "accepted": accepted[key, default: []] += values
        default:
          guard let before = contents.updateValue(words[3], forKey: words[1]) else {
            applied[key, default: []] += values
            continue
          }
          if before != words[3] { complaints.append("\(words[1]) was \(before), and then \(words[3])") }
        }
      }
      for key in 0..<Self.keys {
        let sent = applied[key] ?? []
        let lost = Set(accepted[key] ?? []).subtracting(sent)
        if !lost.isEmpty { complaints.append("lost of \(key): \(lost.sorted())") }
        if sent != Set(sent).sorted() { complaints.append("\(key) was sent \(sent)") }
        let strange = Set(sent).subtracting(inserting[key] ?? [])
        if !strange.isEmpty { complaints.append("never inserted: \(strange)") }
      }
      if complaints.isEmpty { try Data().write(to: log) }
      return complaints
    }
  }

  private final class Faults: @unchecked Sendable {
    private let lock = NSLock()
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func next() -> Int { lock.withLock { random.int(in: 0..<8) } }
  }
#endif
