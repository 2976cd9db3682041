import FileChanges
import Foundation
import TestSupport
import XCTest

/// A writer with a root changes no file outside it.
final class FileChangeRootTests: XCTestCase {
  /// A folder with the root `root`, and with `outside/file` beside it.
  private func makeFolder() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for name in ["root", "root/d", "root/d/e", "outside"] {
      try FileManager.default.createDirectory(at: folder.file(name), withIntermediateDirectories: false)
    }
    try folder.put("old", "outside/file")
    return folder
  }

  private func reason(
    _ change: FileChange, in folder: TemporaryFolder, _ links: FileChange.Options.SymbolicLinks = .follow,
    system: ScriptedFileSystem = ScriptedFileSystem()
  ) -> FileChangeError.Reason? {
    change.refusal(.init(symbolicLinks: links, root: folder.path("root")), in: system)?.reason
  }

  private func link(_ name: String, to target: String, in folder: TemporaryFolder) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.file(name).path, withDestinationPath: target)
  }

  func testFilesBelowTheRootAreWrittenAndRemoved() throws {
    let folder = try makeFolder()
    for name in ["root/a", "root/d/a", "root/d/e/a"] {
      XCTAssertNil(reason(.write("new", to: folder.path(name)), in: folder))
      XCTAssertEqual(folder.text(name), "new")
      XCTAssertNil(reason(.remove(folder.path(name)), in: folder))
      XCTAssertNil(folder.text(name))
    }
    XCTAssertNil(reason(.remove(folder.path("root/gone/a")), in: folder))
  }

  func testPathsOutsideTheRootAreRefused() throws {
    let folder = try makeFolder()
    for name in ["outside/file", "root", "rooted", "a"] {
      XCTAssertEqual(reason(.write("new", to: folder.path(name)), in: folder), .outsideRoot, name)
      XCTAssertEqual(reason(.remove(folder.path(name)), in: folder), .outsideRoot, name)
    }
    XCTAssertEqual(reason(.write("new", to: folder.path("root/../outside/file")), in: folder), .parentReference)
    XCTAssertEqual(reason(.write("new", to: "outside/file"), in: folder), .relativePath)
    XCTAssertEqual(folder.text("outside/file"), "old")
  }

  func testRootMayBeASlashButNotAnInvalidPath() throws {
    let folder = try makeFolder()
    try FileChange.write("new", to: FileChange.Path(folder.file("outside/file").resolvingSymlinksInPath()))
      .apply(options: .init(root: "/"))
    XCTAssertEqual(folder.text("outside/file"), "new")
    for root: FileChange.Path in ["relative", "/a/../b", "/a\0b"] {
      XCTAssertThrowsError(try FileChange.write("x", to: "/a").apply(options: .init(root: root)))
    }
  }

  func testLinksBelowTheRootAreNotFollowed() throws {
    let folder = try makeFolder()
    try link("root/link", to: "../outside/file", in: folder)
    try link("root/inside", to: "d/a", in: folder)
    try link("root/folder", to: "../outside", in: folder)
    try link("root/d/folder", to: folder.file("outside").path, in: folder)
    for name in ["root/link", "root/inside", "root/folder/file", "root/d/folder/file", "root/folder/new"] {
      XCTAssertEqual(reason(.write("new", to: folder.path(name)), in: folder), .symbolicLink, name)
    }
    XCTAssertEqual(reason(.remove(folder.path("root/folder/file")), in: folder), .symbolicLink)
    XCTAssertNil(reason(.write("new", to: folder.path("root/link")), in: folder, .replace))
    XCTAssertEqual(folder.text("root/link"), "new")
    XCTAssertNil(reason(.remove(folder.path("root/inside")), in: folder))
    XCTAssertEqual(folder.text("outside/file"), "old")
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("outside").path), ["file"])
  }

  func testRootMayBeReachedThroughALink() throws {
    let folder = try makeFolder()
    try link("way", to: "root", in: folder)
    try FileChange.write("new", to: folder.path("way/d/a")).apply(options: .init(root: folder.path("way")))
    XCTAssertEqual(folder.text("root/d/a"), "new")
  }

  func testFolderReplacedByALinkAtAnyCallIsNotFollowed() throws {
    // The swap happens before each call in turn. The change is made in the original folder, or it is refused.
    for moment in 0..<12 {
      for change in ["root/d/e/file", "root/d/file"] {
        let folder = try makeFolder()
        let system = ScriptedFileSystem { _, number in
          if number == moment {
            try? FileManager.default.moveItem(at: folder.file("root/d"), to: folder.file("root/moved"))
            try? FileManager.default.createSymbolicLink(
              atPath: folder.file("root/d").path, withDestinationPath: folder.file("outside").path)
          }
          return nil
        }
        _ = reason(.write("new", to: folder.path(change)), in: folder, system: system)
        XCTAssertEqual(folder.text("outside/file"), "old", "\(moment)")
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("outside").path), ["file"])
      }
    }
  }

  func testWriterRefusesAChangeOutsideTheRootAtSubmission() async throws {
    let folder = try makeFolder()
    var configuration = FileChangeWriter.Configuration()
    configuration.options.root = folder.path("root")
    let writer = FileChangeWriter(configuration: configuration)
    do {
      try await writer.submit(.remove(folder.path("outside/file")))
      XCTFail("the file is outside")
    } catch {
      XCTAssertEqual(error.reason, .outsideRoot)
      XCTAssertEqual(error.operation, .submit)
    }
    try await writer.submit(.write("new", to: folder.path("root/d/a")))
    try await writer.close()
    XCTAssertEqual(folder.text("root/d/a"), "new")
  }
}
