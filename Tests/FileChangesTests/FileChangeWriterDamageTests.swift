import FileChanges
import Foundation
import Journals
import TestSupport
import XCTest

/// A writer starts even if its journal is unreadable, and no byte of the journal is lost.
final class FileChangeWriterDamageTests: XCTestCase {
  private let header = JournalHeader(writer: 7, identity: 99).bytes

  private func record(_ change: FileChange, sequence: UInt64 = 1) -> [UInt8] {
    var bytes: [UInt8] = []
    FileChangeWriter._JournalRecord(sequence: sequence, body: .change(change)).append(to: &bytes, identity: 99)
    return bytes
  }

  /// The bytes of unreadable journals, with the damage of each.
  private var damaged: [(String, [UInt8])] {
    var files = (1..<header.count).map { ("cut after \($0) bytes", Array(header[..<$0])) }
    for bit in 0..<header.count * 8 {
      var bytes = header
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      files.append(("bit \(bit) of the header flipped", bytes))
      // The mark at the beginning of the first record is damaged, too.
      guard bit < 64 else { continue }
      bytes += record(.write("lost", to: "/nowhere/a"))
      bytes[header.count] ^= 1
      files.append(("bit \(bit) and a record", bytes))
    }
    files.append(("zeros", Array(repeating: 0, count: 5000)))
    files.append(("a letter", Array(String(repeating: "Dear diary, ", count: 500).utf8)))
    files.append(("noise", (0..<5000).map { UInt8(truncatingIfNeeded: $0 * 7919 >> 3) }))
    return files
  }

  func testWriterStartsWithAnyDamagedJournal() async throws {
    for (title, bytes) in damaged {
      let folder = try TemporaryFolder(isInMemory: true)
      try Data(bytes).write(to: folder.file("journal"))
      XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
      do {
        let writer = try await journaledWriter(in: folder)
        XCTAssertEqual(writer.recovery?.changeCount, 0, title)
        XCTAssertEqual(writer.recovery?.isIntact, false, title)
        let setAside = try XCTUnwrap(writer.recovery?.setAside, title)
        XCTAssertEqual([UInt8](try Data(contentsOf: setAside)), bytes, title)
        XCTAssertTrue("\(writer.recovery!)".contains(setAside.path))
        try await writer.submit(.write("x", to: folder.path("a")))
        try await writer.close()
      } catch {
        XCTFail("\(title): \(error)")
        continue
      }
      XCTAssertEqual(folder.text("a"), "x")
      let names = folder.names.filter { $0 != "a" }
      XCTAssertEqual(names.count, 1, title)
      XCTAssertTrue(names.allSatisfy { $0.hasPrefix("journal.damaged-") }, "\(names)")
      XCTAssertEqual(try names.first.map { [UInt8](try Data(contentsOf: folder.file($0))) }, bytes, title)
    }
  }

  func testRecordsAfterADamagedHeaderAreApplied() async throws {
    for bit in 0..<header.count * 8 {
      let folder = try TemporaryFolder(isInMemory: true)
      var bytes = header + record(.write("kept", to: folder.path("a")))
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      try Data(bytes).write(to: folder.file("journal"))
      XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
      let writer = try await journaledWriter(in: folder)
      XCTAssertEqual(writer.recovery?.damage, [0..<header.count])
      try await writer.close()
      XCTAssertEqual(folder.text("a"), "kept")
      let setAside = try XCTUnwrap(writer.recovery?.setAside)
      XCTAssertEqual([UInt8](try Data(contentsOf: setAside)), bytes)
      XCTAssertEqual(folder.names.count, 2)
    }
  }

  /// A folder with an unreadable journal.
  private func folderWithDamage() throws -> TemporaryFolder {
    let folder = try TemporaryFolder(isInMemory: true)
    try folder.put("damaged", "journal", permissions: 0o600)
    return folder
  }

  func testJournalsMovedAsideGetDifferentNames() async throws {
    let folder = try folderWithDamage()
    for number in 0..<5 {
      try folder.put("damaged \(number)", "journal", permissions: 0o600)
      try await journaledWriter(in: folder).close()
    }
    let texts = folder.names.compactMap { folder.text($0) }
    XCTAssertEqual(texts.sorted(), (0..<5).map { "damaged \($0)" })
  }

  func testJournalThatCannotBeMovedAsideIsKeptAndReported() async throws {
    for call in [ScriptedFileSystem.Call.createFile, .moveFile] {
      let folder = try folderWithDamage()
      let system = ScriptedFileSystem { made, _ in [call, .linkFile].contains(made) ? .failure(EACCES) : nil }
      do {
        _ = try await journaledWriter(in: folder, system: system)
        XCTFail("the journal could not be moved aside")
      } catch {
        XCTAssertEqual(error.path, folder.path("journal"))
        XCTAssertEqual(error.operation, .setAsideJournal)
        XCTAssertEqual(error.reason, .permissionDenied)
      }
      XCTAssertEqual(folder.names, ["journal"])
      XCTAssertEqual(folder.text("journal"), "damaged")
      try await journaledWriter(in: folder).close()
      XCTAssertEqual(folder.names.count, 1)
    }
  }

  func testJournalWithTheLongestNameCanBeMovedAside() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let name = String(repeating: "é", count: 127)
    try folder.put("damaged", name, permissions: 0o600)
    try await FileChangeWriter(journal: folder.path(name)).close()
    XCTAssertEqual(folder.names.compactMap { folder.text($0) }, ["damaged"])
  }

  func testJournalOfANewerVersionIsNotTreatedAsDamage() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    var newer = Array(header[..<28])
    newer[8] = 3
    let checksum = Checksum.value(of: newer[...])
    newer += (0..<4).map { UInt8(truncatingIfNeeded: checksum >> (8 * $0)) }
    try Data(newer).write(to: folder.file("journal"))
    XCTAssertEqual(unsafe chmod(folder.file("journal").path, 0o600), 0)
    expectEqual(await reason { _ = try await journaledWriter(in: folder) }, .newerJournal)
    XCTAssertEqual(folder.names, ["journal"])
  }
}
