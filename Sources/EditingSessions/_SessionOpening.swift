internal import FileChanges
internal import Journals
internal import UndoArchives
internal import UndoHistories

/// The result of opening a file and its log.
struct _OpenedSession<Document: Codable & Sendable>: Sendable {
  var history: UndoHistory<Document>
  let writer: FileChangeWriter
  let handle: FileChangeWriter.File
  let journal: JournalWorker
  let journalPath: FileChange.Path
  let nextSequence: UInt64
  /// The contents that the session has read or written, and that the file may have.
  let files: [_SessionFile]
  /// The document that the file has, if it is known.
  let base: Document?
  let isSaved: Bool
  let hasConflict: Bool
  var recovered: EditingSession<Document>._Recovery
  /// The reason why there is no log to write to yet; nil if there is one.
  var logFailure: FileChangeError?
}

/// Opens a file and its log, and makes one history of both.
///
/// The log has the digests of all contents that the session has read or written. So the contents of the file are either
/// one of those, and the log says which edits they include, or another program's.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
struct _SessionOpening<Document: Codable & Sendable>: Sendable {
  let file: URL
  let recovery: URL
  let format: EditingFormat<Document>
  let new: Document?
  var replacesReadOnly = false
  let configure: @Sendable (inout UndoHistory<Document>) -> Void
  var system: any FileSystem = PosixFileSystem()
  var clock: any Clock<Duration> = ContinuousClock()
  var logByteLimit = 1 << 20

  /// The state of the file and its history according to a log.
  private struct Replayed {
    var history: UndoHistory<Document>
    /// The contents of the file, each with the number of records with edits before it.
    var files: [_SessionFile]
    var editCount = 0
    /// The documents that were in the file, or may have been.
    var documents: [(digest: _FileDigest, document: Document)] = []
    /// Whether every message could be replayed.
    var isWhole = true
    /// The number of edits before the first that couldn't be replayed.
    var repeatedCount = 0
    /// Whether the history has everything that the log has.
    var isComplete = true

    /// Whether the file had the newest document at some time.
    var isSaved: Bool { files.haveDocument(of: editCount) }

    /// Keeps the current document, which the file had or may have had.
    mutating func keepDocument(for digest: _FileDigest) {
      guard isWhole else { return }
      documents.removeAll { known in !files.contains { $0.digest == known.digest } }
      documents.append((digest, history.currentItem))
    }

    /// The document that the file had last; nil if it isn't known.
    ///
    /// It is a document that was in the file while the log was written, or that of the saved point.
    func base(_ format: EditingFormat<Document>) -> Document? {
      guard files.count == 1, let file = files.first, file.isConfirmed else { return nil }
      if let known = documents.last(where: { $0.digest == file.digest }) { return known.document }
      var saved = history
      guard saved.go(to: .savedPoint), let contents = try? format.write(saved.currentItem) else { return nil }
      return _FileDigest(contents) == file.digest ? saved.currentItem : nil
    }
  }

  /// The log of a file, or the reason why there is none to write to.
  private struct Log {
    let journal: JournalWorker
    let path: FileChange.Path
    var found: JournalContentsOnOpen<_SessionRecord>?
    var failure: FileChangeError?

    /// Whether this opening has created the log.
    var isNew: Bool { found.map { $0.contents.records.isEmpty && !$0.isDamaged } ?? false }
  }

  @concurrent
  func open() async throws(EditingSessionError) -> _OpenedSession<Document> {
    var log = try await openLog()
    do throws(EditingSessionError) {
      return try await open(&log)
    } catch {
      await log.journal.close(removing: log.isNew)
      throw error
    }
  }

