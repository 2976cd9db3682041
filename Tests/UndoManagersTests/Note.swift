import UndoHistories
import UndoManagers

/// The document of these tests.
struct Note: Equatable {
  var title = ""
  var size = 12
}

/// A model like that of an application: it owns its driver, and reports each edit to it.
final class Model {
  var history: UndoHistory<Note> { didSet { undo.didEdit() } }
  private(set) lazy var undo = UndoDriver(self, \.history)

  init(_ note: Note = Note()) {
    history = UndoHistory(initialValue: note)
  }
}

/// Runs events one by one and shows the Edit menu, like the application around a window.
final class Application {
  let driver: UndoDriver
  private(set) var notifications: [UndoNotification] = []
  /// The number of changes, as a document counts them to show in its window that it was edited.
  private(set) var changeCount = 0

  init(_ driver: UndoDriver) {
    self.driver = driver
    driver.onNotification = { [unowned self] in observe($0) }
  }

  /// The notifications since the last call.
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

  /// Chooses an item of the menu, unless it is disabled.
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
