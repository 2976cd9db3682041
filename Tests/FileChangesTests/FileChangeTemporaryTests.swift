import FileChanges
import Foundation
import Journals
import TestSupport
import Testing

/// The removal of temporary files that are no longer needed.
@Suite struct FileChangeTemporaryTests {
  #if os(Linux) || os(macOS)
    /// The folder that parent and child find by the process number of the parent.
    private static func folder(of process: pid_t, _ name: String) -> URL {
      FileManager.default.temporaryDirectory.appending(path: "unsaved-\(name)-\(process)")
    }

    /// Kills a process in the middle of an `apply()` and returns the folder and the file that it has left there.
    private func leftovers(_ name: String, _ kill: () async -> Void) async throws -> (URL, URL) {
      let folder = Self.folder(of: getpid(), name)
      try? FileManager.default.removeItem(at: folder)
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
      await kill()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(names.count == 1 && names.allSatisfy { $0.hasPrefix(".unsaved-") }, "\(names)")
      return (folder, folder.appending(path: try #require(names.first)))
    }

    @Test func nextApplyRemovesAnOldTemporaryFileOfAKilledApply() async throws {
      let (folder, _) = try await leftovers("apply") {
        await #expect(processExitsWith: .signal(SIGKILL)) {
          let path = FileChange.Path(FileChangeTemporaryTests.folder(of: getppid(), "apply").appending(path: "a"))
          try FileChange.write("lost", to: path).apply(options: .init(), in: DeadlyFileSystem.system)
        }
      }
      defer { try? FileManager.default.removeItem(at: folder) }
      // The folder may have the inode number of a removed folder that was listed less than an hour ago.
      let later = ScriptedFileSystem()
      later.secondsAhead = 7200
      try FileChange.write("x", to: FileChange.Path(folder.appending(path: "b")))
        .apply(options: .init(), in: later, sweeper: .shared)
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["b"])
    }

