import FileChanges
import Foundation
import XCTest

/// The store, the state and the service of the post "Handle Pending File Changes with ReSwift as Your Backbone"
/// (Christian Tietze, 2017).
final class PendingFileChangesPostTests: XCTestCase {
  func testServiceWritesEnqueuedChanges() {
    let store = Store()
    let service = ChangeFileContents(store: store)
    store.subscribe(service)
    let a = URL(fileURLWithPath: "/a.txt")
    let b = URL(fileURLWithPath: "/b.txt")
    store.dispatch(.enqueuing(FileContentChange(url: a, content: "one")))
    store.dispatch(.enqueuing(FileContentChange(url: b, content: "two")))
    store.dispatch(.enqueuing(FileContentChange(url: a, content: "three")))
    XCTAssertEqual(service.written.map(\.content), ["one", "two", "three"])
    XCTAssertNil(store.state.pendingFileChanges.nextFileContentChange)
  }

  func testTwoEqualContentsWithDifferentIDsAreBothProcessed() {
    let store = Store()
    let url = URL(fileURLWithPath: "/a.txt")
    store.dispatch(.enqueuing(FileContentChange(url: url, content: "same")))
    store.dispatch(.enqueuing(FileContentChange(url: url, content: "same")))
    let service = ChangeFileContents(store: store)
    store.subscribe(service)
    XCTAssertEqual(service.written.map(\.content), ["same", "same"])
    XCTAssertEqual(Set(service.written.map(\.uuid)).count, 2)
  }

  func testChangeWithTheSameIDIsProcessedOnce() {
    let store = Store()
    let change = FileContentChange(url: URL(fileURLWithPath: "/a.txt"), content: "once")
    store.dispatch(.enqueuing(change))
    store.dispatch(.enqueuing(change))
    let service = ChangeFileContents(store: store)
    store.subscribe(service)
    XCTAssertEqual(service.written, [change])
    store.dispatch(.completing(change))
    XCTAssertEqual(service.written, [change])
  }

  func testUnrelatedStateChangeDoesNotWriteAgain() {
    let store = Store()
    let service = ChangeFileContents(store: store)
    service.completesAtOnce = false
    store.subscribe(service)
    let change = FileContentChange(url: URL(fileURLWithPath: "/a.txt"), content: "slow")
    store.dispatch(.enqueuing(change))
    store.dispatch(.enqueuing(FileContentChange(url: change.url, content: "next")))
    XCTAssertEqual(service.written, [change])
    service.completesAtOnce = true
    store.dispatch(.completing(change))
    XCTAssertEqual(service.written.map(\.content), ["slow", "next"])
    XCTAssertEqual(store.state.pendingFileChanges.fileContentChanges, [])
  }
}

private struct AppState {
  var pendingFileChanges: PendingFileChangesState = .empty
}

private enum Action {
  case enqueuing(FileContentChange)
  case completing(FileContentChange)
}

/// The part of a ReSwift store that the post needs.
///
/// An action that is dispatched during another one follows it.
private final class Store {
  private(set) var state = AppState()
  private var subscriber: ChangeFileContents?
  private var actions: [Action] = []
  private var isDispatching = false

  func subscribe(_ subscriber: ChangeFileContents) {
    self.subscriber = subscriber
    subscriber.newState(state: state.pendingFileChanges)
  }

  func dispatch(_ action: Action) {
    actions.append(action)
    guard !isDispatching else { return }
    isDispatching = true
    while !actions.isEmpty {
      switch actions.removeFirst() {
      case .enqueuing(let change): state.pendingFileChanges.insert(fileContentChange: change)
      case .completing(let change): state.pendingFileChanges.remove(fileContentChange: change)
      }
      subscriber?.newState(state: state.pendingFileChanges)
    }
    isDispatching = false
  }
}

private final class ChangeFileContents {
  private unowned let store: Store
  private var lastChange: FileContentChange?
  var completesAtOnce = true
  private(set) var written: [FileContentChange] = []

  init(store: Store) {
    self.store = store
  }

  func newState(state: PendingFileChangesState) {
    guard let change = state.nextFileContentChange else {
      lastChange = nil
      return
    }
    guard change != lastChange else { return }
    lastChange = change
    written.append(change)
    if completesAtOnce { store.dispatch(.completing(change)) }
  }
}
