import Foundation
import Unsaved
import XCTest

/// One import brings every type, with its members and conformances.
final class UmbrellaTests: XCTestCase {
  func testDirtyable() {
    var name = Dirtyable("Ada")
    name.current = "Grace"
    XCTAssertTrue(name.isDirty)
  }

  func testDraft() throws {
    final class Model { var name = "Ada" }
    let model = Model()
    var draft = Draft(of: model, \.name)
    draft.current = "Grace"
    try draft.commit()
    XCTAssertEqual(model.name, "Grace")
  }

  func testFileChangeWriter() async throws {
    let writer = FileChangeWriter()
    try await writer.close()
    let progress = await writer.progress
    XCTAssertTrue(progress.isIdle)
  }

  func testFoundationLeaves() {
    struct Note { var due = Date.distantPast }
    var history = UndoHistory(initialValue: Note())
    history.edit.due = .distantFuture
    history.undo()
    XCTAssertEqual(history.due, .distantPast)
  }

  func testOutbox() async throws {
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

  func testPartial() {
    struct User { let name: String }
    var partial = Partial<User>()
    partial[\.name] = "Ada"
    XCTAssertEqual(try partial.value(for: \.name), "Ada")
  }

  func testPendingChangeQueue() {
    var queue = PendingChangeQueue<FileChange>()
    queue.insert(.remove("/notes/old.txt"))
    XCTAssertEqual(queue.next?.change.path, "/notes/old.txt")
  }

  func testUndoDriver() {
    final class Model { var history = UndoHistory(initialValue: "Ada") }
    let model = Model()
    model.history.currentItem = "Grace"
    let driver = UndoDriver(model, \.history)
    XCTAssertTrue(driver.undo())
    XCTAssertEqual(model.history.currentItem, "Ada")
  }

  func testUndoHistory() {
    var history = UndoHistory(initialValue: "Ada")
    history.currentItem = "Grace"
    history.undo()
    XCTAssertEqual(history.currentItem, "Ada")
  }

  func testUniqueQueue() {
    var queue: UniqueQueue = ["Ada", "Grace", "Ada"]
    XCTAssertEqual(queue.popFirst(), "Ada")
    XCTAssertEqual(queue.count, 1)
  }
}
