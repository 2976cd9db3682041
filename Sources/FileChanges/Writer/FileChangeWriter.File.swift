public import Journals

extension FileChangeWriter {
  /// A handle of one file, which saves it, reports its state, and detects changes by other programs.
  ///
  /// ```swift
  /// func edit(_ url: URL, with writer: FileChangeWriter) async throws {
  ///   let note = try await writer.file(at: url)
  ///   var text = try await note.contents().map { String(decoding: $0, as: UTF8.self) } ?? ""
  ///   text += "Buy milk"
  ///   try await note.save(text)   // accepted: with a journal, a kill cannot lose it from here on
  ///   try await note.flush()    // on disk, or the reason why not
  /// }
  /// ```
  ///
  /// Guarantees:
  /// - Every save is based on the version that was last read: when the handle was made, when ``contents()`` read it
  ///   from disk, or when the writer wrote it. If another program has changed the file since, nothing is written: that
  ///   is a conflict until the program resolves it, see ``otherVersion()``.
  /// - Contents that the writer could not write, even in the last run with the same journal, are still ``contents()``.
  ///   So are contents for which ``save(_:over:durability:)`` threw, as long as the file has a handle.
  /// - All handles of one file in one writer share this state, so they don't conflict with each other. Copies of a
  ///   handle are the same handle.
  ///
  /// A handle retains its writer. It doesn't keep the file open.
  public struct File: Sendable {
    let writer: FileChangeWriter
    package let path: FileChange.Path
    let shared: _FileStates

    /// The file as a file URL.
    public var url: URL { path.url }

    /// The present state of the file and its newest contents.
    public var state: State { shared.states.state ?? .saved }
  }

  /// Returns a handle of the file at `url`.
  ///
  /// Neither the file nor its folder needs to exist: its ``File/contents()`` are then nil.
  ///
  /// - Throws: `FileChangeError` if the URL doesn't refer to a local file, if there is a folder or a device, if the
  ///   file cannot be inspected, or if the writer is shut down.
  public func file(at url: URL) async throws(FileChangeError) -> File { try await file(at: FileChange.Path(url)) }
}

extension FileChangeWriter.File {
  /// The state of a file and its newest contents.
  public enum State: Hashable, Sendable {
    /// The contents that were saved last are in the file, or were canceled.
    case saved
    /// The newest contents are being written, or wait for that; also while the writer retries after a failure.
    case saving
    /// The newest contents could not be written, or were not accepted; ``FileChangeWriter/File/retry()`` retries them.
    case failed(FileChangeError)
    /// Another program has changed the file, so the newest contents were not written.
    case conflict

    init(_ error: FileChangeError) { self = error.isConflict ? .conflict : .failed(error) }
  }

  /// The contents and the version that another program gave a file.
  public struct OtherVersion: Hashable, Sendable {
    /// The contents of the file, or nil if there is no file.
    public let contents: Data?
    /// The version of the file, which is compared before the file is overwritten.
    package let version: FileChange.Version
  }

  // MARK: Saving
  // Methods that throw are concurrent: otherwise the compiler of Swift 6.3 makes them return on the writer's executor
  // instead of the caller's (swiftlang/swift#88259).

  /// Saves `contents`, which replace all earlier saves that are not written yet.
  ///
  /// The call returns when the contents are accepted, like ``FileChangeWriter/submit(_:durability:)``: with a journal,
  /// when they are on the journal's device. Call ``flush()`` to wait for the file itself.
  ///
  /// If `coalescing` keeps the waiting change, `contents` are dropped without an error.
  ///
  /// To end a conflict, save over the version that another program has written:
  ///
  /// ```swift
  /// func keepMine(_ note: FileChangeWriter.File) async throws {
  ///   let theirs = try await note.otherVersion()
  ///   guard let mine = try await note.contents() else { return }
  ///   print("writing over", theirs.contents?.count ?? 0, "bytes")
  ///   try await note.save(mine, over: theirs)
  /// }
  /// ```
  ///
  /// If the file has changed again since `theirs` was read, the result is another conflict.
  ///
  /// - Parameters:
  ///   - contents: The new contents of the file.
  ///   - theirs: The version that the contents are to replace; nil for what this writer has written or read.
  ///   - durability: Whether to return when the journal has the contents, or as soon as they are in memory.
  /// - Throws: `FileChangeError` if the contents are not accepted; it has the path of the journal if that cannot be
  ///   written. The contents are still ``contents()``, and ``retry()`` submits them again.
  @concurrent
  public func save(
    _ contents: Data, over theirs: OtherVersion? = nil, durability: FileChangeWriter.Durability = .journal
  ) async throws(FileChangeError) {
    try await writer.save(contents, of: self, over: theirs?.version, durability: durability)
  }

