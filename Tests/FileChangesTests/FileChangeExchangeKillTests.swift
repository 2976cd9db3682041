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
  /// Processes that are killed between an exchange and the look at what came out.
  @Suite(.serialized) struct FileChangeExchangeKillTests {
    @Test(arguments: [false, true], [false, true])
    func theFileIsRightAfterTheNextStart(isReplaced: Bool, hasJournal: Bool) async throws {
      let stage = Stage(process: getpid())
      try stage.make(isReplaced: isReplaced, hasJournal: hasJournal)
      defer { stage.remove() }
      await #expect(processExitsWith: .signal(SIGKILL)) { try await Stage(process: getppid()).saveUntilKilled() }
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
        try? await writer.shutdown()
      } else {
        let path = FileChange.Path(stage.folder.appending(path: "b"))
        try FileChange.write("b", to: path).apply(options: .init(), in: PosixFileSystem(), sweeper: Sweeper())
      }
      #expect(stage.text("a") == (isReplaced ? "theirs" : "new"))
      #expect(try stage.names.filter { $0.hasPrefix(".unsaved") } == [])
    }
  }

  private struct Stage: Sendable {
    let top: URL
    let folder: URL

    init(process: pid_t) {
      top = FileManager.default.temporaryDirectory.appending(path: "unsaved-exchange-\(process)")
      folder = top.appending(path: "files")
    }

    private func note(_ name: String) -> URL { top.appending(path: name) }
    private func isNoted(_ name: String) -> Bool { FileManager.default.fileExists(atPath: note(name).path) }

    var names: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder.path) } }

    func text(_ name: String) -> String? { try? String(contentsOf: folder.appending(path: name), encoding: .utf8) }

    func make(isReplaced: Bool, hasJournal: Bool) throws {
      remove()
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      for folder in [top, folder] {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: attributes)
      }
      try Data("old".utf8).write(to: folder.appending(path: "a"))
      if isReplaced { try Data().write(to: note("isReplaced")) }
      if hasJournal { try Data().write(to: note("hasJournal")) }
    }

    func remove() { try? FileManager.default.removeItem(at: top) }

    func writer(_ system: any FileSystem) async throws -> FileChangeWriter {
      try await FileChangeWriter(
        journal: FileChange.Path(note("journal")), clock: ContinuousClock(), random: SeededRandom(seed: 1),
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
          if isNoted("isReplaced") { try? theirs.write(to: folder.appending(path: "a"), options: .atomic) }
        }
        return nil
      }
      let path = FileChange.Path(folder.appending(path: "a"))
      let change = FileChange.write("new", to: path).based(on: try FileChange.Version(of: path))
      if isNoted("hasJournal") {
        let writer = try await writer(system)
        try await writer.submit(change)
        try await writer.flush()
      } else {
        try change.apply(options: .init(), in: system)
      }
    }
  }
#endif
