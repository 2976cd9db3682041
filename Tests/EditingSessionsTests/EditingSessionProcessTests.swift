import EditingSessions
import FileChanges
import Foundation
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// A session whose log or file another process uses.
  @Suite(.serialized) struct EditingSessionProcessTests {
    @Test @MainActor func logOfAnotherProcessIsRefusedAndLeftAlone() async throws {
      let folder = try TemporaryFolder()
      let session = try await open(folder.url)
      session.edit { $0.append("a") }
      try await session.synchronize()
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in await expectRefusal(top) }
      session.edit { $0.append("b") }
      try await session.close()
      // The process that closed the session may be the same, or any other.
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in
        try await expectDocument("ab", top)
      }
    }

    @Test @MainActor func logOfAnEndedProcessIsRead() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .signal(SIGKILL)) { [top = folder.url as URL] in
        try await editUntilKilled(top)
      }
      let session = try await open(folder.url)
      #expect(session.currentItem == "a")
      #expect(session.recovery.hasUnfinishedChanges)
      try await session.close()
    }

    @Test @MainActor func fileThatAnotherProcessWritesIsMerged() async throws {
      let folder = try TemporaryFolder()
      let session = try await open(folder.url)
      session.edit { $0.append("one two") }
      try await session.save()
      session.edit { $0.append(" three") }
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in
        try FileChange.write("zero one two", to: FileChange.Path(top.appending(path: "note.txt"))).apply()
      }
      try await session.save()
      #expect(folder.text("note.txt") == "zero one two three")
      try await session.close()
    }
  }

  @MainActor private func open(_ top: URL) async throws(EditingSessionError) -> EditingSession<String> {
    try await EditingSession(
      file: top.appending(path: "note.txt"), recovery: top.appending(path: "recovery"), format: .text)
  }

  // MARK: In the child

  @MainActor private func expectRefusal(_ top: URL) async {
    do throws(EditingSessionError) {
      _ = try await open(top)
      Issue.record("two processes have one log")
    } catch {
      guard case .log(let error) = error.reason else {
        Issue.record("\(error)")
        return
      }
      #expect(error.reason == .journalInUse)
    }
  }

  @MainActor private func expectDocument(_ text: String, _ top: URL) async throws {
    let session = try await open(top)
    #expect(session.currentItem == text)
    try await session.close()
  }

  @MainActor private func editUntilKilled(_ top: URL) async throws {
    let session = try await open(top)
    session.edit { $0.append("a") }
    try await session.synchronize()
    kill(getpid(), SIGKILL)
  }
#endif
