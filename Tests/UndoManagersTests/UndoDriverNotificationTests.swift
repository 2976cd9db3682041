import UndoHistories
import UndoManagers
import XCTest

/// Notifications come in the order that Apple documents, and observers may call the driver.
final class UndoDriverNotificationTests: XCTestCase {
  private let model = Model()
  private var driver: UndoDriver { model.undo }

  func testGroupOfAnEventIsAnnouncedOnce() {
    let application = Application(driver)
    application.event {
      model.history.edit.size = 1
      XCTAssertEqual(application.takeNotifications(), [.didOpenUndoGroup])
      model.history.edit.size = 2
      XCTAssertEqual(application.takeNotifications(), [])
    }
    XCTAssertEqual(application.takeNotifications(), [.checkpoint, .willCloseUndoGroup, .didCloseUndoGroup])
    application.event {}
    XCTAssertEqual(application.takeNotifications(), [])
  }

  func testNestedGroupsAreAnnounced() {
    let application = Application(driver)
    driver.beginUndoGrouping()
    driver.beginUndoGrouping()
    driver.endUndoGrouping()
    driver.endUndoGrouping()
    XCTAssertEqual(
      application.takeNotifications(),
      [
        .didOpenUndoGroup, .checkpoint, .didOpenUndoGroup,
        .checkpoint, .willCloseUndoGroup, .didCloseUndoGroup,
        .checkpoint, .willCloseUndoGroup, .didCloseUndoGroup,
      ])
  }

  func testUndoAndRedoAreAnnounced() {
    let application = Application(driver)
    application.event { model.history.edit.size = 1 }
    _ = application.takeNotifications()
    driver.undo()
    XCTAssertEqual(application.takeNotifications(), [.checkpoint, .checkpoint, .willUndoChange, .didUndoChange])
    driver.redo()
    XCTAssertEqual(application.takeNotifications(), [.checkpoint, .checkpoint, .willRedoChange, .didRedoChange])
  }

  func testUndoAnnouncesTheGroupThatItCloses() {
    let application = Application(driver)
    model.history.edit.size = 1
    driver.undo()
    XCTAssertEqual(
      application.takeNotifications(),
      [
        .didOpenUndoGroup,
        .checkpoint, .checkpoint, .willCloseUndoGroup, .didCloseUndoGroup,
        .checkpoint, .willUndoChange, .didUndoChange,
      ])
  }

  func testDocumentCountsItsChanges() {
    let application = Application(driver)
    for size in 1...3 { application.event { model.history.edit.size = size } }
    XCTAssertEqual(application.changeCount, 3)
    application.choose(0)
    application.choose(0)
    application.choose(1)
    XCTAssertEqual(application.changeCount, 2)
  }

  func testJoinedTypingIsAnnouncedForEachEvent() {
    let application = Application(driver)
    for key in "Fri" { application.event { model.history.currentItem.title.append(key) } }
    XCTAssertEqual([application.changeCount, driver.undoCount], [3, 1], "a document saved in between is edited again")
  }

  func testEditOfARecordThatIsAlreadyThereIsAnnounced() {
    let application = Application(driver)
    let step = model.history.beginStep()
    for size in 1...2 { application.event { model.history.edit.size = size } }
    application.event { model.history.transaction { $0.size = 3 } }
    model.history.endStep(step)
    XCTAssertEqual([application.changeCount, driver.undoCount], [3, 1], "an open step has one record of the size")
    model.history.coalescing = .typing.values(within: .seconds(60))
    for size in 4...6 { application.event { model.history.currentItem.size = size } }
    XCTAssertEqual([application.changeCount, driver.undoCount], [6, 2], "assignments of the size join")
  }

  func testCallWithoutAnEditIsNotAnnounced() {
    let application = Application(driver)
    model.history.edit.title.append("F")
    application.event {}
    for _ in 0..<2 {
      _ = application.takeNotifications()
      // The history is written, but not edited: nothing is undone, and a copy with the same edits is assigned.
      application.event { model.history.redo() }
      application.event { model.history = model.history }
      application.event { model.history.edit.title.append("") }
      XCTAssertEqual(application.takeNotifications(), [])
      model.history = UndoHistory(initialValue: Note())
      driver.endEvent()
    }
  }

  func testAnotherHistoryWithAsManyStepsAndBytesIsAnnounced() {
    let application = Application(driver)
    application.event { model.history.edit.size = 1 }
    let (count, bytes) = (model.history.undoCount, model.history.byteCount)
    application.event {
      var other = UndoHistory(initialValue: Note())
      other.edit.size = 1
      model.history = other
    }
    XCTAssertEqual([model.history.undoCount, model.history.byteCount], [count, bytes])
    XCTAssertEqual(application.changeCount, 2)
  }

  func testAssignmentThatChangesNothingAfterAnUndoIsNotAnnounced() {
    let application = Application(driver)
    application.event { model.history.edit.size = 1 }
    application.choose(0)
    _ = application.takeNotifications()
    application.event { model.history.currentItem.size = model.history.size }
    XCTAssertEqual(application.takeNotifications(), [])
    XCTAssertTrue(driver.canRedo)
  }

  func testIsUndoingAndIsRedoingAreSetDuringUndoAndRedo() {
    var seen: [[Bool]] = []
    model.history.edit.size = 1
    driver.endEvent()
    driver.onNotification = { [unowned driver = driver] notification in
      if notification != .checkpoint { seen.append([driver.isUndoing, driver.isRedoing]) }
    }
    driver.undo()
    driver.redo()
    XCTAssertEqual(seen, [[true, false], [false, false], [false, true], [false, false]])
  }

