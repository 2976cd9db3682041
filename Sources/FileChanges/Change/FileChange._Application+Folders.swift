internal import Journals

extension FileChange._Application {
  /// A folder that is open for as long as there is a place in it; where a batch has many, whenever it is used.
  final class OpenFolder {
    private var opened: Descriptor
    private let open: () throws(FileChangeError) -> Descriptor
    private let system: any FileSystem
    private let folders: OpenFolders?
    /// Which folder it is, once that was asked for.
    fileprivate(set) var identity: FileIdentity?

    fileprivate init(
      _ application: FileChange._Application, _ open: @escaping () throws(FileChangeError) -> Descriptor
    ) throws(FileChangeError) {
      (self.open, system, folders) = (open, application.system, application.openFolders)
      opened = try open()
      folders?.add(self)
    }

    /// The open folder; closed where it was not in use and cannot be opened again, so that any call fails.
    var descriptor: Descriptor {
      _read {
        folders?.use(self)
        yield opened
      }
    }

    /// Closes the folder if it is known which one it is.
    fileprivate func close() { if identity != nil { opened = .closed() } }

    /// Opens the folder again.
    ///
    /// Another one may be in its place by now, in which nothing is touched.
    fileprivate func reopen() {
      guard let again = try? open(), (try? system.inspect(again))?.identity == identity else { return }
      opened = again
    }
  }

  /// The folders of a batch, of which those are open that were used last.
  final class OpenFolders {
    /// More than one step uses, and much less than a process may have open, which is 256 on some systems.
    static let limit = 64

    private struct Entry {
      weak var folder: OpenFolder?
    }

    /// The open folders, the one that was used last at the end.
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

  /// Opens a folder, which stays open or is opened in the same way again.
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
