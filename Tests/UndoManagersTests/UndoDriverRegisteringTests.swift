import UndoHistories
import UndoManagers
import XCTest

/// Steps in a shared undo manager, among the actions of other objects.
final class UndoDriverRegisteringTests: XCTestCase {
  private let model = Model()
  private let manager = SharedUndoManager()
  private var driver: UndoDriver { model.undo }

  override func setUp() { driver.register(with: manager) }

  private func event(_ body: () -> Void) {
    manager.event(body)
    driver.endEvent()
  }

  func testStepsAreUndoneAndRedoneThroughTheManager() {
    event { model.history.transaction("Rename") { $0.title.set("Friday") } }
    event { model.history.edit.size = 14 }
    XCTAssertEqual([manager.actionCount, manager.changeCount], [2, 2])
    manager.undo()
    XCTAssertEqual(model.history.currentItem, Note(title: "Friday"))
    XCTAssertEqual(manager.undoName, "Rename")
    manager.undo()
    XCTAssertEqual(model.history.currentItem, Note())
    XCTAssertEqual(manager.changeCount, 0)
    manager.redo()
    XCTAssertEqual(manager.undoName, "Rename")
    manager.redo()
    manager.undo()
    manager.redo()
    XCTAssertEqual(model.history.currentItem, Note(title: "Friday", size: 14))
    XCTAssertEqual([manager.actionCount, manager.changeCount], [2, 2])
  }

  func testStepsAndOtherActionsAreUndoneInOrder() {
    var field = ["a"]
    func type(_ key: String) {
      field.append(key)
      manager.registerStep(self, named: "Typing") { field.removeLast() }
    }
    event { model.history.edit.size = 1 }
    event { type("b") }
    event { model.history.edit.size = 2 }
    manager.undo()
    XCTAssertEqual([model.history.size, field.count], [1, 2])
    manager.undo()
    XCTAssertEqual([model.history.size, field.count], [1, 1])
    manager.undo()
    XCTAssertEqual([model.history.size, field.count], [12, 1])
  }

  /// The text before and after has the same number of bytes, so that the record looks the same.
  func testRewrittenTextIsRegisteredAsAnEdit() {
    event { model.history.edit.title.append("ㅎ") }
    let changes = manager.changeCount
    event {
      model.history.edit.title.set("하")
      model.history.endCoalescing()
    }
    XCTAssertEqual(model.history.undoCount, 1)
    XCTAssertGreaterThan(manager.changeCount, changes)
  }

  /// Otherwise each save would count as an edit, and the document would have to be saved again.
  func testSaveIsNotRegisteredAsAnEdit() {
    event { model.history.edit.size = 1 }
    event { model.history.markSaved() }
    event { model.history.edit.size = 2 }
    let changes = manager.changeCount
    for isWritten in [false, true] {
      event {
        let save = model.history.beginSave()
        if isWritten { model.history.finishSave(save) } else { model.history.failSave(save) }
      }
      event { model.history.limit = .steps(isWritten ? 100 : 10) }
      event { model.history.coalescing = isWritten ? .typing : .none }
    }
    event { model.history.markSaved() }
    XCTAssertEqual(manager.changeCount, changes)
    event { model.history.edit.title.append("a") }
    XCTAssertEqual(manager.changeCount, changes + 1)
    event { model.history.edit.title.append("b") }
    XCTAssertEqual(manager.changeCount, changes + 2, "typing that joins is an edit")
  }

  func testRemoteEditIsAnnouncedAsAnEditButItsSaveIsNot() {
    driver.register(with: nil)
    var closedGroups = 0
    driver.onNotification = { if $0 == .didCloseUndoGroup { closedGroups += 1 } }
    func applyRemote(_ title: String) {
      let count = closedGroups
      event { model.history.applyRemote { $0.title.set(title) } }
      XCTAssertEqual(closedGroups, count + 1, title)
      event { model.history.finishSave(model.history.beginSave()) }
      XCTAssertEqual(closedGroups, count + 1, title)
    }
    event { model.history.limit = .unlimited }
    applyRemote("without steps")
    applyRemote("once more")
    event { model.history.edit.size = 1 }
    event { model.history.markSaved() }
    applyRemote("beside a step")
    applyRemote("beside it again")
    event { driver.undo() }
    applyRemote("before a step that can be redone")
  }

