import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoArchives
import UndoHistories
import XCTest

/// Logs written by earlier and later versions of an app, and by later versions of the library.
@MainActor
final class EditingSessionVersionsTests: XCTestCase {
  private func open(_ folder: TemporaryFolder) async throws(EditingSessionError) -> EditingSession<String> {
    try await EditingSession(
      file: folder.file("note.txt"), recovery: folder.file("recovery"), format: .text, system: PosixFileSystem(),
      clock: ManualClock())
  }

  /// Makes this the log of the file.
  private func put(_ log: [UInt8], in folder: TemporaryFolder) async throws {
    try Data("Flour\n".utf8).write(to: folder.file("note.txt"))
    let session = try await open(folder)
    session.edit { $0.append("x") }
    await session.isSynchronized()
    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path)
    let name = try XCTUnwrap(names.first { $0.hasSuffix(".session") })
    session.undo()
    try await session.close()
    try folder.put(log, "recovery/\(name)")
  }

  private struct Recipe: Codable, Sendable {
    struct Item: Codable { var name = "" }
    var items: [Item] = [], title = ""
  }

  /// A later version of `Recipe`, which can't read the items any more.
  private struct OtherRecipe: Codable, Sendable {
    struct Item: Codable { var weight = 1 }
    var items: [Item] = [], title = ""
  }

  private func open<Document: Codable & Sendable>(
    _ folder: TemporaryFolder, _ new: Document
  ) async throws -> EditingSession<Document> {
    try await EditingSession(
      file: folder.file("list.json"), recovery: folder.file("recovery"), format: .json(Document.self), new: new)
  }

  /// A step has an item that can't be read, but the document has none.
  func testDocumentIsReadWithoutItsUnreadableSteps() async throws {
    for (isSaved, goesBack) in [(false, false), (false, true), (true, false), (true, true)] {
      let folder = try TemporaryFolder()
      let first = try await open(folder, Recipe())
      first.edit { $0.items.append(Recipe.Item(name: "Flour")) }
      first.edit { $0.items.removeAll() }
      first.edit("Title") { $0.title.append("Cake") }
      try await first.close()
      // The log of a new session begins with the document and the steps.
      let second = try await open(folder, Recipe())
      if goesBack {
        // Undo and redo a step that can't be read later.
        second.undo()
        second.redo()
      }
      second.edit("Title") { $0.title.append("s") }
      second.edit("Title") { $0.title.append("!") }
      second.undo()
      if isSaved { try await second.save() }
      try await second.close()

      let next = try await open(folder, OtherRecipe())
      XCTAssertTrue(next.recovered.hasLog)
      XCTAssertEqual(next.recovery.hasUnfinishedChanges, !isSaved)
      XCTAssertEqual(!next.recovery.isIntact, !isSaved)
      XCTAssertEqual(next.currentItem.title, goesBack && !isSaved ? "Cake" : "Cakes")
      let log = next.recovery.setAside
      XCTAssertEqual(log != nil, !isSaved)
      if let log {
        expectEqual(try await EditingSession<Recipe>.document(inLog: log)?.title, "Cakes")
        expectEqual(try await EditingSession<OtherRecipe>.document(inLog: log)?.title, goesBack ? "Cake" : "Cakes")
        expect(try await EditingSession<[Int]>.document(inLog: log) == nil)
      }
      try await next.close()
    }
  }

  /// The file was saved after the unreadable edit, so the document before that edit is older than the file.
  func testUnreadableEditDoesNotRestoreADocumentOlderThanTheFile() async throws {
    let folder = try TemporaryFolder()
    let first = try await open(folder, Recipe())
    first.edit("Title") { $0.title.append("Cake") }
    await first.isSynchronized()
    first.edit { $0.items.append(Recipe.Item(name: "Flour")) }
    first.edit { $0.items.removeAll() }
    first.edit("Title") { $0.title.append(" of the day") }
    try await first.save()
    first.edit("Title") { $0.title.append("!") }
    try await first.close()

    let next = try await open(folder, OtherRecipe())
    XCTAssertEqual(next.currentItem.title, "Cake of the day")
    XCTAssertFalse(next.recovery.isIntact)
    XCTAssertNotNil(next.recovery.setAside)
    try await next.close()
  }

  /// A log with steps of a later version is neither read nor removed, and the file opens without it.
  func testLogOfALaterVersionIsLeftUnchanged() async throws {
    for (version, kind, isRefused) in [(2, 1, true), (1, 250, true), (1, 1, false)] as [(UInt8, UInt8, Bool)] {
      let folder = try TemporaryFolder()
      var history = UndoHistory(initialValue: "Flour\nMilk\n")
      history.edit.append("Eggs\n")
      let coding = UndoPieceCoding(
        encode: { Array(try JSONEncoder().encode($0)) }, decode: { try JSONDecoder().decode($0, from: Data($1)) })
      var steps = try history.archive().bytes(coding)
      steps[0] = version
      try await put(log(of: history, steps, kind: kind), in: folder)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path)
      let log = folder.file("recovery/\(try XCTUnwrap(names.first))")
      let bytes = try Data(contentsOf: log)
      let session = try await open(folder)
      guard isRefused else {
        XCTAssertEqual(session.history.undoCount, 1)
        try await session.close()
        continue
      }
      guard case .log(let cause)? = session.logFailure?.reason else { return XCTFail("there is no failure") }
      XCTAssertEqual(cause.reason, .newerJournal)
      XCTAssertEqual(session.recovery.setAside?.path, log.path)
      XCTAssertEqual(session.currentItem, "Flour\n")
      session.edit { $0.append("Salt\n") }
      expectEqual(await session.isSynchronized(), false)
      try await session.save()
      try await session.close()
      XCTAssertEqual(try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path), names)
      XCTAssertEqual(try Data(contentsOf: log), bytes)
    }
  }

  private struct Note: UndoArchivable, Equatable {
    var title = ""
    var notes = ""

    static let undoParts = [UndoPart<Note>("title", \.title), UndoPart("notes", \.notes)]
  }

  /// A later version of `Note`, without its notes.
  private struct Title: UndoArchivable, Equatable {
    var title = ""

    static let undoParts = [UndoPart<Title>("title", \.title)]
  }

  /// The later type skips the edits of an unknown property, and the log is kept.
  func testLogThatIsReadOnlyInPartIsKept() async throws {
    let folder = try TemporaryFolder()
    func open<Document: Codable & Sendable>(_ new: Document) async throws -> EditingSession<Document> {
      try await EditingSession(
        file: folder.file("note.json"), recovery: folder.file("recovery"), format: .json(Document.self), new: new)
    }
    let session = try await open(Note())
    session.edit { $0.title.append("Salt") }
    await session.isSynchronized()
    session.edit { $0.notes.append("from the sea") }
    session.edit("Title") { $0.title.append(" and flour") }
    try await session.close()

    let next = try await open(Title())
    XCTAssertFalse(next.recovery.isIntact)
    XCTAssertEqual(next.currentItem, Title(title: "Salt and flour"))
    next.edit { $0.title.append("!") }
    try await next.close()

    let names = try FileManager.default.contentsOfDirectory(atPath: folder.file("recovery").path)
    let kept = names.filter { $0.contains(".damaged-") }
    let log = try XCTUnwrap(names.first { $0.hasSuffix(".session") })
    XCTAssertEqual(kept.count, 1, "\(names)")
    try FileManager.default.removeItem(at: folder.file("recovery/\(log)"))
    try FileManager.default.moveItem(at: folder.file("recovery/\(kept[0])"), to: folder.file("recovery/\(log)"))
    let earlier = try await open(Note())
    XCTAssertEqual(earlier.currentItem, Note(title: "Salt and flour", notes: "from the sea"))
    XCTAssertTrue(earlier.recovery.isIntact)
    try await earlier.close()
  }

  /// A log with only a snapshot.
  private func log(of history: UndoHistory<String>, _ steps: [UInt8], kind: UInt8) -> [UInt8] {
    let names = UndoRecorder<String>(
      UndoPieceCoding(encode: { _ in [] }, decode: { _, _ in throw CancellationError() })
    ).header
    var payload: [UInt8] = [kind, 0]
    payload.append(littleEndian: UInt32(names.count))
    payload += names
    payload.append(littleEndian: UInt64(history.currentItem.utf8.count))
    payload += Array(history.currentItem.utf8) + steps
    var bytes = JournalHeader(writer: 1, identity: 2).bytes
    JournalRecord(sequence: 1, body: Payload(bytes: payload)).append(to: &bytes, identity: 2)
    return bytes
  }

  /// A record with arbitrary contents.
  private struct Payload: JournalBody {
    let bytes: [UInt8]

    var byteCount: Int { bytes.count }
    func append(to bytes: inout [UInt8]) { bytes += self.bytes }
    init(bytes: [UInt8]) { self.bytes = bytes }
    init?(_ payload: ArraySlice<UInt8>) { bytes = Array(payload) }
  }
}
