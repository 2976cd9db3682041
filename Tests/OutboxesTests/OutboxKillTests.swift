import Foundation
import Journals
import Outboxes
import PendingChanges
import TestSupport
import Testing

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux) || os(macOS)
  /// Processes with an outbox that are killed one after the other, and a server that outlives them.
  @Suite(.serialized) struct OutboxKillTests {
    /// How many processes are killed; `UNSAVED_KILLS` sets another number.
    private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "") ?? 40

    @Test func whatAKilledProcessHadAcceptedIsSentOnceAndInOrder() async throws {
      let seed = ProcessInfo.processInfo.environment["UNSAVED_MODEL_SEED"].flatMap { UInt64($0) }
      var random = SeededRandom(seed: seed ?? .random(in: .min ... .max))
      print("killed outboxes: \(Self.count) from seed \(random.seed) (UNSAVED_MODEL_SEED repeats one)")
      let stage = try Stage(of: getpid(), isNew: true)
      defer { stage.remove() }
      for round in 1...max(1, Self.count) {
        try stage.order(Order(round: round, seed: random.next(), moment: random.int(in: 0..<500)))
        await #expect(processExitsWith: .signal(SIGKILL)) {
          try await Stage(of: getppid(), isNew: false).actUntilKilled()
        }
        // Sometimes the next process goes on with what is left, and is killed as well.
        guard round == Self.count || random.chance(oneIn: 3) else { continue }
        let complaints = try await stage.complaints()
        #expect(complaints == [], "round \(round), seed \(random.seed)")
        if !complaints.isEmpty { break }
      }
    }
  }

  /// What a process is to do, and when it is to be killed.
  private struct Order: Codable {
    let round: Int
    let seed: UInt64
    /// The system call, or the line of the log, before which it is.
    let moment: Int
  }

  /// The journal, and what the processes and the server write down: a folder that parent and child find by the number
  /// of the parent.
  private struct Stage: Sendable {
    private static let keys = 4
    private let shared: KillFolder

    init(of process: pid_t, isNew: Bool) throws {
      shared = try KillFolder("unsaved-outboxes", of: process, isNew: isNew)
    }

    func remove() { shared.remove() }

    func order(_ order: Order) throws { try shared.give(order) }

    private func outbox(
      _ system: any FileSystem, _ send: @escaping @Sendable (Outbox<Joined>.Entry) async throws -> Outbox<Joined>.Answer
    ) async throws(OutboxError) -> Outbox<Joined> {
      var configuration = Outbox<Joined>.Configuration(journalByteLimit: 2000)
      configuration.backoff = .init(firstDelay: .microseconds(100), longestDelay: .microseconds(400))
      return try await Outbox(
        journal: shared.top.appending(path: "outbox"), configuration: configuration,
        coding: ({ try JSONEncoder().encode($0) }, { try JSONDecoder().decode(Joined.self, from: $0) }),
        clock: ContinuousClock(), system: system, send: send)
    }

    // MARK: In the child

    func actUntilKilled() async throws {
      let order: Order = try shared.order()
      let fuse = Fuse(order.moment)
      let log = try Log(shared.log, fuse)
      let faults = Faults(seed: order.seed)
      let system = ScriptedFileSystem { call, _ in
        // The last writing may be cut off.
        fuse.pass() && call == .append && order.seed % 2 == 0 ? .short(7) : nil
      }
      let outbox = try await outbox(system) { entry in
        // The server has it as soon as it is in the log, whatever the answer.
        let fault = faults.next()
        if fault == 0 { throw Away() }
        // By its contents, since what one process applied no other may refuse.
        if entry.change.values.last! % 5 == 3 { return .refused("no") }
        log.write("sent", entry.id, entry.change)
        if fault == 2 { throw Away() }
        return .done
      }
      await withTaskGroup(of: Void.self) { group in
        for key in 0..<Self.keys {
          group.addTask {
            for step in 0..<200 {
              let change = Joined(key, order.round * 1000 + step)
              log.write("inserting", "-", change)
              if (try? await outbox.insert(change)) != nil { log.write("accepted", "-", change) }
              if step % 20 == 19 { for letter in await outbox.deadLetters { await outbox.requeue(id: letter.id) } }
            }
          }
        }
      }
      kill(getpid(), SIGKILL)
    }

    private struct Away: Error {}

    // MARK: In the parent

    /// What is not as it was promised.
    ///
    /// From then on nothing is left to do, and the log is empty.
    func complaints() async throws -> [String] {
      let log = try Log(shared.log, nil)
      let outbox = try await outbox(PosixFileSystem()) { entry in
        log.write("sent", entry.id, entry.change)
        return .done
      }
      for letter in await outbox.deadLetters { await outbox.requeue(id: letter.id) }
      try await outbox.drain()
      await outbox.close()

      var complaints: [String] = []
      var contents: [String: String] = [:]
      var (inserting, accepted, applied) = ([Int: Set<Int>](), [Int: [Int]](), [Int: [Int]]())
      for line in try String(contentsOf: shared.log, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ").map(String.init)
        // A line that the kill has cut off says nothing.
        guard line.hasSuffix(" ."), words.count == 5, let key = Int(words[2]) else { continue }
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
      if complaints.isEmpty { try Data().write(to: shared.log) }
      return complaints
    }
  }

  /// Lines that are in the file as soon as they are written, whatever becomes of the process.
  private final class Log: @unchecked Sendable {
    private let lock = NSLock()
    private let file: FileHandle
    private let fuse: Fuse?

    init(_ url: URL, _ fuse: Fuse?) throws {
      file = try FileHandle(forWritingTo: url)
      try file.seekToEnd()
      // Should the kill before have cut off a line, it ends here.
      try file.write(contentsOf: Data("\n".utf8))
      self.fuse = fuse
    }

    func write(_ kind: String, _ id: String, _ change: Joined) {
      fuse?.pass()
      let values = change.values.map(String.init).joined(separator: ",")
      lock.withLock { try? file.write(contentsOf: Data("\(kind) \(id) \(change.key) \(values) .\n".utf8)) }
    }
  }

  private final class Faults: @unchecked Sendable {
    private let lock = NSLock()
    private var random: SeededRandom

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    func next() -> Int { lock.withLock { random.int(in: 0..<8) } }
  }
#endif
