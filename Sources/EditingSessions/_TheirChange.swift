internal import Journals
internal import UndoArchives
internal import UndoHistories

/// The change that another program's contents of the file make in a session.
///
///     base ── what is not saved ──► document
///       │                              │
///     theirs ────────────────────────► merged
struct _TheirChange<Document: Codable & Sendable>: Sendable {
  let theirs: Document
  let merged: Document
  /// Whether the file has the document of the session.
  let isMine: Bool
  /// Whether the file had the session's document before the other program wrote it, and now has another one that
  /// replaces it.
  let replacesSaved: Bool
  /// Whether nothing is unsaved after the change.
  let isWhole: Bool
  /// Whether their document is that of the history's saved point after the change.
  let isSavedPoint: Bool

  /// Reads their document; nil if they have emptied the file, which may leave no document.
  ///
  /// A program that writes a file in place empties it first.
  static func read(_ contents: Data, _ format: EditingFormat<Document>) throws -> Document? {
    contents.isEmpty ? try? format.read(contents) : try format.read(contents)
  }

  /// Returns nil if their change doesn't commute with unsaved edits, if the base is unknown, or if their file is empty.
  ///
  /// - Parameters:
  ///   - isEmpty: Whether their file is empty.
  ///   - isSaved: Whether the file had the document of the history before they wrote it.
  ///   - base: The document that the file had otherwise.
  ///   - format: The format by which documents are compared; nil to compare them without encoding them.
  ///   - asksForSavedPoint: Whether the file had the document of the saved point.
  init?(
    _ theirs: Document, isEmpty: Bool, to history: UndoHistory<Document>, isSaved: Bool, base: Document?,
    _ format: EditingFormat<Document>?, asksForSavedPoint: Bool = false
  ) {
    self.theirs = theirs
    let mine = history.currentItem
    /// A document that can't be written differs from all others. The order of a set may differ in bytes with the same
    /// meaning.
    func areSame(_ a: Document, _ b: Document) -> Bool {
      guard let format else {
        var history = UndoHistory(initialValue: a)
        history.currentItem = b
        return history.undoCount == 0
      }
      guard let bytes = try? format.write(a) else { return false }
      return bytes == (try? format.write(b)) || (try? _UndoDigest.of(a) == _UndoDigest.of(b)) ?? false
    }
    isMine = areSame(mine, theirs)
    // Undo may have led back to the document that the file had, also in an earlier session.
    let isSaved = isSaved || !isMine && base.map { areSame(mine, $0) } ?? false
    replacesSaved = isSaved && !isMine
    if isEmpty, !isMine { return nil }
    if isSaved {
      merged = theirs
    } else if isMine {
      merged = mine
    } else {
      // Two carets don't conflict.
      guard var base else { return nil }
      var theirs = theirs
      history.assignRestored(to: &base)
      history.assignRestored(to: &theirs)
      guard let both = UndoHistory.merged(mine, theirs, base: base) else { return nil }
      merged = both
    }
    isWhole = isSaved || areSame(merged, theirs)
    var history = history
    let asks = asksForSavedPoint && !replacesSaved
    if asks { history.applyRemote(merged, saved: true) }
    isSavedPoint = replacesSaved || asks && history.go(to: .savedPoint) && areSame(history.currentItem, theirs)
  }
}