  private func open(_ log: inout Log) async throws(EditingSessionError) -> _OpenedSession<Document> {
    let records = log.found?.contents.records ?? []
    var replayed: Replayed?
    do throws(UndoFormError) { replayed = try replay(records) } catch {
      // Only a newer form throws. The log stays as it is for the version that wrote it.
      log.failure = FileChangeError(path: log.path, operation: .openJournal, reason: .newerJournal)
    }
    var opened = try await open(log, replayed)
    // Only now, because an opening that throws leaves the log where it is.
    if log.failure == nil, let replayed, !replayed.isComplete {
      if opened.recovered.isDamaged {
        // The unreadable part is kept, because an earlier version of the document may read it.
        let kept = try? await log.journal.keepNow(isNeeded: true)
        opened.recovered.unreadableLog = kept.map { recovery.appending(path: $0) }
      } else if !replayed.isWhole {
        await log.journal.keepWhenWrittenAnew()
      }
    } else if log.failure == nil, replayed == nil, !records.isEmpty {
      do throws(JournalError) {
        opened.recovered.unreadableLog = recovery.appending(path: try await log.journal.keepNow(isNeeded: false))
      } catch {
        log.failure = FileChangeError(error, of: log.path)
      }
    }
    if log.failure != nil { await log.journal.close(removing: false) }
    if log.failure?.reason == .newerJournal || log.failure != nil && !records.isEmpty {
      opened.recovered.unreadableLog = recovery.appending(path: await log.journal.name())
    }
    opened.recovered.isDamaged = opened.recovered.isDamaged || opened.recovered.unreadableLog != nil
    opened.logFailure = log.failure
    return opened
  }

  private func open(_ log: Log, _ replayed: Replayed?) async throws(EditingSessionError) -> _OpenedSession<Document> {
    let options = FileChange.Options(replacesReadOnly: replacesReadOnly)
    let writer = FileChangeWriter(
      configuration: FileChangeWriter.Configuration(options: options), clock: clock, system: system)
    let (handle, contents): (FileChangeWriter.File, Data?)
    do throws(FileChangeError) {
      handle = try await writer.file(at: file)
      contents = try await handle.contents()
    } catch {
      throw EditingSessionError(file: file, reason: .file(error))
    }
    let digest = contents.map { _FileDigest($0) }
    var recovered = EditingSession<Document>._Recovery()
    recovered.isDamaged = log.found?.isDamaged ?? false
    var history: UndoHistory<Document>
    var (isSaved, hasConflict, base): (Bool, Bool, Document?) = (false, false, nil)
    var files: [_SessionFile]?
    if var replayed {
      recovered.hasLog = true
      if let position = replayed.files.last(where: { $0.digest == digest }) {
        if !replayed.isWhole, let edits = position.edits, edits > replayed.repeatedCount {
          // The file has edits that couldn't be replayed.
          replayed.history = UndoHistory(initialValue: try document(contents))
          configure(&replayed.history)
          if edits < replayed.editCount { recovered.isDamaged = true }
          replayed.editCount = edits
        }
        // Undo may have led back to the document that the file has.
        isSaved = position.edits == replayed.editCount || has(replayed.history.currentItem, contents)
        base = isSaved ? replayed.history.currentItem : contents.flatMap { try? format.read($0) }
      } else if let contents {
        recovered.wasChangedByAnother = true
        base = replayed.base(format)
        if let change = try change(contents, to: replayed, base: base) {
          if change.replacesSaved {
            replayed.history.transaction(EditingSession<Document>.reloadLabel) { $0.assignDocument(change.theirs) }
          } else {
            replayed.history.applyRemote(change.merged, saved: true)
          }
          (isSaved, base) = (change.isWhole, change.theirs)
        } else {
          hasConflict = true
        }
      } else if replayed.files.contains(where: \.wasInFile) {
        // Another program has removed the file.
        (recovered.wasChangedByAnother, hasConflict, base) = (true, true, replayed.base(format))
      }
      if hasConflict {
        // Without the file's current contents, which the next session would otherwise know and not report as a
        // conflict.
        files = replayed.files.map { $0.inSnapshot(at: replayed.editCount) }
      }
      history = replayed.history
      recovered.hasUnsavedEdits = !isSaved
      recovered.isDamaged = recovered.isDamaged || !isSaved && !replayed.isComplete
    } else {
      history = UndoHistory(initialValue: try document(contents))
      configure(&history)
      isSaved = contents != nil
      base = isSaved ? history.currentItem : nil
    }
    if isSaved { history.markSaved() }
    return _OpenedSession(
      history: history, writer: writer, handle: handle, journal: log.journal, journalPath: log.path,
      nextSequence: log.found?.contents.nextSequenceAnew ?? 1,
      files: files ?? digest.map { [_SessionFile($0, flags: isSaved ? 3 : 2)] } ?? [],
      base: base, isSaved: isSaved, hasConflict: hasConflict, recovered: recovered)
  }

