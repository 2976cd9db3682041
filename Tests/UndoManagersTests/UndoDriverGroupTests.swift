import UndoHistories
import UndoManagers
import XCTest

final class UndoDriverGroupTests: XCTestCase {
  private let model = Model()
  private var driver: UndoDriver { model.undo }

  func testGroupOverManyEventsIsOneStep() {
    let application = Application(driver)
    application.event { driver.beginUndoGrouping("Resize") }
    for size in 1...100 { application.event { model.history.edit.size = size } }
    XCTAssertEqual(driver.groupingLevel, 1)
    application.event { XCTAssertTrue(driver.endUndoGrouping()) }
    XCTAssertEqual(application.menu, ["Undo Resize", nil])
    application.choose(0)
    XCTAssertEqual(model.history.currentItem, Note())
  }

  func testNestedGroupIsPartOfTheOuterStep() {
    driver.beginUndoGrouping("Outer")
    model.history.edit.size = 1
    driver.beginUndoGrouping("Inner")
    XCTAssertEqual(driver.groupingLevel, 2)
    model.history.edit.title = "a"
    XCTAssertTrue(driver.endUndoGrouping())
    model.history.edit.size = 2
    XCTAssertTrue(driver.endUndoGrouping())
    XCTAssertEqual([driver.undoCount, driver.groupingLevel], [1, 0])
    XCTAssertEqual(driver.undoActionName, "Outer")
  }

  func testEmptyGroupRecordsNoStepAndKeepsTheRedoSteps() {
    model.history.edit.size = 1
    driver.undo()
    driver.beginUndoGrouping("Nothing")
    driver.endUndoGrouping()
    XCTAssertEqual([driver.undoCount, driver.redoCount], [0, 1])
  }

  func testWillEditMakesTheEditsOfAnEventOneStep() {
    let application = Application(driver)
    application.event {
      driver.willEdit("Paste")
      model.history.edit.title = "a"
      driver.willEdit("again, in the same event")
      model.history.edit.size = 1
      XCTAssertEqual(driver.groupingLevel, 1)
    }
    application.event { model.history.edit.size = 2 }
    XCTAssertEqual(driver.undoCount, 2)
    application.choose(0)
    XCTAssertEqual(application.menu, ["Undo Paste", "Redo"])
  }

  func testOpenGroupOutlastsTheEvent() {
    let application = Application(driver)
    application.event {
      driver.willEdit()
      model.history.edit.size = 1
      driver.beginUndoGrouping()
    }
    XCTAssertEqual(driver.groupingLevel, 2)
    application.event { driver.endUndoGrouping() }
    XCTAssertEqual(driver.groupingLevel, 0)
  }

  func testExplicitGroupInAnEventIsAStepOfItsOwn() {
    model.history.edit.size = 1
    XCTAssertEqual(driver.groupingLevel, 1)
    driver.beginUndoGrouping("Both")
    model.history.edit.size = 2
    model.history.edit.title = "a"
    driver.endUndoGrouping()
    driver.endEvent()
    XCTAssertEqual(driver.undoCount, 2)
    driver.undo()
    XCTAssertEqual(model.history.currentItem, Note(size: 1))
  }

  func testEachEditIsAnnouncedIfEventsAreNotGrouped() {
    let application = Application(driver)
    driver.groupsByEvent = false
    application.event {
      driver.willEdit("not used")
      model.history.edit.size = 1
      model.history.edit.size = 2
    }
    XCTAssertEqual([driver.undoCount, application.changeCount, driver.groupingLevel], [2, 2, 0])
  }

  // MARK: Undo while a group is open

  func testUndoClosesEveryGroupFirst() {
    model.history.edit.size = 1
    driver.endEvent()
    driver.beginUndoGrouping("Drag")
    driver.beginUndoGrouping()
    model.history.edit.size = 2
    model.history.edit.title = "a"
    XCTAssertTrue(driver.undo())
    XCTAssertEqual(model.history.currentItem, Note(size: 1))
    XCTAssertEqual([driver.groupingLevel, driver.undoCount, driver.redoCount], [0, 1, 1])
    XCTAssertEqual(driver.redoActionName, "Drag")
  }

  func testRedoClosesEveryGroupFirst() {
    model.history.edit.size = 1
    driver.undo()
    driver.beginUndoGrouping()
    XCTAssertTrue(driver.redo())
    XCTAssertEqual([driver.groupingLevel, driver.undoCount], [0, 1])
  }

  // MARK: Calls that do not balance

  func testEndUndoGroupingWithoutABeginningIsRefused() {
    XCTAssertFalse(driver.endUndoGrouping())
    driver.endEvent()
    model.history.edit.size = 1
    XCTAssertFalse(driver.endUndoGrouping(), "this call does not close the group of an event")
    XCTAssertEqual(driver.groupingLevel, 1)
    driver.beginUndoGrouping()
    driver.undo()
    XCTAssertFalse(driver.endUndoGrouping())
    XCTAssertEqual(driver.groupingLevel, 0)
  }

  func testReplacingTheHistoryInAGroupLeavesTheNewHistoryAlone() {
    driver.beginUndoGrouping("Old")
    model.history.edit.size = 1
    var other = UndoHistory(initialValue: Note(title: "other"))
    let step = other.beginStep("Other")
    other.edit.size = 5
    model.history = other
    XCTAssertTrue(driver.endUndoGrouping())
    model.history.edit.title = "of the open step"
    XCTAssertTrue(model.history.endStep(step), "the driver has ended a step that is not its own")
    driver.endEvent()
    XCTAssertEqual([driver.undoCount, driver.groupingLevel], [1, 0])
    driver.beginUndoGrouping("New")
    model.history.edit.size = 6
    driver.endUndoGrouping()
    XCTAssertEqual(driver.undoActionName, "New")
  }

  func testGroupWhoseEditsCancelOutStaysAStep() {
    let size = model.history.size
    driver.beginUndoGrouping("Drag")
    model.history.edit.size = size + 1
    driver.didEdit()
    model.history.edit.size = size
    driver.endUndoGrouping()
    XCTAssertEqual([driver.undoCount, driver.groupingLevel], [1, 0])
  }

  func testUndoOnTheHistoryEndsTheStepButNotTheGroup() {
    driver.beginUndoGrouping("Drag")
    model.history.edit.size = 1
    model.history.undo()
    XCTAssertEqual(driver.groupingLevel, 1)
    model.history.edit.size = 2
    model.history.edit.size = 3
    XCTAssertTrue(driver.endUndoGrouping())
    XCTAssertEqual([driver.undoCount, driver.groupingLevel], [2, 0])
  }
}
