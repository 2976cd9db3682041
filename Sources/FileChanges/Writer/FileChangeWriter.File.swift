public import Journals

extension FileChangeWriter {
  /// A handle of one file: saves it, says what became of that, and notices when another program has changed it.
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
  /// What holds:
  /// - Every save is based on what was read: on the version that the file had when the handle was made, when
  ///   ``contents()`` read it from disk, or when the writer wrote it last. Over a file that another program has changed
  ///   since, nothing is written: that is a conflict, until the program decides: see ``otherVersion()``.
  /// - What the writer could not write, also in the last run with the same journal, is still ``contents()``. So are
  ///   contents that ``save(_:over:durability:)`` has thrown for, as long as there is a handle of the file.
  /// - The handles of one file in one writer share all of that, so they make no conflicts with each other. Copies of a
  ///   handle are the same handle.
  ///
  /// A handle keeps its writer. The file itself is not open.
  public struct File: Sendable {
    let writer: FileChangeWriter
    let shared: _FileStates
    private let stateLimit: Int

    /// The file.
    package let path: FileChange.Path

    init(writer: FileChangeWriter, path: FileChange.Path, shared: _FileStates) {
      (self.writer, self.path, self.shared) = (writer, path, shared)
      stateLimit = writer.configuration.eventLimit
    }

    /// The file as a file URL.
    public var url: URL { path.url }

    /// How the file and its newest contents are at this moment.
    public var state: State { shared.states.state ?? .saved }
  }

  /// The handle of the file at `url`.
  ///
  /// The file need not be there, nor its folder: then its ``File/contents()`` are nil.
  ///
  /// - Throws: `FileChangeError` when the URL locates no file of this machine, when there is a folder or a device, when
  ///   the file cannot be looked at, and when the writer is shut down.
  public func file(at url: URL) async throws(FileChangeError) -> File {
    try await file(at: FileChange.Path(url))
  }
}

extension FileChangeWriter.File {
  /// What is known of a file and its newest contents.
  public enum State: Hashable, Sendable {
    /// Nothing waits: what was saved last is in the file, or was taken back.
    case saved
    /// The newest contents are on their way to the file; also while the writer tries again what failed.
    case saving
    /// The newest contents could not be written, or were not accepted; ``FileChangeWriter/File/retry()`` tries again.
    case failed(FileChangeError)
    /// Another program has changed the file, so the newest contents were not written.
    case conflict

    init(_ error: FileChangeError) { self = error.isConflict ? .conflict : .failed(error) }
  }

  /// What another program has made of a file: contents and version at one moment.
  public struct OtherVersion: Hashable, Sendable {
    /// What the file holds, or nil where there is none.
    public let contents: Data?
    /// What the file is, to be compared before anything is written over it.
    package let version: FileChange.Version
  }

  /// The states of a file, the present one first, then each change until the writer is shut down.
  ///
  /// The writer never waits for a reader. A slow one misses the oldest states, never the newest. Each sequence has one
  /// reader.
  public struct States: AsyncSequence, Sendable {
    let stream: AsyncStream<State>
    /// Keeps the states coming where no handle is left.
    let shared: FileChangeWriter._FileStates

    /// Reads the states one by one.
    public struct AsyncIterator: AsyncIteratorProtocol {
      var base: AsyncStream<State>.Iterator
      let shared: FileChangeWriter._FileStates

      /// Suspends until there is another state; nil when there will be none.
      @concurrent
      public mutating func next() async -> State? { await base.next() }
    }

    /// Makes the iterator of the one reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(base: stream.makeAsyncIterator(), shared: shared) }
  }
}

// MARK: - Saving

// What throws is concurrent: else the compiler of Swift 6.3 returns from it on the writer's executor instead of the
// caller's (swiftlang/swift#88259).

