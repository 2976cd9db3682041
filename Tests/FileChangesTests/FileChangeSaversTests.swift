import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Two processes save one file with this library, while another program replaces it.
  @Suite(.serialized) struct FileChangeSaversTests {
    /// The number of saves of each process.
    ///
    /// `UNSAVED_SAVES` sets another number.
    private static let count = Int(ProcessInfo.processInfo.environment["UNSAVED_SAVES"] ?? "") ?? 25

    @Test(arguments: ["/tmp", "/dev/shm"]) func noAcceptedSaveIsLost(parent: String) async throws {
      guard FileManager.default.isWritableFile(atPath: parent) else { return }
      let stage = SaversStage(parent: parent, seed: SeededRandom.announced("two savers in \(parent)").seed)
      try stage.make()
      defer { stage.remove() }
      async let other = onThread { try stage.replaceUntilBothAreDone() }
      func save(as saver: Int) async {
        await #expect(processExitsWith: .success) {
          [stage = stage as SaversStage, saver, count = Self.count as Int] in try stage.save(count, as: saver)
        }
      }
      async let first: Void = save(as: 0)
      async let second: Void = save(as: 1)
      _ = await (first, second)
      try stage.finish()
      let (contents, replacements) = try await other
      let complaints = try stage.complaints(contents, replacements)
      #expect(complaints == [])
    }
  }

  /// The file that is saved, which consists of lines.
  ///
  /// A saver reads the file and appends a line of its own. The other program replaces the file by a new first line, and
  /// keeps the contents that it replaced. So these contents and the final ones have every acknowledged line, unless one
  /// was lost.
  private struct SaversStage: Codable, Sendable {
    let top: URL
    let seed: UInt64

    init(parent: String, seed: UInt64) {
      top = URL(filePath: parent, directoryHint: .isDirectory).appending(path: "unsaved-savers-\(getpid())")
      self.seed = seed
    }

    private var file: URL { top.appending(path: "files/a") }
    private func note(_ name: String) -> URL { top.appending(path: name) }

    func make() throws {
      remove()
      try FileManager.default.createDirectory(at: top.appending(path: "files"), withIntermediateDirectories: true)
      try Data("f0\n".utf8).write(to: file)
    }

    func remove() { try? FileManager.default.removeItem(at: top) }
    func finish() throws { try Data().write(to: note("end")) }

    // MARK: In the children

    func save(_ count: Int, as saver: Int) throws {
      var random = SeededRandom(seed: seed &+ UInt64(saver))
      let pauses = (0..<4096).map { _ in random.chance(oneIn: 4) ? UInt32(random.int(in: 0..<1_500)) : 0 }
      let system = ScriptedFileSystem { call, number in
        // Pauses between the first check, the exchange, the second check and the exchange back.
        if [.exchangeFiles, .inspect, .removeFile, .moveFile].contains(call) { usleep(pauses[number % 4096]) }
        return nil
      }
      let path = FileChange.Path(file)
      let log = try handle("log\(saver)")
      var version = try FileChange.Version(of: path)
      for number in 0..<count {
        // Sometimes the base is an old one.
        if !random.chance(oneIn: 5) { version = try FileChange.Version(of: path) }
        let line = "s\(saver)-\(number)\n"
        let text = try String(contentsOf: file, encoding: .utf8) + line
        do throws(FileChangeError) {
          try FileChange.write(text, to: path).based(on: version).apply(options: .init(), in: system)
          try? log.write(contentsOf: Data(line.utf8))
        } catch {
          if let kept = error.keptPath { try? log.write(contentsOf: Data("kept \(kept)\n".utf8)) }
          if !error.isConflict, error.reason != .busy { try? log.write(contentsOf: Data("error \(error)\n".utf8)) }
        }
      }
    }

    private func handle(_ name: String) throws -> FileHandle {
      try Data().write(to: note(name))
      return try FileHandle(forWritingTo: note(name))
    }

    // MARK: In the parent

    /// - Returns: The replaced contents, and the number of replacements.
    func replaceUntilBothAreDone() throws -> (contents: [String], replacements: Int) {
      let system = PosixFileSystem()
      let folder = try system.openFolder(top.appending(path: "files").path)
      var random = SeededRandom(seed: seed &+ 2)
      var (contents, count): ([String], Int) = ([], 0)
      while !FileManager.default.fileExists(atPath: note("end").path) {
        count += 1
        let new = top.appending(path: "files/new")
        try Data("f\(count)\n".utf8).write(to: new)
        do throws(SystemError) {
          try system.exchangeFiles("new", "a", in: folder)
          contents.append((try? String(contentsOf: new, encoding: .utf8)) ?? "")
        } catch {
          count -= 1
        }
        // Sometimes the next replacement comes while a saver still undoes its exchange because of the last one.
        usleep(UInt32(random.int(in: 0..<(random.chance(oneIn: 3) ? 1_500 : 30_000))))
      }
      return (contents, count)
    }

    func complaints(_ contents: [String], _ replacements: Int) throws -> [String] {
      var seen = Set((contents + [try String(contentsOf: file, encoding: .utf8)]).joined().split(separator: "\n"))
      var (complaints, accepted, kept): ([String], [Substring], Set<Substring>) = ([], [], [])
      let logs = try (0..<2).map { try String(contentsOf: note("log\($0)"), encoding: .utf8) }
      for line in logs.joined().split(separator: "\n") {
        if line.hasPrefix("kept ") {
          let text = try String(contentsOfFile: String(line.dropFirst(5)), encoding: .utf8)
          kept.formUnion(text.split(separator: "\n"))
        } else if line.hasPrefix("error ") {
          complaints.append(String(line))
        } else {
          accepted.append(line)
        }
      }
      print("savers: \(accepted.count) saves accepted, \(replacements) replacements")
      if accepted.isEmpty { complaints.append("no save was accepted") }
      // A kept file is another program's, never an accepted save.
      for line in accepted where !seen.contains(line) { complaints.append("the accepted save \(line) is lost") }
      seen.formUnion(kept)
      for number in 0...replacements where !seen.contains(Substring("f\(number)")) {
        complaints.append("the other program's save \(number) is lost")
      }
      return complaints
    }
  }
#endif
