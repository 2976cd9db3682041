import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Kills one process after another in the middle of their batches, on the same files.
  @Suite(.serialized) struct FileChangeBatchKillTests {
    // The other variants make no difference to the kernel, so a few kills are enough.
    #if DEBUG && !InternalChecks
      private static let usualCount = 60
    #else
      private static let usualCount = 20
    #endif

    @Test func acceptedBatchesOfAKilledProcessAreAppliedWholly() async throws {
      let folder = try TemporaryFolder(isInMemory: true)
      let stage = try BatchStage(top: folder.url)
      let complaints = try await complaintsAfterKills(Self.usualCount) { round, isChecked, random in
        let order = BatchStage.Order(
          round: round, call: random.int(in: 0..<900), tears: random.chance(oneIn: 2),
          hasLinks: !random.chance(oneIn: 4))
        await #expect(processExitsWith: .signal(SIGKILL)) {
          [stage = stage as BatchStage, order = order as BatchStage.Order] in try await stage.actUntilKilled(order)
        }
        guard isChecked else { return [] }
        try await stage.writer(PosixFileSystem()).close()
        return try stage.complaints()
      }
      #expect(complaints == [])
    }
  }

  /// The files that each batch changes.
  ///
  /// `a` has the number of the batch, and the order of the contents of `b` and `c`, which each batch exchanges. `sub/e`
  /// is in another folder, and `d` exists after every other batch.
  private struct BatchStage: Codable, Sendable {
    struct Order: Codable {
      let round: Int
      /// The system call at which the process is killed.
      let call: Int
      /// Whether the process writes a few bytes before, if the call is a write.
      let tears: Bool
      let hasLinks: Bool
    }

    let top: URL
    private var folder: URL { top.appending(path: "files") }
    private var log: URL { top.appending(path: "log") }

    init(top: URL) throws {
      self.top = top
      try FileManager.default.createDirectory(at: folder.appending(path: "sub"), withIntermediateDirectories: true)
      try Data("0 BC".utf8).write(to: folder.appending(path: "a"))
      for (name, text) in [("b", "B"), ("c", "C"), ("sub/e", "0"), ("d", "0")] {
        try Data(text.utf8).write(to: folder.appending(path: name))
      }
    }

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

    func actUntilKilled(_ order: Order) async throws {
      let system = ScriptedFileSystem { call, number in
        if number == order.call, order.tears, call == .append { return .short(7) }
        if number >= order.call { kill(getpid(), SIGKILL) }
        return call == .linkFile && !order.hasLinks ? .failure(EPERM) : nil
      }
      let log = try KillLog(log)
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
        log.write("s \(number)")
        try await writer.submit(batch: changes)
        log.write("a \(number)")
      }
      try? await writer.flush()
      kill(getpid(), SIGKILL)
    }

    // MARK: In the parent

    /// The broken promises.
    func complaints() throws -> [String] {
      var (accepted, submitted): (Int, Set<Int>) = (0, [0])
      for line in try KillLog.lines(of: log) {
        let fields = line.split(separator: " ")
        guard fields.count == 2, let number = Int(fields[1]) else { continue }
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
