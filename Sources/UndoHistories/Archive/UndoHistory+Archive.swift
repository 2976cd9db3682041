extension UndoHistory where Value: UndoArchivable {
  /// What a file needs to have these steps again: ``restoreSteps(from:)``.
  ///
  /// The steps and the saved point are in it; ``limit``, ``coalescing`` and saves in flight are not.
  ///
  /// - Throws: ``UndoArchiveError/unnamedPart(step:)``, or what encoding the document throws.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold.
  public func archive() throws -> Archive {
    let log = storage.access.log
    return try Archive(
      document: try _UndoDigest.of(currentItem),
      undo: try transcript(undoCount, from: undoCount - 1, by: -1) { $0.stepBack($1, $2) },
      redo: try transcript(redoCount, from: undoCount, by: 1) { $0.stepForward($1, $2) },
      saved: log.saves.saved.map { $0 - log.counts.dropped })
  }

  /// Puts the steps of an archive in the place of this history's own.
  ///
  /// The document must be in the state in which it was when the archive was made; it stays as it is. So do ``limit``,
  /// which the steps are cut to, and ``coalescing``. The saved point is the archive's: where the store has the document
  /// as it is now, call ``markSaved()`` after this. Saves in flight are out of date by that: an answer to one of them
  /// is refused.
  ///
  /// - Throws: ``UndoArchiveError/changed`` where the archive did not come back as it was made,
  ///   ``UndoArchiveError/otherDocument`` where the document is another one, ``UndoArchiveError/damaged`` where the
  ///   edits do not fit it, or what encoding the document throws. The history is then as it was.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold.
  public mutating func restoreSteps(from archive: Archive) throws {
    guard try archive.isAsItWasMade else { throw UndoArchiveError.changed }
    guard try _UndoDigest.of(currentItem) == archive.document else { throw UndoArchiveError.otherDocument }

    // The way back, made as edits: what undoes them are the steps that lead here from the oldest state.
    var back = UndoHistory(initialValue: currentItem)
    try back.perform(archive.undo)
    let steps = try back.transcript(back.undoCount, from: 0, by: 1) { $0.stepBack($1, $2) }
    var restored = UndoHistory(initialValue: back.currentItem)
    try restored.perform(steps)
    let position = restored.undoCount
    try restored.perform(archive.redo)
    restored.go(to: position)
    guard try _UndoDigest.of(restored.currentItem) == archive.document else { throw UndoArchiveError.damaged }

    let count = archive.undo.count + archive.redo.count
    let isComplete = restored.undoCount + restored.redoCount == count
    restored.storage.access.log.saves.saved = archive.saved.flatMap { isComplete && (0...count) ~= $0 ? $0 : nil }
    restored.storage.access.log.forgetTypes()
    restored.coalescing = coalescing
    restored.limit = limit
    ensureUnique()
    swap(&storage.access.log, &restored.storage.access.log)
  }

  /// Makes every step an edit of this history.
  private mutating func perform(_ steps: [Archive.Step]) throws {
    for step in steps {
      try transaction(step.label) { editor in
        for edit in step.edits {
          guard Self.part(named: edit.part)?.perform(edit.patch, editor) == true else {
            throw UndoArchiveError.damaged
          }
        }
      }
    }
  }

  /// What so many steps do, in a walk that leaves this history as it is.
  private func transcript(
    _ count: Int, from number: Int, by difference: Int,
    _ walk: (inout _UndoLog, _UnsafeUndoPointer, (UndoEdit) -> Void) -> String?
  ) throws -> [Archive.Step] {
    var copy = self
    copy.separate()
    let access = copy.storage.access
    var steps: [Archive.Step] = []
    steps.reserveCapacity(count)
    for index in 0..<count {
      var edits: [Archive.Edit?] = []
      let label = walk(&access.log, access.documentPointer) { edit in edits.append(Archive.Edit(edit, access.document))
      }
      steps.append(
        Archive.Step(
          label: label,
          edits: try edits.map { edit in
            guard let edit else { throw UndoArchiveError.unnamedPart(step: number + index * difference) }
            return edit
          }))
    }
    return steps
  }

  /// The part of a name, or the whole document if that is nil.
  static func part(named name: String?) -> UndoPart<Value>? {
    guard let name else { return .whole }
    return Value.undoParts.first { $0.name == name }
  }
}

extension UndoHistory.Archive.Edit {
  /// What an edit did, which left the document like this; nil where no part has all of what it changed.
  init?(_ edit: UndoEdit, _ document: Value) {
    let parts = Value.undoParts.filter {
      $0.bytes.lowerBound <= edit.bytes.lowerBound && edit.bytes.upperBound <= $0.bytes.upperBound
    }
    if let part = parts.min(by: { $0.bytes.count < $1.bytes.count }) {
      self.part = part.name
      patch = part.patch(edit, document)
    } else if edit.bytes == 0..<MemoryLayout<Value>.size {
      part = nil
      patch = UndoPart.whole.patch(edit, document)
    } else {
      return nil
    }
  }
}

/// Why a history could not be archived, or restored from an archive.
public enum UndoArchiveError: Error, Hashable, Sendable {
  /// A step changed something that is in none of the document's `undoParts`.
  ///
  /// Steps are counted from the oldest, which is 0.
  case unnamedPart(step: Int)
  /// The archive belongs to another document, or to this one as it was at another time.
  case otherDocument
  /// The archive does not hold what was archived: it was written or read by something that is not exact, or damaged.
  ///
  /// A binary property list, for instance, makes one text of two that are canonically equal.
  case changed
  /// An edit does not fit the document as it must have been: the archive is a forgery, or of a broken build.
  case damaged
}

extension UndoArchiveError: CustomStringConvertible {
  /// What is wrong, and what can be done.
  public var description: String {
    switch self {
    case .unnamedPart(let step):
      "step \(step) changed a property that has no name in the archive; add it to undoParts, or remove the steps"
    case .otherDocument:
      "the archive belongs to another document, or to an earlier or later state of this one; go on without it"
    case .changed:
      "the archive is not as it was made; write it with an encoder that is exact, such as JSONEncoder, and not as a "
        + "binary property list; go on without this one"
    case .damaged:
      "the archive is damaged: an edit in it does not fit the document; go on without it"
    }
  }
}