  func testRestoredValueIsNotAnEditAndKeepsTheOrderOfActions() {
    model.history.restoreOnUndo(\.size)
    event { model.history.edit.size = 3 }
    event { model.history.edit.title.append("a") }
    var count = 0
    event { manager.registerStep(self, named: "Other") { count += 1 } }
    let changes = manager.changeCount
    for size in 1...3 { event { model.history.edit.size = size } }
    XCTAssertEqual(manager.changeCount, changes)
    XCTAssertEqual(manager.undoName, "Other")
    manager.undo()
    XCTAssertEqual([count, driver.undoCount], [1, 1])
    event { model.history.edit.title.append("b") }
    XCTAssertEqual(manager.undoName, "")
  }

  func testJoinedTypingThatMovesTheCaretCountsAsAnEdit() {
    // Both edits are one access of the model, which calls the driver once.
    func type(_ text: String, in history: inout UndoHistory<Note>) {
      if !text.isEmpty { history.edit.title.append(text) }
      history.edit.size += 1
    }
    model.history.restoreOnUndo(\.size)
    event { model.history.transaction("Before") { $0.title.append("x") } }
    event { type("a", in: &model.history) }
    for key in ["b", "c", "", "d"] {
      let changes = manager.changeCount
      event { type(key, in: &model.history) }
      XCTAssertEqual(manager.changeCount, changes + key.count, key)
    }
    XCTAssertEqual(driver.undoCount, 2, "the typing has joined")
  }

  func testStepMadeWhileRegistrationIsDisabledIsRegisteredLater() {
    event { model.history.transaction("A") { $0.size = 1 } }
    manager.isUndoRegistrationEnabled = false
    event { model.history.transaction("B") { $0.size = 2 } }
    XCTAssertEqual(manager.actionCount, 1)
    manager.isUndoRegistrationEnabled = true
    event { model.history.transaction("C") { $0.size = 3 } }
    XCTAssertEqual(manager.actionCount, 3)
    manager.undo()
    XCTAssertEqual([model.history.size, manager.actionCount], [1, 1], "both were of one event")
  }

  func testStepsOfOneEventAreUndoneTogether() {
    event { for size in 1...3 { model.history.edit.size = size } }
    manager.undo()
    XCTAssertEqual(model.history.size, 12)
    manager.redo()
    XCTAssertEqual([model.history.size, driver.undoCount, manager.actionCount], [3, 3, 3])
  }

  func testGroupAcrossEventsIsOneAction() {
    event { driver.beginUndoGrouping("Resize") }
    for size in 1...9 { event { model.history.edit.size = size } }
    event { driver.endUndoGrouping() }
    XCTAssertEqual(manager.actionCount, 1)
    manager.undo()
    XCTAssertEqual(model.history.size, 12)
  }

  func testJoinedTypingIsOneActionButCountsForEachEvent() {
    for key in "Friday" { event { model.history.currentItem.title.append(key) } }
    XCTAssertEqual([manager.actionCount, driver.undoCount, manager.changeCount], [1, 1, 6])
    manager.undo()
    XCTAssertEqual(model.history.title, "")
    XCTAssertEqual(manager.actionCount, 0)
  }

  func testEditThatChangesNothingKeepsTheRedoActions() {
    event { model.history.edit.size = 1 }
    manager.undo()
    event { model.history.currentItem.size = 12 }
    manager.redo()
    XCTAssertEqual(model.history.size, 1)
  }

  func testStepsMadeBeforeRegisteringHaveNoAction() {
    let model = Model()
    model.history.edit.size = 1
    model.undo.register(with: manager)
    XCTAssertEqual([manager.actionCount, manager.changeCount], [0, 0])
    manager.event { model.history.edit.size = 2 }
    XCTAssertEqual(manager.actionCount, 1)
    manager.undo()
    manager.undo()
    XCTAssertEqual(model.history.size, 1)
    XCTAssertTrue(model.undo.undo())
  }

  func testLimitDropsTheActionsOfDroppedSteps() {
    model.history.limit = .steps(3)
    for size in 1...10 { event { model.history.edit.size = size } }
    XCTAssertEqual(manager.actionCount, 3)
    for _ in 1...5 { manager.undo() }
    XCTAssertEqual(model.history.size, 7)
  }

