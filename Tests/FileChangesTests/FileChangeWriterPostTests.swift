import FileChanges
import Foundation
import PendingChanges
import TestSupport
import XCTest

/// The service of the post "Handle Pending File Changes with ReSwift as Your Backbone" (Christian Tietze, 2017), with
/// the common type for writes and removals that it wishes for, and with errors handled.
final class FileChangeWriterPostTests: XCTestCase {
  private func store(with changes: [FileChange]) -> DefaultStore {
    let store = DefaultStore()
    let service = WriteFileChanges(store: store)
    store.subscribe(service)
    for change in changes { store.dispatch(EnqueuingFileChange(change: change)) }
    return store
  }

  func testServiceWritesEnqueuedChanges() throws {
    let folder = try TemporaryFolder(["b": "old"])
    let store = store(with: [
      .write("content", to: folder.file("a")), .remove(folder.file("b")), .write("content", to: folder.file("c")),
    ])
    XCTAssertTrue(store.state.pendingFileChanges.isEmpty)
    XCTAssertEqual(folder.names, ["a", "c"])
    XCTAssertEqual(folder.text("a"), "content")
  }

  func testEqualChangesAreEachProcessedOnce() throws {
    let folder = try TemporaryFolder()
    let change = FileChange.write("content", to: folder.file("a"))
    let store = DefaultStore()
    let service = WriteFileChanges(store: store)
    store.subscribe(service)
    store.dispatch(EnqueuingFileChange(change: change))
    try FileManager.default.removeItem(at: folder.file("a"))
    store.dispatch(EnqueuingFileChange(change: change))
    XCTAssertEqual(folder.text("a"), "content")
    XCTAssertEqual(service.processed.count, 2)
    XCTAssertEqual(Set(service.processed).count, 2)
  }

  func testServiceHandlesAnErrorAndGoesOn() throws {
    let folder = try TemporaryFolder()
    let store = store(with: [
      .write("content", to: folder.file("gone/a")), .write("content", to: folder.file("b")),
    ])
    XCTAssertEqual(folder.names, ["b"])
    let letters = store.state.pendingFileChanges.failures
    XCTAssertEqual(letters.map(\.change.path), [folder.path("gone/a")])
    XCTAssertEqual(letters.first?.failureReason?.contains("there is no such folder"), true)
  }

  func testWriterCanReplaceTheService() async throws {
    let folder = try TemporaryFolder(["b": "old"])
    let writer = FileChangeWriter()
    try await writer.submit(.write("content", to: folder.file("a")))
    try await writer.submit(.remove(folder.file("b")))
    try await writer.flush()
    XCTAssertEqual(folder.names, ["a"])
  }
}

// MARK: - The post's wireframe

private struct AppState {
  var pendingFileChanges = PendingFileChangesState()
}

private typealias PendingFileChangesState = PendingChangeQueue<FileChange>

private struct EnqueuingFileChange { let change: FileChange }
private struct CompletingFileContentChange { let id: PendingChangeID }
private struct FailingFileContentChange { let id: PendingChangeID, error: FileChangeError }

private typealias DefaultStore = Store

/// The part of a ReSwift store that the post needs.
private final class Store {
  private(set) var state = AppState()
  private var subscriber: WriteFileChanges?

  func subscribe(_ subscriber: WriteFileChanges) { self.subscriber = subscriber }

  func dispatch(_ action: Any) {
    switch action {
    case let action as EnqueuingFileChange: state.pendingFileChanges.insert(action.change)
    case let action as CompletingFileContentChange: state.pendingFileChanges.complete(action.id)
    case let action as FailingFileContentChange:
      _ = state.pendingFileChanges.begin(action.id)
      state.pendingFileChanges.fail(action.id, attempts: 1, reason: action.error.description)
    default: break
    }
    subscriber?.newState(state: state.pendingFileChanges)
  }
}

private final class WriteFileChanges {
  unowned let store: DefaultStore
  private(set) var processed: [PendingChangeID] = []

  init(store: DefaultStore) { self.store = store }

  fileprivate(set) var lastChange: PendingFileChangesState.Entry?

  func newState(state: PendingFileChangesState) {
    // If the state update shows the queue is empty, reset the cache.
    guard let change = state.next else {
      lastChange = nil
      return
    }
    // Skip identical, unprocessed updates.
    guard change.id != lastChange?.id else { return }
    // Set the cached value to prevent duplicate changes.
    lastChange = change

    delegatePerformingTheFileWriteOperation(change) { error in
      if let error {
        store.dispatch(FailingFileContentChange(id: change.id, error: error))
      } else {
        store.dispatch(CompletingFileContentChange(id: change.id))
      }
    }
  }

  private func delegatePerformingTheFileWriteOperation(
    _ entry: PendingFileChangesState.Entry, completion: (FileChangeError?) -> Void
  ) {
    processed.append(entry.id)
    do {
      try entry.change.apply()
      completion(nil)
    } catch {
      completion(error)
    }
  }
}
