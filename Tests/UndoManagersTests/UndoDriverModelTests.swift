import TestSupport
import UndoHistories
import UndoManagers
import XCTest

/// Random events, compared with snapshots of the document.
final class UndoDriverModelTests: XCTestCase {
  func testRandomEventsMatchSnapshots() {
    withSeeds(300) { random in
      let window = Window(&random)
      for _ in 0..<200 { window.act(&random) }
      window.close()
    }
  }
}

/// A model with its driver, and the state that is expected of them.
private final class Window {
  struct Group {
    var isOfEvent: Bool
    var hasStep: Bool
  }

  /// The step of the open groups.
  struct OpenStep {
    var hasEdits = false
  }

  let model = Model()
  private var driver: UndoDriver { model.undo }
  let manager = SharedUndoManager()
  let isShared: Bool
  let actsInObservers: Bool
  var notifications: [UndoNotification] = []
  var actions: [String] = []

  var note = Note()
  var undoable: [Note] = []
  var redoable: [Note] = []
  var groups: [Group] = []
  var openStep: OpenStep?
  var nextSize = 100
  /// The number of open groups before the first notification.
  var level = 0

  init(_ random: inout SeededRandom) {
    model.history.coalescing = .none
    model.undo.endEvent()
    isShared = random.chance(oneIn: 2)
    actsInObservers = random.chance(oneIn: 3)
    if isShared { driver.register(with: manager) }
    driver.onNotification = { [unowned self] notification in
      notifications.append(notification)
      if actsInObservers { readEverything() }
    }
  }

  // An observer may read anything: this must neither trap nor change what follows.
  private func readEverything() {
    _ = [driver.canUndo, driver.canRedo, driver.isUndoing, driver.isRedoing]
    _ = [driver.undoMenuItemTitle, driver.redoMenuItemTitle, "\(driver.levelsOfUndo)"]
    _ = model.history.currentItem
    driver.checkpoint()
  }

  func act(_ random: inout SeededRandom) {
    level = groups.count
    switch random.int(in: 0..<14) {
    case 0..<4: edit(&random)
    case 4: willEdit()
    case 5: begin()
    case 6: end()
    case 7, 8: endEvent()
    case 9, 10: undo(throughTheManager: isShared && random.chance(oneIn: 2))
    case 11: redo(throughTheManager: isShared && random.chance(oneIn: 2))
    case 12: undoPastTheDriver()
    default: rarely(&random)
    }
    check()
    notifications = []
  }

  func close() {
    endEverything()
    actions.append("walk")
    while let note = undoable.popLast() {
      expect(driver.undo())
      expectEqual(model.history.currentItem, note, trace)
    }
    expect(!driver.undo())
  }

  private var trace: String { actions.suffix(12).joined(separator: ", ") }

  // MARK: Events and what is expected of them

  private func edit(_ random: inout SeededRandom) {
    actions.append("edit")
    let old = note
    nextSize += 1
    note.size = nextSize
    if random.chance(oneIn: 2) {
      model.history.edit.size = nextSize
    } else {
      model.history.currentItem.size = nextSize
    }
    if openStep?.hasEdits != true { undoable.append(old) }
    openStep?.hasEdits = true
    redoable = []
    if groups.isEmpty { groups = [Group(isOfEvent: true, hasStep: false)] }
    if !driver.groupsByEvent, groups.count == 1, groups[0].isOfEvent, !groups[0].hasStep { groups = [] }
  }

  private func willEdit() {
    actions.append("willEdit")
    driver.willEdit("Event")
    guard driver.groupsByEvent, groups.isEmpty else { return }
    groups = [Group(isOfEvent: true, hasStep: true)]
    openStep = OpenStep()
  }

  private func begin() {
    actions.append("begin")
    driver.beginUndoGrouping("Group")
    let hasStep = !groups.contains(where: \.hasStep)
    groups.append(Group(isOfEvent: false, hasStep: hasStep))
    if hasStep { openStep = OpenStep() }
  }

  private func end() {
    actions.append("end")
    let isThereOne = groups.last.map { !$0.isOfEvent } ?? false
    expectEqual(driver.endUndoGrouping(), isThereOne, trace)
    if isThereOne, groups.removeLast().hasStep { openStep = nil }
  }