  private func document(_ contents: Data?) throws(EditingSessionError) -> Document {
    if let contents { return try read(contents) }
    guard let new = new ?? format.empty?() else { throw EditingSessionError(file: file, reason: .missing) }
    return new
  }

  /// Whether the file has exactly this document.
  private func has(_ document: Document, _ contents: Data?) -> Bool {
    contents != nil && contents == (try? format.write(document))
  }

  /// The change that another program's contents make; nil if it is a conflict.
  private func change(
    _ contents: Data, to replayed: Replayed, base: Document?
  ) throws(EditingSessionError) -> _TheirChange<Document>? {
    do {
      return try _TheirChange(contents, to: replayed.history, isSaved: replayed.isSaved, base: base, format)
    } catch {
      // Unsaved edits are more important.
      if !replayed.isSaved { return nil }
      throw EditingSessionError(file: file, reason: .unreadable(error))
    }
  }

  private func read(_ contents: Data) throws(EditingSessionError) -> Document {
    do { return try format.read(contents) } catch { throw EditingSessionError(file: file, reason: .unreadable(error)) }
  }

  // MARK: The log

  /// Opens the log.
  ///
  /// If the log can't be used, the file is opened all the same, unless another session has the log.
  private func openLog() async throws(EditingSessionError) -> Log {
    let path = FileChange.Path(recovery.appending(path: logName))
    if path.objection == .notAFileURL {
      throw EditingSessionError(
        file: file, reason: .log(FileChangeError(path: path, operation: .openJournal, reason: .notAFileURL)))
    }
    let journal = JournalWorker(path.string, system: system)
    var hasWaited = false
    while true {
      do throws(JournalError) {
        let found: JournalContentsOnOpen<_SessionRecord> = try await journal.open(
          newWriter: .random(in: .min ... .max), makesFolder: true)
        return Log(journal: journal, path: path, found: found)
      } catch {
        let failure = FileChangeError(error, of: path)
        guard error.reason == .inUse else { return Log(journal: journal, path: path, failure: failure) }
        guard !hasWaited else { throw EditingSessionError(file: file, reason: .log(failure)) }
      }
      await _OpenSessions.settle(path, clock)
      hasWaited = true
    }
  }

  /// The name of the file, and a digest of its path, so that files of the same name have logs of their own.
  private var logName: String {
    let digest = String(_FileDigest(Data(wayToFile.utf8)).hash, radix: 16)
    let name = String(decoding: file.lastPathComponent.utf8.prefix(100), as: UTF8.self)
    return "\(name)-\(digest).session"
  }

  /// The path of the file, relative to the recovery folder, because an app is moved with both when it is updated.
  ///
  /// Links to folders are followed, even if they lead nowhere now, because the next session may use them or not. A link
  /// to the file counts as a file of its own.
  private var wayToFile: String {
    let (from, folder) = (Self.pathComponents(of: recovery), Self.pathComponents(of: file.deletingLastPathComponent()))
    let to = folder + [file.lastPathComponent]
    // Compares bytes, because two folders are equal by `==` if their names are canonically equal.
    let common = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    return ([String](repeating: "..", count: from.count - common) + to.dropFirst(common)).joined(separator: "/")
  }

  private static func pathComponents(of folder: URL) -> [String] {
    var (known, rest, links) = (folder.standardizedFileURL, [String](), 0)
    while known.pathComponents.count > 1, !FileManager.default.fileExists(atPath: known.path) {
      let parent = known.deletingLastPathComponent()
      if links < 40, let target = try? FileManager.default.destinationOfSymbolicLink(atPath: known.path) {
        // A link that leads to itself would be followed forever.
        (known, links) = (URL(filePath: target, relativeTo: parent).standardizedFileURL, links + 1)
      } else {
        rest.insert(known.lastPathComponent, at: 0)
        known = parent
      }
    }
    return known.resolvingSymlinksInPath().pathComponents + rest
  }

