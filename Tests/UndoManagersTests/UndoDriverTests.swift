import Observation
import TestSupport
import UndoArchives
import UndoHistories
import UndoManagers
import XCTest

final class UndoDriverTests: XCTestCase {
  func testMenuShowsTheStepsOfTheHistory() {
    let model = Model()
    let application = Application(model.undo)
    XCTAssertEqual(application.menu, [nil, nil])
    application.event { model.history.transaction("Rename") { $0.title.set("Friday") } }
    application.event { model.history.edit.size = 14 }
    XCTAssertEqual(application.menu, ["Undo", nil])
    application.choose(0)
    XCTAssertEqual(application.menu, ["Undo Rename", "Redo"])
    application.choose(0)
    XCTAssertEqual(application.menu, [nil, "Redo Rename"])
    XCTAssertEqual(model.history.currentItem, Note())
    application.choose(1)
    application.choose(1)
    XCTAssertEqual(model.history.currentItem, Note(title: "Friday", size: 14))
    XCTAssertEqual(application.menu, ["Undo", nil])
  }

  func testUndoAndRedoReturnFalseWithoutSteps() {
    let model = Model()
    let application = Application(model.undo)
    XCTAssertFalse(model.undo.undo())
    XCTAssertFalse(model.undo.redo())
    XCTAssertEqual(application.takeNotifications(), [.checkpoint, .checkpoint])
    XCTAssertEqual(model.undo.undoActionName, "")
  }

  func testTypingJoinsAcrossEvents() {
    let model = Model()
    let application = Application(model.undo)
    for key in "Friday" { application.event { model.history.currentItem.title.append(key) } }
    XCTAssertEqual(model.undo.undoCount, 1)
    application.choose(0)
    XCTAssertEqual(model.history.title, "")
  }

  func testStepsOfARestoredArchiveCanBeUndone() throws {
    final class Text {
      var history = UndoHistory(initialValue: "a")
    }
    let old = Text()
    old.history.edit.append("b")
    let new = Text()
    let driver = UndoDriver(new, \.history)
    XCTAssertFalse(driver.canUndo)
    var restored = UndoHistory(initialValue: old.history.currentItem)
    try restored.restoreSteps(from: old.history.archive())
    new.history = restored
    XCTAssertTrue(driver.undo())
    XCTAssertEqual(new.history.currentItem, "a")
  }

  func testDriverDoesNotAffectCopiesOfTheHistory() {
    let model = Model()
    model.history.edit.title = "kept"
    let copy = model.history
    model.undo.undo()
    model.undo.removeAllActions()
    XCTAssertEqual(copy.currentItem, Note(title: "kept"))
    XCTAssertEqual([copy.undoCount, model.undo.undoCount, model.undo.redoCount], [1, 0, 0])
  }

  func testDriverHasNothingToUndoAfterItsModelIsReleased() {
    var model: Model? = Model()
    model?.history.edit.size = 3
    let driver = UndoDriver(model!, \.history)
    XCTAssertEqual(driver.undoCount, 1)
    model = nil
    XCTAssertEqual([driver.undoCount, driver.redoCount, driver.levelsOfUndo], [0, 0, 0])
    XCTAssertFalse(driver.undo() || driver.redo())
    driver.levelsOfUndo = 3
    driver.didEdit()
    driver.removeAllActions()
    XCTAssertEqual([driver.undoMenuItemTitle, driver.redoMenuItemTitle], ["Undo", "Redo"])
    XCTAssertEqual(driver.levelsOfUndo, 0)
  }

  func testLevelsOfUndoLimitTheSteps() {
    let model = Model()
    XCTAssertEqual(model.undo.levelsOfUndo, 0)
    for size in 1...10 { model.history.edit.size = size }
    model.undo.levelsOfUndo = 3
    XCTAssertEqual([model.undo.undoCount, model.undo.levelsOfUndo], [3, 3])
    XCTAssertEqual(model.history.limit, .steps(3))
    model.undo.levelsOfUndo = -1
    XCTAssertEqual(model.undo.levelsOfUndo, 0)
    XCTAssertEqual(model.history.limit, .unlimited)
  }

  func testLevelsOfUndoKeepTheByteLimit() {
    let model = Model()
    model.history.limit = .bytes(1000)
    model.undo.levelsOfUndo = 3
    XCTAssertEqual(model.history.limit, .steps(3, bytes: 1000))
    model.undo.levelsOfUndo = 0
    XCTAssertEqual(model.history.limit, .bytes(1000))
  }

  // MARK: Lifetime

