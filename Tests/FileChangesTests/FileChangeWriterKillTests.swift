import FileChanges
import Foundation
import Journals
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
  /// Processes that are killed in the middle of their writing, one after the other on the same files.
  @Suite(.serialized) struct FileChangeWriterKillTests {
    /// How many processes are killed; `UNSAVED_KILLS` sets another number.
    private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "") ?? usualCount

    // Where the variant makes no difference to the kernel, a few are enough.
    #if DEBUG && !InternalChecks
      private static let usualCount = 200
    #else
      private static let usualCount = 40
    #endif

    @Test func whatAKilledProcessHadAcknowledgedIsOnDisk() async throws {
      var random = SeededRandom(seed: .random(in: .min ... .max))
      print("killed processes: \(Self.count) from seed \(random.seed)")
      let stage = try Stage(of: getpid(), isNew: true)
      defer { stage.remove() }
      for round in 1...max(1, Self.count) {
        try stage.order(Order(round: round, call: random.int(in: 0..<700), tears: random.chance(oneIn: 2)))
        await #expect(processExitsWith: .signal(SIGKILL)) {
          try await Stage(of: getppid(), isNew: false).actUntilKilled()
        }
        // Sometimes the next process recovers, and is killed while it does.
        guard round == Self.count || random.chance(oneIn: 3) else { continue }
        let writer = try await stage.writer(PosixFileSystem())
        try await writer.shutdown()
        let complaints = try stage.complaints()
        #expect(complaints == [], "round \(round), seed \(random.seed)")
        if !complaints.isEmpty { break }
      }
    }
  }

  /// When a process is to be killed.
  private struct Order: Codable {
    let round: Int
    /// The system call at which it is.
    let call: Int
    /// Whether it writes a few bytes there before, if it is a writing.
    let tears: Bool
  }

  /// The files that the processes write, and what they tell each other: a folder that parent and child find by the
  /// number of the parent.
  private struct Stage: Sendable {
    private static let tasks = 4
    private let shared: KillFolder
    private var folder: URL { shared.top.appending(path: "files") }
    private var log: URL { shared.log }

    init(of process: pid_t, isNew: Bool) throws {
      shared = try KillFolder("unsaved-kills", of: process, isNew: isNew)
      if isNew { try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true) }
    }

    func remove() { shared.remove() }

    func order(_ order: Order) throws { try shared.give(order) }

    func writer(_ system: any FileSystem) async throws(FileChangeError) -> FileChangeWriter {
      var configuration = FileChangeWriter.Configuration()
      configuration.journalByteLimit = 20_000
      return try await FileChangeWriter(
        journal: FileChange.Path(folder.appending(path: "journal")), configuration: configuration,
        clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    }

    // MARK: In the child

    func actUntilKilled() async throws {
      let order: Order = try shared.order()
      let system = ScriptedFileSystem { call, number in
        if number == order.call, order.tears, [.append, .overwrite].contains(call) { return .short(7) }
        if number >= order.call { kill(getpid(), SIGKILL) }
        return nil
      }
      let log = try FileHandle(forWritingTo: log)
      try log.seekToEnd()
      // Should the kill before have cut off a line, it ends here.
      try log.write(contentsOf: Data("\n".utf8))
      let notes = Notes(log)
      let writer = try await writer(system)
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<Self.tasks {
          group.addTask {
            for step in 0..<25 {
              // Two at a time, of which either may be the last.
              let pair = [0, 1].map { Note(task: task, number: order.round * 100 + 2 * step + $0) }
              for note in pair { notes.write("s", note) }
              async let first = try? writer.submit(pair[0].change(in: folder))
              async let second = try? writer.submit(pair[1].change(in: folder))
              if await first != nil { notes.write("a", pair[0]) }
              if await second != nil { notes.write("a", pair[1]) }
            }
          }
        }
      }
      try? await writer.flush()
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// What is not as it was promised.
    ///
    /// From then on what was found is what was promised.
    func complaints() throws -> [String] {
      var allowed: [String: [Note?]] = [:]
      for line in try String(contentsOf: log, encoding: .utf8).split(separator: "\n") {
        let fields = line.split(separator: " ").compactMap { Int($0) }
        // A line that the kill has cut off says nothing.
        guard fields.count == 2, line.hasSuffix(" .") else { continue }
        let note = Note(task: fields[0], number: fields[1])
        if line.hasPrefix("a") {
          // A later pair can have been submitted only after one of these was acknowledged.
          allowed[note.name]?.removeAll { $0?.pair != note.pair }
        } else {
          allowed[note.name, default: [nil]].append(note)
        }
      }
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      var complaints = names.filter { allowed[$0] == nil }.map { "\($0) was left behind" }
      var lines = ""
      for (name, notes) in allowed {
        let found = try? Data(contentsOf: folder.appending(path: name))
        if let note = notes.first(where: { $0?.contents == found }) {
          if let note { lines += "s \(note.task) \(note.number) .\na \(note.task) \(note.number) .\n" }
        } else {
          let text = found.map { String(decoding: $0.prefix(20), as: UTF8.self) } ?? "nothing"
          complaints.append("\(name) holds \(text) and not \(notes.map { $0?.number ?? 0 })")
        }
      }
      try Data(lines.utf8).write(to: log)
      return complaints
    }
  }

  /// One change: each task has three files of its own.
  private struct Note {
    let task: Int
    let number: Int

    /// The number of the two changes that are submitted together.
    var pair: Int { number / 2 }

    var name: String { "\(task)-\(pair % 3)" }

    /// Nil when the file is removed.
    var contents: Data? {
      number % 7 == 6 ? nil : Data("\(number) ".utf8) + Data(repeating: UInt8(number % 256), count: number * 37 % 3000)
    }

    func change(in folder: URL) -> FileChange {
      let path = FileChange.Path(folder.appending(path: name))
      return contents.map { .write($0, to: path) } ?? .remove(path)
    }
  }

  /// Lines that are in the file as soon as they are written, whatever becomes of the process.
  private final class Notes: @unchecked Sendable {
    private let lock = NSLock()
    private let file: FileHandle

    init(_ file: FileHandle) { self.file = file }

    func write(_ kind: String, _ note: Note) {
      lock.withLock { try? file.write(contentsOf: Data("\(kind) \(note.task) \(note.number) .\n".utf8)) }
    }
  }
#endif
