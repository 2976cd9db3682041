import FileChanges
import Foundation
import TestSupport
import XCTest

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux)
  private func closeNow(_ descriptor: Int32) -> Int32 { close(descriptor) }

  /// Links such as `/dev/stdout`, which lead to an open file of a process.
  final class FileChangeOpenFileLinkTests: XCTestCase {
    /// An open pipe or file, and the paths that lead to it.
    private struct Opened {
      let folder: TemporaryFolder
      let descriptors: [Int32]
      var ways: [FileChange.Path] {
        ["/proc/self/fd", "/dev/fd"].map { FileChange.Path("\($0)/\(descriptors[0])") }
          + [folder.path("own"), folder.path("chain")]
      }

      init(_ open: (TemporaryFolder) throws -> [Int32]) throws {
        try XCTSkipUnless(FileManager.default.fileExists(atPath: "/proc/self/fd"), "there is no /proc")
        folder = try TemporaryFolder()
        descriptors = try open(folder)
        for (name, target) in [("own", "/proc/self/fd/\(descriptors[0])"), ("chain", "own")] {
          try FileManager.default.createSymbolicLink(atPath: folder.file(name).path, withDestinationPath: target)
        }
      }

      func close() { descriptors.forEach { _ = closeNow($0) } }
    }

    private func opened() throws -> [Opened] {
      [
        try Opened { _ in
          var ends: [Int32] = [0, 0]
          XCTAssertEqual(unsafe pipe(&ends), 0)
          return ends
        },
        try Opened { folder in [unsafe open(try folder.put("old", "file").path, O_RDWR)] },
        try Opened { folder in
          let file = try folder.put("old", "gone")
          defer { unsafe unlink(file.path) }
          return [unsafe open(file.path, O_RDWR)]
        },
      ]
    }

    func testOpenFilesOfAProcessAreNotReplacedThroughLinks() async throws {
      for opened in try opened() {
        defer { opened.close() }
        let (folder, names, text) = (opened.folder, opened.folder.names, opened.folder.text("file"))
        let number = try? FileChange.Version(of: folder.path("file"))
        for way in opened.ways {
          XCTAssertEqual(FileChange.write("x", to: way).refusal()?.reason, .notAFile, "\(way)")
          let writer = FileChangeWriter()
          try await writer.submit(batch: [.write("b", to: folder.path("b")), .write("x", to: way)])
          let unwritten = await self.unwritten { try await writer.close() }
          XCTAssertEqual(unwritten?.failures.map(\.error.reason), [.notAFile], "\(way)")
        }
        for way in opened.ways.prefix(2) {
          XCTAssertEqual(FileChange.remove(way).refusal()?.reason, .notAFile, "\(way)")
          XCTAssertEqual(FileChange.move(way, to: folder.path("m")).refusal()?.reason, .notAFile, "\(way)")
        }
        XCTAssertEqual(folder.names, names)
        XCTAssertEqual(folder.text("file"), text)
        XCTAssertEqual(try? FileChange.Version(of: folder.path("file")), number)
      }
    }

    func testReadingALinkToAnOpenFileOfAProcessIsRefused() async throws {
      for opened in try opened() {
        defer { opened.close() }
        for way in opened.ways {
          expectEqual(await reason { _ = try FileChange.Version(of: way) }, .notAFile, "\(way)")
          let writer = FileChangeWriter()
          expectEqual(await reason { _ = try await writer.file(at: way).contents() }, .notAFile, "\(way)")
          try await writer.close()
        }
      }
      for way in ["/dev/stdout", "/dev/stdin", "/dev/null"] as [FileChange.Path] {
        expectEqual(await reason { _ = try FileChange.Version(of: way) }, .notAFile, "\(way)")
      }
    }

    func testUsersOwnLinkToAnOpenFileIsReplacedAndRemoved() throws {
      for opened in try opened() {
        defer { opened.close() }
        let folder = opened.folder
        XCTAssertNil(FileChange.write("x", to: folder.path("own")).refusal(.init(symbolicLinks: .replace)))
        XCTAssertEqual(folder.text("own"), "x")
        XCTAssertNil(FileChange.remove(folder.path("chain")).refusal())
        XCTAssertEqual(folder.names.filter { $0 != "file" }, ["own"])
      }
    }

    func testFileInAnOpenFolderOfAProcessIsWritten() throws {
      let folder = try TemporaryFolder()
      let descriptor = unsafe open(folder.url.path, O_RDONLY | O_DIRECTORY)
      defer { close(descriptor) }
      XCTAssertNil(FileChange.write("x", to: FileChange.Path("/proc/self/fd/\(descriptor)/a")).refusal())
      XCTAssertEqual(folder.text("a"), "x")
    }
  }
#endif
