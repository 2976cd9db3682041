import Foundation
import Unsaved
import XCTest

/// One import provides every type, with its members and conformances.
final class UmbrellaTests: XCTestCase {
  func testImportProvidesDirtyable() {
    var name = Dirtyable("Ada")
    name.current = "Grace"
    XCTAssertTrue(name.isDirty)
  }

  func testImportProvidesDraft() throws {
    final class Model { var name = "Ada" }
    let model = Model()
    var draft = Draft(of: model, \.name)
    draft.current = "Grace"
    try draft.commit()
    XCTAssertEqual(model.name, "Grace")
  }

  func testImportProvidesFileChangeWriter() async throws {
    let writer = FileChangeWriter()
    try await writer.close()
    let progress = await writer.progress
    XCTAssertTrue(progress.isIdle)
  }

  func testImportProvidesFoundationLeaves() {
    struct Note { var due = Date.distantPast }
    var history = UndoHistory(initialValue: Note())
    history.edit.due = .distantFuture
    history.undo()
    XCTAssertEqual(history.due, .distantPast)
  }

  func testImportProvidesOutbox() async throws {
    struct Rename: PendingChange, Codable {
      let key: Int
      let name: String
    }
    let journal = FileManager.default.temporaryDirectory.appending(path: "outbox-\(UUID())")
    let outbox = try await Outbox<Rename>(journal: journal) { _ in .done }
    try await outbox.insert(Rename(key: 1, name: "Ada"))
    try await outbox.drain()
    await outbox.close()
  }

  func testImportProvidesPartial() {
    struct User { let name: String }
    var partial = Partial<User>()
    partial[\.name] = "Ada"
    XCTAssertEqual(try partial.value(for: \.name), "Ada")
  }

  func testImportProvidesPendingChangeQueue() {
    var queue = PendingChangeQueue<FileChange>()
    queue.insert(.remove("/notes/old.txt"))
    XCTAssertEqual(queue.next?.change.path, "/notes/old.txt")
  }

  func testImportProvidesUndoDriver() {
    final class Model { var history = UndoHistory(initialValue: "Ada") }
    let model = Model()
    model.history.currentItem = "Grace"
    let driver = UndoDriver(model, \.history)
    XCTAssertTrue(driver.undo())
    XCTAssertEqual(model.history.currentItem, "Ada")
  }

  func testImportProvidesUndoHistory() {
    var history = UndoHistory(initialValue: "Ada")
    history.currentItem = "Grace"
    history.undo()
    XCTAssertEqual(history.currentItem, "Ada")
  }

  func testImportProvidesUniqueQueue() {
    var queue: UniqueQueue = ["Ada", "Grace", "Ada"]
    XCTAssertEqual(queue.popFirst(), "Ada")
    XCTAssertEqual(queue.count, 1)
  }
}
