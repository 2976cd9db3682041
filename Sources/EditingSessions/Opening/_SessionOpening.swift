internal import FileChanges
internal import Journals
internal import UndoArchives
internal import UndoHistories

/// The result of opening a file and its log.
@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
struct _OpenedSession<Document: Codable & Sendable>: Sendable {
  let history: UndoHistory<Document>
  let writer: FileChangeWriter
  let handle: FileChangeWriter.File
  var log: _OpenedLog
  /// The format of the file, which may have a byte order mark.
  let format: EditingFormat<Document>
  /// The document that the file has, if it is known.
  let base: Document?
  let status: EditingSession<Document>.Status
  var recovered: EditingSession<Document>._Recovery
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
  /// A log that is read in place of the file's own.
  var log: URL?
  var options = FileChange.Options()
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
    var documents: [(digest: FileDigest, document: Document)] = []
    /// The number of edits before the first message that couldn't be replayed; nil if all could be.
    var repeatedCount: Int?
    /// Whether the history has everything that the log has.
    var isComplete = true

    var isWhole: Bool { repeatedCount == nil }

    /// Whether the file had the newest document at some time.
    var isSaved: Bool { files.haveDocument(of: editCount) }

    /// Keeps the current document, which the file had or may have had.
    mutating func keepDocument(for digest: FileDigest) {
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
      guard saved.go(to: .savedPoint) else { return nil }
      // The file may have had a byte order mark that another program has removed, or the other way around.
      let document = saved.currentItem
      let contents = format.withAndWithoutMark.compactMap { try? $0.write(document) }
      return contents.contains { FileDigest($0) == file.digest } ? document : nil
    }
  }

  @concurrent
  func open() async throws(EditingSessionError) -> _OpenedSession<Document> {
    let place = _SessionPlace(
      file: file, recovery: recovery, followsLinks: options.symbolicLinks == .follow, in: system)
    var opened = try await _OpenedLog(at: log.map { FileChange.Path($0) } ?? place.log, of: file, in: system, clock)
    do throws(EditingSessionError) {
      return try await open(&opened, place)
    } catch {
      await opened.journal.close(removing: opened.isNew)
      throw error
    }
  }

  private func open(
    _ log: inout _OpenedLog, _ place: _SessionPlace
  ) async throws(EditingSessionError) -> _OpenedSession<Document> {
    let records = log.found?.contents.records ?? []
    var replayed: Replayed?
    do throws(UndoFormError) { replayed = try Self.replay(records, configure) } catch {
      // Only a form of another version throws. The log stays as it is for the version that wrote it.
      let reason: FileChangeError.Reason = if case .older = error { .olderJournal } else { .newerJournal }
      log.failure = FileChangeError(path: log.path, operation: .openJournal, reason: reason)
    }
    var opened = try await open(log, replayed, place)
    // Only now, because an opening that throws leaves the log where it is.
    if log.failure == nil, let replayed, !replayed.isComplete {
      if opened.recovered.isDamaged {
        // The unreadable part is kept, because an earlier version of the document may read it.
        let kept = try? await log.journal.keepNow(isNeeded: true)
        opened.recovered.unreadableLog = kept.map(log.file)
      } else if !replayed.isWhole {
        await log.journal.keepWhenWrittenAnew()
      }
    } else if log.failure == nil, replayed == nil, !records.isEmpty {
      do throws(JournalError) {
        opened.recovered.unreadableLog = log.file(try await log.journal.keepNow(isNeeded: false))
      } catch {
        log.failure = FileChangeError(error, of: log.path)
      }
    }
    if log.failure != nil { await log.journal.close(removing: false) }
    if [.newerJournal, .olderJournal].contains(log.failure?.reason) || log.failure != nil && !records.isEmpty {
      opened.recovered.unreadableLog = log.file(await log.journal.name())
    }
    opened.recovered.isDamaged = opened.recovered.isDamaged || opened.recovered.unreadableLog != nil
    opened.log = log
    return opened
  }

  private func open(
    _ log: _OpenedLog, _ replayed: Replayed?, _ place: _SessionPlace
  ) async throws(EditingSessionError) -> _OpenedSession<Document> {
    let writer = FileChangeWriter(
      configuration: FileChangeWriter.Configuration(options: options), clock: clock, system: system)
    let (handle, contents): (FileChangeWriter.File, Data?)
    do throws(FileChangeError) {
      handle = try await writer.file(at: file)
      contents = try await handle.contents()
    } catch {
      throw EditingSessionError(file: file, reason: .file(error))
    }
    let digest = contents.map { FileDigest($0) }
    var recovered = EditingSession<Document>._Recovery()
    recovered.isDamaged = log.found?.isDamaged ?? false
    var history: UndoHistory<Document>
    var (isSaved, hasConflict, base): (Bool, Bool, Document?) = (false, false, nil)
    var files: [_SessionFile]?
    if var replayed {
      recovered.hasLog = true
      if let position = replayed.files.last(where: { $0.digest == digest }) {
        if let repeatedCount = replayed.repeatedCount, let edits = position.edits, edits > repeatedCount {
          // The file has edits that couldn't be replayed.
          replayed.history = UndoHistory(initialValue: try document(contents))
          configure(&replayed.history)
          if edits < replayed.editCount { recovered.isDamaged = true }
          replayed.editCount = edits
        }
        // Undo may have led back to the document that the file has.
        isSaved =
          position.edits == replayed.editCount
          || contents == (try? format.like(contents).write(replayed.history.currentItem))
        base = isSaved ? replayed.history.currentItem : contents.flatMap { try? format.read($0) }
      } else if let contents {
        recovered.wasChangedByAnother = true
        base = replayed.base(format)
        if let change = try change(contents, to: replayed, base: base) {
          if change.replacesSaved {
            replayed.history.replaceDocument(with: change.theirs, label: EditingSession<Document>.reloadLabel)
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
      history: history, writer: writer, handle: handle, log: log, format: format.like(contents), base: base,
      status: EditingSession<Document>.Status(
        place: place, hasConflict: hasConflict, isSavedPointInFile: isSaved,
        files: files ?? digest.map { [_SessionFile($0, flags: isSaved ? 3 : 2)] } ?? []),
      recovered: recovered)
  }

  private func document(_ contents: Data?) throws(EditingSessionError) -> Document {
    guard let contents else {
      if let new = new ?? format.empty?() { return new }
      throw EditingSessionError(file: file, reason: .missing)
    }
    do { return try format.read(contents) } catch { throw EditingSessionError(file: file, reason: .unreadable(error)) }
  }

  /// The change that another program's contents make; nil if it is a conflict.
  private func change(
    _ contents: Data, to replayed: Replayed, base: Document?
  ) throws(EditingSessionError) -> _TheirChange<Document>? {
    do {
      guard let theirs = try _TheirChange.read(contents, format) else { return nil }
      return _TheirChange(
        theirs, isEmpty: contents.isEmpty, to: replayed.history, isSaved: replayed.isSaved, base: base, format)
    } catch {
      // Unsaved edits are more important.
      if !replayed.isSaved { return nil }
      throw EditingSessionError(file: file, reason: .unreadable(error))
    }
  }

  // MARK: The log

  /// Returns the document of a log, without a session.
  @concurrent
  static func document(inLog log: URL) async throws(EditingSessionError) -> Document? {
    guard FileManager.default.fileExists(atPath: log.path) else {
      throw EditingSessionError(file: log, reason: .missing)
    }
    do {
      // Not opened as a journal, because the session that keeps the log may have it locked for a while.
      let contents = try JournalContents<_SessionRecord>([UInt8](try Data(contentsOf: log)))
      return try replay(contents.records) { _ in }?.history.currentItem
    } catch JournalRefusal.unreadable {
      return nil
    } catch let refusal as JournalRefusal {
      let reason = refusal == .newerVersion ? FileChangeError.Reason.newerJournal : .olderJournal
      let error = FileChangeError(path: FileChange.Path(log), operation: .openJournal, reason: reason)
      throw EditingSessionError(file: log, reason: .log(error))
    } catch {
      throw EditingSessionError(file: log, reason: .unreadable(error))
    }
  }

  /// The history that the records lead to; nil if there are no records, or if they belong to another type of document.
  private static func replay(
    _ records: [JournalRecord<_SessionRecord>], _ configure: (inout UndoHistory<Document>) -> Void
  ) throws(UndoFormError) -> Replayed? {
    guard
      let index = records.lastIndex(where: { if case .snapshot = $0.body { true } else { false } }),
      case .snapshot(let snapshot) = records[index].body
    else { return nil }
    var replayer = try UndoReplayer<Document>(snapshot.names, .json)
    guard let document = try? snapshot.decoded() as Document else { return nil }
    var replayed = Replayed(history: UndoHistory(initialValue: document), files: snapshot.files)
    configure(&replayed.history)
    // Messages count the steps of the earlier session, which may have had another limit, other branches and other
    // restored properties.
    let (limit, keepsBranches) = (replayed.history.limit, replayed.history.keepsBranches)
    (replayed.history.limit, replayed.history.keepsBranches) = (.unlimited, false)
    replayer.knownProperties = replayed.history.restoredProperties
    let (missingCount, lostCount) = try snapshot.restoreSteps(in: &replayed.history)
    replayer.missingCount = missingCount
    for file in snapshot.files where file.edits == 0 { replayed.keepDocument(for: file.digest) }
    var sequence = records[index].sequence
    for record in records[(index + 1)...] {
      sequence += 1
      // The records after a missing one don't fit.
      guard record.sequence == sequence else {
        replayed.repeatedCount = replayed.repeatedCount ?? replayed.editCount
        break
      }
      switch record.body {
      case .messages(let messages, _), .remoteEdits(_, _, let messages):
        // The messages before one that can't be read were replayed.
        if replayed.isWhole, (try? replayer.replay(messages, in: &replayed.history)) == nil {
          replayed.repeatedCount = replayed.editCount
        }
      case .snapshot, .path, .saving, .saved, .refused: break
      }
      replayed.files.add(record.body, &replayed.editCount)
      switch record.body {
      case .saving(let digest, isNewest: true), .remoteEdits(let digest, isNewest: true, _):
        replayed.keepDocument(for: digest)
      case .snapshot, .path, .messages, .saving, .saved, .refused, .remoteEdits: break
      }
    }
    replayed.isComplete = missingCount == 0 && lostCount + replayer.lostCount == 0 && replayed.isWhole
    replayer.finish(&replayed.history)
    try? replayed.history.restoreOnly(replayer.knownProperties)
    (replayed.history.keepsBranches, replayed.history.limit) = (keepsBranches, limit)
    return replayed
  }
}