  func testModelThatOwnsItsDriverIsReleased() {
    withLifetimeTracking { tracker in
      final class Owner {
        var history: UndoHistory<LifetimeTracked<Int>> { didSet { undo.didEdit() } }
        private(set) lazy var undo = UndoDriver(self, \.history)
        init(_ value: LifetimeTracked<Int>) { history = UndoHistory(initialValue: value) }
      }
      let owner = Owner(tracker.instance(0))
      let manager = SharedUndoManager()
      owner.undo.register(with: manager)
      let application = Application(owner.undo)
      application.event { owner.history.currentItem = tracker.instance(1) }
      manager.event { owner.undo.beginUndoGrouping("Open to the end") }
      owner.history.currentItem = tracker.instance(2)
      manager.undo()
      expectEqual(owner.history.currentItem.payload, 1)
    }
  }

  func testModelReleasedInAnOpenGroupHasNothingToUndo() {
    var model: Model? = Model()
    model?.history.edit.size = 1
    let driver = model!.undo
    let manager = SharedUndoManager()
    driver.register(with: manager)
    model?.history.edit.size = 2
    driver.beginUndoGrouping()
    model = nil
    XCTAssertFalse(driver.canUndo || driver.canRedo)
    XCTAssertTrue(driver.endUndoGrouping())
    driver.beginUndoGrouping()
    driver.willEdit()
    driver.didEdit()
    driver.levelsOfUndo = 3
    XCTAssertEqual(driver.levelsOfUndo, 0)
    driver.removeAllActions()
    XCTAssertFalse(driver.undo() || driver.redo())
    XCTAssertEqual(driver.undoMenuItemTitle, "Undo")
    manager.undo()
  }

  func testValuesCanCallTheDriverInTheirDeinit() {
    final class Value {
      var willDie: () -> Void = {}
      deinit { willDie() }
    }
    final class Owner {
      var history = UndoHistory(initialValue: [Value()]) { didSet { undo.didEdit() } }
      private(set) lazy var undo = UndoDriver(self, \.history) { $1(&$0.history) }
    }
    let owner = Owner()
    var answers: [Bool] = []
    for _ in 1...3 {
      let value = Value()
      value.willDie = { [unowned driver = owner.undo] in
        answers += [driver.canUndo, driver.undo(), driver.endUndoGrouping()]
        driver.removeAllActions()
        driver.beginUndoGrouping()
      }
      owner.history.edit.append(value)
      owner.history.edit.removeLast()
    }
    owner.undo.removeAllActions()
    XCTAssertEqual(answers, Array(repeating: false, count: 9))
    owner.undo.beginUndoGrouping()
    XCTAssertTrue(owner.undo.endUndoGrouping())
  }

  // MARK: Ways to hold a history

  func testDriverWorksWithAnObservableModel() {
    let model = ObservableModel()
    let application = Application(model.undo)
    application.event { model.history.currentItem.title = "Friday" }
    model.undo.beginUndoGrouping("Resize")
    for size in 1...9 { application.event { model.history.currentItem.size = size } }
    model.undo.endUndoGrouping()
    XCTAssertEqual(application.menu, ["Undo Resize", nil])
    application.choose(0)
    application.choose(0)
    application.choose(1)
    XCTAssertEqual(model.history.currentItem, Note(title: "Friday"))
  }

  func testUndoNotifiesObserversOfAnObservableModel() {
    let model = ObservableModel()
    model.history.edit.size = 1
    let heard = Heard()
    withObservationTracking {
      _ = model.history.size
    } onChange: {
      heard.count += 1
    }
    model.undo.undo()
    XCTAssertEqual(heard.count, 1)
  }

  func testModifyingTheHistoryInPlaceDoesNotCopyIt() {
    let model = ObservableNumbers(count: 1000)
    let address = model.address
    model.history.edit[3] = -1
    XCTAssertEqual(model.address, address)
    model.inPlace.undo()
    XCTAssertEqual(model.address, address)
    model.inPlace.redo()
    model.byKeyPath.undo()
    XCTAssertNotEqual(model.address, address, "a key path writes a computed property as a copy")
  }
}

private final class Heard: @unchecked Sendable {
  var count = 0
}

@Observable
private final class ObservableModel {
  var history = UndoHistory(initialValue: Note()) { didSet { undo.didEdit() } }
  @ObservationIgnored private(set) lazy var undo = UndoDriver(self, \.history)
}

@Observable
private final class ObservableNumbers {
  var history: UndoHistory<[Int]>
  @ObservationIgnored private(set) lazy var inPlace = UndoDriver(self, \.history) { $1(&$0.history) }
  @ObservationIgnored private(set) lazy var byKeyPath = UndoDriver(self, \.history)

  init(count: Int) { history = UndoHistory(initialValue: Array(0..<count)) }

  var address: UInt { unsafe history.currentItem.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) } }
}
