internal import FileChanges
public import Journals
public import Observation
@_exported public import UndoArchives
@_exported public import UndoHistories

/// An open document with undo steps and a file, and a log that restores document and steps after a crash.
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
/// A session guarantees the following:
/// - After the process was killed, the next session with the same file and recovery folder has the document and every
///   step that ``synchronize()`` has acknowledged, or later ones, with undo, redo, labels and the saved point. The same
///   holds after ``close(within:)``, unless ``keepsSteps`` is off.
/// - The ``state`` is never ``State/saved`` while the session knows that the file has another document. Restored values
///   don't count, because assigning one isn't an edit.
/// - If another program changes the file, its change becomes a step if nothing is unsaved, and is merged if it commutes
///   with the unsaved edits (``reload()``). Otherwise the session doesn't overwrite the file until you call
///   ``resolve(_:)``.
/// - No call blocks the main actor to wait for a storage device.
///
/// The first edit writes the whole document to the log. Each later one takes a few bytes, whatever the size of the
/// document. In the log, parts are identified by the names that the document's type gives them (`UndoArchivable`), and
/// other properties by their own names. A later version of the program must keep the name, the type and the place of
/// such a property, and must not give its name to another one. If a property isn't encoded by its name, as a value of
/// its own type, it is written with the whole value around it, and a later version continues from that value. A
/// property that isn't encoded at all doesn't come back. Its steps do nothing in the next session, and remote edits may
/// hide fewer of them. If a part of a log can't be replayed, the log is read up to there (`Recovery/isIntact`).
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
@MainActor
public final class EditingSession<Document: Codable & Sendable>: Observable {
  /// The file of the document, which ``save(as:replacing:)`` and ``move(to:replacing:)`` change.
  public var file: URL { status.place.file }

  /// The result of reading the log of an earlier session.
  ///
  /// Everything before damage is there. If an earlier version of the app has written the log, edits are missing if the
  /// document no longer has the property, or if the property has a type that can't be converted. Then
  /// `Recovery/setAside` is the place of the log, which may have edits that neither the file nor the session has.
  /// ``document(inLog:)`` reads it, also as an earlier type. Remove the log when it isn't needed any more. If none of
  /// it could be read as a document, `Recovery/hasUnfinishedChanges` doesn't know about its edits.
  ///
  /// A log that another version of the library wrote stays where it was, and this session writes none. A log whose
  /// bytes are damaged is kept beside the new one with the first edit, as `….damaged-<date>`.
  public nonisolated var recovery: Recovery { recovered.recovery }

  package nonisolated let recovered: _Recovery

  /// The storage of the observed ``history``.
  ///
  /// It isn't checked for exclusivity, because the check takes as long as an edit: `flags` say whether it is being
  /// changed.
  @safe @exclusivity(unchecked)
  @usableFromInline
  var _history: UndoHistory<Document>
  /// The reasons for an edit to do more than change the history.
  @safe @exclusivity(unchecked)
  @usableFromInline
  var flags: _SessionFlags = []
  let recorder: UndoRecorder<Document>
  /// The number of changes of the document; observed with the history.
  @safe @exclusivity(unchecked)
  var edits = 0
  /// Whether any of the messages that the log hasn't taken yet is of an edit.
  @safe @exclusivity(unchecked)
  var haveEditsToTake = false
  /// The storage of the observed ``status``.
  var _status: Status
  /// The document that the file has, as far as is known; another program's changes are found by comparison with it.
  var base: Document?

  /// The history as it was when the session began, until the log has it, so that the first edit doesn't end typing.
  var beginning: _SessionLog.Beginning?
  /// The history of a closed session during a change that isn't kept.
  var closedHistory: UndoHistory<Document>?
  var format: EditingFormat<Document>
  /// The document for a file that doesn't exist yet.
  let new: Document?
  let writer: FileChangeWriter
  var handle: FileChangeWriter.File
  let options: FileChange.Options
  let system: any FileSystem
  let clock: any Clock<Duration>
  @safe @exclusivity(unchecked)
  var log: _SessionLog!
  var autosaving: Task<Void, Never>?
  /// The minimum delay of an autosave, which grows with each save that fails.
  var savePause = Duration.zero
  /// Whether the time limit for the file has passed while the session is being closed.
  var isOverdue = false
  /// Whether closing the session has come to closing the writer.
  var isClosingWriter = false

  let registrar = ObservationRegistrar()
  // The properties that observers observe. The key paths are stored, because Swift makes the key path of a generic
  // class anew in each expression, which takes longer than an edit.
  let historyKeyPath: KeyPath<EditingSession, UndoHistory<Document>> = \.history
  let statusKeyPath: KeyPath<EditingSession, Status> = \.status

