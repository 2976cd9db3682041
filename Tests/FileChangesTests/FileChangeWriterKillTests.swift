import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Kills one process after another in the middle of their writes, on the same files.
  @Suite(.serialized) struct FileChangeWriterKillTests {
    // The other variants make no difference to the kernel, so a few kills are enough.
    #if DEBUG && !InternalChecks
      private static let usualCount = 200
    #else
      private static let usualCount = 40
    #endif

    @Test func acknowledgedChangesOfAKilledProcessAreOnDisk() async throws {
      let folder = try TemporaryFolder(isInMemory: true)
      let stage = try Stage(top: folder.url)
      let complaints = try await complaintsAfterKills(Self.usualCount) { round, isChecked, random in
        let order = Order(round: round, call: random.int(in: 0..<700), tears: random.chance(oneIn: 2))
        await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage, order = order as Order] in
          try await stage.actUntilKilled(order)
        }
        guard isChecked else { return [] }
        try await stage.writer(PosixFileSystem()).close()
        return try stage.complaints()
      }
      #expect(complaints == [])
    }
  }

  /// When a process is to be killed.
  private struct Order: Codable {
    let round: Int
    /// The number of the system call at which the process is killed.
    let call: Int
    /// Whether the process writes a few bytes before, if the call is a write.
    let tears: Bool
  }

  /// The files that the processes write, and the log of their submissions and acknowledgements.
  private struct Stage: Codable, Sendable {
    private static let tasks = 4
    let top: URL
    private var folder: URL { top.appending(path: "files") }
    private var log: URL { top.appending(path: "log") }

    init(top: URL) throws {
      self.top = top
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    func writer(_ system: any FileSystem) async throws(FileChangeError) -> FileChangeWriter {
      var configuration = FileChangeWriter.Configuration()
      configuration.journalByteLimit = 20_000
      return try await FileChangeWriter(
        journal: FileChange.Path(folder.appending(path: "journal")), configuration: configuration,
        clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    }

    // MARK: In the child

    func actUntilKilled(_ order: Order) async throws {
      let system = ScriptedFileSystem { call, number in
        if number == order.call, order.tears, [.append, .overwrite].contains(call) { return .short(7) }
        if number >= order.call { kill(getpid(), SIGKILL) }
        return nil
      }
      let log = try KillLog(log)
      let writer = try await writer(system)
      await withTaskGroup(of: Void.self) { group in
        for task in 0..<Self.tasks {
          group.addTask {
            for step in 0..<25 {
              // Two changes at a time, either of which may be the last.
              let pair = [0, 1].map { Note(task: task, number: order.round * 100 + 2 * step + $0) }
              for note in pair { log.write("s \(note)") }
              async let first = try? writer.submit(pair[0].change(in: folder))
              async let second = try? writer.submit(pair[1].change(in: folder))
              if await first != nil { log.write("a \(pair[0])") }
              if await second != nil { log.write("a \(pair[1])") }
            }
          }
        }
      }
      try? await writer.flush()
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// The broken promises.
    ///
    /// After this, the contents that were found count as acknowledged.
    func complaints() throws -> [String] {
      var allowed: [String: [Note?]] = [:]
      for line in try KillLog.lines(of: log) {
        let fields = line.split(separator: " ").compactMap { Int($0) }
        guard fields.count == 2 else { continue }
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
          if let note { lines += "s \(note) .\na \(note) .\n" }
        } else {
          let text = found.map { String(decoding: $0.prefix(20), as: UTF8.self) } ?? "nothing"
          complaints.append("\(name) holds \(text) and not \(notes.map { $0?.number ?? 0 })")
        }
      }
      try Data(lines.utf8).write(to: log)
      return complaints
    }
  }

  /// One change.
  ///
  /// Each task has three files of its own.
  private struct Note: CustomStringConvertible {
    let task: Int
    let number: Int

    var description: String { "\(task) \(number)" }

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
#endif
