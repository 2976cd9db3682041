internal import Journals
internal import UndoArchives
internal import UndoHistories

/// What another program's contents of the file come to in a session.
///
///     base ── what is not saved ──► document
///       │                              │
///     theirs ────────────────────────► merged
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
struct _TheirChange<Document: Codable & Sendable>: Sendable {
  let theirs: Document
  let merged: Document
  /// Whether they have what the session has.
  let isMine: Bool
  /// Whether the file had the document before they wrote it, and has another one now: nothing is merged with theirs.
  let replacesSaved: Bool
  /// Whether nothing is unsaved behind it.
  let isWhole: Bool
  /// Whether the saved point of the history is theirs behind it.
  let isSavedPoint: Bool

  /// Nil where it does not commute with what is not saved, nothing says what that is, or they have nothing.
  ///
  /// - Parameters:
  ///   - isSaved: Whether the file had the document of the history before they wrote it.
  ///   - base: What it had else.
  ///   - asksForSavedPoint: Whether it had what the saved point stands for.
  init?(
    _ contents: Data, to history: UndoHistory<Document>, isSaved: Bool, base: Document?,
    _ format: EditingFormat<Document>, asksForSavedPoint: Bool = false
  ) throws {
    // A program that writes a file in place empties it first, which may leave no document.
    guard let theirs = contents.isEmpty ? try? format.read(contents) : try format.read(contents) else { return nil }
    self.theirs = theirs
    let mine = history.currentItem
    /// A document that cannot be written is another one. The order of a set may be another in bytes that mean the same.
    func areSame(_ a: Document, _ b: Document) -> Bool {
      guard let bytes = try? format.write(a) else { return false }
      return bytes == (try? format.write(b)) || (try? UndoHistory.encodeTheSame(a, b)) ?? false
    }
    isMine = areSame(mine, theirs)
    // Undo may have led back to what the file had, also in a session before this one.
    let isSaved = isSaved || !isMine && base.map { areSame(mine, $0) } ?? false
    replacesSaved = isSaved && !isMine
    if contents.isEmpty, !isMine { return nil }
    if isSaved {
      merged = theirs
    } else if isMine {
      merged = mine
    } else {
      guard let base, let both = UndoHistory.merged(mine, theirs, base: base) else { return nil }
      merged = both
    }
    isWhole = isSaved || areSame(merged, theirs)
    if replacesSaved {
      isSavedPoint = true
    } else {
      var history = history
      if asksForSavedPoint { history.applyRemote(merged, saved: true) }
      isSavedPoint = asksForSavedPoint && history.go(to: .savedPoint) && areSame(history.currentItem, theirs)
    }
  }
}
