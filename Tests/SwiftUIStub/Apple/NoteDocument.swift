// The document that the article about undo in the Edit menu mentions, and doesn't show.
import SwiftUI
import UndoHistories

final class NoteDocument: ReferenceFileDocument {
  private let note: Note
  @MainActor private var opened: NoteModel?

  init(note: Note = Note()) {
    self.note = note
  }

  @MainActor var model: NoteModel {
    if let opened { return opened }
    let model = NoteModel(note)
    opened = model
    return model
  }

  func snapshot() throws -> Note {
    MainActor.assumeIsolated { model.history.currentItem }
  }
}
