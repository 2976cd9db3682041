internal import FileChanges
public import Journals
public import Observation
@_exported public import UndoArchives
@_exported public import UndoHistories

/// A document in an editor: its undo steps, whether the file has it, and a log that survives the end of the process.
///
/// ```swift
/// @MainActor func editNote(at file: URL, recovery: URL) async throws {
///   let session = try await EditingSession(file: file, recovery: recovery, format: .text)
///   session.edit { $0.append("Buy milk") }    // at once in the document; the edit goes to the log
///   session.undo()
///   session.redo()
///   try await session.synchronize()           // from here on a power failure cannot lose it
///   try await session.save()                  // the file, in one step
///   try await session.close()
/// }
/// ```
///
///     edit ──► history ──► messages ──► log on the device      the next session has document and steps from there
///                 └─ save or autosave ──► file, replaced in one step
///
/// What holds:
/// - After the process was killed, the next session with the same file and recovery folder has the document and every
///   step that ``synchronize()`` has acknowledged, or later ones: undo, redo, labels and the saved point. So it has
///   after ``close(within:)``, unless ``keepsSteps`` is off.
/// - The ``state`` is never ``State/saved`` while the session knows that the file has another document. Restored values
///   don't count, because to assign one is no edit.
/// - What another program writes is a step where nothing is unsaved, and is merged where it commutes with what is not
///   saved (``reload()``). Elsewhere nothing is written over it, until ``resolve(_:)`` says so.
/// - No call waits for a device on the main actor.
///
/// The first edit writes the whole document to the log. Each later one takes a few bytes, whatever the size of the
/// document. There, parts go by the names that the document's type gives them (`UndoArchivable`), and other properties
/// by their own. A later version of the program must keep the name, the type and the place of such a property, and give
/// its name to no other. One that is not encoded by its name, as a value of its own type, is written with the whole
/// value around it, and a later version goes on with that. What is not encoded at all does not come back, and its steps
/// do nothing in the next session: remote edits may hide fewer of them. A log that cannot be repeated is read up
/// to there (``Recovery/isIntact``).
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor
public final class EditingSession<Document: Codable & Sendable>: Observable {
  /// The file.
  public nonisolated let file: URL

  /// What was found when the session was opened.
  public nonisolated let recovery: Recovery

  /// What ``history`` is to observers.
  ///
  /// Not checked for exclusivity, which takes as long as an edit: `flags` say whether it is being changed.
  @safe @exclusivity(unchecked)
  @usableFromInline
  var _history: UndoHistory<Document>
  /// What an edit has to see to besides the history.
  @safe @exclusivity(unchecked)
  @usableFromInline
  var flags: _SessionFlags = []
  @usableFromInline
  let recorder: UndoRecorder<Document>
  /// How many changes of the document there were; observed with the history.
  @safe @exclusivity(unchecked)
  var edits = 0
  /// Whether any of the messages that the log has not taken is of an edit.
  @safe @exclusivity(unchecked)
  var haveEditsToTake = false
  /// What ``status`` is to observers.
  var _status: Status
  /// The document that the file has, as far as is known: what another program's changes are told from.
  var base: Document?

  /// The history as it was when the session began, until the log has it: the first edit ends no typing.
  var beginning: (history: UndoHistory<Document>, files: [_SessionFile], first: [UInt8])?
  /// The history of a closed session while a change is made that is not kept.
  var closedHistory: UndoHistory<Document>?
  let format: EditingFormat<Document>
  /// The document of a file that does not exist yet.
  let new: Document?
  let writer: FileChangeWriter
  let handle: FileChangeWriter.File
  let clock: any Clock<Duration>
  @safe @exclusivity(unchecked)
  var log: _SessionLog!
  var autosaving: Task<Void, Never>?
  /// How long an autosave waits at least: longer with each save that fails.
  var savePause = Duration.zero
  /// Whether the file had its time while the session is being closed.
  var isOverdue = false
  /// Whether nothing is left but to close the writer.
  var isClosingWriter = false

  let registrar = ObservationRegistrar()
  // What observers observe. Kept, as an expression that names the key path of a generic class makes it anew, which
  // takes longer than an edit.
  let historyKeyPath: KeyPath<EditingSession, UndoHistory<Document>> = \.history
  let statusKeyPath: KeyPath<EditingSession, Status> = \.status

  /// Opens a file, or begins a new one.
  ///
  /// The session restores what the log in the recovery folder has of the file (``recovery``). Where another program has
  /// changed the file meanwhile, that is taken in, as by ``reload()``. Where it does not commute with what the log has
  /// and the file has not, the session begins with a conflict.
  ///
  /// A recovery folder that cannot be used, as where another user can write it, does not keep the file from being
  /// opened: ``logFailure`` says why nothing is logged, and the log begins as soon as it can. A log that cannot be read
  /// now stays as it is.
  ///
  /// - Parameters:
  ///   - file: The file of the document.
  ///   - recovery: The folder of the logs, one for each file. It is made where it is not there, for this user alone. It
  ///     may move together with the file; where one of the two moves alone, the log is not found. Where a group of
  ///     others may write the folder, the log is in one of the user's own there.
  ///   - format: How the document is written.
  ///   - new: The document where there is no file yet. A text begins empty without it; other formats throw.
  ///   - replacesReadOnly: Whether a save replaces a file that its owner may not write, and one of another user.
  ///     Without it such a save fails with `permissionDenied`.
  ///   - configure: Sets the history up before anything is restored: its `limit`, `coalescing`, `branches`, and what it
  ///     restores. A restored value that the document's type does not name (`UndoArchivable`) is that of the document
  ///     in the next session, but steps from before the log began anew have lost theirs.
  ///
  /// - Throws: ``EditingSessionError`` where the file cannot be opened or read, and where another session has its log.
  ///   No log has been changed then.
  /// - Complexity: As the sizes of the file and the log.
  public convenience init(
    file: URL, recovery: URL, format: EditingFormat<Document>, new: Document? = nil, replacesReadOnly: Bool = false,
    configure: @escaping @Sendable (inout UndoHistory<Document>) -> Void = { _ in }
  ) async throws(EditingSessionError) {
    let opening = _SessionOpening(
      file: file, recovery: recovery, format: format, new: new, replacesReadOnly: replacesReadOnly,
      configure: configure)
    self.init(try await opening.open(), opening)
  }

