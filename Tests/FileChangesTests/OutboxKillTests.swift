import FileChanges
import Foundation
import Journals
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
  /// An outbox whose changes merge by the policy of their type, in processes that are killed one after the other.
  @Suite(.serialized) struct OutboxKillTests {
    /// How many processes are killed; `UNSAVED_KILLS` sets another number.
    private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "") ?? 60

    @Test func noFieldThatWasAcceptedIsLostOrSentAfterANewerOne() async throws {
      let seed = ProcessInfo.processInfo.environment["UNSAVED_MODEL_SEED"].flatMap { UInt64($0) }
      var random = SeededRandom(seed: seed ?? .random(in: .min ... .max))
      print("killed outboxes: \(Self.count) from seed \(random.seed) (UNSAVED_MODEL_SEED repeats one)")
      let stage = try Stage(of: getpid(), isNew: true)
      defer { stage.remove() }
      for round in 1...max(1, Self.count) {
        try stage.order(Order(round: round, seed: random.next(), moment: random.int(in: 0..<400)))
        await #expect(processExitsWith: .signal(SIGKILL)) {
          try Stage(of: getppid(), isNew: false).actUntilKilled()
        }
        let complaints = try stage.complaints()
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

  /// Some fields of a record, as a PATCH has them.
  private struct Patch: PendingChange, Codable {
    static let fieldNames = ["name", "email", "town", "note"]

    let key: Int
    var fields: [String: Int]

    static var policy: PendingChangeQueue<Patch>.Policy { .merge { waiting, new in waiting.followed(by: new) } }

    func followed(by newer: Patch) -> Patch {
      Patch(key: key, fields: fields.merging(newer.fields) { _, newer in newer })
    }
  }

  /// The queue in a file, as in the article about an outbox of requests.
  private struct Outbox {
    private(set) var queue: PendingChangeQueue<Patch>
    private let file: FileChange.Path
    private let system: any FileSystem

    init(_ url: URL, in system: any FileSystem) throws {
      file = FileChange.Path(url)
      self.system = system
      queue = try Self.read(url)
    }

    static func read(_ url: URL) throws -> PendingChangeQueue<Patch> {
      FileManager.default.fileExists(atPath: url.path)
        ? try JSONDecoder().decode(PendingChangeQueue.self, from: Data(contentsOf: url)) : PendingChangeQueue()
    }

    mutating func submit(_ patch: Patch) throws {
      let refused = queue.deadLetters.filter { $0.key == patch.key }
      queue.insert(contentsOf: refused.compactMap { queue.remove(id: $0.id)?.change } + [patch])
      try save()
    }

    mutating func begin() throws -> PendingChangeQueue<Patch>.Entry? {
      let entry = queue.begin()
      try save()
      return entry
    }

    mutating func complete(_ id: PendingChangeID) throws {
      queue.complete(id)
      try save()
    }

    /// - Parameter retry: Nil where the change is given back.
    mutating func fail(_ id: PendingChangeID, retry: PendingChangeQueue<Patch>.Retry?) throws {
      let outcome = retry.map { queue.fail(id, retry: $0) } ?? queue.giveBack(id)
      // A dead letter goes below what was submitted meanwhile.
      if case .deadLetter(let letter) = outcome, queue.newest(for: letter.key) != nil {
        queue.remove(id: id)
        queue.insert(letter.change, policy: .merge { newer, refused in refused.followed(by: newer) })
      }
      try save()
    }

    mutating func retry() throws {
      for letter in queue.deadLetters { queue.requeue(letter.id) }
      try save()
    }

    private func save() throws {
      try FileChange.write(JSONEncoder().encode(queue), to: file)
        .apply(options: FileChange.Options(), in: system)
    }
  }

  /// The file of the outbox, and what the processes tell each other: a folder that parent and child find by the number
  /// of the parent.
  private struct Stage: Sendable {
    private let shared: KillFolder
    private var outbox: URL { shared.top.appending(path: "outbox") }
    private var log: URL { shared.log }

    init(of process: pid_t, isNew: Bool) throws {
      shared = try KillFolder("unsaved-outbox-kills", of: process, isNew: isNew)
    }

    func remove() { shared.remove() }

    func order(_ order: Order) throws { try shared.give(order) }

    // MARK: In the child

    func actUntilKilled() throws {
      let order: Order = try shared.order()
      var random = SeededRandom(seed: order.seed)
      let fuse = Fuse(order.moment)
      let file = try FileHandle(forWritingTo: log)
      try file.seekToEnd()
      func note(_ kind: String, _ patch: Patch) {
        fuse.pass()
        let fields = patch.fields.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
        try? file.write(contentsOf: Data("\(kind) \(patch.key) \(fields) .\n".utf8))
      }
      let system = ScriptedFileSystem { _, _ in
        fuse.pass()
        return nil
      }
      var outbox = try Outbox(outbox, in: system)
      var begun: PendingChangeQueue<Patch>.Entry?
      for step in 0..<1000 {
        switch random.int(in: 0..<9) {
        case 0..<5:
          let names = Patch.fieldNames.shuffled(using: &random).prefix(2)
          let values = names.map { ($0, order.round * 1000 + step) }
          let patch = Patch(key: random.int(in: 0..<4), fields: Dictionary(uniqueKeysWithValues: values))
          note("submitted", patch)
          try outbox.submit(patch)
          note("accepted", patch)
        case 5..<8:
          guard let entry = begun else {
            begun = try outbox.begin()
            continue
          }
          begun = nil
          switch random.int(in: 0..<7) {
          case 0: try outbox.fail(entry.id, retry: .always)
          case 1: try outbox.fail(entry.id, retry: nil)
          case 2, 3: try outbox.fail(entry.id, retry: .never)
          default:
            note("sent", entry.change)
            try outbox.complete(entry.id)
          }
        default: try outbox.retry()
        }
      }
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// What is not as it was promised.
    ///
    /// From then on the log has only what the next round needs.
    func complaints() throws -> [String] {
      var submitted = Ledger()
      var accepted = Ledger()
      var sent = Ledger()
      var complaints: [String] = []
      for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
        let words = line.split(separator: " ").dropLast().map(String.init)
        guard line.hasSuffix(" ."), words.count >= 2, let key = Int(words[1]) else {
          complaints.append("\(line) is not a line")
          continue
        }
        for (name, value) in words[2...].map({ $0.split(separator: "=") }).map({ (String($0[0]), Int($0[1]) ?? 0) }) {
          let field = Field(key: key, name: name)
          switch words[0] {
          case "submitted": submitted[field, default: []].append(value)
          case "accepted": accepted[field, default: []].append(value)
          default:
            if let last = sent[field]?.last, value < last { complaints.append("\(line): \(name) was \(last) before") }
            sent[field, default: []].append(value)
          }
        }
      }
      let queue = try Outbox.read(outbox)
      let pending = queue.deadLetters + queue.waiting
      var lines = ""
      for (field, values) in submitted {
        let ofField = pending.filter { $0.key == field.key }.sorted { $0.id < $1.id }
          .compactMap { $0.change.fields[field.name] }
        // A killed process may have sent what it had not completed yet.
        let arriving = (sent[field] ?? []).suffix(1) + ofField
        if zip(ofField, ofField.dropFirst()).contains(where: >) {
          complaints.append("\(field): \(ofField) are pending")
        }
        let newest = arriving.max() ?? 0
        let due = accepted[field]?.last ?? 0
        if newest < due { complaints.append("\(field): \(due) was accepted, \(newest) is the newest that there is") }
        if newest > 0, !values.contains(newest) { complaints.append("\(field): \(newest) was never submitted") }
        let known = [("submitted", newest), ("accepted", due), ("sent", sent[field]?.last ?? 0)]
        for (kind, value) in known where value > 0 { lines += "\(kind) \(field.key) \(field.name)=\(value) .\n" }
      }
      if complaints.isEmpty { try Data(lines.utf8).write(to: log) }
      return complaints
    }

    private struct Field: Hashable {
      let key: Int
      let name: String
    }

    private typealias Ledger = [Field: [Int]]
  }
#endif