extension FileChangeWriter.File {
  /// Saves `contents`, which take the place of everything that was saved before and is not written yet.
  ///
  /// It returns when the contents are accepted, like ``FileChangeWriter/submit(_:durability:)``: with a journal, when
  /// that has them on the device. Call ``flush()`` to wait for the file itself.
  ///
  /// Where `coalescing` keeps the change that waits, that counts, and `contents` are dropped without an error.
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
  /// Where the file has changed once more since `theirs` was read, that is the next conflict.
  ///
  /// - Parameter theirs: The version that the contents are to replace; nil for what this writer has written or read.
  /// - Throws: `FileChangeError` when the contents are not accepted, with the path of the journal where that cannot be
  ///   written. They are still the ``contents()``, and ``retry()`` submits them again.
  @concurrent
  public func save(
    _ contents: Data, over theirs: OtherVersion? = nil, durability: FileChangeWriter.Durability = .journal
  ) async throws(FileChangeError) {
    try await writer.save(contents, of: self, over: theirs?.version, durability: durability)
  }

  /// Saves `text`, encoded as UTF-8, as ``save(_:over:durability:)`` does.
  ///
  /// - Throws: `FileChangeError` when the text is not accepted.
  @concurrent
  public func save(
    _ text: String, durability: FileChangeWriter.Durability = .journal
  ) async throws(FileChangeError) {
    try await save(Data(text.utf8), durability: durability)
  }

  /// Returns when the newest contents are on disk: those of the last ``save(_:over:durability:)`` before the call,
  /// or newer ones that have taken their place.
  ///
  /// It waits for this file alone, and ends every pause that spares the device, like ``FileChangeWriter/flush()``. When
  /// the task is cancelled the wait ends, and nothing else does. A change that is taken back meanwhile is waited for no
  /// more.
  ///
  /// - Throws: `FileChangeError`: why the newest contents are not on disk. It `isConflict` where another program has
  ///   changed the file. It has the reason ``FileChangeError/Reason/waitEnded`` where the task was cancelled or the
  ///   writer shut down before.
  @concurrent
  public func flush() async throws(FileChangeError) { try await writer.awaitWriting(of: self) }

  /// Tries the newest contents again that could not be written or were not accepted, of this file alone.
  ///
  /// A conflict stays one, except where the file has its old version again. A batch is left where one of its files has
  /// newer contents, or may have got them before the writer began: ``FileChangeWriter/retryFailures()`` tries it.
  ///
  /// - Returns: Whether there was anything to try again.
  @discardableResult
  public func retry() async -> Bool { await writer.retry(self) }
}

// MARK: - Reading

extension FileChangeWriter.File {
  /// The newest contents: those that wait to be written, or could not be, or else what the file holds; nil for no file.
  ///
  /// What it reads from disk is what the next save is based on. So a program that reads the file again, because another
  /// one may have changed it, has no conflict with what it has read.
  ///
  /// - Throws: `FileChangeError` when the file cannot be read. Where it is about to come from another path, and the
  ///   task is cancelled or a shutdown too short for that, the reason is ``FileChangeError/Reason/waitEnded``.
  @concurrent
  public func contents() async throws(FileChangeError) -> Data? { try await writer.contents(of: self) }

  /// What the file holds now, whatever waits to be written: the other side of a conflict.
  ///
  /// To write over it, also with both sides merged, pass it to ``save(_:over:durability:)``; to go on with it, to
  /// ``accept(_:)``. Until then nothing changes.
  ///
  /// - Throws: `FileChangeError` when the file cannot be read.
  @concurrent
  public func otherVersion() async throws(FileChangeError) -> OtherVersion { try await writer.read(self) }

  /// Ends a conflict with what the other program has written: what could not be written is dropped, also from the
  /// journal, and the next save is based on `theirs`.
  ///
  /// A batch that failed stays one of the ``FileChangeWriter/failures``, for the sake of its other files.
  ///
  /// - Throws: `FileChangeError`, and drops nothing, when the file has changed since `theirs` was read: then call
  ///   ``otherVersion()`` again. So it does when the file cannot be looked at; and with
  ///   ``FileChangeError/Reason/waitEnded`` where the file was being written when the task was cancelled or a shutdown
  ///   was over. After a shutdown nothing can be dropped from the journal: the reason is
  ///   ``FileChangeError/Reason/closed`` then.
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
  public func states() -> States { States(stream: shared.states.stream(limit: stateLimit), shared: shared) }
}
