#if canImport(Glibc)
  import FileChanges
  import Foundation
  import Journals
  import TestSupport
  import Glibc
  import XCTest

  /// A small file system for one test.
  ///
  /// It needs a process with the right to mount.
  private final class SmallFileSystem {
    let folder: TemporaryFolder

    init(options: String) throws {
      folder = try TemporaryFolder()
      let result = unsafe mount("tmpfs", folder.url.path, "tmpfs", 0, options)
      try XCTSkipIf(result != 0, "mounting is not permitted here (errno \(errno))")
    }

    func makeReadOnly() {
      XCTAssertEqual(unsafe mount("tmpfs", folder.url.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil), 0)
    }

    deinit { _ = unsafe umount2(folder.url.path, Int32(MNT_DETACH)) }
  }

  final class FileChangeMountTests: XCTestCase {
    /// A journal is rewritten as a new file, which can't take the name of a mounted one.
    func testMountedJournalIsRefusedWithAReasonThatSaysSo() async throws {
      let folder = try TemporaryFolder()
      for contents in [[], JournalHeader(writer: 1, identity: 2).bytes] {
        let path = try folder.put(contents, "journal").path
        let result = unsafe mount(path, path, nil, UInt(MS_BIND), nil)
        try XCTSkipIf(result != 0, "mounting is not permitted here (errno \(errno))")
        defer { _ = unsafe umount2(path, Int32(MNT_DETACH)) }
        do throws(FileChangeError) {
          let writer = try await FileChangeWriter(journal: folder.path("journal"))
          try await writer.submit(.write("new", to: folder.path("a")))
          XCTFail("the change was accepted")
          try? await writer.close()
        } catch {
          XCTAssertTrue(error.description.contains("the journal is mounted"), error.description)
          XCTAssertFalse(error.isTransient)
          XCTAssertEqual(error.path, folder.path("journal"))
        }
        XCTAssertNil(folder.text("a"))
      }
    }

    func testFullDiskKeepsTheOldFile() throws {
      let system = try SmallFileSystem(options: "size=64k")
      let folder = system.folder
      XCTAssertNil(FileChange.write("old", to: folder.path("a")).refusal())
      let failure = FileChange.write(Data(repeating: 7, count: 100_000), to: folder.path("a")).refusal()
      XCTAssertEqual(failure?.reason, .deviceFull)
      XCTAssertEqual(failure?.operation, .write)
      XCTAssertEqual(failure?.isTransient, false)
      XCTAssertEqual(folder.text("a"), "old")
      XCTAssertEqual(folder.names, ["a"])
      XCTAssertNil(FileChange.write("new", to: folder.path("a")).refusal())
      XCTAssertEqual(folder.text("a"), "new")
    }

    func testDiskWithoutFreeInodesKeepsTheOldFile() throws {
      let system = try SmallFileSystem(options: "size=1m,nr_inodes=2")
      let folder = system.folder
      try folder.put("old", "a")
      let failure = FileChange.write("new", to: folder.path("a")).refusal()
      XCTAssertEqual(failure?.reason, .deviceFull)
      XCTAssertEqual(failure?.operation, .createTemporary)
      XCTAssertEqual(folder.text("a"), "old")
      XCTAssertNil(FileChange.remove(folder.path("a")).refusal())
      XCTAssertEqual(folder.names, [])
    }

    func testReadOnlyFileSystemIsReported() throws {
      let system = try SmallFileSystem(options: "size=64k")
      let folder = system.folder
      try folder.put("old", "a")
      system.makeReadOnly()
      XCTAssertEqual(FileChange.write("new", to: folder.path("a")).refusal()?.reason, .readOnly)
      XCTAssertEqual(FileChange.remove(folder.path("a")).refusal()?.reason, .readOnly)
      XCTAssertEqual(folder.text("a"), "old")
      XCTAssertEqual(folder.names, ["a"])
    }

    func testFullJournalDiskRefusesAChangeAndKeepsTheOthers() async throws {
      let system = try SmallFileSystem(options: "size=64k")
      let (disk, folder) = (system.folder, try TemporaryFolder())
      let journal = disk.path("journal")
      let writer = try await FileChangeWriter(journal: journal)
      try await writer.submit(.write("kept", to: folder.path("gone/a")))
      do {
        try await writer.submit(.write(Data(count: 100_000), to: folder.path("large")))
        XCTFail("the journal has no room for this")
      } catch {
        XCTAssertEqual(error.reason, .deviceFull)
        XCTAssertEqual(error.path, journal)
      }
      // A change that fits is accepted again, and the one that was accepted before is still there.
      try await writer.submit(.write("small", to: folder.path("small")))
      try? await writer.close()
      XCTAssertEqual(folder.names, ["small"])
      XCTAssertEqual(disk.names, ["journal"])
      try FileManager.default.createDirectory(at: folder.file("gone"), withIntermediateDirectories: false)
      try await FileChangeWriter(journal: journal).close()
      XCTAssertEqual(folder.text("gone/a"), "kept")
      XCTAssertEqual(disk.names, [])
    }

    func testJournalOnAReadOnlyDiskIsRefused() async throws {
      let system = try SmallFileSystem(options: "size=64k")
      system.makeReadOnly()
      do {
        _ = try await FileChangeWriter(journal: system.folder.path("journal"))
        XCTFail("the journal cannot be made")
      } catch {
        XCTAssertEqual(error.reason, .readOnly)
        XCTAssertEqual(error.operation, .openJournal)
      }
    }

    func testWriterWritesOtherFilesWhenTheDiskIsFull() async throws {
      let system = try SmallFileSystem(options: "size=64k")
      let folder = system.folder
      // One file at a time, because a file written beside the large one would also find the disk full.
      let writer = FileChangeWriter(configuration: .init(parallelFiles: 1))
      let large = FileChange.write(Data(repeating: 7, count: 100_000), to: folder.path("large"))
      try await writer.submit(large)
      for number in 0..<5 { try await writer.submit(.write("\(number)", to: folder.path("small \(number)"))) }
      let unwritten = await unwritten { try await writer.flush() }
      XCTAssertEqual(unwritten?.failures.map(\.change), [large])
      XCTAssertEqual(unwritten?.failures.map(\.error.reason), [.deviceFull])
      XCTAssertEqual(folder.names, (0..<5).map { "small \($0)" })

      // With more space, the failed change can be retried.
      let path = folder.url.path
      XCTAssertEqual(unsafe mount("tmpfs", path, "tmpfs", UInt(MS_REMOUNT), "size=1m"), 0)
      let count = await writer.retryFailures()
      XCTAssertEqual(count, 1)
      try await writer.close()
      XCTAssertEqual(try Data(contentsOf: folder.file("large")).count, 100_000)
    }
  }
#endif
