import EditingSessions
import Foundation
import Journals
import TestSupport
import Testing
import UndoHistories

#if os(Linux) || os(macOS)
  /// Editors that are killed at any system call while they move their file, or save it as another one.
  @Suite(.serialized) struct EditingSessionMoveKillTests {
    @Test func oneOfThePathsHasEveryEdit() async throws {
      let complaints = try await complaintsAfterKills(12) { _, _, random in
        let folder = try TemporaryFolder(isInMemory: true)
        try folder.put("a", "note.txt")
        let stage = Stage(top: folder.url, isMove: random.chance(oneIn: 2), call: random.int(in: 0..<70))
        await #expect(processExitsWith: .signal(SIGKILL)) { [stage = stage as Stage] in try await stage.goUntilKilled()
        }
        let listed = try await stage.recoverableTexts()
        let texts = try await stage.texts()
        return texts.contains("ab First") && listed.contains("ab") ? [] : ["\(stage): \(texts), listed: \(listed)"]
      }
      #expect(complaints == [])
    }
  }

  private struct Stage: Codable, Sendable {
    let top: URL
    let isMove: Bool
    let call: Int

    private var file: URL { top.appending(path: "note.txt") }
    private var target: URL { top.appending(path: "target.txt") }
    private var recovery: URL { top.appending(path: "recovery") }

    /// The documents of both paths, each with the label of its first step.
    @MainActor func texts() async throws -> [String] {
      var texts: [String] = []
      for path in [file, target] {
        let session = try await EditingSession(file: path, recovery: recovery, format: .text)
        texts.append(
          ([session.currentItem] + session.history.steps.prefix(1).compactMap(\.label)).joined(separator: " "))
      }
      return texts
    }

    /// The documents of the logs that a list of recoverable files has.
    @MainActor func recoverableTexts() async throws -> [String] {
      var texts: [String] = []
      for found in try await EditingSession<String>.recoverable(in: recovery) {
        texts.append(try await EditingSession<String>.document(inLog: found.log) ?? "nil")
      }
      return texts
    }

    // MARK: In the child

    @MainActor func goUntilKilled() async throws {
      let system = ScriptedFileSystem(isArmed: false) { [made = Calls()] _, _ in
        if made.next() >= call { kill(getpid(), SIGKILL) }
        return nil
      }
      let session = try await EditingSession(file: file, recovery: recovery, format: .text, system: system)
      session.edit("First") { $0.append("b") }
      try await session.synchronize()
      system.arm()
      if isMove { try await session.move(to: target) } else { try await session.save(as: target) }
      kill(getpid(), SIGKILL)
    }
  }

  private final class Calls: @unchecked Sendable {
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
      lock.withLock {
        defer { count += 1 }
        return count
      }
    }
  }
#endif
