import EditingSessions
import Foundation
import TestSupport
import UndoHistories
import XCTest

/// Documents that JSON doesn't restore exactly: either the next session has them, or this session reports a failure.
@MainActor
final class EditingSessionExactnessTests: XCTestCase {
  private struct Sheet: UndoArchivable, Equatable, Sendable {
    var title = ""
    var ratio = 1.0
    var price: Decimal = 1
    var page = URL(string: "https://example.org/a")

    static let undoParts = [
      UndoPart<Sheet>("title", \.title), UndoPart("ratio", \.ratio), UndoPart("price", \.price),
      UndoPart("page", \.page),
    ]
  }

  private let folder = try? TemporaryFolder(isInMemory: true)

  private func open<Document: Codable & Sendable>(
    _ new: Document, _ configure: @escaping @Sendable (inout UndoHistory<Document>) -> Void = { _ in }
  ) async throws -> EditingSession<Document> {
    let folder = try XCTUnwrap(folder)
    return try await EditingSession(
      file: folder.file("sheet.json"), recovery: folder.file("recovery"), format: .json(Document.self), new: new,
      configure: configure)
  }

  private struct List: UndoArchivable, Equatable, Sendable {
    struct Item: UndoArchivable, Equatable, Sendable {
      /// Has no named part, and precedes the text that has one.
      var isDone = false
      var name = ""

      static let undoParts = [UndoPart<Item>("name", \.name)]
    }

    var items: [Item] = []
    var first = Item()

    static let undoParts = [UndoPart<List>("items", \.items), UndoPart("first", \.first)]
  }

  /// If a property without a named part changes too, the log has the enclosing value of both properties.
  func testAssignmentOfUnnamedPropertiesIsRestoredInTheNextSession() async throws {
    let ways: [(String, @MainActor (EditingSession<List>, List) -> Void)] = [
      ("document", { $0.currentItem = $1 }),
      ("element", { $0.currentItem.items[0] = $1.items[0] }),
      ("part", { $0.currentItem.first = $1.first }),
      ("labelled", { session, list in session.edit("Items") { $0.items.set(list.items) } }),
      ("remoteEdits", { session, list in session.history.applyRemote { $0.set(list) } }),
      (
        "in an open step",
        { session, list in
          let step = session.history.beginStep("Items")
          session.currentItem.items = list.items
          session.currentItem = list
          session.history.endStep(step)
        }
      ),
    ]
    for (name, change) in ways {
      for text in ["Milk and flour", "M", "a Milk", ""] {
        let session = try await open(List(items: [List.Item(name: "Milk")], first: List.Item(name: "Milk")))
        session.edit("Begin") { $0.items.append(List.Item(name: "Eggs")) }
        var list = session.currentItem
        (list.items[0], list.first) = (List.Item(isDone: true, name: text), List.Item(isDone: true, name: text))
        change(session, list)
        let (changed, steps) = (session.currentItem, session.history.undoCount)
        try await session.save()
        try await session.close()

        let next = try await open(List())
        XCTAssertTrue(next.recovery.isIntact, "\(name), \(text)")
        XCTAssertEqual(next.currentItem, changed, "\(name), \(text)")
        XCTAssertEqual(next.history.undoCount, steps, "\(name), \(text)")
        while next.undo() != nil {}
        XCTAssertEqual(next.currentItem.items.first?.name, name == "remoteEdits" ? text : "Milk", name)
        next.keepsSteps = false
        try await next.save()
        try await next.close()
        try FileManager.default.removeItem(at: XCTUnwrap(folder).file("sheet.json"))
      }
    }
  }

  /// A document without named parts.
  private struct Plain: Codable, Equatable, Sendable {
    struct Row: Codable, Equatable, Sendable { var name = "", count = 0 }

    var title = ""
    var numbers = [0, 1, 2, 3, 4, 5]
    var rows = [Row(name: "a"), Row(name: "b")]
  }

  /// Undo skips the edits of another program, and it skips the same edits after the log was read.
  func testUndoSkipsTheSameRemoteEditsInTheNextSessionWithoutNamedParts() async throws {
    let edits: [(String, @MainActor (EditingSession<Plain>) -> Void)] = [
      ("swapped", { $0.edit { $0.numbers.swapAt(0, 5) } }),
      ("moved", { $0.edit { $0.numbers.sort { ($0 + 1) % 6 < ($1 + 1) % 6 } } }),
      ("inserted", { $0.edit { $0.numbers.insert(0, at: 0) } }),
      ("in a row", { $0.edit { $0.rows[1].name.append("!") } }),
      ("typed", { session in for key in ["a", "b"] { session.edit { $0.title.append(key) } } }),
    ]
    for (name, edit) in edits {
      let session = try await open(Plain())
      try await session.save()
      edit(session)
      session.edit("Count") { $0.rows[0].count = 7 }
      var theirs = Plain()
      theirs.numbers.insert(9, at: 3)
      theirs.rows.insert(Plain.Row(name: "theirs"), at: 0)
      let file = try XCTUnwrap(folder).file("sheet.json")
      try JSONEncoder().encode(theirs).write(to: file)
      try await session.reload()
      XCTAssertEqual(session.currentItem.rows.count, 3, name)
      for _ in 0..<2 { session.undo() }
      let isAdopted = session.history.recordRemoteEdit()
      XCTAssertEqual(isAdopted, name == "moved", name)
      session.undo()
      session.edit("More") { $0.title.append("more") }
      var history = session.history
      try await session.close()

      let next = try await open(Plain())
      XCTAssertTrue(next.recovery.isIntact, name)
      XCTAssertEqual(next.currentItem, history.currentItem, name)
      XCTAssertEqual([next.history.undoCount, next.history.redoCount], [history.undoCount, history.redoCount], name)
      while next.undo() != nil {
        history.undo()
        XCTAssertEqual(next.currentItem, history.currentItem, name)
      }
      next.keepsSteps = false
      try await next.save()
      try await next.close()
      try FileManager.default.removeItem(at: file)
    }
  }

