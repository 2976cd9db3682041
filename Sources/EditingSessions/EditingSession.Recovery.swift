public import Journals

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// The result of reading the log when a session was opened.
  public struct Recovery: Sendable {
    /// Whether there was a log: an earlier session was killed, or has kept its steps.
    public internal(set) var hasLog = false
    /// Whether the log had edits that the file lacks.
    public internal(set) var hasUnsavedEdits = false
    /// Whether another program has changed or removed the file since.
    public internal(set) var wasChangedByAnother = false
    /// Whether everything that the file lacks could be read; if not, tell the user.
    ///
    /// Everything before the damage is there. If an earlier version of the app has written the log, edits are missing
    /// if the document no longer has the property, or if the property has a type that can't be converted.
    public var isIntact: Bool { !isDamaged }

    var isDamaged = false
    /// The place of a log that could be read only in part, or not at all.
    ///
    /// That happens when the type of the document has changed, and when a newer version of the library wrote the log. A
    /// newer log stays where it was, and this session writes none.
    ///
    /// The log may have edits that neither the file nor the session has. ``EditingSession/document(inLog:)`` reads it,
    /// also as an earlier type. Remove the log when it isn't needed any more. If none of it could be read as a
    /// document, ``hasUnsavedEdits`` doesn't know about its edits.
    ///
    /// A log whose bytes are damaged is kept beside the new one with the first edit, as `….damaged-<date>`.
    public internal(set) var unreadableLog: URL?
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
  /// - Parameter log: A log that is kept, such as ``Recovery/unreadableLog``. It doesn't change.
  /// - Returns: The document; nil if the log has no document of that type.
  /// - Throws: ``EditingSessionError`` if the log can't be opened, or if a later version wrote it.
  /// - Complexity: Proportional to the size of the log.
  public static func document(inLog log: URL) async throws(EditingSessionError) -> Document? {
    try await _SessionOpening<Document>.document(inLog: log)
  }
}
