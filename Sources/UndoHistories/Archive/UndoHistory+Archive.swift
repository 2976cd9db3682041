extension UndoHistory where Value: UndoArchivable {
  /// What a file needs to have these steps again: ``restoreSteps(from:)``.
  ///
  /// The steps, the saved point and what the steps carry are in it; ``limit``, ``coalescing``, times and saves in
  /// flight are not. A step that is open is in it as if it had ended.
  ///
  /// A carried value (``carry(_:)``) is in it where one of the ``UndoArchivable/undoParts`` is that very property.
  ///
  /// - Throws: ``UndoArchiveError/unnamedPart(step:)``, or what encoding the document throws.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold.
  public func archive() throws -> Archive {
    var copy = self
    copy.separate()
    let access = copy.storage.access
    access.log.settle()
    let (undoCount, redoCount) = (access.log.counts.undo, access.log.redoCount)
    let saved = access.log.saves.saved.map { $0 - access.log.counts.dropped }
    let parts = carriedParts
    return try Archive(
      document: try _UndoDigest.of(currentItem),
      undo: try copy.transcript(undoCount, from: undoCount - 1, by: -1, parts) { $0.stepBack($1, $2) },
      redo: try copy.transcript(redoCount, from: undoCount, by: 1, parts) { $0.stepForward($1, $2) },
      saved: saved,
      carried: parts.isEmpty ? nil : parts.map { Archive.Edit(valueOf: $0.part, currentItem) })
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
    guard try digest(with: archive.carried) == archive.document else { throw UndoArchiveError.otherDocument }

    // The way back, made as edits: what undoes them are the steps that lead here from the oldest state.
    var back = UndoHistory(initialValue: currentItem)
    for step in archive.undo { try back.perform(step, carrying: []) }
    var steps = try back.transcript(back.undoCount, from: 0, by: 1, []) { $0.stepBack($1, $2) }
    if steps.count == archive.undo.count {
      for (index, step) in archive.undo.reversed().enumerated() { steps[index].carried = step.carried }
    }
    var restored = UndoHistory(initialValue: back.currentItem)
    for step in steps { try restored.perform(step, carrying: carriedParts) }
    let position = restored.undoCount
    for step in archive.redo { try restored.perform(step, carrying: carriedParts) }
    restored.go(to: position)
    guard try restored.digest(with: archive.carried) == archive.document else { throw UndoArchiveError.damaged }

    let count = archive.undo.count + archive.redo.count
    let isComplete = restored.undoCount + restored.redoCount == count
    restored.storage.access.log.saves.saved = archive.saved.flatMap { isComplete && (0...count) ~= $0 ? $0 : nil }
    restored.storage.access.log.forgetTypes()
    for carrier in storage.access.log.carriers { restored.carry(carrier) }
    restored.keepTime(by: storage.access.log.extras.first?.times?.now)
    restored.coalescing = coalescing
    restored.limit = limit
    ensureUnique()
    swap(&storage.access.log, &restored.storage.access.log)
    storage.access.log.rebind(to: storage.access.documentPointer)
  }

  /// Makes a step one of this history, which carries those of the parts that the step does, from then on.
  private mutating func perform(_ step: Archive.Step, carrying parts: [CarriedPart]) throws {
    func values(_ edits: [Archive.Edit]?) -> [Archive.Edit] {
      edits?.filter { edit in parts.contains { $0.part.name == edit.part } } ?? []
    }
    for (part, carrier) in parts where step.carried?.before.contains(where: { $0.part == part.name }) == true {
      carry(carrier)
    }
    try perform(values(step.carried?.before), nil)
    try perform(step.edits + values(step.carried?.after), step.label)
    // What is assigned next belongs to the next step.
    storage.access.log.settle()
  }

  /// Makes edits a step of this history.
  private mutating func perform(_ edits: [Archive.Edit], _ label: String?) throws {
    try transaction(label) { editor in
      for edit in edits {
        guard Self.part(named: edit.part)?.perform(edit.patch, editor) == true else { throw UndoArchiveError.damaged }
      }
    }
  }

  /// A digest of the document with these values in it.
  private func digest(with carried: [Archive.Edit]?) throws -> UInt64 {
    guard let carried else { return try _UndoDigest.of(currentItem) }
    var copy = UndoHistory(initialValue: currentItem)
    try copy.perform(carried, nil)
    return try _UndoDigest.of(copy.currentItem)
  }

  /// What so many steps do, in a walk over this history.
  private func transcript(
    _ count: Int, from number: Int, by difference: Int, _ parts: [CarriedPart],
    _ walk: (inout _UndoLog, _UnsafeUndoPointer, (UndoEdit) -> Void) -> String?
  ) throws -> [Archive.Step] {
    var copy = self
    copy.separate()
    let access = copy.storage.access
    var steps: [Archive.Step] = []
    steps.reserveCapacity(count)
    for index in 0..<count {
      var carried: Archive.Carried?
      if difference < 0 { carried = copy.carried(parts) }
      var edits: [Archive.Edit?] = []
      let label = walk(&access.log, access.documentPointer) { edit in edits.append(Archive.Edit(edit, access.document))
      }
      if difference > 0 { carried = copy.carried(parts) }
      steps.append(
        Archive.Step(
          label: label,
          edits: try edits.map { edit in
            guard let edit else { throw UndoArchiveError.unnamedPart(step: number + index * difference) }
            return edit
          }, carried: carried))
    }
    return steps
  }

  // MARK: What is carried

  /// A part of the document that is carried.
  private typealias CarriedPart = (part: UndoPart<Value>, carrier: _UndoCarrier)

  private var carriedParts: [CarriedPart] {
    storage.access.log.carriers.compactMap { carrier in
      Value.undoParts.first { $0.bytes == carrier.bytes }.map { ($0, carrier) }
    }
  }

  private mutating func carry(_ carrier: _UndoCarrier) {
    storage.access.log.carry(carrier, in: storage.access.documentPointer)
  }

  /// What the latest step carries of such parts, in a history that is walked over: it is taken back and made again.
  private func carried(_ parts: [CarriedPart]) -> Archive.Carried? {
    let access = storage.access
    let parts = parts.filter { access.log.latestStepCarries($0.carrier) }.map(\.part)
    if parts.isEmpty { return nil }
    _ = access.log.stepBack(access.documentPointer) { _ in }
    let before = parts.map { Archive.Edit(valueOf: $0, access.document) }
    _ = access.log.stepForward(access.documentPointer) { _ in }
    return Archive.Carried(before: before, after: parts.map { Archive.Edit(valueOf: $0, access.document) })
  }

  /// The part of a name, or the whole document if that is nil.
  static func part(named name: String?) -> UndoPart<Value>? {
    guard let name else { return .whole }
    return Value.undoParts.first { $0.name == name }
  }
}

extension UndoHistory.Archive.Edit {
  /// The value that a document has of a part.
  init(valueOf part: UndoPart<Value>, _ document: Value) {
    self.part = part.name
    patch = part.patch(UndoEdit(.value, start: part.bytes.lowerBound, size: part.bytes.count), document)
  }

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
