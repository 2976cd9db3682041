// Must not compile. It would if the undo manager weren't found, or if the stub accepted any type.
#if canImport(ObjectiveC)
  import Foundation
  import UndoManagers

  @MainActor
  func broken(_ manager: HistoryUndoManager) -> Int {
    manager.undoMenuItemTitle
  }
#endif
