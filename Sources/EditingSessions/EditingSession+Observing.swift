internal import FileChanges
internal import Observation
internal import UndoArchives
public import UndoHistories

// What observers see: the history with the document, and all else as one. An edit is one change of the first.

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// What a session knows besides its history.
  struct Status {
    var autosave = Autosave.off
    var keepsSteps = true
    var saving: Task<EditingSessionError?, Never>?
    /// Whether that only looks at the file.
    var isReloading = false
    /// What came of the last save.
    var failure: EditingSessionError?
    var logFailure: EditingSessionError?
    var hasConflict: Bool
    /// Whether the file has what the history's saved point stands for.
    var isSavedPointInFile: Bool
    /// How often another program's contents were absorbed.
    var remoteEditCount = 0
    /// Ends the session; nothing is saved by itself any more.
    var closing: Task<EditingSessionError?, Never>?
    var isClosed = false
    /// What the file had last, as far as is known, and what is about to be written.
    var files: [_SessionFile]

    init(hasConflict: Bool, isSavedPointInFile: Bool, files: [_SessionFile]) {
      (self.hasConflict, self.isSavedPointInFile, self.files) = (hasConflict, isSavedPointInFile, files)
    }
  }

  /// The document and its steps.
  ///
  /// All that a history does works here, and is logged:
  ///
  /// ```swift
  /// @MainActor func restore(_ label: String, in session: EditingSession<String>) {
  ///   guard let branch = session.history.branches.last(where: { $0.label == label }) else { return }
  ///   session.history.go(to: branch)
  /// }
  /// ```
  ///
  /// So a text field can be bound to `$session.history.currentItem.title`, and an Edit menu is driven by
  /// `UndoDriver(session, \.history)`.
  ///
  /// A history may be assigned. One that was copied from here and changed goes on from there. Any other takes the place
  /// of all that there was, and the log begins anew with it: so it does with what a copy missed, and where several
  /// changes at once, by one access, cannot be told apart. Not in the log are `limit`, `coalescing` and what is carried
  /// (`restoreOnUndo(_:)`), which the `configure` of the initializer sets.
  ///
  /// While it is being changed it cannot be read: an edit's closure has the document as its argument.
  ///
  /// - Complexity: Reading is O(1). A change costs what the history asks for it, and a few bytes of the log.
  public var history: UndoHistory<Document> {
    // Not lent: what is read may be kept while the session goes on.
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
    // Not lent: unoptimised code reads a part of what was lent after it was given back (Swift 6.3, a fault of the
    // compiler with large structs of generic types; the address sanitizer shows it).
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
        if _status.autosave != .off { flags.insert(.savesByItself) }
        registrar.didSet(self, keyPath: statusKeyPath)
      }
      yield &_status
    }
  }

  /// When the file is written without being asked for; never by default.
  public var autosave: Autosave {
    get { status.autosave }
    set {
      status.autosave = newValue
      cancelAutosave()
      scheduleAutosave()
    }
  }

  /// Whether the steps are still there for the next session when this one is closed, as they are by default.
  public var keepsSteps: Bool {
    get { status.keepsSteps }
    set { status.keepsSteps = newValue }
  }

  /// Why the log could not be opened or written last; nil while it can.
  public var logFailure: EditingSessionError? { status.logFailure }

  /// Whether what another program wrote cannot be merged, or the file is gone or empty.
  ///
  /// Show an alert, and call ``resolve(_:)`` with the answer.
  public var hasConflict: Bool { status.hasConflict }
}
