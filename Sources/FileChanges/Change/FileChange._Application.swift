internal import Journals

extension FileChange {
  /// One change that is being applied to its file.
  struct _Application: SystemCalling {
    let path: FileChange.Path
    let options: FileChange.Options
    let system: any FileSystem
    var leftovers = _Leftovers.none
    var sweeper: Sweeper?
    var note: ((FileChange.Version) -> Void)?
    /// Closes folders of a batch between their uses, because a batch may have more folders than a process can open.
    var openFolders: OpenFolders?

    /// An entry in an open folder.
    struct Place: ~Copyable {
      let openFolder: OpenFolder
      let name: String
      /// The path of the folder, for error messages.
      let folderPath: String
      /// The status of the file, or nil if there is none.
      let status: FileStatus?

      var folder: Descriptor { _read { yield openFolder.descriptor } }
      var version: FileChange.Version { FileChange.Version(stamp: status?.stamp) }
    }

    func failure(_ step: FileChangeError.Operation, _ error: SystemError) -> FileChangeError {
      FileChangeError(path: path, operation: step, error: error)
    }

    func refusal(_ step: FileChangeError.Operation, _ reason: FileChangeError.Reason) -> FileChangeError {
      FileChangeError(path: path, operation: step, reason: reason)
    }

    /// - Parameter expected: The versions that the file may have; nil for any.
    func write(_ contents: Data, over expected: [FileChange.Version]?) throws(FileChangeError) {
      let place = try find(followsLinks: options.symbolicLinks == .follow)
      try checkKind(of: place.status, .write)
      // Existing contents are written again even if they are the same. The program that wrote them may not have
      // synchronized them, and the device reports lost bytes only once.
      if let expected, try !isExpected(place.status, at: place, expected, before: .contents(contents)) {
        throw refusal(.inspect, .changedByAnother)
      }
      sweeper?.sweep(place.folder, in: system)
      let old = place.status?.kind == .file ? place.status : nil
      let version = try replace(place, with: contents, like: old, over: expected)
      if let version { note?(version) }
      try synchronize(place.folder)
    }

    func remove(_ expected: [FileChange.Version]?) throws(FileChangeError) {
      do throws(FileChangeError) {
        let place = try find(followsLinks: false)
        if let expected, place.status != nil, try !isExpected(place.status, at: place, expected, before: .absent) {
          throw refusal(.inspect, .changedByAnother)
        }
        try remove(place, expected)
      } catch {
        // Without the folder, the file doesn't exist either.
        if error.reason != .noSuchFolder { throw error }
        note?(.absent)
      }
    }

    private func remove(
      _ place: consuming Place, _ expected: [FileChange.Version]?
    ) throws(FileChangeError) {
      sweeper?.sweep(place.folder, in: system)
      try checkKind(of: place.status, isWritten: false, .remove)
      if place.status != nil {
        if let expected {
          try takeAway(place) { place, status throws(FileChangeError) in
            try isExpected(status, at: place, expected, before: .absent)
          }
        } else {
          _ = try attempt(.remove, except: .absent, call: system.removeFile(place.name, in: place.folder))
        }
      }
      note?(.absent)
      // Even if there was no file: an earlier attempt may have removed it and failed here.
      try synchronize(place.folder)
    }
  }
}

extension FileChange._Application {
  /// A folder that is open as long as a place in it exists; for large batches, it is reopened whenever it is used.
  final class OpenFolder {
    private var opened: Descriptor
    private let open: () throws(FileChangeError) -> Descriptor
    private let system: any FileSystem
    private let folders: OpenFolders?
    /// The identity of the folder, once it was asked for.
    fileprivate(set) var identity: FileIdentity?

    fileprivate init(
      _ application: FileChange._Application, _ open: @escaping () throws(FileChangeError) -> Descriptor
    ) throws(FileChangeError) {
      (self.open, system, folders) = (open, application.system, application.openFolders)
      opened = try open()
      folders?.add(self)
    }

    /// The open folder; a closed descriptor if it could not be reopened, so that every call fails.
    var descriptor: Descriptor {
      _read {
        folders?.use(self)
        yield opened
      }
    }

    /// Closes the folder if its identity is known.
    fileprivate func close() { if identity != nil { opened = .closed() } }

    /// Opens the folder again.
    ///
    /// Another folder may have taken its place; that one isn't used.
    fileprivate func reopen() {
      guard let again = try? open(), (try? system.inspect(again))?.identity == identity else { return }
      opened = again
    }
  }

  /// The folders of a batch; only those used last are open.
  final class OpenFolders {
    /// More than one step needs, and far fewer than a process may open, which is 256 on some systems.
    static let limit = 64

    private struct Entry {
      weak var folder: OpenFolder?
    }

    /// The open folders, ordered by their last use.
    private var entries: [Entry] = []

    fileprivate func add(_ folder: OpenFolder) {
      if entries.count >= Self.limit { entries.removeFirst().folder?.close() }
      entries.append(Entry(folder: folder))
    }

    fileprivate func use(_ folder: OpenFolder) {
      if entries.last?.folder === folder { return }
      if let index = entries.lastIndex(where: { $0.folder === folder }) {
        entries.append(entries.remove(at: index))
      } else {
        add(folder)
        folder.reopen()
      }
    }
  }

  /// Opens a folder, which stays open, or is reopened in the same way.
  func keepOpen(_ open: @escaping () throws(FileChangeError) -> Descriptor) throws(FileChangeError) -> OpenFolder {
    try OpenFolder(self, open)
  }

  func identity(of folder: OpenFolder) throws(FileChangeError) -> FileIdentity {
    if let identity = folder.identity { return identity }
    let identity = try attempt(.inspect, system.inspect(folder.descriptor)).identity
    folder.identity = identity
    return identity
  }
}

/// The traces that earlier attempts at the changes of a file may have left, in this process or a killed one.
package struct _Leftovers: Hashable, Sendable {
  /// A change that a killed process may have begun.
  package struct Attempt: Hashable, Sendable {
    package let temporaryName: String
    package let action: FileChange.Action
  }

  /// The name of the change's temporary file, which no other change has; nil for a random name.
  package let temporaryName: String?
  package let attempts: [Attempt]
  /// The version that the same writer left at the file.
  package let version: FileChange.Version?

  package static let none = _Leftovers()

  package init(temporaryName: String? = nil, attempts: [Attempt] = [], version: FileChange.Version? = nil) {
    self.temporaryName = temporaryName
    self.attempts = attempts
    self.version = version
  }
}
