import FileChanges
import Foundation
import TestSupport
import XCTest

final class FileChangeLinkTests: XCTestCase {
  /// A folder with the file `file`, the folder `d`, and links.
  private func folderWithLinks() throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    try folder.put("old", "file", permissions: 0o600)
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    let links = [
      "link": "file", "absolute": folder.file("file").path, "d/up": "../file", "chain": "d/up", "dangling": "d/new",
      "nowhere": "gone/new", "circle": "circle2", "circle2": "circle", "folder": "d", "slash": "d/", "parent": "d/..",
    ]
    for (name, target) in links {
      try FileManager.default.createSymbolicLink(atPath: folder.file(name).path, withDestinationPath: target)
    }
    return folder
  }

  private func target(_ name: String, in folder: TemporaryFolder) -> String? {
    try? FileManager.default.destinationOfSymbolicLink(atPath: folder.file(name).path)
  }

  private func reason(
    _ change: FileChange, _ links: FileChange.Options.SymbolicLinks = .follow
  ) -> FileChangeError.Reason? {
    change.refusal(.init(symbolicLinks: links))?.reason
  }

  func testWriteFollowsALinkAndKeepsIt() throws {
    for name in ["link", "absolute", "d/up", "chain"] {
      let folder = try folderWithLinks()
      let before = target(name, in: folder)
      XCTAssertNil(reason(.write("new", to: folder.path(name))), name)
      XCTAssertEqual(folder.text("file"), "new", name)
      XCTAssertEqual(folder.permissions("file"), 0o600, name)
      XCTAssertNotNil(before)
      XCTAssertEqual(target(name, in: folder), before, name)
    }
  }

  func testWriteThroughADanglingLinkCreatesTheTarget() throws {
    let folder = try folderWithLinks()
    XCTAssertNil(reason(.write("new", to: folder.path("dangling"))))
    XCTAssertEqual(folder.text("d/new"), "new")
    XCTAssertEqual(target("dangling", in: folder), "d/new")
  }

  func testWriteThroughALinkThatLeadsToNoFileIsRefused() throws {
    let folder = try folderWithLinks()
    XCTAssertEqual(reason(.write("new", to: folder.path("nowhere"))), .noSuchFolder)
    XCTAssertEqual(reason(.write("new", to: folder.path("circle"))), .tooManyLinks)
    XCTAssertEqual(reason(.write("new", to: folder.path("folder"))), .folder)
    XCTAssertEqual(reason(.write("new", to: folder.path("slash"))), .folder)
    XCTAssertEqual(reason(.write("new", to: folder.path("parent"))), .folder)
  }

  func testLinkWhoseTargetIsNotUTF8IsNotFollowed() throws {
    let folder = try folderWithLinks()
    // The target is Latin-1. Decoded as UTF-8 it would be another name, and the write would create a file there.
    let target: [CChar] = [0x63, 0x61, 0x66, CChar(bitPattern: 0xE9), 0]
    XCTAssertEqual(unsafe symlink(target, folder.file("latin").path), 0)
    let names = folder.names
    XCTAssertEqual(reason(.write("new", to: folder.path("latin"))), .invalidPath)
    XCTAssertEqual(folder.names, names)
    XCTAssertNil(reason(.remove(folder.path("latin"))))
  }

  func testWriteReplacesALinkIfAskedTo() throws {
    let folder = try folderWithLinks()
    XCTAssertNil(reason(.write("new", to: folder.path("link")), .replace))
    XCTAssertEqual(folder.text("file"), "old")
    XCTAssertEqual(folder.text("link"), "new")
    XCTAssertNil(target("link", in: folder))
    XCTAssertNil(reason(.write("new", to: folder.path("circle")), .replace))
    XCTAssertEqual(folder.text("circle"), "new")
  }

  func testWriteRefusesALinkIfAskedTo() throws {
    let folder = try folderWithLinks()
    XCTAssertEqual(reason(.write("new", to: folder.path("link")), .refuse), .symbolicLink)
    XCTAssertEqual(reason(.write("new", to: folder.path("dangling")), .refuse), .symbolicLink)
    XCTAssertEqual(folder.text("file"), "old")
    XCTAssertEqual(target("link", in: folder), "file")
    XCTAssertNil(reason(.write("new", to: folder.path("file")), .refuse))
  }

  func testLinkToAFolderInThePathIsAlwaysFollowed() throws {
    let folder = try folderWithLinks()
    for links in [FileChange.Options.SymbolicLinks.follow, .replace, .refuse] {
      XCTAssertNil(reason(.write("\(links)", to: folder.path("folder/new")), links))
      XCTAssertEqual(folder.text("d/new"), "\(links)")
    }
  }

  func testRemoveRemovesALinkAndNotItsTarget() throws {
    for links in [FileChange.Options.SymbolicLinks.follow, .replace, .refuse] {
      let folder = try folderWithLinks()
      for name in ["link", "dangling", "circle", "folder"] {
        XCTAssertNil(reason(.remove(folder.path(name)), links), name)
        XCTAssertNil(target(name, in: folder), name)
      }
      XCTAssertEqual(folder.text("file"), "old")
      XCTAssertTrue(folder.names.contains("d"))
    }
  }

  func testHardLinkKeepsTheOldContents() throws {
    let folder = try TemporaryFolder(["a": "old"])
    try FileManager.default.linkItem(at: folder.file("a"), to: folder.file("b"))
    try FileChange.write("new", to: folder.path("a")).apply()
    XCTAssertEqual(folder.text("a"), "new")
    XCTAssertEqual(folder.text("b"), "old")
  }

  func testLinkThatVanishesWhileItIsReadIsNotFollowed() throws {
    for replacement in [nil, "other"] {
      let folder = try folderWithLinks()
      let system = ScriptedFileSystem { call, _ in
        if call == .linkTarget {
          try? FileManager.default.removeItem(at: folder.file("link"))
          if let replacement { _ = try? folder.put(replacement, "link") }
        }
        return nil
      }
      try FileChange.write("new", to: folder.path("link")).apply(options: .init(), in: system)
      XCTAssertEqual(folder.text("link"), "new")
      XCTAssertEqual(folder.text("file"), "old")
    }
  }
}
