internal import FileChanges
internal import Journals

/// A session, whatever the type of its document.
@MainActor
protocol _LoggedSession: AnyObject {
  /// Waits until the session has nothing left to write.
  func settle() async
  /// Returns the messages since the last call.
  func takeMessages() -> _SessionRecord
  /// Returns the contents of a new log; nil if another moment is better, and the log need not begin anew.
  func takeSnapshot(_ isNeeded: Bool) -> _SessionLog.Beginning?
  /// Reports why the log can't be written, or nil once it can.
  func report(_ failure: EditingSessionError.Reason?)
}

/// The sessions of this process, by the paths of their logs.
///
/// A session that was released stays alive until its edits are on the device, which takes long for a large document. If
/// its file is opened again before that, the new session waits for the old one.
@MainActor
enum _OpenSessions {
  private struct Entry {
    weak var session: (any _LoggedSession)?
    let release: Readers<Bool>
  }

  private static var entries: [FileChange.Path: Entry] = [:]

  static func add(_ session: any _LoggedSession, at log: FileChange.Path, _ release: Readers<Bool>) {
    entries = entries.filter { !$0.value.release.isOver }
    entries[log] = Entry(session: session, release: release)
  }

  /// Waits until the session that has the log, if there is one, has nothing left to write, or can't write.
  ///
  /// If nothing else owns the session then, it releases the log soon, for which the call waits, too.
  static func settle(_ log: FileChange.Path, _ clock: any Clock<Duration>) async {
    guard let entry = entries[log] else { return }
    await entry.session?.settle()
    await entry.release.waitForEnd(within: .milliseconds(200), by: clock)
  }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession: _LoggedSession {
  func settle() async {
    if let closing = _status.closing { _ = await closing.value }
    while let saving = _status.saving { _ = await saving.value }
    _ = await log.durable()
  }

  func report(_ failure: EditingSessionError.Reason?) { status.logFailure = failure.map { sessionError($0) } }
}