    @Test func nextWriterRemovesAnOldTemporaryFileOfAKilledApply() async throws {
      let (folder, left) = try await leftovers("writer") {
        await #expect(processExitsWith: .signal(SIGKILL)) {
          let path = FileChange.Path(FileChangeTemporaryTests.folder(of: getppid(), "writer").appending(path: "a"))
          try FileChange.write("lost", to: path).apply(options: .init(), in: DeadlyFileSystem.system)
        }
      }
      defer { try? FileManager.default.removeItem(at: folder) }
      for isOld in [false, true] {
        if isOld { try age(left) }
        let writer = FileChangeWriter()
        try await writer.submit(.write("x", to: folder.appending(path: "b")))
        try await writer.close()
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
        #expect(names == (isOld ? ["b"] : [left.lastPathComponent, "b"]))
      }
    }
  #endif

  // MARK: Which files are removed

  /// A folder with temporary files that are two hours old.
  private func folder(with names: String...) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in names { try age(folder.put("left", name)) }
    return folder
  }

  private func sweep(_ folder: TemporaryFolder, _ sweeper: Sweeper = Sweeper()) throws {
    let system = PosixFileSystem()
    sweeper.sweep(try system.openFolder(folder.url.path), in: system)
  }

  @Test func onlyNamesOfTemporaryFilesAreRecognized() throws {
    let ours = [
      ".unsaved-0123456789abcdef", ".unsaved-7-1", ".unsaved-7-1-0", ".unsaved-ffffffffffffffff-ffffffffffffffff",
      ".unsaved-journal-12", ".unsaved-journal-12-copy",
    ]
    let others = [
      ".unsaved-", ".unsaved-1", ".unsaved-0123456789abcde", ".unsaved-0123456789abcdef0", ".unsaved-0123456789ABCDEF",
      ".unsaved-journal-", ".unsaved-journal-copy", ".unsaved-journal-1-2", ".unsaved-12-copy", ".unsaved-notes-1",
      ".unsaved-1-", ".unsaved--1", ".unsaved-1-2-3-4", ".unsaved-1-2-3-old", "unsaved-7-1",
      "0123456789abcdef", ".unsaved-0123456789abcdef ", ".unsaved-١٢٣٤٥٦٧٨",
    ]
    for name in ours { #expect(Sweeper.isTemporary(name), "\(name)") }
    for name in others { #expect(!Sweeper.isTemporary(name), "\(name)") }
    let folder = try TemporaryFolder()
    for name in ours + others { try age(folder.put("left", name)) }
    try sweep(folder)
    #expect(folder.names == others.sorted())
  }

  @Test func onlyOldTemporaryFilesAreRemoved() throws {
    let folder = try folder(with: ".unsaved-0000000000000001")
    for (number, age) in [(2, 3590.0), (3, 3700.0), (4, -86_400.0)] {
      let file = try folder.put("left", ".unsaved-000000000000000\(number)")
      try FileManager.default.setAttributes(
        [.modificationDate: Date(timeIntervalSinceNow: -age)], ofItemAtPath: file.path)
    }
    try sweep(folder)
    #expect(folder.names == [".unsaved-0000000000000002", ".unsaved-0000000000000004"])
  }

  @Test func foldersLinksAndPipesStay() throws {
    let folder = try folder(with: "a")
    let names = (1...3).map { ".unsaved-000000000000000\($0)" }
    try FileManager.default.createDirectory(at: folder.file(names[0]), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.file(names[1]).path, withDestinationPath: "a")
    #expect(unsafe mkfifo(folder.file(names[2]).path, 0o600) == 0)
    for name in [names[0], names[2]] { try age(folder.file(name)) }
    try sweep(folder)
    #expect(folder.names == names + ["a"])
  }

  @Test(.enabled(if: geteuid() == 0, "only root can give a file away"))
  func temporaryFileOfAnotherUserStays() throws {
    let folder = try folder(with: ".unsaved-0000000000000001")
    #expect(unsafe chown(folder.file(".unsaved-0000000000000001").path, 65534, 65534) == 0)
    try sweep(folder)
    #expect(folder.names == [".unsaved-0000000000000001"])
  }

  @Test func temporaryFileBeingWrittenStaysHoweverOldItIs() async throws {
    let folder = try TemporaryFolder()
    let gate = BlockingGate()
    let held = ScriptedFileSystem(holding: .append, at: gate)
    let path = folder.path("a")
    async let writing = onThread { FileChange.write("x", to: path).refusal(in: held) }
    try await until(held.calls.last == .append)
    try age(folder.file(try #require(folder.names.first)))
    try sweep(folder)
    #expect(folder.names.count == 1)
    gate.open()
    #expect(try await writing == nil)
    #expect(folder.names == ["a"])
  }

  @Test func failureOfTheSweeperDoesNotFailTheChange() throws {
    for call in [ScriptedFileSystem.Call.names, .openFile, .lock, .inspectFile] {
      let folder = try folder(with: ".unsaved-0000000000000001")
      let system = ScriptedFileSystem { made, _ in made == call ? .failure(EIO) : nil }
      try FileChange.write("x", to: folder.path("a")).apply(options: .init(), in: system, sweeper: Sweeper())
      #expect(folder.names == [".unsaved-0000000000000001", "a"], "\(call)")
    }
  }

  // MARK: When a folder is listed

  @Test func folderThatCouldNotBeListedIsListedAgain() throws {
    let folder = try folder(with: ".unsaved-0000000000000001")
    let failures = Countdown(1)
    let system = ScriptedFileSystem { call, _ in call == .names && failures.next() ? .failure(EIO) : nil }
    let sweeper = Sweeper()
    for name in ["a", "b"] {
      try FileChange.write("x", to: folder.path(name)).apply(options: .init(), in: system, sweeper: sweeper)
    }
    #expect(folder.names == ["a", "b"])
  }

  @Test func folderIsListedOnceForAllChanges() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let system = ScriptedFileSystem()
    let writer = FileChangeWriter(
      configuration: .init(), clock: ContinuousClock(), random: SystemRandomNumberGenerator(), system: system)
    for number in 0..<1000 { try await writer.submit(.write("x", to: folder.path("\(number)"))) }
    try await writer.submit(.remove(folder.path("7")))
    try await writer.close()
    #expect(folder.names.count == 999)
    #expect(system.calls.count { $0 == .names } == 1)
  }

  @Test func folderIsListedOnceForAllPathsThatLeadToIt() throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: ".")
    let (system, sweeper) = (ScriptedFileSystem(), Sweeper())
    for name in ["a", "link/a", "link/link/b"] {
      try FileChange.write("x", to: folder.path(name)).apply(options: .init(), in: system, sweeper: sweeper)
    }
    #expect(system.calls.count { $0 == .names } == 1)
  }

  @Test func removalAlsoRemovesOldTemporaryFiles() throws {
    let folder = try folder(with: ".unsaved-0000000000000001", "a")
    try FileChange.remove(folder.path("a")).apply()
    #expect(folder.names == [])
  }
}

/// The real file system, which kills the process at the first sync of a file.
private enum DeadlyFileSystem {
  static let system = ScriptedFileSystem { call, _ in
    if call == .synchronizeFile { kill(getpid(), SIGKILL) }
    return nil
  }
}

/// Makes a file two hours old.
private func age(_ file: URL) throws {
  let date = Date(timeIntervalSinceNow: -7200)
  try FileManager.default.setAttributes([.modificationDate: date], ofItemAtPath: file.path)
}