  func testUndoOutsideTheManagerRemovesTheAction() {
    for size in 1...3 { event { model.history.edit.size = size } }
    driver.undo()
    model.history.undo()
    XCTAssertEqual(manager.actionCount, 1)
    manager.undo()
    XCTAssertEqual([model.history.size, manager.actionCount], [12, 0])
    driver.redo()
    XCTAssertTrue(manager.redoGroups.count <= driver.redoCount)
    event { model.history.edit.size = 9 }
    XCTAssertEqual(manager.actionCount, driver.undoCount)
  }

  func testRegisteringWithAnotherManagerRemovesTheActions() {
    for size in 1...3 { event { model.history.edit.size = size } }
    manager.undo()
    let other = SharedUndoManager()
    driver.register(with: other)
    XCTAssertEqual([manager.actionCount, manager.redoGroups.count, other.actionCount], [0, 0, 0])
    other.event { model.history.edit.size = 9 }
    other.undo()
    XCTAssertEqual(model.history.size, 2)
    driver.register(with: nil)
    model.history.edit.size = 4
    XCTAssertEqual(other.actionCount, 0)
  }

  func testDriverDoesNotRetainTheManager() {
    var brief: SharedUndoManager? = SharedUndoManager()
    weak let seen = brief
    driver.register(with: brief)
    brief?.event { model.history.edit.size = 1 }
    brief = nil
    XCTAssertNil(seen)
    model.history.edit.size = 2
    XCTAssertTrue(driver.undo())
  }

  func testReplacingTheHistoryRemovesItsActions() {
    for size in 1...3 { event { model.history.edit.size = size } }
    event { model.history = UndoHistory(initialValue: Note()) }
    XCTAssertEqual(manager.actionCount, 0)
    event { model.history.edit.size = 9 }
    manager.undo()
    XCTAssertEqual(model.history.currentItem, Note())
  }

  func testLimitKeepsTheActionsOfTheNewestSteps() {
    for older in 0...6 {
      let (model, manager) = (Model(), SharedUndoManager())
      model.undo.levelsOfUndo = 5
      for size in 0..<older { model.history.transaction("Older") { $0.size = -size } }
      model.undo.register(with: manager)
      for size in 1...20 {
        manager.event { model.history.transaction("New") { $0.size = size } }
        model.undo.endEvent()
        XCTAssertEqual(manager.actionCount, min(size, 5), "\(older) older steps")
      }
      for size in (15..<20).reversed() {
        manager.undo()
        XCTAssertEqual(model.history.size, size)
      }
      XCTAssertEqual(manager.actionCount, 0)
    }
  }

  func testLimitThatDropsManyStepsAtOnceDropsTheirActions() {
    for size in 1...10 { event { model.history.transaction("\(size)") { $0.size = size } } }
    driver.levelsOfUndo = 3
    XCTAssertEqual([manager.actionCount, driver.undoCount], [3, 3])
    XCTAssertEqual(manager.undoName, "10")
  }

  func testStepsReportedTogetherKeepTheirOwnNames() {
    var other = UndoHistory(initialValue: Note())
    other.edit.size = 1
    other.transaction("Rename") { $0.title.set("Friday") }
    other.transaction("Resize") { $0.size = 14 }
    event { model.history = other }
    XCTAssertEqual(manager.undoGroups.joined().map(\.name), ["", "Rename", "Resize"])
  }

  /// An action that the observer registered during an undo would be taken for a redo action.
  func testEditFromAnObserverDuringAnUndoIsRegisteredWithTheNextEdit() {
    event { model.history.edit.size = 1 }
    var isHeld = true
    driver.onNotification = { [model] notification in
      guard notification == .checkpoint, isHeld else { return }
      isHeld = false
      model.history.transaction("Held") { $0.title.set("x") }
    }
    manager.undo()
    XCTAssertEqual([driver.undoCount, driver.redoCount, manager.redoGroups.count], [1, 1, 1], "the edit was undone")
    manager.redo()
    XCTAssertEqual(model.history.currentItem, Note(title: "x", size: 1))
    XCTAssertEqual(driver.redoCount, 0)
    event { model.history.edit.size = 2 }
    XCTAssertEqual(manager.actionCount, driver.undoCount)
    for _ in 0..<3 { manager.undo() }
    XCTAssertEqual([driver.undoCount, manager.actionCount], [0, 0])
  }