  /// Opens a file, or begins a new one.
  ///
  /// The session restores everything that the log in the recovery folder has of the file (``recovery``). If another
  /// program has changed the file meanwhile, the session takes over the change, as ``reload()`` does. If the change
  /// doesn't commute with unsaved edits in the log, the session begins with a conflict.
  ///
  /// If the recovery folder can't be used, for example because another user can write to it, the file is opened
  /// nevertheless: ``logFailure`` says why nothing is logged, and the log begins as soon as it can. A log that can't be
  /// read now stays as it is.
  ///
  /// - Parameters:
  ///   - file: The file of the document.
  ///   - recovery: The folder of the logs, one log for each file. If it doesn't exist, it is created for this user
  ///     alone. It may move together with the file. If only the file moves, ``recoverable(in:)`` lists its log. If a
  ///     group of other users may write to the folder, the log is in a folder of this user's own within it.
  ///   - format: The format in which the document is written.
  ///   - new: The document to begin with if there is no file yet. Without it, a text begins empty, and other formats
  ///     throw.
  ///   - options: How saves write the file, such as whether they replace a read-only one (`replacesReadOnly`).
  ///   - configure: Sets up the history before anything is restored: its `limit`, `coalescing`, `branches`, and the
  ///     values that undo restores. If the document's type doesn't name a restored value (`UndoArchivable`), the next
  ///     session takes the value from the document, and steps from before the log began anew have lost theirs.
  ///
  /// - Throws: ``EditingSessionError`` if the file can't be opened or read, or if another session has its log. No log
  ///   has been changed then.
  /// - Complexity: Proportional to the sizes of the file and the log.
  public convenience init(
    file: URL, recovery: URL, format: EditingFormat<Document>, new: Document? = nil,
    options: FileChange.Options = FileChange.Options(),
    configure: @escaping @Sendable (inout UndoHistory<Document>) -> Void = { _ in }
  ) async throws(EditingSessionError) {
    let opening = _SessionOpening(
      file: file, recovery: recovery, format: format, new: new, options: options, configure: configure)
    self.init(try await opening.open(), opening)
  }

  /// Opens a session with a file system, a clock and a size limit of a test's choice.
  package convenience init(
    file: URL, recovery: URL, format: EditingFormat<Document>, new: Document? = nil,
    options: FileChange.Options = FileChange.Options(), system: any FileSystem,
    clock: any Clock<Duration> = ContinuousClock(), logByteLimit: Int = 1 << 20,
    configure: @escaping @Sendable (inout UndoHistory<Document>) -> Void = { _ in }
  ) async throws(EditingSessionError) {
    let opening = _SessionOpening(
      file: file, recovery: recovery, format: format, new: new, options: options, configure: configure,
      system: system, clock: clock, logByteLimit: logByteLimit)
    self.init(try await opening.open(), opening)
  }

  init(_ opened: _OpenedSession<Document>, _ opening: _SessionOpening<Document>) {
    (format, options, system, clock) = (opened.format, opening.options, opening.system, opening.clock)
    new = opening.new ?? opening.format.empty?()
    (_history, recovered) = (opened.history, opened.recovered)
    (writer, handle, base) = (opened.writer, opened.handle, opened.base)
    _status = opened.status
    _status.logFailure = opened.log.failure.map { EditingSessionError(file: opening.file, reason: .log($0)) }
    recorder = UndoRecorder(.json)
    beginning = makeBeginning(end: nil)
    log = _SessionLog(opened.log, at: _status.place.log, byteLimit: opening.logByteLimit, clock: clock, session: self)
    _OpenSessions.add(self, at: _status.place.log, opened.log.journal.release)
    // The other program's contents are in no log yet, and may be in no file tomorrow.
    if recovered.wasChangedByAnother, !_status.hasConflict { log.append(.messages([], haveEdits: false)) }
  }

  // MARK: Editing

  /// The document.
  ///
  /// Assigning it, or a part of it, is an edit: `session.currentItem.title = "Friday"`. The step keeps only the
  /// difference, so you can bind a text field to `$session.currentItem.title`.
  public var currentItem: Document {
    get { history.currentItem }
    set { change { $0.currentItem = newValue } }
  }

  /// Makes all edits in the closure one step; if the closure throws, they are rolled back.
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
  /// Without a label, a single edit of a text joins the step before it, as typing does.
  ///
  /// - Precondition: `body` neither reads nor changes the session; both would trap.
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

  /// Undoes the latest step.
  ///
  /// - Returns: The change; nil if there was no step to undo, or if a remote edit blocks undo, as
  ///   `UndoHistory.recordRemoteEdit()` explains.
  /// - Complexity: That of `UndoHistory.undo()`, and a few bytes of the log.
  @discardableResult
  public func undo() -> UndoHistory<Document>.Change? { change { $0.undo() } }

  /// Redoes the step that was undone last.
  ///
  /// - Returns: The change; nil if there was no step to redo.
  /// - Complexity: That of `UndoHistory.redo()`, and a few bytes of the log.
  @discardableResult
  public func redo() -> UndoHistory<Document>.Change? { change { $0.redo() } }

  /// Waits until the log has everything so far on the device.
  ///
  /// A document that can't be decoded again isn't logged, and neither are later edits until it can be. For example, the
  /// `init(from:)` of its type may refuse a half-typed address. If there are steps, the log can't begin with a document
  /// that JSON turns into another one, such as a URL with a base. While a step has a value that can't be decoded, each
  /// edit logs the whole document, without the steps.
  ///
  /// If the steps were removed (`history.removeAllSteps()`), no file in the recovery folder has any byte of them once
  /// the call has returned. Logs of this file that were moved aside are removed, too.
  ///
  /// - Throws: ``EditingSessionError`` if the log can't be written. The session keeps trying, and ``logFailure`` has
  ///   the same error until it succeeds.
  public func synchronize() async throws(EditingSessionError) {
    if let reason = await log.durable() { throw sessionError(reason) }
  }

  /// An error of this session's file.
  func sessionError(_ reason: EditingSessionError.Reason) -> EditingSessionError {
    EditingSessionError(file: _status.place.file, reason: reason)
  }

  /// The number of bytes of the log's snapshot, and of all bytes written.
  package var logByteCounts: (snapshot: Int, written: Int) { (log.snapshotByteCount, log.recordedByteCount) }
}
