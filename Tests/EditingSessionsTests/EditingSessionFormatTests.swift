import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Documents that can't be decoded from their own encoding, and equal documents with different bytes.
@MainActor
final class EditingSessionFormatTests: XCTestCase, NoteSessions {
  private struct Email: Codable, Sendable, Equatable {
    var text: String

    init(text: String) { self.text = text }
    init(from decoder: any Decoder) throws {
      text = try decoder.singleValueContainer().decode(String.self)
      guard text.contains("@") else {
        throw DecodingError.dataCorrupted(.init(codingPath: decoder.codingPath, debugDescription: "No address"))
      }
    }
    func encode(to encoder: any Encoder) throws {
      var container = encoder.singleValueContainer()
      try container.encode(text)
    }
  }

  private struct Person: Codable, Sendable, Equatable {
    var name = "", email = Email(text: "a@b"), others: [Email] = []
  }

  private func openPerson(_ folder: TemporaryFolder) async throws(EditingSessionError) -> EditingSession<Person> {
    try await EditingSession(
      file: folder.file("person.json"), recovery: folder.file("recovery"), format: .json(), new: Person())
  }

  // MARK: Undecodable documents

  func testUndecodableEditIsNotReportedAsDurable() async throws {
    let edits: [@MainActor (EditingSession<Person>) -> Void] = [
      { $0.currentItem.email = Email(text: "half typed") },
      { $0.edit { $0.others.append(Email(text: "half typed")) } },
      { $0.currentItem = Person(name: "", email: Email(text: "half typed")) },
    ]
    for (number, edit) in edits.enumerated() {
      for hasLog in [false, true] {
        let folder = try TemporaryFolder()
        let session = try await openPerson(folder)
        if hasLog {
          session.currentItem.name = "A"
          await session.isSynchronized()
        }
        edit(session)
        session.currentItem.name = "Ada"
        var isDurable = await session.isSynchronized()
        XCTAssertFalse(isDurable, "\(number)")
        guard case .unwritable? = session.logFailure?.reason else { return XCTFail("\(number)") }
        session.edit {
          $0.email.set(Email(text: "ada@b"))
          $0.others.set([])
        }
        isDurable = await session.isSynchronized()
        XCTAssertTrue(isDurable, "\(number)")
        // Later edits are durable, too, although a step between them contains a value that can't be decoded.
        session.undo()
        session.redo()
        session.currentItem.name = "Ada L."
        isDurable = await session.isSynchronized()
        XCTAssertTrue(isDurable, "\(number)")
        XCTAssertNil(session.logFailure)
        try await session.close()
        let next = try await openPerson(folder)
        XCTAssertEqual(next.currentItem, Person(name: "Ada L.", email: Email(text: "ada@b")), "\(number)")
        XCTAssertTrue(next.recovery.isIntact)
        try await next.close()
      }
    }
  }

  func testSaveRefusesADocumentThatCannotBeDecodedAgain() async throws {
    let folder = try TemporaryFolder()
    let session = try await openPerson(folder)
    session.currentItem.name = "Ada"
    try await session.save()
    let contents = try Data(contentsOf: session.file)
    session.currentItem.email = Email(text: "half typed")
    expectEqual(await refusal { try await session.save() }, "unwritable")
    XCTAssertEqual(try Data(contentsOf: session.file), contents)
    session.currentItem.email = Email(text: "c@d")
    try await session.save()
    try await session.close()
    let next = try await openPerson(folder)
    XCTAssertEqual(next.currentItem.email.text, "c@d")
    try await next.close()
  }

  func testSaveRefusesADocumentThatACustomFormatCannotRead() async throws {
    try await withFile("one") { file, recovery in
      let format = EditingFormat<String>(
        read: { data in
          guard data.count < 10 else { throw CocoaError(.fileReadTooLarge) }
          return String(decoding: data, as: UTF8.self)
        }, write: { Data($0.utf8) })
      let session = try await EditingSession(file: file, recovery: recovery, format: format)
      session.edit { $0.append(String(repeating: "a", count: 10)) }
      expectEqual(await refusal { try await session.save() }, "unwritable")
      XCTAssertEqual(try text(file), "one")
      try await session.close()
    }
  }

  func testSaveErrorNamesTheCodingPathButNotTheContents() async throws {
    struct Account: Codable, Sendable { var password = "hunter2", rates: [Double] = [1] }
    let folder = try TemporaryFolder()
    let session = try await EditingSession(
      file: folder.file("account.json"), recovery: folder.file("recovery"), format: .json(), new: Account())
    session.currentItem.rates.append(.nan)
    do throws(EditingSessionError) {
      try await session.save()
      XCTFail("it was saved")
    } catch {
      XCTAssertTrue(error.description.contains("rates.1"), error.description)
      XCTAssertFalse(error.description.contains("hunter2"), error.description)
    }
    let format = EditingFormat<Account>(
      read: { try JSONDecoder().decode(Account.self, from: $0) },
      write: { throw EncodingError.invalidValue($0, .init(codingPath: [], debugDescription: "It is refused")) })
    let other = try await EditingSession(
      file: folder.file("other.json"), recovery: folder.file("recovery"), format: format, new: Account())
    do throws(EditingSessionError) {
      try await other.save()
      XCTFail("it was saved")
    } catch {
      XCTAssertTrue(error.description.contains("It is refused"), error.description)
      XCTAssertFalse(error.description.contains("hunter2"), error.description)
    }
    try await session.close()
    try await other.close()
  }

