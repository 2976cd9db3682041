import UndoHistories
import UndoManagers

/// The document of these tests.
struct Note: Equatable {
  var title = ""
  var size = 12
}

/// A model as an application has it: it owns its driver, and reports each edit to it.
final class Model {
  var history: UndoHistory<Note> { didSet { undo.didEdit() } }
  private(set) lazy var undo = UndoDriver(self, \.history)

  init(_ note: Note = Note()) {
    history = UndoHistory(initialValue: note)
  }
}

/// Runs events one by one, and shows the menu, as the application around a window does.
final class Application {
  let driver: UndoDriver
  private(set) var notifications: [UndoNotification] = []
  /// The changes that a document counts, as it does for its window's mark.
  private(set) var changeCount = 0

  init(_ driver: UndoDriver) {
    self.driver = driver
    driver.onNotification = { [unowned self] in observe($0) }
  }

  /// What was announced since the last call.
  func takeNotifications() -> [UndoNotification] {
    defer { notifications = [] }
    return notifications
  }

  func event(_ body: () -> Void) {
    body()
    driver.endEvent()
  }

  /// The items of the Edit menu; nil for one that is disabled.
  var menu: [String?] {
    [driver.canUndo ? driver.undoMenuItemTitle : nil, driver.canRedo ? driver.redoMenuItemTitle : nil]
  }

  /// Chooses an item of the menu, which is validated first.
  func choose(_ item: Int) {
    guard menu[item] != nil else { return }
    event { _ = item == 0 ? driver.undo() : driver.redo() }
  }

  private func observe(_ notification: UndoNotification) {
    notifications.append(notification)
    switch notification {
    case .didCloseUndoGroup, .didRedoChange: changeCount += 1
    case .didUndoChange: changeCount -= 1
    default: break
    }
  }
}
