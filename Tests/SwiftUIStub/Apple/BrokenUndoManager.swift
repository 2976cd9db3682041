// Must not compile: with a stub that declares something else, or without the undo manager in sight, it would.
#if canImport(ObjectiveC)
  import Foundation
  import UndoManagers

  @MainActor
  func broken(_ manager: HistoryUndoManager) -> Int {
    manager.undoMenuItemTitle
  }
#endif