  // MARK: Equal documents with different bytes

  private enum Kind: String, Codable, Sendable { case one, two, three, four, five, six, seven, eight }

  private struct Tags: Codable, Sendable, Equatable {
    struct Inner: Codable, Sendable, Hashable { var names: Set<String> = [], when: Date?, data = Data([1, 2]) }

    var tags: Set<Int> = []
    var counts: [Kind: Int] = [:]
    var groups: [Kind: Set<Inner>]?
    var plain: [String: [Int: Set<Int>]] = [:]
  }

  func testEqualDocumentsHaveEqualBytes() async throws {
    let folder = try TemporaryFolder()
    func contents(of tags: Tags) async throws -> Data {
      let file = folder.file(UUID().uuidString)
      let session = try await EditingSession(
        file: file, recovery: folder.file("recovery"), format: .json(), new: tags)
      try await session.save()
      try await session.close()
      return try Data(contentsOf: file)
    }
    func document(_ numbers: [Int]) -> Tags {
      var tags = Tags()
      let kinds: [Kind] = [.one, .two, .three, .four, .five, .six, .seven, .eight]
      for number in numbers {
        tags.tags.insert(number)
        tags.counts[kinds[number % 8]] = number % 8
        let names = Set(numbers.map { "name \($0)" })
        tags.groups = tags.groups ?? [:]
        tags.groups?[kinds[number % 8], default: []]
          .insert(Tags.Inner(names: names, when: Date(timeIntervalSince1970: Double(number % 3))))
        tags.plain["\(number % 2)", default: [:]][number % 3, default: []].insert(number)
      }
      // A different capacity leads to a different order.
      tags.tags.reserveCapacity(numbers.first == 0 ? 0 : 5000)
      tags.counts.reserveCapacity(numbers.first == 0 ? 0 : 5000)
      return tags
    }
    let (one, other) = (document(Array(0..<40)), document(Array((0..<40).reversed())))
    XCTAssertEqual(one, other)
    XCTAssertNotEqual(Array(one.tags), Array(other.tags), "the test needs two orders")
    let bytes = (try await contents(of: one), try await contents(of: other))
    XCTAssertEqual(bytes.0, bytes.1)
    XCTAssertEqual(try JSONDecoder().decode(Tags.self, from: bytes.0), one)
    var small = Tags()
    small.tags = [10, 9, -1]
    let text = String(decoding: try await contents(of: small), as: UTF8.self)
    XCTAssertEqual(text.filter { !$0.isWhitespace }, #"{"counts":[],"plain":{},"tags":[-1,9,10]}"#)
  }

  func testSetWrittenInAnotherOrderDoesNotConflict() async throws {
    // For a format that writes sets in any order, only the document shows that nothing has changed.
    let plain = EditingFormat<Tags>(
      read: { try JSONDecoder().decode(Tags.self, from: $0) }, write: { try JSONEncoder().encode($0) })
    for format in [EditingFormat.json(Tags.self), plain] {
      let folder = try TemporaryFolder()
      let file = folder.file("tags.json")
      let session = try await EditingSession(
        file: file, recovery: folder.file("recovery"), format: format, new: Tags())
      session.edit { $0.tags.set(Set(0..<20)) }
      try await session.save()
      session.edit { _ = $0.tags.insert(99) }
      try write("{\"tags\": \(Array(0..<20) + [99]), \"counts\": [], \"plain\": {}}", file)
      try await session.save()
      XCTAssertTrue(isSaved(session))
      XCTAssertEqual(session.currentItem.tags, Set(Array(0..<20) + [99]))
      try await session.close()
    }
  }

  // MARK: Failed saves

  func testUndoToTheFilesTextIsSavedAfterAFailedSave() async throws {
    try await withFile("one\n") { file, recovery in
      let isFailing = Flag()
      let system = ScriptedFileSystem { call, _ in
        isFailing.isSet && call == .attributeNames ? .failure(EROFS) : nil
      }
      let session = try await EditingSession(
        file: file, recovery: recovery, format: .text, system: system, clock: ManualClock())
      session.edit { $0.append("two\n") }
      isFailing.set(true)
      expect(await refusal { try await session.save() } != nil)
      guard case .failed = session.state else { return XCTFail("\(session.state)") }
      session.undo()
      XCTAssertTrue(isSaved(session), "\(session.state)")
      session.redo()
      guard case .failed = session.state else { return XCTFail("\(session.state)") }
      try await session.close()
      let next = try await open(file, recovery)
      XCTAssertFalse(next.recovered.wasChangedByAnother)
      XCTAssertTrue(next.recovery.hasUnfinishedChanges)
      next.undo()
      XCTAssertEqual(next.currentItem, "one\n")
      try await next.close()
    }
  }

  func testFailedAutosavesAreRetriedWithGrowingPauses() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let session = try await EditingSession(
      file: folder.file("missing/note.txt"), recovery: folder.file("recovery"), format: .text,
      system: PosixFileSystem(),
      clock: clock)
    session.edit { $0.append("mine") }
    await session.isSynchronized()
    session.autosave = .zero
    var pauses: [Duration] = []
    for _ in 0..<9 {
      await clock.waitForSleepers(1)
      pauses.append(try XCTUnwrap(clock.advanceToNextDeadline()))
    }
    XCTAssertEqual(pauses, [.milliseconds(500), .seconds(1)] + [2, 4, 8, 16, 30, 30, 30].map { .seconds($0) })
    session.autosave = nil
    try FileManager.default.createDirectory(at: folder.file("missing"), withIntermediateDirectories: false)
    try await session.save()
    session.edit { $0.append("!") }
    session.autosave = .zero
    // The pauses ended with the successful save, so this edit is saved at once.
    try await until(await session.isSaved)
    try await session.close()
  }

