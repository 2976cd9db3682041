#if canImport(FoundationEssentials)
  public import FoundationEssentials
#else
  public import Foundation
#endif

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
    /// Whether some of the log could not be read.
    ///
    /// What stands before the damage is there, and what stood behind it is not in the document: tell the user. An edit
    /// of a part that `undoParts` names no longer is such damage. A document that no file has is also there where none
    /// of its steps could be read.
    public internal(set) var isDamaged = false
    /// Where a log is kept that is none of such a document, or that a newer version of the library wrote.
    ///
    /// The former is set aside, as after the type of the document has changed. The latter is where it was, and this
    /// session has no log.
    ///
    /// It may have edits that the file does not have, and ``hasUnsavedEdits`` does not know of them.
    ///
    /// A log of which only some can be read is kept as well, beside the new one, as `….damaged-<date>`.
    public internal(set) var unreadableLog: URL?
  }
}
