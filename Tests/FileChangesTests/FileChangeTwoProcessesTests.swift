import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Files and journals that another process uses at the same time.
  @Suite(.serialized) struct FileChangeTwoProcessesTests {
    @Test func journalOfAnEndedProcessIsTakenOver() async throws {
      let folder = try TemporaryFolder()
      await #expect(processExitsWith: .signal(SIGKILL)) { [top = folder.url as URL] in
        // The file waits, because it has just been written.
        var configuration = FileChangeWriter.Configuration()
        configuration.idleTime = .seconds(3600)
        let writer = try await FileChangeWriter(journal: path(top, "journal"), configuration: configuration)
        try await writer.submit(.write("new", to: path(top, "a")))
        kill(getpid(), SIGKILL)
      }
      let writer = try await FileChangeWriter(journal: folder.path("journal"))
      #expect(writer.recovery?.changeCount == 1)
      try await writer.close()
      #expect(folder.text("a") == "new")
    }

    /// Writers without a journal, and with journals of their own, write the same file.
    @Test(arguments: [true, false]) func writersOfTwoProcessesMayWriteOneFile(haveJournals: Bool) async throws {
      let folder = try TemporaryFolder(["a": "old"])
      let base = try FileChange.Version(of: folder.path("a"))
      let writer =
        haveJournals ? try await FileChangeWriter(journal: folder.path("journal")) : FileChangeWriter()
      try await writer.submit(.write("one", to: folder.path("a")))
      try await writer.flush()
      await #expect(processExitsWith: .success) { [top = folder.url as URL, haveJournals] in
        let other = haveJournals ? try await FileChangeWriter(journal: path(top, "other")) : FileChangeWriter()
        try await other.submit(.write("two", to: path(top, "a")))
        try await other.close()
      }
      #expect(folder.text("a") == "two")
      // Only a change with a version notices it.
      try await writer.submit(FileChange.write("three", to: folder.path("a")).based(on: base))
      do throws(FileChangeWriter.UnwrittenError) {
        try await writer.flush()
        Issue.record("the change of the other process is lost")
      } catch {
        #expect(error.failures.map(\.error.isConflict) == [true])
      }
      await writer.removeFailures()
      try await writer.submit(.write("four", to: folder.path("a")))
      try await writer.close()
      #expect(folder.text("a") == "four")
    }

    @Test func handleNoticesWhatAnotherProcessHasWritten() async throws {
      let folder = try TemporaryFolder(["a": "old"])
      let writer = FileChangeWriter()
      let file = try await writer.file(at: folder.file("a"))
      #expect(try await file.contents() == Data("old".utf8))
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in
        let other = FileChangeWriter()
        let file = try await other.file(at: top.appending(path: "a"))
        try await file.save("theirs")
        try await other.close()
      }
      try await file.save("mine")
      do throws(FileChangeError) {
        try await file.flush()
        Issue.record("the save of the other process is lost")
      } catch {
        #expect(error.isConflict)
      }
      #expect(file.state == .conflict)
      let theirs = try await file.otherVersion()
      #expect(theirs.contents == Data("theirs".utf8))
      #expect(folder.text("a") == "theirs")
      try await file.save(Data("both".utf8), over: theirs)
      try await file.flush()
      #expect(folder.text("a") == "both")
      try await writer.close()
    }

    /// A process that was suspended in the middle of an exchange has the lock of the folder.
    @Test func folderThatAnotherProcessHasLockedIsAwaitedForTwoSeconds() async throws {
      let folder = try TemporaryFolder(["a": "old"])
      let system = PosixFileSystem()
      do {
        let locked = try system.openFolder(folder.url.path)
        try system.awaitLock(of: locked)
        await #expect(processExitsWith: .success) { [top = folder.url as URL] in
          let start = ContinuousClock.now
          let base = try FileChange.Version(of: path(top, "a"))
          let error = FileChange.write("new", to: path(top, "a")).based(on: base).refusal()
          #expect(error?.reason == .busy && error?.isTransient == true)
          #expect(ContinuousClock.now - start >= .seconds(2))
          // A change that expects nothing needs no lock, and neither does reading.
          try FileChange.write("at once", to: path(top, "b")).apply()
        }
      }
      #expect(folder.text("a") == "old" && folder.text("b") == "at once")
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in
        let base = try FileChange.Version(of: path(top, "a"))
        try FileChange.write("new", to: path(top, "a")).based(on: base).apply()
      }
      #expect(folder.text("a") == "new")
    }

    @Test func fileThatAnotherProcessWritesInPlaceIsBusy() async throws {
      let folder = try TemporaryFolder(["a": "old"])
      let system = PosixFileSystem()
      let locked = try system.openFile("a", in: system.openFolder(folder.url.path))
      try system.lock(locked)
      await #expect(processExitsWith: .success) { [top = folder.url as URL] in
        let mounted = ScriptedFileSystem { call, _ in
          [.moveFile, .exchangeFiles].contains(call) ? .failure(EBUSY) : nil
        }
        let options = FileChange.Options(fallback: .inPlace(keepingCopyIn: top.appending(path: "copies")))
        let error = FileChange.write("new", to: path(top, "a")).refusal(options, in: mounted)
        #expect(error?.reason == .busy && error?.isTransient == true)
      }
      try system.unlock(locked)
      #expect(folder.text("a") == "old")
    }
  }

  private func path(_ top: URL, _ name: String) -> FileChange.Path { FileChange.Path(top.appending(path: name)) }
#endif
