internal import Dispatch
internal import Journals

extension FileChangeWriter {
  /// What a writer knows of a file only because there is a handle of it.
  struct _OpenFile {
    /// A save that is on its way to the journal or to the limit, or that was refused.
    struct Save {
      let number: Int
      let contents: Data
      let durability: Durability
      /// Why it was refused.
      var error: FileChangeError?
    }

    weak var shared: _FileStates?
    /// What the next save is based on.
    var base: FileChange.Version
    /// The newest save, as long as neither it nor a newer one is accepted.
    var unaccepted: Save?
    /// The number of the newest save that was accepted.
    var accepted = 0
    /// The saves of which the callers still wait.
    var underWay: Set<Int> = []
    /// Callers that wait until the saves up to a number have their answers.
    var acceptances: [(number: Int, ticket: Int)] = []
    /// How many saves there were, and changes that were carried out: what was read before the last one is not the
    /// newest.
    var eventCount = 0
  }

  /// The files of which there are handles.
  ///
  /// An entry stays a while after the last handle is gone: from time to time those are dropped.
  struct _OpenFiles {
    private var files: [FileChange.Path: _OpenFile] = [:]
    private var limit = 16

    var isEmpty: Bool { files.isEmpty }
    var count: Int { files.count }

    /// The files of which there is a handle.
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
  /// What the handles of one file share.
  ///
  /// The writer does not hold it: it goes with the last handle and the last reader.
  final class _FileStates: Sendable {
    let states: Readers<File.State>
    /// Where the file is read: one thread a file, so that a device that hangs holds up no other file.
    let thread = DispatchQueue(label: "FileChangeWriter.File reading")

    init(_ state: File.State) { states = Readers(state: state) }
  }
}

extension FileChangeWriter {
  /// What waits for an answer, each under a ticket of its own.
  struct _Tickets<Value: Sendable>: Sendable {
    private var values: [Int: Value] = [:]
    private var last = 0

    var all: some Collection<Value> { values.values }

    subscript(ticket: Int) -> Value? { values[ticket] }

    /// Makes a ticket; what waits comes under it with ``keep(_:under:)``.
    mutating func issue() -> Int {
      last += 1
      return last
    }

    mutating func keep(_ value: Value, under ticket: Int) { values[ticket] = value }

    /// Takes out what waits under the ticket; nil where it has its answer already.
    mutating func take(_ ticket: Int) -> Value? { values.removeValue(forKey: ticket) }

    mutating func takeAll() -> [Value] {
      defer { values = [:] }
      return Array(values.values)
    }
  }
}
