internal import Observation
public import UndoHistories

// Observers see two properties: the history, with the document, and the status. An edit changes only the first.

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// The state of a session besides its history.
  struct Status {
    var place: _SessionPlace
    var autosave: Duration?
    var keepsSteps = true
    var saving: Task<EditingSessionError?, Never>?
    /// Whether the `saving` task only looks at the file.
    var isReloading = false
    /// The error of the last save, if it failed.
    var failure: EditingSessionError?
    var logFailure: EditingSessionError?
    var hasConflict: Bool
    /// Whether the file has the document of the history's saved point.
    var isSavedPointInFile: Bool
    /// How often the contents of another program were taken over.
    var remoteEditCount = 0
    /// The task that ends the session; once it exists, there are no more autosaves.
    var closing: Task<EditingSessionError?, Never>?
    var isClosed = false
    /// The contents that the file had last, as far as is known, and those about to be written.
    var files: [_SessionFile]
  }

  /// The document and its steps.
  ///
  /// You can use everything that a history offers, and it is logged:
  ///
  /// ```swift
  /// @MainActor func restore(_ label: String, in session: EditingSession<String>) {
  ///   guard let branch = session.history.branches.last(where: { $0.label == label }) else { return }
  ///   session.history.go(to: branch)
  /// }
  /// ```
  ///
  /// So you can bind a text field to `$session.history.currentItem.title`, and drive an Edit menu with
  /// `UndoDriver(session, \.history)`.
  ///
  /// You can also assign a history. If it is a changed copy of this one, the session continues from it. Any other
  /// history replaces everything, and the log begins anew. The log also begins anew if this history was changed after
  /// the copy was made, or if one access makes several changes that can't be told apart. The log doesn't have `limit`,
  /// `coalescing` and the properties that undo restores (`restoreOnUndo(_:)`). The `configure` closure of the
  /// initializer sets them.
  ///
  /// While the history is being changed it can't be read. The closure of an edit gets the document as its argument.
  ///
  /// - Complexity: Reading is O(1). A change costs as much as in the history, and a few bytes of the log.
  public var history: UndoHistory<Document> {
    // Not `_read`: the caller may keep the history while the session goes on.
    get {
      access()
      return _history
    }
    set {
      willChange()
      defer { didChange() }
      _history = newValue
    }
    _modify {
      willChange()
      defer { didChange() }
      yield &_history
    }
  }

  var status: Status {
    // Not `_read`: unoptimized code reads a part of the borrowed value after it was given back (Swift 6.3, a fault of
    // the compiler with large structs of generic types; the address sanitizer shows it).
    get {
      registrar.access(self, keyPath: statusKeyPath)
      return _status
    }
    _modify {
      registrar.access(self, keyPath: statusKeyPath)
      registrar.willSet(self, keyPath: statusKeyPath)
      defer {
        flags.subtract([.isClosed, .savesByItself])
        if _status.isClosed { flags.insert(.isClosed) }
        if _status.autosave != nil { flags.insert(.savesByItself) }
        registrar.didSet(self, keyPath: statusKeyPath)
      }
      yield &_status
    }
  }

  /// How long after the first unsaved edit the session saves without being asked; nil, the default, for never.
  ///
  /// It also saves again after a save that failed, with pauses that grow to half a minute. A file that doesn't exist
  /// yet is also created without an edit.
  public var autosave: Duration? {
    get { status.autosave }
    set {
      status.autosave = newValue
      cancelAutosave()
      scheduleAutosave()
    }
  }

  /// Whether closing the session keeps the steps for the next session; true by default.
  public var keepsSteps: Bool {
    get { status.keepsSteps }
    set { status.keepsSteps = newValue }
  }

  /// The reason why the log couldn't be opened or written; nil if the last attempt succeeded.
  public var logFailure: EditingSessionError? { status.logFailure }

  /// Whether another program's contents of the file can't be merged, or the file is gone or empty.
  ///
  /// Show an alert, and pass the answer to ``resolve(_:)``.
  public var hasConflict: Bool { status.hasConflict }
}