  /// Saves `text`, encoded as UTF-8, as ``save(_:over:durability:)`` does.
  ///
  /// - Throws: `FileChangeError` if the text is not accepted.
  @concurrent
  public func save(_ text: String, durability: FileChangeWriter.Durability = .journal) async throws(FileChangeError) {
    try await save(Data(text.utf8), durability: durability)
  }

  /// Returns when the newest contents are on disk: those of the last ``save(_:over:durability:)`` before the call,
  /// or newer ones that replaced them.
  ///
  /// The call waits only for this file, and ends all pauses, like ``FileChangeWriter/flush()``. Canceling the task ends
  /// the wait, and nothing else. The call doesn't wait for a change that is canceled meanwhile.
  ///
  /// - Throws: `FileChangeError` if the newest contents are not on disk. ``FileChangeError/isConflict`` is true if
  ///   another program has changed the file. The reason is ``FileChangeError/Reason/waitEnded`` if the task was
  ///   canceled, or the writer shut down, before the file was written.
  @concurrent
  public func flush() async throws(FileChangeError) { try await writer.awaitWriting(of: self) }

  /// Retries the newest contents of this file if they could not be written or were not accepted.
  ///
  /// A conflict remains, unless the file has its old version again. A batch isn't retried if one of its files has newer
  /// contents, or may have got them before the writer began; use ``FileChangeWriter/retryFailures()`` for that.
  ///
  /// - Returns: Whether anything is retried.
  @discardableResult
  public func retry() async -> Bool { await writer.retry(self) }

  // MARK: Reading

  /// The newest contents: those that wait or failed to be written, or else those of the file; nil if there is no file.
  ///
  /// If they are read from disk, the next save is based on that version. So a program that reads the file again after
  /// another program has changed it has no conflict.
  ///
  /// - Throws: `FileChangeError` if the file cannot be read. The reason is ``FileChangeError/Reason/waitEnded`` if the
  ///   file is about to be moved here from another path, and the task is canceled or a shutdown ends before that.
  @concurrent
  public func contents() async throws(FileChangeError) -> Data? { try await writer.contents(of: self) }

  /// Reads the present contents of the file, whatever waits to be written: the other side of a conflict.
  ///
  /// To overwrite the file, for example with a merge of both sides, pass the result to ``save(_:over:durability:)``. To
  /// continue with it, pass it to ``accept(_:)``. Reading alone changes nothing.
  ///
  /// - Throws: `FileChangeError` if the file cannot be read, or if the task is canceled before that
  ///   (``FileChangeError/Reason/waitEnded``).
  @concurrent
  public func otherVersion() async throws(FileChangeError) -> OtherVersion {
    try await writer.read(self, endsIfCanceled: true)
  }

  /// Saves `contents` if the file has the version; otherwise the save is a conflict.
  @concurrent
  package func save(_ contents: Data, expecting version: FileChange.Version) async throws(FileChangeError) {
    try await writer.save(contents, of: self, over: version, durability: .memory)
  }

  /// Ends a conflict in favor of the other program: unwritten contents are dropped, also from the journal, and the next
  /// save is based on `theirs`.
  ///
  /// A failed batch stays in ``FileChangeWriter/failures``, because of its other files.
  ///
  /// - Throws: `FileChangeError`, without dropping anything, if the file has changed since `theirs` was read; then call
  ///   ``otherVersion()`` again. Also if the file cannot be inspected; with ``FileChangeError/Reason/waitEnded`` if the
  ///   file was still being written when the task was canceled or a shutdown ended; and with
  ///   ``FileChangeError/Reason/closed`` if the writer is shut down and cannot drop anything from the journal.
  @concurrent
  public func accept(_ theirs: OtherVersion) async throws(FileChangeError) {
    try await writer.accept(theirs, for: self)
  }

  /// The states of the file from this call on, the present one first.
  ///
  /// ```swift
  /// func show(_ note: FileChangeWriter.File) async {
  ///   for await state in note.states() {
  ///     switch state {
  ///     case .saved: print("saved")
  ///     case .saving: print("saving …")
  ///     case .failed(let error): print(error.reason, error.recoverySuggestion ?? "", separator: ": ")
  ///     case .conflict: print("another program has changed the file")
  ///     }
  ///   }
  /// }
  /// ```
  ///
  /// The sequence ends when the writer is shut down. The writer never waits for a reader: a slow one misses the oldest
  /// states, never the newest. Each sequence has one reader.
  public func states() -> AsyncStream<State> {
    // The states are published as long as they are read, even if no handle is left.
    shared.states.stream(limit: writer.configuration.eventLimit, keeping: shared)
  }
}