  func testRemoteEditDropsTheActionOfTheLastRedoStep() {
    event { model.history.transaction("Resize") { $0.size = 1 } }
    event { model.history.transaction("Rename") { $0.title.set("x") } }
    for _ in 0..<2 { manager.undo() }
    model.history.applyRemote { $0.title = "server" }
    XCTAssertEqual(driver.redoCount, 1)
    XCTAssertEqual(manager.redoGroups.joined().map(\.name), ["Resize"])
    manager.redo()
    XCTAssertEqual(model.history.currentItem, Note(title: "server", size: 1))
  }

  func testRedoOutsideTheManagerRemovesTheNextRedoAction() {
    event { model.history.transaction("Resize") { $0.size = 1 } }
    event { model.history.transaction("Rename") { $0.title.set("x") } }
    for _ in 0..<2 { manager.undo() }
    driver.redo()
    XCTAssertEqual(manager.redoGroups.joined().map(\.name), ["Rename"])
  }

  func testStepsMadeBeforeRegisteringHaveNoActionAfterRedo() {
    let (model, manager) = (Model(), SharedUndoManager())
    for size in 1...3 { model.history.edit.size = size }
    model.undo.register(with: manager)
    model.undo.undo()
    model.undo.redo()
    manager.event { model.history.edit.size = 4 }
    XCTAssertEqual([manager.actionCount, manager.changeCount], [1, 1])
    for _ in 0..<2 { model.undo.undo() }
    manager.event { model.history.edit.size = 5 }
    XCTAssertEqual(manager.actionCount, 1)
  }

  func testEditsThatReplaceUndoneOlderStepsHaveActions() {
    func resize(_ history: inout UndoHistory<Note>) { for size in 4...5 { history.edit.size = size } }
    for undoCount in 1...3 {
      let (model, manager) = (Model(), SharedUndoManager())
      for size in 1...3 { model.history.edit.size = size }
      model.undo.register(with: manager)
      for _ in 0..<undoCount { model.undo.undo() }
      manager.event { resize(&model.history) }
      XCTAssertEqual(manager.actionCount, 2, "\(undoCount) steps undone")
    }
  }

  func testRecordingARemoteEditRegistersNoActionForOlderHiddenSteps() {
    let (model, manager) = (Model(), SharedUndoManager())
    for size in 1...3 { model.history.edit.size = size }
    model.undo.register(with: manager)
    model.history.applyRemote { $0.size = 9 }
    XCTAssertEqual(model.undo.undoCount, 0)
    manager.event { _ = model.history.recordRemoteEdit() }
    XCTAssertEqual(model.undo.undoCount, 4)
    XCTAssertEqual(manager.actionCount, 1)
    manager.undo()
    XCTAssertEqual(model.history.size, 3)
  }

  func testMinimalManagerReceivesEveryStep() {
    let (actions, model) = (Actions(), Model())
    model.undo.register(with: actions)
    model.history.edit.size = 3
    model.undo.endEvent()
    XCTAssertEqual(actions.all.count, 1)
    actions.all[0]()
    XCTAssertEqual(model.history.size, 12)
    XCTAssertEqual(actions.all.count, 2, "the redo action is registered")
    actions.all[0]()
    XCTAssertEqual([model.undo.undoCount, actions.all.count], [0, 2], "an action runs only once")
  }

  func testActionDoesNothingAfterTheModelIsReleased() {
    let actions = Actions()
    var model: Model? = Model()
    let driver = model!.undo
    driver.register(with: actions)
    model?.history.edit.size = 3
    driver.endEvent()
    model = nil
    actions.all[0]()
    XCTAssertEqual(actions.all.count, 1)
  }
}

/// An undo manager that keeps every action.
private final class Actions: UndoRegistering {
  private(set) var all: [() -> Void] = []
  var isUndoRegistrationEnabled: Bool { true }

  func registerStep(_ target: AnyObject, named name: String, action: @escaping () -> Void) { all.append(action) }
  func removeStep(_ target: AnyObject) {}
}