  /// Returns the document of a log, without a session.
  @concurrent
  static func document(inLog log: URL) async throws(EditingSessionError) -> Document? {
    guard FileManager.default.fileExists(atPath: log.path) else {
      throw EditingSessionError(file: log, reason: .missing)
    }
    // A copy, because the session that keeps the log may have it for a while.
    let folder = FileManager.default.temporaryDirectory.appending(path: "session-log-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let path = FileChange.Path(folder.appending(path: "log"))
    let journal = JournalWorker(path.string, system: PosixFileSystem())
    let format = EditingFormat<Document>(read: { try JSONDecoder().decode(Document.self, from: $0) }) {
      try JSONEncoder().encode($0)
    }
    let opening = _SessionOpening(file: log, recovery: log, format: format, new: nil, configure: { _ in })
    do {
      let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o700]
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: attributes)
      try FileManager.default.copyItem(at: log, to: folder.appending(path: "log"))
      let found: JournalContentsOnOpen<_SessionRecord> = try await journal.open(newWriter: .random(in: .min ... .max))
      await journal.close(removing: false)
      return try opening.replay(found.contents.records)?.history.currentItem
    } catch let error as JournalError {
      throw EditingSessionError(file: log, reason: .log(FileChangeError(error, of: path)))
    } catch {
      throw EditingSessionError(file: log, reason: .unreadable(error))
    }
  }

  /// The history that the records lead to; nil if there are no records, or if they belong to another type of document.
  private func replay(_ records: [JournalRecord<_SessionRecord>]) throws(UndoFormError) -> Replayed? {
    guard
      let index = records.lastIndex(where: { if case .snapshot = $0.body { true } else { false } }),
      case .snapshot(let snapshot) = records[index].body
    else { return nil }
    var replayer = try UndoReplayer<Document>(snapshot.names, .json)
    // Messages count the steps of the earlier session, which may have had another limit, other branches and other
    // restored properties.
    var (limit, keepsBranches) = (UndoLimit.unlimited, false)
    var restored: [_UndoRestored]?
    let prepare = { (history: inout UndoHistory<Document>) in
      configure(&history)
      (limit, history.limit) = (history.limit, .unlimited)
      (keepsBranches, history.keepsBranches) = (history.keepsBranches, false)
      restored = history.restoredProperties
    }
    let (history, missingCount, lostCount): (UndoHistory<Document>, Int, Int)
    do {
      (history, missingCount, lostCount) = try snapshot.history(of: Document.self, configure: prepare)
    } catch {
      // A log of a later version isn't damaged.
      if let error = error as? UndoFormError, case .newer = error { throw error }
      return nil
    }
    replayer.knownProperties = restored ?? []
    var replayed = Replayed(history: history, files: snapshot.files)
    replayer.missingCount = missingCount
    replayed.isComplete = missingCount == 0 && lostCount == 0
    for file in snapshot.files where file.edits == 0 { replayed.keepDocument(for: file.digest) }
    var sequence = records[index].sequence
    func repeated(_ messages: [UInt8]) {
      guard replayed.isWhole else { return }
      // The messages before one that can't be read were replayed.
      replayed.isWhole = (try? replayer.replay(messages, in: &replayed.history)) != nil
      if !replayed.isWhole { replayed.repeatedCount = replayed.editCount }
    }
    for record in records[(index + 1)...] {
      sequence += 1
      // The records after a missing one don't fit.
      guard record.sequence == sequence else {
        if replayed.isWhole { replayed.repeatedCount = replayed.editCount }
        replayed.isWhole = false
        break
      }
      switch record.body {
      case .snapshot: break
      case .messages(let messages, let haveEdits):
        repeated(messages)
        if haveEdits { replayed.editCount += 1 }
      case .saving(let digest, let isNewest):
        replayed.files.expect(digest, edits: isNewest ? replayed.editCount : nil)
        if isNewest { replayed.keepDocument(for: digest) }
      case .saved(let digest): replayed.files.confirm(digest)
      case .refused(let digest): replayed.files.withdraw(digest)
      case .remoteEdits(let digest, let isNewest, let messages):
        repeated(messages)
        replayed.editCount += 1
        replayed.files.expect(digest, edits: isNewest ? replayed.editCount : nil)
        replayed.files.confirm(digest)
        if isNewest { replayed.keepDocument(for: digest) }
      }
    }
    replayed.isComplete = replayed.isComplete && replayed.isWhole && replayer.lostCount == 0
    replayer.finish(&replayed.history)
    if let restored { try? replayed.history.restoreOnly(restored) }
    (replayed.history.keepsBranches, replayed.history.limit) = (keepsBranches, limit)
    return replayed
  }
}
