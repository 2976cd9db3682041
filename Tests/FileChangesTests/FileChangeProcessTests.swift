import FileChanges
import Foundation
import TestSupport
import Testing

#if os(Linux) || os(macOS)
  /// Limits and rights that concern the whole process, each tested in a process of its own.
  @Suite struct FileChangeProcessTests {
    @Test func fileSizeLimitIsAnErrorAndNotASignal() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        try FileChange.write("old", to: folder.path("a")).apply()
        try await ResourceLimit.fileSize.lowered(to: 4096) {
          var signals = sigset_t()
          unsafe sigemptyset(&signals)
          unsafe sigaddset(&signals, SIGXFSZ)
          unsafe pthread_sigmask(SIG_UNBLOCK, &signals, nil)
          let large = FileChange.write(Data(repeating: 7, count: 10_000), to: folder.path("a"))
          #expect(reason(large) == .tooLarge)
          // The write also fails without a signal if the signal was blocked.
          unsafe pthread_sigmask(SIG_BLOCK, &signals, nil)
          #expect(reason(large) == .tooLarge)
          #expect(folder.text("a") == "old")
          #expect(folder.names == ["a"])
          try FileChange.write("small", to: folder.path("a")).apply()

          let writer = FileChangeWriter()
          try await writer.submit(large)
          try await writer.submit(.write("new", to: folder.path("b")))
          await #expect(throws: FileChangeWriter.UnwrittenError.self) { try await writer.close() }
          #expect(folder.names == ["a", "b"])
        }
      }
    }

    @Test func tooManyOpenFilesIsTransient() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let change = FileChange.write("new", to: folder.path("a"))
        await ResourceLimit.openFiles.lowered(to: 64) {
          // Threads of the runtime open and close descriptors, too, so the free ones are used up instead of counted.
          var taken: [Int32] = []
          var found: FileChangeError.Reason?
          for _ in 0..<1000 where found == nil {
            while case let descriptor = dup(0), descriptor >= 0 { taken.append(descriptor) }
            found = reason(change)
          }
          #expect(found == .tooManyOpenFiles)
          taken.forEach { close($0) }
          #expect(reason(change) == nil)
          #expect(folder.names == ["a"])
        }
      }
    }

    @Test(arguments: [true, false])
    func batchMayHaveMoreFoldersThanTheOpenFileLimit(hasJournal: Bool) async {
      await #expect(processExitsWith: .success) { [hasJournal] in
        let folder = try TemporaryFolder()
        var (changes, expected): ([FileChange], [String: String]) = ([], [:])
        for number in 0..<300 {
          try FileManager.default.createDirectory(at: folder.file("\(number)"), withIntermediateDirectories: false)
          try folder.put("\(number)", "\(number)/a")
          let next = "\((number + 1) % 300)"
          changes += [
            .move(folder.path("\(number)/a"), to: folder.path(next + "/b")), .write("c", to: folder.path(next + "/c")),
          ]
          expected[next] = "\(number)"
        }
        try await ResourceLimit.openFiles.lowered(to: 256) {
          let writer =
            hasJournal ? try await FileChangeWriter(journal: folder.path("journal")) : FileChangeWriter()
          try await writer.submit(batch: changes)
          try await writer.flush()
          for (name, text) in expected {
            #expect(folder.text("\(name)/a") == nil && folder.text("\(name)/b") == text)
            #expect(folder.text("\(name)/c") == "c")
          }
          // If the last change fails, all folders are rolled back.
          let last = FileChange.write("no", to: folder.path("299/b"))
          unsafe chmod(folder.file("299/b").path, 0o400)
          try await writer.submit(
            batch: (0..<299).map { .write("new", to: folder.path("\($0)/b")) } + [last])
          await #expect(throws: FileChangeWriter.UnwrittenError.self) { try await writer.close() }
          for (name, text) in expected { #expect(folder.text("\(name)/b") == text) }
        }
      }
    }

    @Test func journalOfAnotherProcessIsRefused() async throws {
      // The child finds the parent's journal by its process number.
      let journal = FileChange.Path("/tmp/unsaved-journal-\(getpid())")
      let writer = try await FileChangeWriter(journal: journal)
      await #expect(processExitsWith: .success) {
        do throws(FileChangeError) {
          _ = try await FileChangeWriter(journal: FileChange.Path("/tmp/unsaved-journal-\(getppid())"))
          Issue.record("two processes have one journal")
        } catch {
          #expect(error.reason == .journalInUse)
        }
      }
      try await writer.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func lostPermissionIsReportedAndOtherFilesAreStillWritten() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        for name in ["a", "b"] {
          try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
          unsafe chmod(folder.file(name).path, 0o777)
        }
        unsafe chmod(folder.url.path, 0o777)
        #expect(setegid(65534) == 0 && seteuid(65534) == 0)
        let writer = FileChangeWriter()
        for name in ["a/f", "b/f"] { try await writer.submit(.write("old", to: folder.path(name))) }
        try await writer.flush()
        #expect(seteuid(0) == 0)
        unsafe chmod(folder.file("a").path, 0o755)
        #expect(seteuid(65534) == 0)
        for name in ["a/f", "b/f"] { try await writer.submit(.write("new", to: folder.path(name))) }
        do throws(FileChangeWriter.UnwrittenError) {
          try await writer.flush()
          Issue.record("the folder may not be written")
        } catch {
          #expect(error.failures.map(\.error.reason) == [.permissionDenied])
        }
        #expect(folder.text("a/f") == "old" && folder.text("b/f") == "new")
        #expect(seteuid(0) == 0 && setegid(0) == 0)
        unsafe chmod(folder.file("a").path, 0o777)
        #expect(await writer.retryFailures() == 1)
        try await writer.close()
        #expect(folder.text("a/f") == "new")
      }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can become somebody else"))
    func missingPermissionIsReported() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        for name in ["closed", "listed", "open"] {
          try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
          try folder.put("old", name + "/a", permissions: 0o666)
        }
        unsafe chmod(folder.file("closed").path, 0o700)
        unsafe chmod(folder.file("listed").path, 0o755)
        unsafe chmod(folder.file("open").path, 0o777)
        unsafe chmod(folder.url.path, 0o777)
        #expect(setegid(65534) == 0 && seteuid(65534) == 0)

        for name in ["closed/a", "listed/a", "listed/b"] {
          #expect(reason(.write("new", to: folder.path(name))) == .permissionDenied)
        }
        #expect(reason(.remove(folder.path("listed/a"))) == .permissionDenied)
        #expect(folder.text("listed/a") == "old")
        // The folder permits replacing another user's file, but the new file would have another owner.
        #expect(reason(.write("new", to: folder.path("open/a"))) == .permissionDenied)
        #expect(folder.text("open/a") == "old")
        // Both files are writable themselves.
        let inPlace = FileChange.Options(fallback: .inPlace(keepingCopyIn: folder.file("copies")))
        for name in ["listed/a", "open/a"] {
          #expect(FileChange.write("in place", to: folder.path(name)).refusal(inPlace) == nil)
          #expect(folder.text(name) == "in place")
        }
        #expect(FileChange.write("new", to: folder.path("listed/b")).refusal(inPlace)?.reason == .permissionDenied)
        let replacing = FileChange.Options(replacesReadOnly: true)
        #expect(FileChange.write("new", to: folder.path("open/a")).refusal(replacing) == nil)
        #expect(folder.text("open/a") == "new")
        #expect(folder.permissions("open/a") == 0o666)
        #expect(seteuid(0) == 0 && setegid(0) == 0)
      }
    }
  }

  private func reason(_ change: FileChange) -> FileChangeError.Reason? { change.refusal()?.reason }
#endif