  private func endEvent() {
    actions.append("endEvent")
    driver.endEvent()
    guard groups.count == 1, groups[0].isOfEvent else { return }
    (groups, openStep) = ([], nil)
  }

  /// Ends the open groups and the event of both the driver and the manager, as happens before the manager acts.
  private func endEverything() {
    while driver.endUndoGrouping() {}
    driver.endEvent()
    manager.event {}
    (groups, openStep, notifications, level) = ([], nil, [], 0)
  }

  private func undo(throughTheManager: Bool) {
    if throughTheManager {
      endEverything()
      guard let group = manager.undoGroups.last else { return }
      actions.append("manager.undo of \(group.count)")
      manager.undo()
      for _ in group { moveBack() }
    } else {
      actions.append("undo")
      expectEqual(driver.undo(), !undoable.isEmpty, trace)
      (groups, openStep) = ([], nil)
      moveBack()
    }
  }

  private func redo(throughTheManager: Bool) {
    if throughTheManager {
      endEverything()
      guard let group = manager.redoGroups.last else { return }
      actions.append("manager.redo of \(group.count)")
      manager.redo()
      for _ in group { moveForward() }
    } else {
      actions.append("redo")
      expectEqual(driver.redo(), !redoable.isEmpty, trace)
      (groups, openStep) = ([], nil)
      moveForward()
    }
  }

  private func undoPastTheDriver() {
    // An open step without edits would be open again once undo and redo return to the state where it began.
    guard openStep?.hasEdits != false else { return }
    actions.append("history.undo")
    model.history.undo()
    openStep = nil
    moveBack()
  }

  private func announceEdit() {
    if groups.isEmpty, driver.groupsByEvent { groups = [Group(isOfEvent: true, hasStep: false)] }
  }

  private func rarely(_ random: inout SeededRandom) {
    switch random.int(in: 0..<4) {
    case 0:
      actions.append("removeAllActions")
      driver.removeAllActions()
      (undoable, redoable, groups, openStep) = ([], [], [], nil)
    case 1:
      actions.append("replace")
      nextSize += 1
      note = Note(title: "new", size: nextSize)
      var history = UndoHistory(initialValue: note)
      history.coalescing = .none
      model.history = history
      (undoable, redoable, openStep) = ([], [], nil)
      announceEdit()
    case 2:
      guard groups.isEmpty else { return }
      actions.append("groupsByEvent")
      driver.groupsByEvent.toggle()
    default:
      actions.append("register")
      if isShared { driver.register(with: random.chance(oneIn: 2) ? manager : nil) }
    }
  }

  private func moveBack() {
    guard let old = undoable.popLast() else { return }
    redoable.append(note)
    note = old
  }

  private func moveForward() {
    guard let new = redoable.popLast() else { return }
    undoable.append(note)
    note = new
  }

  // MARK: Checks

  private func check() {
    expectEqual(model.history.currentItem, note, trace)
    expectEqual([driver.undoCount, driver.redoCount], [undoable.count, redoable.count], trace)
    expectEqual([driver.canUndo, driver.canRedo], [!undoable.isEmpty, !redoable.isEmpty], trace)
    expectEqual(driver.groupingLevel, groups.count, trace)
    expect(!driver.isUndoing && !driver.isRedoing, trace)
    if isShared { expect(manager.actionCount <= undoable.count, trace) }
    checkNotifications()
  }

  /// Checks that each `will` is followed by its `did`, and that the opened and closed groups add up to the level.
  private func checkNotifications() {
    var pending: UndoNotification?
    for (index, notification) in notifications.enumerated() {
      switch notification {
      case .checkpoint: expect(pending == nil || actsInObservers, trace)
      case .didOpenUndoGroup: level += 1
      case .willCloseUndoGroup, .willUndoChange, .willRedoChange:
        expect(pending == nil && index > 0 && notifications[index - 1] == .checkpoint, trace)
        pending = notification
      case .didCloseUndoGroup:
        expectEqual(pending, .willCloseUndoGroup, trace)
        pending = nil
        level -= 1
      case .didUndoChange:
        expectEqual(pending, .willUndoChange, trace)
        pending = nil
      case .didRedoChange:
        expectEqual(pending, .willRedoChange, trace)
        pending = nil
      }
    }
    expect(pending == nil, trace)
    if !notifications.isEmpty { expectEqual(level, groups.count, trace) }
  }
}
