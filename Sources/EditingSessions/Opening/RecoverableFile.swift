public import FileChanges
internal import Journals
internal import UndoHistories

/// A file that has a log in a recovery folder.
///
/// If the file was renamed, or moved without its recovery folder, no session finds the log by the file's path.
/// ``EditingSession/recoverable(in:)`` lists it, and
/// ``EditingSession/init(recovering:file:format:new:options:configure:)`` opens it.
public struct RecoverableFile: Hashable, Sendable {
  /// The path that the file had when the log was written.
  public let file: URL
  /// The log.
  ///
  /// Remove it if you don't need its edits any more.
  public let log: URL
  /// Whether the log may have edits that the file lacks, or the file itself is missing.
  public let hasUnsavedEdits: Bool
  /// The recovery folder.
  fileprivate let recovery: URL
}

@available(macOS 14, iOS 17, tvOS 17, watchOS 10, visionOS 1, *)
extension EditingSession {
  /// The files that have logs in a recovery folder, whatever the types of their documents.
  ///
  /// ```swift
  /// /// The files that were moved or removed while they had edits that no file has.
  /// func orphans(in recovery: URL) async throws -> [RecoverableFile] {
  ///   try await EditingSession<String>.recoverable(in: recovery).filter { found in
  ///     found.hasUnsavedEdits && !FileManager.default.fileExists(atPath: found.file.path)
  ///   }
  /// }
  /// ```
  ///
  /// Logs of open sessions are listed, too. Logs that can't be read aren't.
  ///
  /// - Throws: ``EditingSessionError`` if the folder can't be read. A folder that doesn't exist has no logs.
  /// - Complexity: Proportional to the sizes of the logs and the files, outside of the main actor.
  @concurrent
  public nonisolated static func recoverable(in recovery: URL) async throws(EditingSessionError) -> [RecoverableFile] {
    let system = PosixFileSystem()
    var found: [RecoverableFile] = []
    // A folder that a group may write has the logs in a folder of the user's own.
    for folder in [recovery, recovery.appending(path: JournalWorker.privateFolderName(in: system))] {
      do throws(SystemError) {
        let opened = try system.openFolder(folder.path)
        for name in try system.names(startingWith: "", in: opened) where name.hasSuffix(_SessionPlace.suffix) {
          guard let contents = system.logContents(name, in: opened),
            let records = try? JournalContents<_SessionRecord>(contents).records, let files = _RecordedFiles(records)
          else { continue }
          let file = _SessionPlace.file(at: files.path, from: recovery)
          found.append(
            RecoverableFile(
              file: file, log: folder.appending(path: name), hasUnsavedEdits: !files.haveNewest(of: file),
              recovery: recovery))
        }
      } catch {
        if error == .absent { continue }
        let path = FileChange.Path(folder)
        throw EditingSessionError(
          file: recovery, reason: .log(FileChangeError(path: path, operation: .openFolder, error: error)))
      }
    }
    return found.sorted { $0.file.path < $1.file.path }
  }

  /// Opens a file with a log that ``recoverable(in:)`` has listed.
  ///
  /// If the file was moved, pass its new place. The log then belongs to that file.
  ///
  /// ```swift
  /// @MainActor func reopen(_ found: RecoverableFile, movedTo file: URL) async throws -> EditingSession<String> {
  ///   try await EditingSession(recovering: found, file: file, format: .text)
  /// }
  /// ```
  ///
  /// - Parameters:
  ///   - found: The log, and the file's last path.
  ///   - file: The file; by default the one at its last path. If it has other contents than the log knows, they are
  ///     merged, or the session begins with a conflict.
  ///   - format: The format in which the document is written.
  ///   - new: The document to begin with if neither the file nor the log has one.
  ///   - options: How saves write the file.
  ///   - configure: Sets up the history before anything is restored.
  /// - Throws: ``EditingSessionError`` if the file can't be opened or read, or another session has the log. The reason
  ///   is `fileExists` if the new file has a log with edits that it lacks.
  public convenience init(
    recovering found: RecoverableFile, file: URL? = nil, format: EditingFormat<Document>, new: Document? = nil,
    options: FileChange.Options = FileChange.Options(),
    configure: @escaping @Sendable (inout UndoHistory<Document>) -> Void = { _ in }
  ) async throws(EditingSessionError) {
    let opening = _SessionOpening(
      file: file ?? found.file, recovery: found.recovery, format: format, new: new, log: found.log, options: options,
      configure: configure)
    self.init(try await opening.open(), opening)
    try await moveLogHere(from: found.log)
  }
}

extension PosixFileSystem {
  /// The bytes of a log; nil if this user doesn't own it or it can't be read.
  fileprivate func logContents(_ name: String, in folder: borrowing Descriptor) -> [UInt8]? {
    guard let file = try? openFile(name, in: folder), let status = try? inspect(file), status.kind == .file,
      status.user == user
    else { return nil }
    return (try? readAll(file)).map { [UInt8]($0) }
  }
}

/// The information about the file in the records of a log, whatever the type of the document.
struct _RecordedFiles {
  /// The path of the file, relative to the recovery folder.
  let path: String
  private var files: [_SessionFile]
  private var editCount = 0

  /// Nil if the records don't say which file they belong to.
  init?(_ records: [JournalRecord<_SessionRecord>]) {
    guard let index = records.lastIndex(where: { if case .snapshot = $0.body { true } else { false } }),
      case .snapshot(let snapshot) = records[index].body, index + 1 < records.count,
      case .path(let path) = records[index + 1].body
    else { return nil }
    (self.path, files) = (path, snapshot.files)
    for record in records[(index + 1)...] { files.add(record.body, &editCount) }
  }

  /// Whether the file has the newest document of the log.
  func haveNewest(of file: URL) -> Bool {
    guard let contents = try? Data(contentsOf: file) else { return false }
    let digest = FileDigest(contents)
    return files.contains { $0.digest == digest && $0.edits == editCount }
  }
}
