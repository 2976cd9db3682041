import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Processes that are killed between an exchange of files and the check of the displaced file.
  @Suite(.serialized) struct FileChangeExchangeKillTests {
    @Test(arguments: [false, true], [false, true])
    func nextStartRestoresTheirFileIfTheExchangeDisplacedIt(isReplaced: Bool, hasJournal: Bool) async throws {
      let stage = try Stage(isReplaced: isReplaced, hasJournal: hasJournal)
      defer { try? FileManager.default.removeItem(at: stage.top) }
      await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage] in try await stage.saveUntilKilled()
      }
      #expect(stage.text("a") == "new")
      #expect(try stage.names.contains { $0.hasPrefix(DisplacedName.prefix) })
      if hasJournal {
        let writer = try await stage.writer(PosixFileSystem())
        do throws(FileChangeWriter.UnwrittenError) {
          try await writer.flush()
          #expect(!isReplaced)
        } catch {
          #expect(error.failures.map(\.error.isConflict) == [true])
        }
        try? await writer.close()
      } else {
        let path = FileChange.Path(stage.folder.appending(path: "b"))
        try FileChange.write("b", to: path).apply(options: .init(), in: PosixFileSystem(), sweeper: Sweeper())
      }
      #expect(stage.text("a") == (isReplaced ? "theirs" : "new"))
      #expect(try stage.names.filter { $0.hasPrefix(".unsaved") } == [])
    }
  }

  private struct Stage: Codable, Sendable {
    let top: URL
    let isReplaced: Bool
    let hasJournal: Bool

    var folder: URL { top.appending(path: "files") }

    init(isReplaced: Bool, hasJournal: Bool) throws {
      top = FileManager.default.temporaryDirectory.appending(path: "unsaved-exchange-\(UUID())")
      (self.isReplaced, self.hasJournal) = (isReplaced, hasJournal)
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      for folder in [top, folder] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: attributes)
      }
      try Data("old".utf8).write(to: folder.appending(path: "a"))
    }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) } }

    func text(_ name: String) -> String? { try? String(contentsOf: folder.appending(path: name), encoding: .utf8) }

    func writer(_ system: any FileSystem) async throws -> FileChangeWriter {
      try await FileChangeWriter(
        journal: FileChange.Path(top.appending(path: "journal")), clock: ContinuousClock(),
        random: SeededRandom(seed: 1),
        system: system)
    }

    // MARK: In the child

    func saveUntilKilled() async throws {
      let isExchanged = Flag()
      let system = ScriptedFileSystem { call, _ in
        if call == .inspect, isExchanged.isSet { kill(getpid(), SIGKILL) }
        if call == .exchangeFiles {
          isExchanged.set(true)
          let theirs = Data("theirs".utf8)
          if isReplaced { try? theirs.write(to: folder.appending(path: "a"), options: .atomic) }
        }
        return nil
      }
      let path = FileChange.Path(folder.appending(path: "a"))
      let change = FileChange.write("new", to: path).based(on: try FileChange.Version(of: path))
      if hasJournal {
        let writer = try await writer(system)
        try await writer.submit(change)
        try await writer.flush()
      } else {
        try change.apply(options: .init(), in: system)
      }
    }
  }
#endif
