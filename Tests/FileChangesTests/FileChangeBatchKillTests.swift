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
  /// Processes that are killed in the middle of their batches, one after the other on the same files.
  @Suite(.serialized) struct FileChangeBatchKillTests {
    /// How many processes are killed; `UNSAVED_KILLS` sets another number.
    private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_KILLS"] ?? "") ?? usualCount

    // Where the variant makes no difference to the kernel, a few are enough.
    #if DEBUG && !InternalChecks
      private static let usualCount = 60
    #else
      private static let usualCount = 20
    #endif

    @Test func whatAKilledProcessHadAcceptedTogetherIsDoneTogether() async throws {
      var random = SeededRandom(seed: .random(in: .min ... .max))
      print("killed batches: \(Self.count) from seed \(random.seed)")
      let stage = try BatchStage(of: getpid(), isNew: true)
      defer { stage.remove() }
      for round in 1...max(1, Self.count) {
        let hasLinks = !random.chance(oneIn: 4)
        try stage.order(
          .init(round: round, call: random.int(in: 0..<900), tears: random.chance(oneIn: 2), hasLinks: hasLinks))
        await #expect(processExitsWith: .signal(SIGKILL)) {
          try await BatchStage(of: getppid(), isNew: false).actUntilKilled()
        }
        // Sometimes the next process recovers, and is killed while it does.
        guard round == Self.count || random.chance(oneIn: 3) else { continue }
        try await stage.writer(PosixFileSystem()).shutdown()
        let complaints = try stage.complaints()
        #expect(complaints == [], "round \(round), seed \(random.seed)")
        if !complaints.isEmpty { break }
      }
    }
  }

  /// The files that the processes change together: one that numbers the batch and says in which order two others are,
  /// those two, one in another folder, and one that is there every other time.
  private struct BatchStage: Sendable {
    struct Order: Codable {
      let round: Int
      /// The system call at which the process is killed.
      let call: Int
      /// Whether it writes a few bytes there before, if it is a writing.
      let tears: Bool
      let hasLinks: Bool
    }

    private let shared: KillFolder
    private var folder: URL { shared.top.appending(path: "files") }

    init(of process: pid_t, isNew: Bool) throws {
      shared = try KillFolder("unsaved-batch-kills", of: process, isNew: isNew)
      guard isNew else { return }
      try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
      try Data("0 BC".utf8).write(to: folder.appending(path: "a"))
      for (name, text) in [("b", "B"), ("c", "C"), ("sub/e", "0"), ("d", "0")] {
        try Data(text.utf8).write(to: folder.appending(path: name))
      }
    }

    func remove() { shared.remove() }

    func order(_ order: Order) throws { try shared.give(order) }

    func writer(_ system: any FileSystem) async throws(FileChangeError) -> FileChangeWriter {
      var configuration = FileChangeWriter.Configuration()
      configuration.journalByteLimit = 5000
      return try await FileChangeWriter(
        journal: FileChange.Path(folder.appending(path: "journal")), configuration: configuration,
        clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    }

    private func path(_ name: String) -> FileChange.Path { FileChange.Path(folder.appending(path: name)) }

    private func text(_ name: String) -> String? {
      try? String(contentsOf: folder.appending(path: name), encoding: .utf8)
    }

    // MARK: In the child

    func actUntilKilled() async throws {
      let order: Order = try shared.order()
      let system = ScriptedFileSystem { call, number in
        if number == order.call, order.tears, call == .append { return .short(7) }
        if number >= order.call { kill(getpid(), SIGKILL) }
        return call == .linkFile && !order.hasLinks ? .failure(EPERM) : nil
      }
      let log = try FileHandle(forWritingTo: shared.log)
      try log.seekToEnd()
      // Should the kill before have cut off a line, it ends here.
      try log.write(contentsOf: Data("\n".utf8))
      let writer = try await writer(system)
      try await writer.flush()
      var order2 = (text("b") ?? "?") + (text("c") ?? "?")
      for step in 0..<40 {
        let number = order.round * 100 + step
        order2 = String(order2.reversed())
        let changes: [FileChange] = [
          .write("\(number) \(order2)", to: path("a")), .move(path("b"), to: path("sub/t")),
          .move(path("c"), to: path("b")), .move(path("sub/t"), to: path("c")),
          number % 2 == 0 ? .write("\(number)", to: path("d")) : .remove(path("d")),
          .write("\(number)", to: path("sub/e")),
        ]
        try log.write(contentsOf: Data("s \(number) .\n".utf8))
        try await writer.submit(batch: changes)
        try log.write(contentsOf: Data("a \(number) .\n".utf8))
      }
      try? await writer.flush()
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// What is not as it was promised.
    func complaints() throws -> [String] {
      var (accepted, submitted): (Int, Set<Int>) = (0, [0])
      for line in try String(contentsOf: shared.log, encoding: .utf8).split(separator: "\n") {
        let fields = line.split(separator: " ")
        guard fields.count == 3, fields[2] == ".", let number = Int(fields[1]) else { continue }
        if fields[0] == "a" { accepted = max(accepted, number) } else { submitted.insert(number) }
      }
      var complaints: [String] = []
      let fields = (text("a") ?? "").split(separator: " ")
      guard fields.count == 2, let number = Int(fields[0]) else { return ["a holds \(text("a") ?? "nothing")"] }
      if number < accepted { complaints.append("\(accepted) was accepted, and \(number) is there") }
      if !submitted.contains(number) { complaints.append("\(number) is nothing that was submitted") }
      if text("sub/e") != "\(number)" { complaints.append("e holds \(text("sub/e") ?? "nothing"), and a \(number)") }
      if text("d") != (number % 2 == 0 ? "\(number)" : nil) { complaints.append("d holds \(text("d") ?? "nothing")") }
      let order = (text("b") ?? "?") + (text("c") ?? "?")
      if order != fields[1] { complaints.append("\(order) and not \(fields[1])") }
      let names = try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted()
      let expected = ["a", "b", "c"] + (number % 2 == 0 ? ["d"] : []) + ["sub", "sub/e"]
      if names != expected { complaints.append("there are \(names)") }
      return complaints
    }
  }
#endif
