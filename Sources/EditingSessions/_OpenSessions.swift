internal import FileChanges

/// What can wait until a session has nothing left to write.
@MainActor
protocol _Settling: AnyObject {
  func settle() async
}

/// The sessions of this process, by the paths of their logs.
///
/// A session that was let go of lives until what was typed is on the device, which takes long for a large document. Its
/// file may be opened again before: that waits for the device instead of asking for the lock time and again.
@MainActor
enum _OpenSessions {
  private struct Entry {
    weak var session: (any _Settling)?
  }

  private static var entries: [FileChange.Path: Entry] = [:]

  static func add(_ session: any _Settling, at log: FileChange.Path) {
    entries = entries.filter { $0.value.session != nil }
    entries[log] = Entry(session: session)
  }

  /// Returns when the session that has the log, if there is one, has nothing left to write, or cannot.
  static func settle(_ log: FileChange.Path) async { await entries[log]?.session?.settle() }
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession: _Settling {
  func settle() async {
    if let closing = _status.closing { _ = await closing.value }
    while let saving = _status.saving { _ = await saving.value }
    _ = await log.durable()
  }
}
