import EditingSessions
import FileChanges
import Foundation
import Journals
import TestSupport
import UndoHistories
import XCTest

/// Sessions of an updated app: a later type of the document reads what an earlier type has logged.
@MainActor
final class EditingSessionUpdateTests: XCTestCase {
  /// How an earlier session left its log.
  private enum Way: CaseIterable {
    /// The first session of the file.
    case first
    /// The second session, whose log begins with steps.
    case second
    /// A session that began with the unsaved edits of a killed session.
    case recovered
    /// A session that has rewritten its log.
    case rewritten
  }

  private func open<Document: Codable & Sendable>(
    _ folder: TemporaryFolder, _ new: Document, logByteLimit: Int = 1 << 20
  ) async throws -> EditingSession<Document> {
    try await EditingSession(
      file: folder.file("list.json"), recovery: folder.file("recovery"), format: .json(Document.self), new: new,
      system: PosixFileSystem(), logByteLimit: logByteLimit)
  }

  /// Edits a document of the earlier type in a session, and opens it as the later type.
  private func update<Earlier: EarlierList, Later: SeenList>(
    _ earlier: Earlier.Type, to later: Later.Type, lostEdits: Int = 0, file: StaticString = #filePath,
    line: UInt = #line
  ) async throws {
    for way in Way.allCases {
      for isSaved in [false, true] {
        let context = "\(Later.self), \(way), \(isSaved ? "saved" : "unsaved")"
        let folder = try TemporaryFolder(isInMemory: true)
        var texts: [[String]] = []
        /// Collects what is seen after each step.
        func note(_ session: EditingSession<Earlier>, _ body: () -> Void) {
          let count = session.history.undoCount
          body()
          if session.history.undoCount == count { texts.removeLast() }
          texts.append(session.currentItem.seen)
        }
        func edit(_ session: EditingSession<Earlier>) {
          for (index, change) in Earlier.changes.enumerated() {
            if texts.isEmpty { texts.append(session.currentItem.seen) }
            note(session) { session.edit("\(index)") { change(&$0) } }
          }
          for key in ["F", "r", "i"] { note(session) { session.edit { Earlier.type(key, &$0) } } }
          session.undo()
          session.redo()
        }
        var session = try await open(folder, Earlier(), logByteLimit: way == .rewritten ? 300 : 1 << 20)
        edit(session)
        var earlier = folder
        switch way {
        case .first: break
        case .second:
          try await session.save()
          try await session.close()
          session = try await open(folder, Earlier())
          edit(session)
        case .recovered:
          await session.isSynchronized()
          earlier = try folder.copy()
          session = try await open(earlier, Earlier())
          edit(session)
        case .rewritten:
          await session.isSynchronized()
          edit(session)
          await session.isSynchronized()
        }
        if isSaved {
          try await session.save()
          try await session.close()
        } else {
          expect(await session.isSynchronized(), context, file: file, line: line)
        }

        let found = try earlier.copy()
        let next = try await open(found, Later())
        XCTAssertEqual(next.currentItem.seen, texts.last, context, file: file, line: line)
        XCTAssertTrue(next.recovered.hasLog, context, file: file, line: line)
        XCTAssertEqual(next.recovery.hasUnfinishedChanges, !isSaved, context, file: file, line: line)
        XCTAssertEqual(!next.recovery.isIntact, !isSaved && lostEdits > 0, context, file: file, line: line)
        XCTAssertEqual(
          next.recovery.setAside != nil, !isSaved && lostEdits > 0, context, file: file, line: line)
        XCTAssertEqual(next.history.undoCount, session.history.undoCount, context, file: file, line: line)
        for text in texts.dropLast().reversed() {
          next.undo()
          XCTAssertEqual(next.currentItem.seen, text, context, file: file, line: line)
        }
        XCTAssertFalse(next.history.canUndo, context, file: file, line: line)
        while next.redo() != nil {}
        XCTAssertEqual(next.currentItem.seen, texts.last, context, file: file, line: line)
        // The later type's own log works as usual.
        next.edit("Last") { Later.type("!", &$0) }
        await next.isSynchronized()
        let last = try await open(try found.copy(), Later())
        XCTAssertEqual(last.currentItem.seen, next.currentItem.seen, context, file: file, line: line)
        XCTAssertEqual(last.history.undoCount, next.history.undoCount, context, file: file, line: line)
        XCTAssertTrue(last.recovery.isIntact, context, file: file, line: line)
        try await last.close()
        try await next.close()
        try await session.close()
      }
    }
  }

  func testAnAddedPropertyWithADefaultLosesNothing() async throws {
    try await update(PlainList.self, to: AddedList.self)
    try await update(NamedList.self, to: AddedNamedList.self)
  }

  func testAPropertyAddedToAnInnerTypeLosesNothing() async throws {
    try await update(PlainList.self, to: AddedInnerList.self)
    try await update(NamedList.self, to: AddedInnerNamedList.self)
  }

  func testARemovedPropertyThatWasNotEditedLosesNothing() async throws {
    try await update(QuietList.self, to: RemovedList.self)
    try await update(QuietNamedList.self, to: RemovedNamedList.self)
  }

  func testRemovedPropertyLosesOnlyItsOwnEditsAndIsReported() async throws {
    try await update(NotedList.self, to: RemovedList.self, lostEdits: 2)
    try await update(NotedNamedList.self, to: RemovedNamedList.self, lostEdits: 2)
  }

  func testAWidenedPropertyLosesNothing() async throws {
    try await update(PlainList.self, to: WidenedList.self)
    try await update(NamedList.self, to: WidenedNamedList.self)
  }

  func testAPropertyThatWasMadeOptionalLosesNothing() async throws {
    try await update(PlainList.self, to: OptionalList.self)
    try await update(NamedList.self, to: OptionalNamedList.self)
  }

  func testMovedPropertiesLoseNothing() async throws {
    try await update(PlainList.self, to: MovedList.self)
    try await update(NamedList.self, to: MovedNamedList.self)
  }

  func testPropertyRenamedOnlyInSwiftLosesNothing() async throws {
    try await update(PlainList.self, to: RenamedList.self)
    try await update(PlainList.self, to: RenamedInnerList.self)
    try await update(PlainList.self, to: AllRenamedList.self)
  }
}
