internal import Journals

extension FileChange {
  /// Several changes that are applied all or not at all, with their combined effect on each path.
  ///
  /// The changes are meant to happen one after the other. But only the final state of each path counts: new contents,
  /// no file, or the file that another path had at the beginning. So two files can exchange their names.
  package struct _Batch: Hashable, Sendable {
    /// The final state of a path.
    package enum Outcome: Hashable, Sendable {
      case contents(Data)
      case absent
      /// The file that this path had at the beginning.
      case file(of: Path)
    }

    /// The effect of the batch on one path.
    package struct Effect: Hashable, Sendable {
      package let path: Path
      package var outcome: Outcome
      /// The version that the path must have at the beginning; nil for any version.
      var base: Version?
      /// Whether the path must be free at the beginning.
      var mustBeFree = false
      /// The path whose owner, permissions and attributes new contents copy, if it isn't this path: the contents, or
      /// the file before, were moved.
      var model: Path?
      /// The indices of the names before and after a move that changes only the case of a name.
      var oldSpelling, newSpelling: Int?

      var isWritten: Bool { if case .contents = outcome { true } else { false } }

      /// The path whose file is moved to this path, if the outcome is a move.
      var source: Path? { if case .file(of: let source) = outcome { source } else { nil } }

      /// A change of the path alone, which is the batch's placeholder in the queue.
      var change: FileChange {
        switch outcome {
        case .contents(let contents): FileChange(path: path, action: .write(contents), base: base)
        case .absent: FileChange(path: path, action: .remove, base: base)
        // No submitted change moves a file to its own name.
        case .file: FileChange(path: path, action: .move(to: path))
        }
      }
    }

    package let changes: [FileChange]
    package let effects: [Effect]
    package let paths: [Path]
    /// The index of each path's effect.
    let offsets: [Path: Int]

    /// - Throws: `FileChangeError` if one of the changes cannot be applied after those before it.
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
          if isNew {
            effects[target].mustBeFree = true
            if path.differsOnlyInCase(from: change.path) {
              (effects[target].oldSpelling, effects[source].newSpelling) = (source, target)
            }
          }
          effects[source].outcome = .absent
        }
      }
      // A file that returns to its own name is unchanged, but its base is still checked.
      self.effects = effects
      self.offsets = offsets
      paths = effects.map(\.path)
    }

    /// The change that gives the path its new contents; nil if it gets none.
    func change(of path: Path) -> FileChange? {
      offsets[path].flatMap { effects[$0].isWritten ? effects[$0].change : nil }
    }
  }

  /// The second path of the change, if it is a move.
  var target: Path? {
    if case .move(let path) = action { path } else { nil }
  }
}
