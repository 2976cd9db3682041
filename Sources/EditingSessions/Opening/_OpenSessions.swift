internal import FileChanges
internal import Journals

/// A session that can be waited for until it has nothing left to write.
@MainActor
protocol _Settling: AnyObject {
  func settle() async
}

/// The sessions of this process, by the paths of their logs.
///
/// A session that was released stays alive until its edits are on the device, which takes long for a large document. If
/// its file is opened again before that, the new session waits for the old one.
@MainActor
enum _OpenSessions {
  private struct Entry {
    weak var session: (any _Settling)?
    let release: Readers<Bool>
  }

  private static var entries: [FileChange.Path: Entry] = [:]

  static func add(_ session: any _Settling, at log: FileChange.Path, _ release: Readers<Bool>) {
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
extension EditingSession: _Settling {
  func settle() async {
    if let closing = _status.closing { _ = await closing.value }
    while let saving = _status.saving { _ = await saving.value }
    _ = await log.durable()
  }
}
