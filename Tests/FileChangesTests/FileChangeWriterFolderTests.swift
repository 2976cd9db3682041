import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// The owner and permissions that the folder of a journal may have, and links on the way to a journal.
final class FileChangeWriterFolderTests: XCTestCase {
  private let refusal = "others can write the journal's folder"

  /// The reason why the writer was refused, in words, or nil.
  private func objection(_ body: () async throws -> Void) async -> String? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? FileChangeError)?.reason.description ?? "\(error)"
    }
  }

  func testJournalInAFolderWritableByOthersIsRefused() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(atPath: folder.file("link").path, withDestinationPath: "d")
    for way in ["d", "link"] {
      let open = { try await FileChangeWriter(journal: folder.path("\(way)/journal")).close() }
      for permissions in [0o707, 0o702, 0o777] {
        XCTAssertEqual(unsafe chmod(folder.file("d").path, mode_t(permissions)), 0)
        expectEqual(await objection(open), refusal, String(permissions, radix: 8))
        XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("d").path), [])
      }
      // In a sticky folder, other users cannot remove our files.
      for permissions in [0o755, 0o700, 0o1777, 0o1770] {
        XCTAssertEqual(unsafe chmod(folder.file("d").path, mode_t(permissions)), 0)
        expect(await objection(open) == nil, String(permissions, radix: 8))
      }
    }
    guard geteuid() == 0 else { return }
    for permissions in [0o700, 0o1777] {
      XCTAssertEqual(unsafe chown(folder.file("d").path, 1234, 0), 0)
      XCTAssertEqual(unsafe chmod(folder.file("d").path, mode_t(permissions)), 0)
      let found = await objection { try await FileChangeWriter(journal: folder.path("d/journal")).close() }
      XCTAssertEqual(found, refusal, "the owner of a sticky folder may take away what is in it")
    }
  }

  func testFolderWritableByTheUsersPrivateGroupIsAllowed() async throws {
    try XCTSkipUnless(PosixFileSystem().isPrivateGroup(getegid()), "the user has no group alone")
    let folder = try TemporaryFolder()
    // Several systems have this umask by default. Tests of one process run one after the other.
    let mask = umask(0o002)
    defer { umask(mask) }
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    XCTAssertEqual(folder.permissions("d"), 0o775)
    let writer = try await FileChangeWriter(journal: folder.path("d/journal"))
    try await writer.submit(.write("Buy milk", to: folder.path("a")))
    try await writer.close()
    XCTAssertEqual(folder.text("a"), "Buy milk")
    #if os(Linux)
      // With this list, the group's bits show the rights of another user.
      let list: [UInt8] = [
        2, 0, 0, 0, 1, 0, 7, 0, 255, 255, 255, 255, 2, 0, 7, 0, 210, 4, 0, 0, 4, 0, 0, 0, 255, 255, 255, 255,
        16, 0, 7, 0, 255, 255, 255, 255, 32, 0, 5, 0, 255, 255, 255, 255,
      ]
      do throws(SystemError) {
        let system = PosixFileSystem()
        try system.setAccessControlList(list, of: system.openFolder(folder.file("d").path))
      } catch {
        if error.isUnsupported { return }
        throw error
      }
      XCTAssertEqual(folder.permissions("d"), 0o775)
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("d").path), [])
      try await FileChangeWriter(journal: folder.path("d/journal")).close()
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("d").path)
      XCTAssertEqual(names, [".unsaved-user-\(geteuid())"])
    #endif
  }

  func testJournalOfAGroupWritableFolderIsInAPrivateSubfolder() async throws {
    try XCTSkipUnless(geteuid() == 0, "only root can give a folder to any group")
    let (folder, place) = (try TemporaryFolder(), try TemporaryFolder())
    func allow(_ permissions: mode_t) { XCTAssertEqual(unsafe chmod(folder.url.path, permissions), 0) }
    // The group has other members than the user.
    XCTAssertEqual(unsafe chown(folder.url.path, 0, 1234), 0)
    for permissions: mode_t in [0o770, 0o720, 0o775] {
      allow(permissions)
      try await leave([.write("one", to: place.path("a"))], in: folder)
      XCTAssertEqual(folder.names, [".unsaved-user-0"])
      XCTAssertEqual(folder.permissions(".unsaved-user-0"), 0o700)
      // The journal is found even if the group loses the right to write.
      allow(0o755)
      try await journaledWriter(in: folder).close()
      XCTAssertEqual(place.text("a"), "one")
      try FileManager.default.removeItem(at: place.file("a"))
      // A journal that was in the folder itself before the group got the right is refused.
      try await leave([.write("two", to: place.path("a"))], in: folder)
      allow(permissions)
      expectEqual(await objection { try await journaledWriter(in: folder).close() }, refusal)
      allow(0o755)
      try await journaledWriter(in: folder).close()
      XCTAssertEqual(place.text("a"), "two")
      try FileManager.default.removeItem(at: place.file("a"))
      XCTAssertEqual(folder.names.filter { $0 != ".unsaved-user-0" }, [])
    }
  }

  func testDamagedJournalInAPrivateSubfolderIsMovedAside() async throws {
    try XCTSkipUnless(geteuid() == 0, "only root can give a folder to any group")
    let (folder, place) = (try TemporaryFolder(), try TemporaryFolder())
    XCTAssertEqual(unsafe chown(folder.url.path, 0, 1234), 0)
    XCTAssertEqual(unsafe chmod(folder.url.path, 0o775), 0)
    try await leave([.write("one", to: place.path("a")), .write("two", to: place.path("b"))], in: folder)
    let journal = folder.file(".unsaved-user-0/journal")
    var bytes = try Data(contentsOf: journal)
    bytes[80] ^= 1
    try bytes.write(to: journal)
    let writer = try await journaledWriter(in: folder)
    let kept = try XCTUnwrap(writer.recovery?.setAside)
    XCTAssertEqual(try Data(contentsOf: kept), bytes)
    _ = await unwritten { try await writer.close() }
  }

  func testOldJournalPutBackByAnotherUserIsNotApplied() async throws {
    let (folder, place) = (try TemporaryFolder(), try TemporaryFolder())
    try await leave([.write("old", to: place.path("a"))], in: folder)
    let old = try Data(contentsOf: folder.file("journal"))
    try await journaledWriter(in: folder).close()
    try place.put("new", "a")
    XCTAssertEqual(unsafe chmod(folder.url.path, 0o777), 0)
    try old.write(to: folder.file("journal"))
    XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
    expectEqual(await objection { try await journaledWriter(in: folder).close() }, refusal)
    XCTAssertEqual(place.text("a"), "new")
  }

  func testFolderRecreatedWithWriteAccessForOthersGetsNoJournal() async throws {
    let (folder, place) = (try TemporaryFolder(), try TemporaryFolder())
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    let writer = try await FileChangeWriter(journal: folder.path("d/journal"))
    try FileManager.default.removeItem(at: folder.file("d"))
    try FileManager.default.createDirectory(at: folder.file("d"), withIntermediateDirectories: false)
    XCTAssertEqual(unsafe chmod(folder.file("d").path, 0o777), 0)
    expectEqual(await objection { try await writer.submit(.write("x", to: place.path("a"))) }, refusal)
    XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("d").path), [])
    XCTAssertEqual(unsafe chmod(folder.file("d").path, 0o755), 0)
    try await writer.submit(.write("x", to: place.path("a")))
    try await writer.close()
    XCTAssertEqual(place.text("a"), "x")
  }

  func testAdviceForALinkIsToUseItsTarget() async throws {
    let folder = try TemporaryFolder()
    try folder.put("", "real", permissions: 0o600)
    try FileManager.default.createSymbolicLink(atPath: folder.file("journal").path, withDestinationPath: "real")
    let root = FileChange.Options(root: FileChange.Path(folder.url))
    var found: [FileChangeError] = []
    do throws(FileChangeError) { _ = try await journaledWriter(in: folder) } catch { found.append(error) }
    // Below a root, no option allows links, either.
    if let error = FileChange.write("x", to: folder.path("journal")).refusal(root) { found.append(error) }
    XCTAssertEqual(found.map(\.reason), [.symbolicLink, .symbolicLink])
    for error in found { XCTAssertEqual(error.recoverySuggestion, "Give the path that the link leads to.") }
    try await FileChangeWriter(journal: folder.path("real")).close()
    XCTAssertNil(FileChange.write("x", to: folder.path("real")).refusal(root))
  }

  func testCircleOfLinksAboveTheJournalIsReported() async throws {
    let folder = try TemporaryFolder()
    try FileManager.default.createSymbolicLink(atPath: folder.file("circle").path, withDestinationPath: "circle")
    expectEqual(await reason { _ = try await FileChangeWriter(journal: folder.path("circle/journal")) }, .tooManyLinks)
  }
}
