import EditingSessions
import FileChanges
import Foundation
import Journals
import Outboxes
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Files of a version that this library doesn't know: each type says so, and leaves the file as it is.
@MainActor
final class FormatVersionTests: XCTestCase {
  private struct Rename: PendingChange, Codable {
    var key = 1
  }

  private struct Away: Error {}

  func testFilesOfOtherVersionsAreRefused() async throws {
    let formats: [(name: String, open: (UInt8) async throws -> String?)] = [
      ("archive", openArchive), ("log of a session", openLog), ("journal of a writer", openJournal),
      ("journal of an outbox", openOutbox),
    ]
    let texts: [(version: UInt8, text: String?)] = [
      (0, "written by an older version"), (1, nil), (2, "written by a newer version"), (200, "by a newer version"),
    ]
    for (name, open) in formats {
      for (version, text) in texts {
        let found = try await open(version)
        XCTAssertEqual(found == nil, text == nil, "\(name), version \(version): \(found ?? "no error")")
        if let text { XCTAssertTrue(found?.contains(text) ?? false, "\(name), version \(version): \(found ?? "")") }
      }
    }
  }

  // Each of these returns the error of opening the file if it has this version.

  private func openArchive(version: UInt8) throws -> String? {
    var history = UndoHistory(initialValue: "a")
    history.edit.append("b")
    let json = try JSONEncoder().encode(history.archive())
    var fields = try XCTUnwrap(JSONSerialization.jsonObject(with: json) as? [String: Any])
    let steps = try XCTUnwrap(fields["steps"] as? String)
    // The archive leaves out the padding.
    let padding = String(repeating: "=", count: (4 - steps.utf8.count % 4) % 4)
    var bytes = try XCTUnwrap(Data(base64Encoded: steps + padding))
    // A number that takes one or two bytes.
    bytes.replaceSubrange(..<1, with: version < 128 ? [version] : [version, version >> 7])
    fields["steps"] = bytes.base64EncodedString().filter { $0 != "=" }
    let changed = try JSONSerialization.data(withJSONObject: fields)
    do { _ = try JSONDecoder().decode(UndoHistory<String>.Archive.self, from: changed) } catch {
      return "\(error)"
    }
    return nil
  }

  private func openLog(version: UInt8) async throws -> String? {
    let folder = try TemporaryFolder()
    func open() async throws(EditingSessionError) -> EditingSession<String> {
      try await EditingSession(file: folder.file("a"), recovery: folder.file("recovery"), format: .text)
    }
    let session = try await open()
    session.edit { $0.append("b") }
    try await session.close()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path)
    let name = "recovery/" + (try XCTUnwrap(names.first { $0.hasSuffix(".session") }))
    let bytes = try put(version, name, in: folder)
    // A session is opened all the same.
    let next = try await open()
    let text = next.logFailure.map { "\($0)" }
    XCTAssertEqual(next.currentItem, version == 1 ? "b" : "")
    try await next.close()
    if version != 1 { XCTAssertEqual(try Data(contentsOf: folder.file(name)), bytes) }
    return text
  }

  private func openJournal(version: UInt8) async throws -> String? {
    let folder = try TemporaryFolder()
    let journal = FileChange.Path(folder.file("journal"))
    let writer = try await FileChangeWriter(journal: journal)
    // The folder is missing.
    try await writer.submit(.write("b", to: FileChange.Path(folder.file("folder/a"))))
    try? await writer.close()
    let bytes = try put(version, "journal", in: folder)
    do throws(FileChangeError) {
      let next = try await FileChangeWriter(journal: journal)
      try? await next.close()
      return nil
    } catch {
      XCTAssertEqual(try Data(contentsOf: folder.file("journal")), bytes)
      XCTAssertFalse(error.isTransient)
      return "\(error)"
    }
  }

  private func openOutbox(version: UInt8) async throws -> String? {
    let folder = try TemporaryFolder()
    func open() async throws(OutboxError) -> Outbox<Rename> {
      try await Outbox(journal: folder.file("outbox")) { _ in throw Away() }
    }
    let outbox = try await open()
    try await outbox.insert(Rename())
    await outbox.close()
    let bytes = try put(version, "outbox", in: folder)
    do throws(OutboxError) {
      try await open().close()
      return nil
    } catch {
      XCTAssertEqual(try Data(contentsOf: folder.file("outbox")), bytes)
      return "\(error)"
    }
  }

  /// Gives a journal this version, and returns its bytes.
  private func put(_ version: UInt8, _ name: String, in folder: TemporaryFolder) throws -> Data {
    var bytes = [UInt8](try Data(contentsOf: folder.file(name)))
    bytes[8] = version
    var checksum: [UInt8] = []
    checksum.append(littleEndian: Checksum.value(of: bytes[..<28]))
    bytes.replaceSubrange(28..<32, with: checksum)
    try folder.put(bytes, name)
    return Data(bytes)
  }
}
