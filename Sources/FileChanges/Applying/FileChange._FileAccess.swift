internal import Journals

extension FileChange {
  /// Finds the file at one path, and inspects, reads, replaces or removes it.
  ///
  /// A class, as are its places, because their parts would take long to copy.
  final class _FileAccess: _FileCalling {
    let path: FileChange.Path
    let options: FileChange.Options
    let system: any FileSystem
    let leftovers: _Leftovers
    /// Called with the version of a file that got its name back.
    let note: ((FileChange.Version) -> Void)?
    /// Closes folders of a batch between their uses, because a batch may have more folders than a process can open.
    let openFolders: OpenFolders?

    init(
      _ path: FileChange.Path, _ options: FileChange.Options, in system: any FileSystem,
      after leftovers: _Leftovers = .none, note: ((FileChange.Version) -> Void)? = nil,
      _ openFolders: OpenFolders? = nil
    ) {
      (self.path, self.options, self.system) = (path, options, system)
      (self.leftovers, self.note, self.openFolders) = (leftovers, note, openFolders)
    }

    /// An entry in an open folder.
    final class Place: _FileCalling {
      let access: FileChange._FileAccess
      let openFolder: OpenFolder
      let name: String
      /// The path of the folder, for error messages.
      let folderPath: String
      /// The status of the file when it was found, or nil if there was none.
      let status: FileStatus?

      init(
        _ access: FileChange._FileAccess, in folder: OpenFolder, at folderPath: String, _ name: String,
        _ status: FileStatus?
      ) {
        (self.access, openFolder, self.name) = (access, folder, name)
        (self.folderPath, self.status) = (folderPath, status)
      }

      var folder: Descriptor { _read { yield openFolder.descriptor } }
      var version: FileChange.Version { FileChange.Version(stamp: status?.stamp) }

      var system: any FileSystem { _read { yield access.system } }
      var path: FileChange.Path { access.path }

      /// The status when it was found, if it is a regular file.
      var file: FileStatus? { status?.kind == .file ? status : nil }

      /// The present status of the file, or nil if there is none.
      func newStatus() throws(FileChangeError) -> FileStatus? { try status(of: name) }

      /// The present status of another file in the folder, or nil if there is none.
      func status(of name: String) throws(FileChangeError) -> FileStatus? {
        try attempt(.inspect, except: .absent, call: system.inspect(name, in: folder))
      }

      func synchronizeFolder() throws(FileChangeError) {
        try attempt(.synchronizeFolder, system.synchronizeFolder(folder))
      }

      /// The identity of the folder.
      func folderIdentity() throws(FileChangeError) -> FileIdentity {
        if let identity = openFolder.identity { return identity }
        let identity = try attempt(.inspect, system.inspect(folder)).identity
        openFolder.identity = identity
        return identity
      }
    }

    /// A folder that is open as long as a place in it exists; for large batches, it is reopened whenever it is used.
    final class OpenFolder {
      // Nothing closes the folder while a step uses the descriptor, because the step uses only a few other folders.
      @safe @exclusivity(unchecked)
      private var opened: Descriptor
      private let open: () throws(FileChangeError) -> Descriptor
      private let system: any FileSystem
      private let folders: OpenFolders?
      /// The identity of the folder, once it was asked for.
      fileprivate(set) var identity: FileIdentity?

      /// - Parameter open: Opens the folder, the first time and again.
      init(
        _ access: FileChange._FileAccess, _ open: @escaping () throws(FileChangeError) -> Descriptor
      ) throws(FileChangeError) {
        (self.open, system, folders) = (open, access.system, access.openFolders)
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
        let isOpen = entries.contains { $0.folder === folder }
        entries.removeAll { $0.folder === folder }
        add(folder)
        if !isOpen { folder.reopen() }
      }
    }
  }
}

/// A type that makes system calls for the change of a file.
protocol _FileCalling: SystemCalling where Step == FileChangeError.Operation, Failure == FileChangeError {
  var path: FileChange.Path { get }
}

extension _FileCalling {
  func failure(_ step: FileChangeError.Operation, _ error: SystemError) -> FileChangeError {
    FileChangeError(path: path, operation: step, error: error)
  }

  func refusal(_ step: FileChangeError.Operation, _ reason: FileChangeError.Reason) -> FileChangeError {
    FileChangeError(path: path, operation: step, reason: reason)
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
  package var temporaryName: String?
  package var attempts: [Attempt] = []
  /// The version that the same writer left at the file.
  package var version: FileChange.Version?

  package static let none = _Leftovers()
}
