package import Journals

extension FileChange {
  /// Several changes that are carried out all or not at all, and what they come to together.
  ///
  /// The changes are meant one after the other. But to have all or none, only what each path has at the end counts: new
  /// contents, no file, or the file that another path had at the beginning. So two files may change their names.
  package struct _Batch: Hashable, Sendable {
    /// What a path has at the end.
    package enum Outcome: Hashable, Sendable {
      case contents(Data)
      case absent
      /// The file that this path had at the beginning.
      case file(of: Path)
    }

    /// What comes of one path.
    package struct Effect: Hashable, Sendable {
      package let path: Path
      package var outcome: Outcome
      /// What the path must have at the beginning; nil for anything.
      var base: Version?
      /// Whether nothing may have the path at the beginning.
      var mustBeFree = false
      /// The path whose file new contents imitate, where that is another one: they, or the file, were moved.
      var model: Path?

      /// Whether the path gets new contents.
      var isWritten: Bool { if case .contents = outcome { true } else { false } }

      /// Whether the path gets a file that is there at the beginning.
      var isMove: Bool { source != nil }

      /// The path whose file it has at the end, where that is moved.
      var source: Path? { if case .file(of: let source) = outcome { source } else { nil } }
    }

    package let changes: [FileChange]
    package let effects: [Effect]
    package let paths: [Path]

    /// - Throws: `FileChangeError` where one of the changes could not be carried out after those before it.
    package init(_ changes: [FileChange]) throws(FileChangeError) {
      self.changes = changes
      var effects: [Effect] = []
      var offsets: [Path: Int] = [:]
      func offset(of path: Path, base: Version? = nil) -> Int {
        if let offset = offsets[path] { return offset }
        offsets[path] = effects.count
        effects.append(Effect(path: path, outcome: .file(of: path), base: base))
        return effects.count - 1
      }
      for change in changes {
        let source = offset(of: change.path, base: change.base)
        switch change.action {
        case .write(let contents):
          if let moved = effects[source].source, moved != change.path { effects[source].model = moved }
          effects[source].outcome = .contents(contents)
        case .remove: effects[source].outcome = .absent
        case .move(let path):
          let moved = effects[source].outcome
          guard moved != .absent else {
            throw FileChangeError(path: change.path, operation: .submit, reason: .noSuchFile)
          }
          let isNew = offsets[path] == nil
          let target = offset(of: path)
          guard isNew || effects[target].outcome == .absent else {
            throw FileChangeError(path: path, operation: .submit, reason: .targetExists)
          }
          effects[target].outcome = moved
          effects[target].model = effects[source].model ?? change.path
          if isNew { effects[target].mustBeFree = true }
          effects[source].outcome = .absent
        }
      }
      // What came back to its own name is as it was, and still has to be what it was based on.
      self.effects = effects
      paths = effects.map(\.path)
    }

    /// The change that gives the path its new contents alone; nil where it gets none.
    func change(of path: Path) -> FileChange? {
      guard let effect = effects.first(where: { $0.path == path }), case .contents(let contents) = effect.outcome else {
        return nil
      }
      return FileChange(path: path, action: .write(contents), base: effect.base)
    }
  }
}

extension FileChange {
  /// The other path that the change is about.
  var target: Path? {
    if case .move(let path) = action { path } else { nil }
  }
}
