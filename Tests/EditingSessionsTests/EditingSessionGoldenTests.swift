import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// The log of a session as version 1 of the format has it.
///
/// If this test fails, the format has changed, and users have logs that this code can't read: `docs/releasing.md` says
/// what to do.
@MainActor
final class EditingSessionGoldenTests: XCTestCase, NoteSessions {
  private struct Page: UndoArchivable, Equatable, Sendable {
    var title = ""
    var rows: [String] = []
    var ages: [String: Int] = [:]
    nonisolated static let undoParts = [
      UndoPart<Page>("title", \.title), UndoPart("rows", \.rows), UndoPart("ages", \.ages),
    ]
  }

  /// The log that `remade()` returns.
  ///
  /// Run this test with `UNSAVED_GOLDEN=1` to print such bytes.
  /// It begins with a snapshot with steps, followed by edits, a save, an edit by another program, an undo and a redo.
  private static let log = """
    VU5TQVZFREoBAAAAoBsA8XlWF71fKjl8TDQP4gtlzWRKUlMyvgAAAF8qOXxMNA/iBAAAAAAAAAAr29tCCQApAAAAAQIDB3RpdGxlOnMCB3Jvd3M6
    KnMCCWFnZXM6e3MsaQABBnRleHQ6cwIuAAAAAAAAAHsidGl0bGUiOiJDYWZlIiwiYWdlcyI6e30sInJvd3MiOlsiT2F0IE1pbGsiXX0BAMrXxOLE
    0oy8jwEAAgMHdGl0bGU6cwIHcm93czoqcwIJYWdlczp7cyxpAAEGdGV4dDpzAgEAAiAICAABAgAEACQFVGl0bGUEAgAEAAAAALn67dC8ybvfHJdI
    DyNKUlMyDQAAAF8qOXxMNA/iBQAAAAAAAACFAlQCCy4uL3BhZ2UuanNvbjmnTM1KUlMyCQAAAF8qOXxMNA/iBgAAAAAAAAAYWx8EAhABAgMBAsOp
    MoVeUUpSUzIgAAAAXyo5fEw0D+IHAAAAAAAAAB3bhDECAgNBZGQQAgMBBUZsb3VyEAMBCnsiQWRhIjozNn0DAOl00a9KUlMyCwAAAF8qOXxMNA/i
    CAAAAAAAAACbyMabAhACCAABAgQBAW0md/wvSlJOMhUAAABfKjl8TDQP4gkAAAAAAAAASlNQtQM/AAAAAAAAABbkL1jeuAH8PDl0K/ubCyVKUlMy
    FQAAAF8qOXxMNA/iCgAAAAAAAACBKM5/BT8AAAAAAAAAFuQvWN64Afw8OXQrlZc2C0pSUzIEAAAAXyo5fEw0D+ILAAAAAAAAANhCunsECwYAsNX1
    iEpSUzItAAAAXyo5fEw0D+IMAAAAAAAAAP66RP0HRgAAAAAAAACq19NPjO3tqQboPKACBlJlbG9hZBACAgIAAQRTYWx0AwALBwDcH1NTSlJTMhgA
    AABfKjl8TDQP4g0AAAAAAAAA1c8o0AICBUNsZWFyEAICAAIAAwAQAQIFAAEhBHKyQEg=
    """

  /// The file that belongs to the log.
  ///
  /// The log has its digest, so the bytes must be the same.
  private static let saved = #"{"ages":{"Ada":36},"rows":["Oat milk","Flour","Salt"],"title":"Café"}"#

  /// The name depends on the path of the file, relative to the log.
  private static let name = "page.json-54106519da9ab2e7.session"

  private func open(_ folder: TemporaryFolder) async throws(EditingSessionError) -> EditingSession<Page> {
    try await EditingSession(
      file: folder.file("page.json"), recovery: folder.file("recovery"),
      format: EditingFormat<Page>(
        read: { try JSONDecoder().decode(Page.self, from: $0) },
        write: {
          let encoder = JSONEncoder()
          encoder.outputFormatting = .sortedKeys
          return try encoder.encode($0)
        }), new: Page(rows: ["Milk"]))
  }

