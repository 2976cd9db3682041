internal import FileChanges
internal import Journals

/// The file of a session and its log.
///
/// A file has one log, whichever path leads to it: symbolic links are followed, and in a folder that ignores case, the
/// name is spelled as the folder has it. Hard links and other mounts of a folder are files of their own.
struct _SessionPlace: Sendable {
  /// The file, by the path that was given.
  let file: URL
  /// The folder of the logs.
  let recovery: URL
  /// The path of the file, relative to the recovery folder, because an app is moved with both when it is updated.
  let relativePath: String
  /// The path of the log.
  let log: FileChange.Path

  /// - Parameter followsLinks: Whether a save writes the target of a link; otherwise the link is a file of its own.
  init(file: URL, recovery: URL, followsLinks: Bool, in system: any FileSystem) {
    (self.file, self.recovery) = (file, recovery)
    let folder = Self.pathComponents(of: file.deletingLastPathComponent())
    let given = followsLinks ? Self.pathComponents(of: file) : folder + [file.lastPathComponent]
    let to = Self.spelled(given, in: system)
    let from = Self.spelled(Self.pathComponents(of: recovery), in: system)
    // Compares bytes, because two folders are equal by `==` if their names are canonically equal.
    let common = zip(from, to).prefix { $0.utf8.elementsEqual($1.utf8) }.count
    let steps = [String](repeating: "..", count: from.count - common) + to.dropFirst(common)
    relativePath = steps.joined(separator: "/")
    // The name of the file, and a digest of its path, so that files of the same name have logs of their own.
    let digest = String(FileDigest(Data(relativePath.utf8)).hash, radix: 16)
    let name = String(decoding: (to.last ?? "").utf8.prefix(100), as: UTF8.self)
    log = FileChange.Path(recovery.appending(path: "\(name)-\(digest)\(Self.suffix)"))
  }

  /// The end of a log's name.
  static let suffix = ".session"

  /// The file at a path that is relative to the recovery folder.
  static func file(at relativePath: String, from recovery: URL) -> URL {
    var names = pathComponents(of: recovery)
    for name in relativePath.split(separator: "/") {
      if name == ".." { names.removeLast(names.isEmpty ? 0 : 1) } else { names.append(String(name)) }
    }
    return URL(filePath: "/" + names.dropFirst().joined(separator: "/"), directoryHint: .notDirectory)
  }

  /// The names that lead to a file or a folder.
  ///
  /// Links are followed, even if they lead nowhere now, because the next session may use them or not.
  private static func pathComponents(of url: URL) -> [String] {
    var (known, rest, links) = (url.standardizedFileURL, [String](), 0)
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

  /// The names as their folders have them.
  private static func spelled(_ components: [String], in system: any FileSystem) -> [String] {
    components.dropFirst().reduce(into: Array(components.prefix(1))) { spelled, name in
      let folder = "/" + spelled.dropFirst().map { $0 + "/" }.joined()
      spelled.append(stored(name, in: folder, system))
    }
  }

  /// The name of an entry as the folder has it.
  private static func stored(_ name: String, in folder: String, _ system: any FileSystem) -> String {
    let other = name == name.uppercased() ? name.lowercased() : name.uppercased()
    // Listing a folder takes long, so it is only done if the name has a second spelling.
    guard other != name, let found = try? system.lookUp(path: folder + name).identity,
      (try? system.lookUp(path: folder + other))?.identity == found,
      let opened = try? system.openFolder(folder), let names = try? system.names(startingWith: "", in: opened),
      !names.contains(where: { $0.utf8.elementsEqual(name.utf8) })
    else { return name }
    let spellings = names.filter { $0.lowercased() == name.lowercased() }
    return spellings.first { (try? system.inspect($0, in: opened))?.identity == found } ?? name
  }
}

/// A log that was opened, or the reason why there is none to write to.
struct _OpenedLog: Sendable {
  let journal: JournalWorker
  let path: FileChange.Path
  var found: JournalContentsOnOpen<_SessionRecord>?
  var failure: FileChangeError?

  /// Whether this opening has created the log.
  var isNew: Bool { found.map { $0.contents.records.isEmpty && !$0.isDamaged } ?? false }
  var nextSequence: UInt64 { found?.contents.nextSequenceAnew ?? 1 }

  /// A file whose name is relative to the folder of the log.
  func file(_ name: String) -> URL { path.url.deletingLastPathComponent().appending(path: name) }

  /// Opens the log at a path.
  ///
  /// If the log can't be used, its failure says why.
  ///
  /// - Parameter waits: Whether to wait for a session that was released and still writes the log.
  /// - Throws: If another session has the log, or the recovery folder isn't on this machine.
  init(
    at path: FileChange.Path, of file: URL, in system: any FileSystem, _ clock: any Clock<Duration>,
    waits: Bool = true
  ) async throws(EditingSessionError) {
    self.path = path
    journal = JournalWorker(path.string, system: system)
    if path.objection == .notAFileURL {
      throw EditingSessionError(
        file: file, reason: .log(FileChangeError(path: path, operation: .openJournal, reason: .notAFileURL)))
    }
    for isLast in waits ? [false, true] : [true] {
      do throws(JournalError) {
        (found, failure) = (try await journal.open(newWriter: .random(in: .min ... .max), makesFolder: true), nil)
        return
      } catch {
        let inUse = FileChangeError(error, of: path)
        failure = inUse
        guard error.reason == .inUse else { return }
        if isLast { throw EditingSessionError(file: file, reason: .log(inUse)) }
        await _OpenSessions.settle(path, clock)
      }
    }
  }
}
