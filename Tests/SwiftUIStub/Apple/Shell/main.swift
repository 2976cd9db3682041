// Runs a HistoryUndoManager on the stub, and checks what it forwards.
import Foundation
import UndoHistories
import UndoManagers

@MainActor
final class Model {
  var history = UndoHistory(initialValue: [0]) { didSet { driver.didEdit() } }
  private(set) lazy var driver = UndoDriver(self, \.history)
  private(set) lazy var manager = HistoryUndoManager(driver)
}

@MainActor
func takePosted() -> [Notification.Name] {
  defer { NotificationCenter.default.posted = [] }
  return NotificationCenter.default.posted
}

let model = Model()
let manager = model.manager
precondition(!manager.canUndo && !manager.canRedo)
precondition(takePosted() == [.NSUndoManagerCheckpoint], "asked whether there is something to redo")

// An event that edits opens a group, which closes by itself at the end of the event.
model.history.transaction("Append") { $0.append(1) }
precondition(takePosted() == [.NSUndoManagerDidOpenUndoGroup] && manager.groupingLevel == 1)
while manager.groupingLevel > 0 { await Task.yield() }
precondition(
  takePosted() == [
    .NSUndoManagerCheckpoint, .NSUndoManagerWillCloseUndoGroup, .NSUndoManagerDidCloseUndoGroup,
  ])

// The menu's items, undo and redo.
precondition(manager.canUndo && manager.undoCount == 1 && manager.redoCount == 0)
precondition(manager.undoActionName == "Append" && manager.undoMenuItemTitle == "stub: undo Append")
manager.undo()
precondition(model.history.currentItem == [0] && !manager.canUndo && manager.canRedo && manager.redoCount == 1)
precondition(manager.redoActionName == "Append" && manager.redoMenuItemTitle == "stub: redo Append")
precondition(takePosted().contains(.NSUndoManagerDidUndoChange))
manager.redo()
precondition(model.history.currentItem == [0, 1] && !manager.isUndoing && !manager.isRedoing)
precondition(takePosted().contains(.NSUndoManagerDidRedoChange))

// Undo groups and their settings.
manager.beginUndoGrouping()
model.history.edit.append(2)
model.history.edit.append(3)
manager.endUndoGrouping()
manager.endUndoGrouping()
precondition(manager.undoCount == 2 && manager.groupingLevel == 0)
manager.undoNestedGroup()
precondition(model.history.currentItem == [0, 1])
manager.groupsByEvent = false
precondition(!model.driver.groupsByEvent)
manager.levelsOfUndo = 7
precondition(model.history.limit == .steps(7) && manager.levelsOfUndo == 7)

// A group that outlasts its event does not keep the event's group open.
manager.groupsByEvent = true
model.history.transaction("Click") { $0.append(2) }
manager.beginUndoGrouping()
for _ in 0..<100 { await Task.yield() }
precondition(manager.groupingLevel == 2)
manager.endUndoGrouping()
for _ in 0..<100 { await Task.yield() }
precondition(manager.groupingLevel == 0)
_ = takePosted()
model.history.transaction("Later") { $0.append(3) }
for _ in 0..<100 { await Task.yield() }
precondition(takePosted().contains(.NSUndoManagerDidCloseUndoGroup))
manager.undo()
manager.undo()
precondition(model.history.currentItem == [0, 1])

// Registrations by other code are refused, and reported by `onRefusal`.
var refusals = 0
manager.onRefusal = { _ in refusals += 1 }
manager.disableUndoRegistration()
manager.enableUndoRegistration()
precondition(!manager.isUndoRegistrationEnabled)
manager.registerUndo(withTarget: model, selector: Selector(), object: nil)
_ = manager.prepare(withInvocationTarget: model)
manager.registerUndo(withTarget: model) { _ in preconditionFailure("refused") }
precondition(refusals == 2 && manager.actions.isEmpty)
manager.removeAllActions()
precondition(!manager.canUndo && !manager.canRedo && model.history.currentItem == [0, 1])

// Steps can be registered with an undo manager of the system.
let shared = UndoManager()
model.driver.register(with: shared)
model.history.transaction("Shared") { $0.append(4) }
precondition(shared.actions.count == 1 && shared.undoActionName == "Shared")
shared.actions.removeFirst().run()
precondition(model.history.currentItem == [0, 1] && shared.actions.count == 1, "an action to redo")
shared.actions.removeFirst().run()
precondition(model.history.currentItem == [0, 1, 4] && shared.actions.count == 1)
model.driver.register(with: nil)
precondition(shared.actions.isEmpty)

// The model, its driver and its undo manager don't keep each other alive.
weak var seen = Optional(Model())
precondition(seen == nil)
do {
  let other = Model()
  seen = other
  _ = other.manager
}
precondition(seen == nil)