  private func remade() async throws -> [UInt8] {
    let folder = try TemporaryFolder()
    var session = try await open(folder)
    session.edit("Title") { $0.title.append("Cafe") }
    session.edit { $0.rows[0].insert("Oat ", atUTF8: 0) }
    try await session.close()
    session = try await open(folder)
    session.edit { $0.title.set("Caf\u{e9}") }
    try await session.synchronize()
    session.edit("Add") { edit in
      edit.rows.append("Flour")
      edit.ages["Ada"] = 36
    }
    session.edit { $0.rows[0].replaceSubrange(utf8: 4..<5, with: "m") }
    try await session.save()
    let theirs = try String(contentsOf: session.file, encoding: .utf8)
    try write(theirs.replacingOccurrences(of: #""Flour""#, with: #""Flour","Salt""#), session.file)
    try await session.reload()
    session.edit("Clear") { $0.rows.removeSubrange(0..<2) }
    session.edit { $0.title.append("!") }
    session.undo()
    try await session.synchronize()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path)
    print(names, try String(contentsOf: session.file, encoding: .utf8))
    let bytes = Array(try Data(contentsOf: folder.file("recovery").appending(path: try XCTUnwrap(names.first))))
    // The zeros after the records have no meaning.
    return Array(bytes[...(try XCTUnwrap(bytes.lastIndex { $0 != 0 }))])
  }

  func testLogOfVersion1IsReadWithAllEditsAndSteps() async throws {
    let golden = try await GoldenFile(Self.log, remade: remade)
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("recovery"), withIntermediateDirectories: false)
    try write(Self.saved, folder.file("page.json"))
    try folder.put(golden.bytes, "recovery/" + Self.name)

    let session = try await open(folder)
    XCTAssertTrue(session.recovery.isIntact)
    XCTAssertFalse(isSaved(session))
    XCTAssertNil(session.logFailure)
    XCTAssertEqual(session.currentItem, Page(title: "Caf\u{e9}", rows: ["Salt"], ages: ["Ada": 36]))
    XCTAssertEqual(session.history.steps.map(\.label), ["Title", nil, nil, "Add", nil, "Reload", "Clear", nil])
    XCTAssertEqual([session.history.undoCount, session.history.redoCount], [7, 1])
    var history = session.history
    history.redo()
    XCTAssertEqual(history.currentItem.title, "Caf\u{e9}!")
    history = session.history
    var documents: [Page] = []
    while history.undo() != nil { documents.append(history.currentItem) }
    XCTAssertEqual(
      documents,
      [
        Page(title: "Caf\u{e9}", rows: ["Oat milk", "Flour", "Salt"], ages: ["Ada": 36]),
        Page(title: "Caf\u{e9}", rows: ["Oat milk", "Flour"], ages: ["Ada": 36]),
        Page(title: "Caf\u{e9}", rows: ["Oat Milk", "Flour"], ages: ["Ada": 36]),
        Page(title: "Caf\u{e9}", rows: ["Oat Milk"]), Page(title: "Cafe", rows: ["Oat Milk"]),
        Page(title: "Cafe", rows: ["Milk"]), Page(rows: ["Milk"]),
      ])
    try await session.close()
  }

  func testEveryRecordOfTheLogIsWrittenAsItIsRead() async throws {
    let golden = try await GoldenFile(Self.log) { [] }
    let contents = try JournalContents<_SessionRecord>(golden.bytes)
    XCTAssertEqual(contents.damage, [])
    var offset = JournalHeader.byteCount
    for record in contents.records {
      var payload: [UInt8] = []
      record.body.append(to: &payload)
      offset += JournalFrame.byteCount
      let start = offset - 4
      XCTAssertEqual(Array(golden.bytes[start..<start + payload.count]), payload)
      offset += payload.count
    }
    XCTAssertEqual(offset, golden.bytes.count)
  }
}
