import FileChanges
import Foundation
import TestSupport
import XCTest

/// Batches whose paths lead through symbolic links, or into many folders.
final class FileChangeBatchPathTests: XCTestCase {
  /// A folder with the file `a`, the link `link` to the folder, and the link `l` to `b`.
  private func folderWithLinks(_ texts: [String: String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder(texts)
    for (name, target) in [("link", "."), ("l", "b")] {
      try FileManager.default.createSymbolicLink(atPath: folder.file(name).path, withDestinationPath: target)
    }
    return folder
  }

  private func texts(_ folder: TemporaryFolder) -> [String: String] {
    folder.texts.filter { $0.key != "link" && $0.key != "l" }
  }

  func testBatchThatNamesOneFileByTwoPathsIsRefused() async throws {
    for texts in [["a": "precious", "b": "B"], ["a": "precious"]] {
      for changes in [
        { folder in [.write("x", to: folder.path("link/b")), .move(folder.path("a"), to: folder.path("b"))] },
        { folder in [.move(folder.path("a"), to: folder.path("b")), .write("x", to: folder.path("link/b"))] },
        { folder in [.write("new", to: folder.path("l")), .move(folder.path("b"), to: folder.path("c"))] },
        { folder in [.write("new", to: folder.path("l")), .remove(folder.path("b"))] },
        { folder in [.remove(folder.path("b")), .write("new", to: folder.path("l"))] },
        { folder in [.write("1", to: folder.path("a")), .write("2", to: folder.path("link/a"))] },
        { folder in [.remove(folder.path("a")), .write("2", to: folder.path("link/link/a"))] },
      ] as [(TemporaryFolder) -> [FileChange]] {
        for hasJournal in [true, false] {
          let folder = try folderWithLinks(texts)
          let writer = hasJournal ? try await journaledWriter(in: folder) : FileChangeWriter()
          try await writer.submit(batch: changes(folder))
          let unwritten = await self.unwritten { try await writer.flush() }
          XCTAssertEqual(unwritten?.failures.first?.error.reason, .sameFile)
          XCTAssertEqual(self.texts(folder), texts)
          _ = await self.unwritten { try await writer.close() }
        }
      }
    }
  }

  func testMoveToTheSameFileByAnotherPathIsRefused() throws {
    let folder = try folderWithLinks(["a": "A"])
    XCTAssertEqual(FileChange.move(folder.path("a"), to: folder.path("link/a")).refusal()?.reason, .sameFile)
    XCTAssertEqual(texts(folder), ["a": "A"])
  }

  func testFolderThatIsReplacedDuringABatchIsNotTouched() async throws {
    let folder = try TemporaryFolder()
    for number in 0..<100 {
      try FileManager.default.createDirectory(at: folder.file("\(number)"), withIntermediateDirectories: false)
      try folder.put("old", "\(number)/a")
    }
    let first = Countdown(1)
    let system = ScriptedFileSystem { call, _ in
      guard call == .createFile, first.next() else { return nil }
      try? FileManager.default.moveItem(at: folder.file("0"), to: folder.file("moved"))
      try? FileManager.default.createDirectory(at: folder.file("0"), withIntermediateDirectories: false)
      _ = try? folder.put("theirs", "0/a")
      return nil
    }
    var configuration = FileChangeWriter.Configuration()
    configuration.backoff.attempts = 1
    let writer = FileChangeWriter(
      configuration: configuration, clock: ContinuousClock(), random: SeededRandom(seed: 1), system: system)
    try await writer.submit(batch: (0..<100).map { .write("new", to: folder.path("\($0)/a")) })
    expectEqual(await self.unwritten { try await writer.close() }?.failures.count, 1)
    XCTAssertEqual(folder.text("0/a"), "theirs")
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("0").path), ["a"])
    XCTAssertEqual(folder.text("moved/a"), "old")
    for number in 1..<100 { XCTAssertEqual(folder.text("\(number)/a"), "old") }
  }

  func testBatchMayNameDifferentFilesThroughLinks() async throws {
    let folder = try folderWithLinks(["a": "A", "b": "B"])
    let writer = FileChangeWriter()
    try await writer.submit(batch: [
      .write("1", to: folder.path("link/a")), .write("2", to: folder.path("l")), .write("3", to: folder.path("c")),
      // The name has a combining character.
      .write("4", to: folder.path("e\u{301}")),
    ])
    try await writer.close()
    XCTAssertEqual(texts(folder), ["a": "1", "b": "2", "c": "3", "e\u{301}": "4"])
  }
}