  // MARK: Removed files

  func testTakingTheirsOfARemovedFileGivesAnEmptyDocument() async throws {
    for isReopened in [false, true] {
      try await withFile("secret\n") { file, recovery in
        var session = try await open(file, recovery)
        session.edit { $0.append("more\n") }
        try await session.save()
        if isReopened { try await session.close() }
        try FileManager.default.removeItem(at: file)
        if isReopened { session = try await open(file, recovery) } else { _ = try? await session.reload() }
        XCTAssertTrue(session.hasConflict)
        try await session.resolve(.theirs)
        XCTAssertEqual(session.currentItem, "")
        guard case .edited = session.state else { return XCTFail("\(session.state)") }
        XCTAssertFalse(FileManager.default.fileExists(atPath: file.path))
        try await session.close()
        let next = try await open(file, recovery)
        XCTAssertEqual(next.currentItem, "")
        XCTAssertFalse(next.hasConflict)
        XCTAssertFalse(next.recovered.wasChangedByAnother)
        next.edit { $0.append("new\n") }
        try await next.save()
        XCTAssertEqual(try text(file), "new\n")
        try await next.close()
      }
    }
  }

  func testTakingTheirsOfARemovedFileGivesTheDocumentPassedAsNew() async throws {
    let folder = try TemporaryFolder()
    let file = folder.file("list.json")
    let session = try await EditingSession(
      file: file, recovery: folder.file("recovery"), format: .json(), new: ["first"])
    session.edit { $0.append("second") }
    try await session.save()
    try FileManager.default.removeItem(at: file)
    _ = try? await session.reload()
    try await session.resolve(.theirs)
    XCTAssertEqual(session.currentItem, ["first"])
    session.undo()
    XCTAssertEqual(session.currentItem, ["first", "second"])
    try await session.save()
    XCTAssertEqual(try JSONDecoder().decode([String].self, from: Data(contentsOf: file)), ["first", "second"])
    try await session.close()
  }

  /// A document that uses everything that an encoder offers: it is written as by `JSONEncoder` alone.
  private struct ByHand: Codable, Sendable {
    enum Key: CodingKey { case none, inner, list, parent, tags }

    struct Null: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encodeNil()
      }
    }

    struct Base: Encodable {
      func encode(to encoder: any Encoder) throws {
        var container = encoder.unkeyedContainer()
        try container.encodeNil()
        var inner = container.nestedContainer(keyedBy: Key.self)
        try inner.encode([3], forKey: .tags)
        var list = container.nestedUnkeyedContainer()
        try list.encode("\(list.count) \(list.codingPath.count) \(encoder.codingPath.count)")
        try Null().encode(to: container.superEncoder())
        if !encoder.userInfo.isEmpty { try container.encode("user") }
      }
    }

    init() {}
    init(from decoder: any Decoder) {}

    func encode(to encoder: any Encoder) throws {
      var container = encoder.container(keyedBy: Key.self)
      try container.encodeNil(forKey: .none)
      var inner = container.nestedContainer(keyedBy: Key.self, forKey: .inner)
      try inner.encode(Null(), forKey: .none)
      try inner.encode("\(inner.codingPath.count)", forKey: .tags)
      var list = container.nestedUnkeyedContainer(forKey: .list)
      try list.encode(Base())
      try Base().encode(to: container.superEncoder(forKey: .parent))
      try Base().encode(to: container.superEncoder())
    }
  }

  func testDocumentThatEncodesItselfIsWrittenAsByItsEncoder() async throws {
    let folder = try TemporaryFolder(isInMemory: true)
    let session = try await EditingSession(
      file: folder.file("a.json"), recovery: folder.file("recovery"), format: .json(ByHand.self), new: ByHand())
    try await session.save()
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
    XCTAssertEqual(folder.text("a.json"), String(decoding: try encoder.encode(ByHand()), as: UTF8.self))
    XCTAssertTrue(folder.text("a.json")?.contains("null") ?? false)
    try await session.close()
  }
}
