import SwiftUI
import UndoHistories

struct Note: Equatable {
  var title = ""
  var size = 12.0
}

/// Fields that are bound to a document with undo: typing joins into one step, and each key costs only what it changed.
struct NoteScreen: View {
  @State private var history = UndoHistory(initialValue: Note())

  var body: some View {
    Form {
      TextField("Title", text: $history.currentItem.title)
      Slider(value: $history.currentItem.size, in: 8...72)
      Button("Undo") { history.undo() }.disabled(!history.canUndo)
      Button("Redo") { history.redo() }.disabled(!history.canRedo)
    }
  }
}