  func testNaNAndInfinityAreRestoredWithTheirSteps() async throws {
    for ratio in [Double.nan, -.nan, .infinity] {
      for round in 0..<3 {
        let session = try await open(Sheet())
        XCTAssertNil(session.recovery.setAside, "\(ratio)")
        XCTAssertTrue(session.recovery.isIntact)
        XCTAssertEqual(session.history.undoCount, round == 0 ? 0 : 1 + round)
        if round == 0 { session.edit { $0.ratio = ratio } }
        session.edit("Title") { $0.title.append("x") }
        expect(await session.isSynchronized())
        XCTAssertEqual(session.history.ratio.isNaN, ratio.isNaN)
        try await session.close()
      }
      let session = try await open(Sheet())
      while session.undo() != nil {}
      XCTAssertEqual(session.currentItem, Sheet())
      session.keepsSteps = false
      try await session.save()
      try await session.close()
      try FileManager.default.removeItem(at: XCTUnwrap(folder).file("sheet.json"))
    }
  }

  func testDecimalNaNIsRefusedWhenSaving() async throws {
    let session = try await open(Sheet())
    session.edit { $0.title = "Prices" }
    try await session.save()
    session.edit { $0.price.set(.nan) }
    expectEqual(await refusal { try await session.save() }, "unwritable")
    expectEqual(await session.isSynchronized(), false)
    XCTAssertNotNil(session.logFailure)
    session.undo()
    // The file still has the document.
    guard case .saved = session.state else { return XCTFail("\(session.state)") }
    // This edit discards the redo step.
    session.edit { $0.title = "Prices of today" }
    try await session.save()
    expect(await session.isSynchronized())
    try await session.close()
    let next = try await open(Sheet())
    XCTAssertNil(next.recovery.setAside)
    XCTAssertEqual(next.history.title, "Prices of today")
    try await next.close()
  }

  func testRelativeURLIsDurableOrReported() async throws {
    let session = try await open(Sheet())
    session.edit { $0.page.set(URL(string: "a", relativeTo: URL(string: "https://example.org/b"))) }
    try await session.close()
    let next = try await open(Sheet())
    XCTAssertNil(next.recovery.setAside)
    XCTAssertEqual(next.history.page?.absoluteString, "https://example.org/a")
    next.edit { $0.title = "Pages" }
    let isDurable = await next.isSynchronized()
    // Either the next session has the log, or this one reports a failure.
    if !isDurable { XCTAssertNotNil(next.logFailure) }
    try? await next.close()
  }

  func testOptionalTextIsRestored() async throws {
    let first = try await open(String?.none)
    first.edit { $0.set("Hello") }
    try await first.close()
    let second = try await open(String?.none)
    XCTAssertEqual(second.currentItem, "Hello")
    second.edit { $0.set("Hello again") }
    try await second.close()
    let third = try await open(String?.none)
    XCTAssertNil(third.recovery.setAside)
    XCTAssertEqual(third.currentItem, "Hello again")
    XCTAssertEqual(third.history.undoCount, 2)
    try await third.close()
  }

  func testStepsOfAnEarlierSessionHaveNoTime() async throws {
    let clock = ManualClock()
    clock.advance(by: .seconds(100))
    @Sendable func keepTime(_ history: inout UndoHistory<Sheet>) { history.recordTimes { clock.now.offset } }
    let first = try await open(Sheet(), keepTime)
    first.edit("One") { $0.title = "a" }
    first.edit("Two") { $0.ratio = 2 }
    try await first.close()
    clock.advance(by: .seconds(100_000))
    let second = try await open(Sheet(), keepTime)
    second.edit("Three") { $0.ratio = 3 }
    XCTAssertEqual(second.history.steps.map(\.time), [nil, nil, .seconds(100_100)])
    clock.advance(by: .seconds(60))
    second.history.go(to: .ago(.seconds(120)))
    XCTAssertEqual(second.history.undoCount, 2)
    try await second.close()
  }
}
