public import Journals

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// The details of a recovery.
  package struct _Recovery: Sendable {
    /// Whether there was a log: an earlier session was killed, or has kept its steps.
    package internal(set) var hasLog = false
    /// Whether the log had edits that the file lacks.
    package internal(set) var hasUnsavedEdits = false
    /// Whether another program has changed or removed the file since.
    package internal(set) var wasChangedByAnother = false
    /// Whether something that the file lacks could not be read.
    var isDamaged = false
    /// The place of a log that could be read only in part, or not at all.
    package internal(set) var unreadableLog: URL?

    var recovery: Recovery {
      Recovery(
        found: (hasUnsavedEdits ? "edits that are not in the file" : "no unsaved edits")
          + (wasChangedByAnother ? ", another program has changed the file" : ""),
        hasUnfinishedChanges: hasUnsavedEdits, readError: isDamaged ? "the log could be read only in part" : nil,
        setAside: unreadableLog)
    }
  }

  /// Returns the document of a kept log, as far as this type of document can read it.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// struct OldNote: Codable, Sendable { var title = "" }
  ///
  /// func oldNote(in log: URL) async throws -> OldNote? {
  ///   try await EditingSession<OldNote>.document(inLog: log)
  /// }
  /// ```
  ///
  /// - Parameter log: A log that is kept, such as that of ``recovery``. It doesn't change.
  /// - Returns: The document; nil if the log has no document of that type.
  /// - Throws: ``EditingSessionError`` if the log can't be opened, or if a later version wrote it.
  /// - Complexity: Proportional to the size of the log.
  public static func document(inLog log: URL) async throws(EditingSessionError) -> Document? {
    try await _SessionOpening<Document>.document(inLog: log)
  }
}
