import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// Changes that are based on a version of their file.
final class FileChangeVersionTests: XCTestCase {
  private func reason(
    _ change: FileChange, _ options: FileChange.Options = .init(), ours: FileChange.Version? = nil
  ) -> FileChangeError.Reason? {
    var leftovers = _Leftovers.none
    leftovers.version = ours
    guard let error = change.refusal(options, leftovers: leftovers) else { return nil }
    XCTAssertEqual(error.isConflict, error.reason == .changedByAnother)
    XCTAssertFalse(error.isConflict && error.isTransient)
    return error.reason
  }

  /// Changes the file as an editor does, in place or with a new file.
  private func edit(_ name: String, in folder: TemporaryFolder, inPlace: Bool) throws {
    if inPlace {
      let file = try FileHandle(forWritingTo: folder.file(name))
      try file.write(contentsOf: Data("another's text".utf8))
      try file.close()
    } else {
      try Data("else".utf8).write(to: folder.file(name), options: .atomic)
    }
  }

  func testChangeBasedOnTheCurrentVersionIsApplied() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let version = try FileChange.Version(of: folder.path("a"))
    XCTAssertEqual(try FileChange.Version(of: folder.path("a")), version)
    XCTAssertNil(reason(.write("new", to: folder.path("a")).based(on: version)))
    XCTAssertEqual(folder.text("a"), "new")
    XCTAssertNil(reason(.remove(folder.path("a")).based(on: try FileChange.Version(of: folder.path("a")))))
    XCTAssertEqual(folder.names, [])
  }

  func testFileChangedByAnotherProgramIsNotReplaced() throws {
    for inPlace in [true, false] {
      let folder = try TemporaryFolder(["a": "old"])
      let version = try FileChange.Version(of: folder.path("a"))
      try edit("a", in: folder, inPlace: inPlace)
      let text = folder.text("a")
      XCTAssertEqual(reason(.write("new", to: folder.path("a")).based(on: version)), .changedByAnother)
      XCTAssertEqual(reason(.remove(folder.path("a")).based(on: version)), .changedByAnother)
      XCTAssertEqual(folder.text("a"), text)
      XCTAssertEqual(folder.names, ["a"])
      XCTAssertNil(reason(.write("new", to: folder.path("a"))), "without a version whatever is there is replaced")
    }
  }

  func testFileThatAppearedOrVanishedIsAConflict() throws {
    let folder = try TemporaryFolder()
    XCTAssertEqual(try FileChange.Version(of: folder.path("a")), .absent)
    XCTAssertNil(reason(.write("new", to: folder.path("a")).based(on: .absent)))
    XCTAssertEqual(reason(.write("newer", to: folder.path("a")).based(on: .absent)), .changedByAnother)
    let version = try FileChange.Version(of: folder.path("a"))
    try FileManager.default.removeItem(at: folder.file("a"))
    XCTAssertEqual(reason(.write("newer", to: folder.path("a")).based(on: version)), .changedByAnother)
    XCTAssertNil(reason(.remove(folder.path("a")).based(on: version)), "what was to be removed is gone")
  }

  func testFileThatAlreadyHasTheNewContentsIsNotAConflict() throws {
    let folder = try TemporaryFolder()
    let contents = Data(repeating: 7, count: 3_000_000)
    try contents.write(to: folder.file("a"))
    XCTAssertNil(reason(.write(contents, to: folder.path("a")).based(on: .absent)))
    var other = contents
    other[2_999_999] = 8
    XCTAssertEqual(reason(.write(other, to: folder.path("a")).based(on: .absent)), .changedByAnother)
    XCTAssertEqual(reason(.write(contents + [7], to: folder.path("a")).based(on: .absent)), .changedByAnother)
    try folder.put("", "empty")
    XCTAssertNil(reason(.write("", to: folder.path("empty")).based(on: .absent)))
  }

  func testVersionIsThatOfTheFileThatWouldBeWritten() throws {
    let folder = try TemporaryFolder(["a": "old"])
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "a")
    let path = folder.path("link")
    XCTAssertEqual(try FileChange.Version(of: path), try FileChange.Version(of: folder.path("a")))
    let link = try FileChange.Version(of: path, options: .init(symbolicLinks: .replace))
    XCTAssertNotEqual(link, try FileChange.Version(of: path))
    XCTAssertNil(reason(.write("new", to: path).based(on: link), .init(symbolicLinks: .replace)))
    XCTAssertEqual(folder.text("a"), "old")
    XCTAssertThrowsError(try FileChange.Version(of: "a"))
    XCTAssertThrowsError(try FileChange.Version(of: folder.path("gone/a"))) { error in
      XCTAssertEqual((error as? FileChangeError)?.reason, .noSuchFolder)
    }
  }

  func testRemovalOfALinkIsBasedOnTheVersionOfItsTarget() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let path = folder.path("link")
    let link = {
      try FileManager.default.createSymbolicLink(atPath: path.string, withDestinationPath: "a")
    }
    try link()
    let version = try FileChange.Version(of: path)
    let own = try FileChange.Version(of: path, options: .init(symbolicLinks: .replace))
    XCTAssertEqual(
      reason(.remove(path).based(on: version), .init(symbolicLinks: .replace)), .changedByAnother)
    XCTAssertNil(reason(.remove(path).based(on: version)))
    XCTAssertEqual(folder.names, ["a"])
    try link()
    XCTAssertEqual(reason(.remove(path).based(on: own)), .changedByAnother, "it is another link")
    try edit("a", in: folder, inPlace: true)
    XCTAssertEqual(reason(.remove(path).based(on: version)), .changedByAnother)
    XCTAssertNil(reason(.remove(path).based(on: try FileChange.Version(of: path))))
  }

  func testUnreadableFileIsAConflictUnlessTheErrorIsTransient() throws {
    let folder = try TemporaryFolder(["a": "old"])
    for (code, expected) in [
      (EACCES, .changedByAnother), (ENOENT, .changedByAnother), (EMFILE, .tooManyOpenFiles),
    ] as [(Int32, FileChangeError.Reason)] {
      let system = ScriptedFileSystem { call, _ in call == .openFile ? .failure(code) : nil }
      let change = FileChange.write("new", to: folder.path("a")).based(on: .absent)
      XCTAssertEqual(change.refusal(in: system)?.reason, expected)
    }
  }

  func testChangeKeepsItsVersionWhenEncodedOrRecorded() throws {
    let folder = try TemporaryFolder(["a": "old"])
    let version = try FileChange.Version(of: folder.path("a"))
    let plain = [FileChange.write("x", to: folder.path("a")), .remove(folder.path("a"))]
    for change in plain.flatMap({ [$0, $0.based(on: version), $0.based(on: .absent)] }) {
      let decoded = try JSONDecoder().decode(FileChange.self, from: JSONEncoder().encode(change))
      XCTAssertEqual(decoded, change)
      let bodies: [FileChangeWriter._JournalBody] = [
        .change(change), .superseded(change), .completed(change.path, 3...4, leaving: change.base),
      ]
      for body in bodies {
        let record = FileChangeWriter._JournalRecord(sequence: 1, body: body)
        var bytes = JournalHeader(writer: 1, identity: 2).bytes
        record.append(to: &bytes, identity: 2)
        XCTAssertEqual(bytes.count, JournalHeader.byteCount + record.byteCount)
        XCTAssertEqual(try FileChangeWriter._JournalContents(bytes).records, [record])
      }
    }
    checkHashable(equivalenceClasses: plain.flatMap { [[$0], [$0.based(on: version)], [$0.based(on: .absent)]] })
  }

  // MARK: Through a writer

  func testSeveralChangesMayBeBasedOnOneVersion() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let version = try FileChange.Version(of: folder.path("a"))
    let writer = FileChangeWriter()
    for text in ["1", "2", "3"] {
      try await writer.submit(.write(text, to: folder.path("a")).based(on: version))
      try await writer.flush()
    }
    XCTAssertEqual(folder.text("a"), "3")
    try await writer.submit(.write("4", to: folder.path("a")))
    try await writer.submit(.remove(folder.path("a")))
    try await writer.flush()
    try await writer.submit(.write("5", to: folder.path("a")).based(on: version))
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "5")
  }

  func testConflictIsReportedAtOnceAndKept() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let version = try FileChange.Version(of: folder.path("a"))
    let writer = FileChangeWriter()
    let change = FileChange.write("ours", to: folder.path("a")).based(on: version)
    try await writer.submit(change)
    try await writer.flush()
    try edit("a", in: folder, inPlace: false)
    try await writer.submit(change)
    let unwritten = await unwritten { try await writer.flush() }
    XCTAssertEqual(unwritten?.failures.map(\.error.isConflict), [true])
    XCTAssertEqual(unwritten?.failures.map(\.change), [change])
    XCTAssertEqual(folder.text("a"), "else")
    expectEqual(await writer.progress.retried, 0)
    try await writer.submit(.write("ours", to: folder.path("a")))
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "ours")
  }

  func testChangeAppliedByAKilledProcessIsNotAConflict() async throws {
    let folder = try TemporaryFolder(["a": "old"])
    let version = try FileChange.Version(of: folder.path("a"))
    // The file is in its place, and the process dies before it can record that.
    let (first, kill) = try await mortalWriter(in: folder, dyingAt: .synchronizeFolder)
    try await first.submit(.write("new", to: folder.path("a")).based(on: version))
    await kill()
    XCTAssertEqual(folder.text("a"), "new")
    let second = try await FileChangeWriter(journal: folder.path("journal"))
    XCTAssertEqual(second.recovery?.changeCount, 1)
    try await second.close()
    XCTAssertEqual(folder.names, ["a"])
  }

  /// Another program may not have synchronized the contents, and a device reports only once that it could not store
  /// them.
  func testForeignFileWithTheNewContentsIsReplacedByASyncedOne() throws {
    for count in 0...2 {
      let folder = try TemporaryFolder(["a": "old"])
      let version = try FileChange.Version(of: folder.path("a"))
      try Data("new".utf8).write(to: folder.file("a"), options: .atomic)
      let theirs = try FileChange.Version(of: folder.path("a")).stamp?.number
      let failures = Countdown(count)
      let system = ScriptedFileSystem { call, _ in
        call == .synchronizeFile && failures.next() ? .failure(EIO) : nil
      }
      let change = FileChange.write("new", to: folder.path("a")).based(on: version)
      while let error = change.refusal(in: system) { XCTAssertEqual(error.reason, .deviceFailure) }
      XCTAssertFalse(failures.next())
      XCTAssertNotEqual(try FileChange.Version(of: folder.path("a")).stamp?.number, theirs)
      XCTAssertEqual(folder.text("a"), "new")
    }
  }
}
