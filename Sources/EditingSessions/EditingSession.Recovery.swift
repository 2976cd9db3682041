public import Journals

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// What a session found in its log when it was opened.
  public struct Recovery: Sendable {
    /// Whether there was a log: an earlier session was killed, or has kept its steps.
    public internal(set) var hasLog = false
    /// Whether the log had edits that the file does not have.
    public internal(set) var hasUnsavedEdits = false
    /// Whether another program has changed the file since, or removed it.
    public internal(set) var wasChangedByAnother = false
    /// Whether everything could be read that the file does not have; if not, tell the user.
    ///
    /// What stands before the damage is there. Of a log that an earlier version of the app has written, the edits of
    /// properties that the document does not have any more are missing, and those of a type that cannot be converted.
    public var isIntact: Bool { !isDamaged }

    var isDamaged = false
    /// Where a log is kept that could be read only in part, or not at all.
    ///
    /// That happens when the type of the document has changed, and when a newer version of the library wrote the log. A
    /// newer log stays where it was, and this session writes none.
    ///
    /// It may have edits that neither the file nor the session has: ``EditingSession/document(inLog:)`` reads it, also
    /// as an earlier type. Take it away when it is not needed any more. Where none of it was a document,
    /// ``hasUnsavedEdits`` does not know of its edits.
    ///
    /// A log whose bytes are damaged is kept beside the new one with the first edit, as `….damaged-<date>`.
    public internal(set) var unreadableLog: URL?
  }

  /// The document to which a kept log leads, as far as a type of the document can read it.
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
  /// - Parameter log: A log that is kept, as ``Recovery/unreadableLog``. It stays as it is.
  /// - Returns: Nil where the log has no document of that type.
  /// - Throws: ``EditingSessionError`` where the log cannot be opened, or a later version wrote it.
  /// - Complexity: As the size of the log.
  public static func document(inLog log: URL) async throws(EditingSessionError) -> Document? {
    try await _SessionOpening<Document>.document(inLog: log)
  }
}