  /// The same with what a test wants to choose.
  package convenience init(
    file: URL, recovery: URL, format: EditingFormat<Document>, new: Document? = nil,
    system: any FileSystem, clock: any Clock<Duration> = ContinuousClock(), logByteLimit: Int = 1 << 20,
    configure: @escaping @Sendable (inout UndoHistory<Document>) -> Void = { _ in }
  ) async throws(EditingSessionError) {
    let opening = _SessionOpening(
      file: file, recovery: recovery, format: format, new: new, configure: configure, system: system, clock: clock,
      logByteLimit: logByteLimit)
    self.init(try await opening.open(), opening)
  }

  private init(_ opened: _OpenedSession<Document>, _ opening: _SessionOpening<Document>) {
    (file, format, clock) = (opening.file, opening.format, opening.clock)
    new = opening.new ?? opening.format.empty?()
    (_history, self.recovery) = (opened.history, opened.recovered)
    (writer, handle, base) = (opened.writer, opened.handle, opened.base)
    _status = Status(
      hasConflict: opened.hasConflict, isSavedPointInFile: opened.isSaved,
      files: opened.files)
    let logFailure = opened.logFailure.map { EditingSessionError.Reason.log($0) }
    _status.logFailure = logFailure.map { EditingSessionError(file: opening.file, reason: $0) }
    recorder = UndoRecorder(.json)
    let first = recorder.begin(with: &_history)
    beginning = (_history, opened.files, first)
    log = _SessionLog(
      opened.journal, at: opened.journalPath, nextSequence: opened.nextSequence,
      failure: logFailure, byteLimit: opening.logByteLimit, clock: clock, owner: { [weak self] in self },
      takeMessages: { [weak self] in self?.takeMessages() },
      takeSnapshot: { [weak self] isNeeded in self?.takeSnapshot(isNeeded) },
      report: { [weak self, file] reason in
        self?.status.logFailure = reason.map { EditingSessionError(file: file, reason: $0) }
      })
    _OpenSessions.add(self, at: opened.journalPath)
    // What another program wrote is in no log yet, and may be in no file tomorrow.
    if opened.recovered.wasChangedByAnother, !opened.hasConflict { log.append(.messages([], haveEdits: false)) }
  }
}

// MARK: - Editing

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// The document.
  ///
  /// To assign it, or a part of it, is an edit: `session.currentItem.title = "Friday"`. What the step then keeps is
  /// what changed. So `$session.currentItem.title` is what a text field is bound to.
  public var currentItem: Document {
    get { history.currentItem }
    set { change { $0.currentItem = newValue } }
  }

  /// Makes every edit within the closure one step; when the closure throws, everything is as it was before.
  ///
  /// ```swift
  /// struct Note: Codable, Sendable { var title = "", lines: [String] = [] }
  ///
  /// @MainActor func rename(_ session: EditingSession<Note>) {
  ///   session.edit("Rename") { note in
  ///     note.title = "Friday"
  ///     note.lines.append("Renamed")
  ///   }
  /// }
  /// ```
  ///
  /// Without a label, one edit of a text joins the step before it as typing does.
  ///
  /// - Precondition: `body` neither reads nor changes the session, which traps.
  /// - Complexity: That of the edits.
  @inlinable
  @discardableResult
  public func edit<Result, Failure: Error>(
    _ label: String? = nil, _ body: (inout UndoHistory<Document>.Editor) throws(Failure) -> Result
  ) throws(Failure) -> Result {
    willChange()
    defer { didChange() }
    return label == nil ? try _history.joiningTransaction(body) : try _history.transaction(label, body)
  }

  /// Takes the document one step back.
  ///
  /// - Returns: What the step did; nil where there was none, or where a remote edit is in the way: see
  ///   `UndoHistory.recordRemoteEdit()`.
  /// - Complexity: As of `UndoHistory.undo()`, and a few bytes of the log.
  @discardableResult
  public func undo() -> UndoHistory<Document>.Change? { change { $0.undo() } }

  /// Takes the document one step forward.
  ///
  /// - Returns: What the step did; nil where there was none.
  /// - Complexity: As of `UndoHistory.redo()`, and a few bytes of the log.
  @discardableResult
  public func redo() -> UndoHistory<Document>.Change? { change { $0.redo() } }

  /// Returns when the log has everything so far on the device.
  ///
  /// A document that cannot be decoded again is not logged, nor is what is edited before it can be: an address that is
  /// half typed, say, which its type's `init(from:)` refuses. With steps, the log cannot begin with a document that
  /// JSON gives back as another one, as with a URL that has a base. While a step has a value that cannot be decoded,
  /// the document is logged as a whole at each edit, without the steps.
  ///
  /// - Throws: ``EditingSessionError`` where the log cannot be written; the session goes on trying, and ``logFailure``
  ///   says the same until that has succeeded.
  public func synchronize() async throws(EditingSessionError) {
    if let reason = await log.durable() { throw EditingSessionError(file: file, reason: reason) }
  }

  /// How many bytes the log's snapshot has, and how many were written in all.
  package var logByteCounts: (snapshot: Int, written: Int) { (log.snapshotByteCount, log.recordedByteCount) }
}