  // MARK: Observers that act

  func testObserverReadsTheCurrentModel() {
    var sizes: [Int] = []
    model.history.edit.size = 1
    driver.endEvent()
    driver.onNotification = { [unowned model = model] _ in sizes.append(model.history.size) }
    driver.undo()
    XCTAssertEqual(sizes, [1, 1, 1, 12])
  }

  func testObserverCanMakePendingEditsAtACheckpoint() {
    driver.beginUndoGrouping("Both")
    model.history.edit.size = 1
    driver.onNotification = { [unowned model = model] notification in
      if notification == .checkpoint, model.history.title.isEmpty { model.history.edit.title = "pending" }
    }
    driver.endUndoGrouping()
    XCTAssertEqual(driver.undoCount, 1)
    driver.undo()
    XCTAssertEqual(model.history.currentItem, Note())
  }

  func testObserverThatUndoesAgainUndoesEachStepOnce() {
    for size in 1...5 { model.history.edit.size = size }
    driver.endEvent()
    let application = Application(driver)
    let record = driver.onNotification
    driver.onNotification = { [unowned driver = driver] notification in
      record?(notification)
      if notification == .didUndoChange { driver.undo() }
    }
    driver.undo()
    XCTAssertEqual([driver.undoCount, driver.redoCount], [0, 5])
    XCTAssertEqual(application.changeCount, -5)
  }

  func testUndoWithinAnUndoIsRefused() {
    for size in 1...5 { model.history.edit.size = size }
    driver.endEvent()
    var answers: [Bool] = []
    driver.onNotification = { [unowned driver = driver] notification in
      if notification == .willUndoChange { answers += [driver.undo(), driver.redo()] }
    }
    XCTAssertTrue(driver.undo())
    XCTAssertEqual(answers, [false, false])
    XCTAssertEqual(driver.redoCount, 1)
  }

  func testUndoFromTheFirstNotificationsOfAnUndoIsRefused() {
    for size in 1...4 { model.history.edit.size = size }
    var answers: [Bool] = []
    driver.onNotification = { [driver] notification in
      if notification != .didUndoChange { answers.append(driver.undo()) }
    }
    XCTAssertTrue(driver.undo())
    XCTAssertEqual(model.history.size, 3)
    XCTAssertFalse(answers.isEmpty || answers.contains(true))
    driver.onNotification = nil
    XCTAssertTrue(driver.undo())
  }

  func testObserverThatClosesGroupsClosesEachOnlyOnce() {
    driver.onNotification = { [unowned driver = driver] notification in
      switch notification {
      case .willCloseUndoGroup:
        XCTAssertFalse(driver.endUndoGrouping())
        XCTAssertFalse(driver.undo())
        driver.endEvent()
        driver.removeAllActions()
      case .didCloseUndoGroup: driver.endUndoGrouping()
      default: break
      }
    }
    driver.beginUndoGrouping()
    driver.beginUndoGrouping()
    driver.beginUndoGrouping()
    model.history.edit.size = 1
    driver.undo()
    XCTAssertEqual(driver.groupingLevel, 0)
    driver.beginUndoGrouping()
    driver.beginUndoGrouping()
    driver.endUndoGrouping()
    XCTAssertEqual(driver.groupingLevel, 0)
  }

  func testGroupThatAnObserverOpensStaysOpen() {
    var isFirst = true
    driver.onNotification = { [unowned driver = driver] notification in
      guard notification == .willCloseUndoGroup, isFirst else { return }
      isFirst = false
      driver.beginUndoGrouping()
    }
    driver.beginUndoGrouping()
    driver.endUndoGrouping()
    XCTAssertEqual(driver.groupingLevel, 1)
    XCTAssertTrue(driver.endUndoGrouping())
    XCTAssertEqual(driver.groupingLevel, 0)
  }

  func testObserverCanReplaceTheHistoryDuringAnUndo() {
    model.history.edit.size = 1
    driver.endEvent()
    driver.onNotification = { [unowned model = model] notification in
      if notification == .willUndoChange { model.history = UndoHistory(initialValue: Note(title: "other")) }
    }
    XCTAssertFalse(driver.undo())
    XCTAssertEqual(model.history.currentItem, Note(title: "other"))
    XCTAssertFalse(driver.isUndoing)
  }

  /// The calls that the model makes while the driver writes to it must neither trap nor change anything.
  func testCallsFromTheModelDuringAnUndoHaveNoEffect() {
    final class Restless {
      var answers: [Bool] = []
      var history = UndoHistory(initialValue: Note()) {
        didSet {
          undo.didEdit()
          guard isRestless else { return }
          answers += [undo.undo(), undo.redo(), undo.endUndoGrouping(), undo.canUndo]
          undo.beginUndoGrouping()
          undo.willEdit()
          undo.removeAllActions()
          undo.levelsOfUndo = 1
        }
      }
      var isRestless = false
      private(set) lazy var undo = UndoDriver(self, \.history)
      private(set) lazy var inPlace = UndoDriver(self, \.history) { $1(&$0.history) }
    }
    let restless = Restless()
    for size in 1...3 { restless.history.edit.size = size }
    restless.undo.endEvent()
    restless.isRestless = true
    XCTAssertTrue(restless.undo.undo())
    XCTAssertEqual(restless.answers, [false, false, false, true])
    XCTAssertEqual([restless.undo.undoCount, restless.undo.redoCount, restless.undo.groupingLevel], [2, 1, 0])
    restless.isRestless = false
    XCTAssertTrue(restless.inPlace.undo())
    XCTAssertEqual(restless.history.size, 1)
  }
}
