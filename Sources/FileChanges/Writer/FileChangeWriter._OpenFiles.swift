internal import Dispatch
internal import Journals

extension FileChangeWriter {
  /// The part of a file's state that a writer keeps only while the file has a handle.
  struct _OpenFile {
    /// A save that is not accepted yet: it waits for the journal or for the limit, or was refused.
    struct Save {
      let number: Int
      let contents: Data
      let durability: Durability
      /// The reason why it was refused; nil if it wasn't.
      var error: FileChangeError?
    }

    weak var shared: _FileStates?
    /// The version that the next save is based on.
    var base: FileChange.Version
    /// The newest save, until it or a newer one is accepted.
    var unaccepted: Save?
    /// The number of the newest accepted save.
    var accepted = 0
    /// The saves whose callers still wait.
    var underWay: Set<Int> = []
    /// Callers that wait until all saves up to a number are accepted or refused.
    var acceptances: [(number: Int, ticket: Int)] = []
    /// The number of saves and of applied changes: contents that were read before the last one aren't the newest.
    var eventCount = 0
  }

  /// The files that have handles.
  ///
  /// An entry may outlive its last handle; such entries are removed from time to time.
  struct _OpenFiles {
    private var files: [FileChange.Path: _OpenFile] = [:]
    private var limit = 16

    var isEmpty: Bool { files.isEmpty }
    var count: Int { files.count }

    var paths: [FileChange.Path] { files.filter { $0.value.shared != nil }.map(\.key) }

    subscript(path: FileChange.Path) -> _OpenFile? {
      get { files[path] }
      _modify { yield &files[path] }
    }

    mutating func add(_ file: _OpenFile, at path: FileChange.Path) {
      files[path] = file
      guard files.count > limit else { return }
      files = files.filter { $0.value.shared != nil }
      limit = max(16, 2 * files.count)
    }

    func end() { for file in files.values { file.shared?.states.end() } }
  }
}

extension FileChangeWriter {
  /// The state that all handles of a file share.
  ///
  /// The writer doesn't retain it: it is deallocated with the last handle and the last reader.
  final class _FileStates: Sendable {
    let states: Readers<File.State>
    /// The queue on which the file is read: one for each file, so that a hanging device delays no other file.
    let thread = DispatchQueue(label: "FileChangeWriter.File reading")

    init(_ state: File.State) { states = Readers(state: state) }
  }
}
