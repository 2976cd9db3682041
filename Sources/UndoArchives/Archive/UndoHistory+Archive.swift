public import UndoHistories

extension UndoHistory where Value: UndoArchivable {
  /// What a file needs to have these steps again: ``restoreSteps(from:)``.
  ///
  /// The steps, the saved point and what the steps carry are in it; ``limit``, ``coalescing``, times and saves in
  /// flight are not. A step that is open is in it as if it had ended. Where ``branches`` are kept, so are they.
  ///
  /// A carried value (``carry(_:)``) is in it where one of the ``UndoArchivable/undoParts`` is that very property.
  ///
  /// For an edit of a property that is in none of them, where there are origins or something was absorbed, all of the
  /// document is in it.
  ///
  /// - Throws: ``UndoArchiveError/unnamedPart(step:)`` where there are none, or what encoding the document throws.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold.
  public func archive() throws -> Archive { try archive(keepsWhole: false) }

  /// Puts the steps of an archive in the place of this history's own.
  ///
  /// The document must be in the state in which it was when the archive was made; it stays as it is. So do ``limit``,
  /// which the steps are cut to, ``coalescing`` and ``branches``, without which those of the archive stay out. The
  /// saved point is the archive's: where the store has the document as it is now, call ``markSaved()`` after this.
  /// Saves in flight are out of date by that: an answer to one of them is refused.
  ///
  /// The document may be of a later version of its type, which encodes it in another way: with a property that is new,
  /// gone, or a number of another kind. Then those of the ``UndoArchivable/undoParts`` have to be as they were that
  /// both versions write alike, also within elements; a type that names none has to be as it was. Steps that edited a
  /// part which is gone are still there, and do nothing. Where one does not fit any more, it and all that lie beyond it
  /// are left out.
  ///
  /// - Throws: ``UndoArchiveError/changed`` where the archive did not come back as it was made, or has values of a
  ///   type without names that encodes them in another way now,
  ///   ``UndoArchiveError/otherDocument`` where the document is another one, ``UndoArchiveError/damaged`` where the
  ///   edits do not fit it, or what encoding the document throws. The history is then as it was.
  /// - Complexity: As undoing and redoing every step, and encoding the document and what the steps hold. Where branches
  ///   are kept, O(*b*²) besides for *b* branches.
  public mutating func restoreSteps(from archive: Archive) throws { try restore(archive) }
}

extension UndoHistory.Archive where Value: Codable {
  /// Whether the steps belong to this document, whatever that carries.
  package func belongs(to document: Value) throws -> Bool {
    try digest(of: document) == contents.document
  }

  /// A digest of a document as it would be with the carried values of this.
  fileprivate func digest(of document: Value) throws -> UInt64 { try _UndoDigest.of(withCarriedValues(document)) }

  /// Whether the steps belong to a document that an earlier version of its type has encoded.
  fileprivate func belongs(toLater document: Value) throws -> Bool {
    guard let known = contents.known else { return false }
    return try _UndoKnownDocument(withCarriedValues(document)).isSame(as: known)
  }

  private func withCarriedValues(_ document: Value) throws -> Value {
    guard let carried = contents.carried else { return document }
    var history = UndoHistory(initialValue: document)
    try history.perform(carried, nil)
    return history.currentItem
  }

  /// Without the oldest steps, from this one of those to undo on; without any, where more than steps goes by their
  /// number.
  ///
  /// - Returns: How many are away.
  fileprivate static func cut(_ steps: inout Contents, to count: Int) -> Int {
    let kept = steps.hasAbsorbed || steps.origins != nil || steps.branches != nil ? 0 : count
    let lost = steps.undo[kept...].count { $0.absorbed == nil }
    if kept < count { steps.redo = [] }
    steps.saved = steps.saved.flatMap { $0 < lost ? nil : $0 - lost }
    steps.undo.removeSubrange(kept...)
    (steps.origins, steps.branches) = (nil, nil)
    return lost
  }
}

extension UndoHistory where Value: Codable {
  /// Whether two documents encode the same, in whatever order their sets and dictionaries have the contents.
  package static func encodeTheSame(_ one: Value, _ other: Value) throws -> Bool {
    try _UndoDigest.of(one) == _UndoDigest.of(other)
  }

  /// What ``restore(_:)`` needs to have these steps again.
  ///
  /// - Parameters:
  ///   - keepsWhole: Whether the whole document is kept for an edit outside of all parts.
  ///   - coding: With one, such an edit is kept as one of the smallest stored property that has all of it, where that
  ///     is encoded by its name. Only the bytes of the archive can be read then.
  package func archive(keepsWhole: Bool, fields coding: UndoPieceCoding? = nil) throws -> Archive {
    var copy = self
    copy.separate()
    let access = copy.storage.access
    access.log.settle()
    // What was absorbed may have become part of a step, by which an edit of the whole document was one of parts.
    let keepsWhole = keepsWhole || access.hasOrigins
    let absorbed = access.log.takeAbsorbed()
    let (undoCount, redoCount) = (access.log.counts.undo, access.log.redoCount)
    let known = coding == nil ? try _UndoKnownDocument(currentItem) : nil
    var steps = Archive.Contents(document: try _UndoDigest.of(currentItem), known: known)
    let parts = carriedParts(of: access.log.carriers)
    let schema = _UndoSchema(of: Value.self, fields: coding)
    if !parts.isEmpty { steps.carried = parts.map { $0.part.patch($0.number, of: currentItem) } }
    steps.undo = try copy.transcript(.back, undoCount, from: undoCount - 1, parts, schema, keepsWhole, absorbed)
    steps.redo = try copy.transcript(.forward, redoCount, from: undoCount, parts, schema, keepsWhole)
    let oldest = access.log.state - undoCount
    steps.saved = access.log.saves.saved.exact.flatMap { $0 < oldest ? nil : $0 - oldest }
    if access.log.keepsBranches { steps.branches = try copy.archivedBranches(parts, schema, keepsWhole, absorbed) }
    steps.origins = access.log.archivedOrigins(from: oldest, steps.branches)
    return try Archive(steps, fields: coding)
  }

  /// Puts the steps of an archive in the place of this history's own, as ``restoreSteps(from:)``.
  ///
  /// - Parameters:
  ///   - carriesAsArchived: Whether it carries what the archived history did, and not what this one does.
  ///   - isOfDocument: Whether the archive is known to belong to the document, which an earlier version of its type may
  ///     have encoded. What fits it no more is left out then, with all steps before.
  /// - Returns: How many of the oldest steps were left out, and how many behind the saved point edited a part that the
  ///   document no longer has.
  @discardableResult
  package mutating func restore(
    _ archive: Archive, carryingAsArchived carriesAsArchived: Bool = false, isOfDocument: Bool = false
  ) throws -> (missingCount: Int, lostCount: Int) {
    guard archive.isAsItWasMade else { throw UndoArchiveError.changed }
    var (steps, missingCount, lostCount) = (archive.contents, 0, 0)
    let unsavedCount = steps.count - steps.redo.count - (steps.saved ?? 0)
    let document = try archive.digest(of: currentItem)
    let isExact = document == steps.document
    guard try isExact || isOfDocument || archive.belongs(toLater: currentItem) else {
      throw UndoArchiveError.otherDocument
    }

    let carriers = carriesAsArchived ? carriers(asIn: steps.carried) : storage.access.log.carriers
    let parts = carriedParts(of: carriers)
    // The way back, made as edits: what undoes them are the steps that lead here from the oldest state.
    var back = UndoHistory(initialValue: currentItem)
    for (index, step) in steps.undo.enumerated() {
      do {
        let isLost = try back.perform(step, carrying: [])
        let isUnsaved = isLost && steps.undo[...index].count { $0.absorbed == nil } <= unsavedCount
        if isUnsaved, step.absorbed == nil { lostCount += 1 }
      } catch {
        if isExact { throw error }
        missingCount = Archive.cut(&steps, to: index)
        break
      }
    }
    if steps.undo.isEmpty { back = UndoHistory(initialValue: currentItem) }
    let schema = _UndoSchema(of: Value.self, fields: archive.fieldCoding)
    var forward = try back.transcript(.back, back.undoCount, from: 0, [], schema, true)
    if forward.count == steps.undo.count {
      for (index, step) in steps.undo.reversed().enumerated() {
        (forward[index].carried, forward[index].absorbed) = (step.carried, step.absorbed)
      }
    } else if steps.hasAbsorbed {
      throw UndoArchiveError.damaged
    }
    var restored = UndoHistory(initialValue: back.currentItem)
    var layers: [_UndoAbsorbed.Layer] = []
    restored.branches = branches
    var branching = branches == .kept ? steps.branches.map { Branching($0, parts) } : nil
    try branching?.addBranches(to: &restored)
    for (index, step) in forward.enumerated() {
      if let absorbed = step.absorbed {
        try restored.absorb(step, absorbed, into: &layers)
      } else {
        try restored.perform(step, carrying: parts)
        restored.storage.access.log.didRecordStep(above: &layers)
      }
      // What blocks is in the branches that leave there.
      let next = index + 1 < forward.count ? forward[index + 1].absorbed : nil
      if next?.blocks != true { try branching?.addBranches(to: &restored) }
    }
    let position = restored.undoCount
    for step in steps.redo {
      do { try restored.perform(step, carrying: parts) } catch {
        if isExact || steps.branches != nil { throw error }
        break
      }
      try branching?.addBranches(to: &restored)
    }
    restored.go(to: position)
    guard try archive.digest(of: restored.currentItem) == document else { throw UndoArchiveError.damaged }

    let count = steps.count
    let isComplete = restored.undoCount + restored.redoCount == count
    guard isComplete && layers.allSatisfy({ $0.blocks || $0.state < position }) || layers.isEmpty else {
      throw UndoArchiveError.damaged
    }
    restored.storage.access.log.saves.saved.state = steps.saved.flatMap { isComplete && (0...count) ~= $0 ? $0 : nil }
    try branching?.end(in: &restored)
    if isComplete, let origins = steps.origins { restored.storage.access.log.restore(origins) }
    restored.storage.access.log.putAbsorbed(layers)
    restored.storage.access.log.forgetTypes()
    for carrier in carriers { restored.carry(carrier) }
    restored.keepTime(by: storage.access.log.extras.first?.now)
    restored.coalescing = coalescing
    restored.limit = limit
    ensureUnique()
    swap(&storage.access.log, &restored.storage.access.log)
    storage.access.log.rebind(to: storage.access.documentPointer)
    return (missingCount, lostCount)
  }

  /// Makes a step one of this history, which carries those of the parts that the step does, from then on.
  ///
  /// - Returns: Whether an edit of it is lost.
  @discardableResult
  mutating func perform(_ step: Archive.Step, carrying parts: [CarriedPart]) throws -> Bool {
    func values(_ edits: [_UndoPatch]?) -> [_UndoPatch] {
      edits?.filter { edit in parts.contains { $0.number == edit.number } } ?? []
    }
    for part in parts where step.carried?.before.contains(where: { $0.number == part.number }) == true {
      carry(part.carrier)
    }
    try perform(values(step.carried?.before), nil)
    // What is assigned next belongs to the next step.
    defer { storage.access.log.settle() }
    return try perform(step.edits + values(step.carried?.after), step.label)
  }

  /// Makes edits a step of this history.
  ///
  /// It is one also where they leave the document as it was: what was a step when it was archived is one again.
  ///
  /// - Returns: Whether an edit of it is lost.
  @discardableResult
  fileprivate mutating func perform(_ edits: [_UndoPatch], _ label: String?) throws -> Bool {
    ensureUnique()
    let access = storage.access
    var isLost = false
    var editor = Editor(access, _UndoRoot(), offset: 0)
    try editor.transaction(label, asItIs: true) { _ in
      for edit in edits {
        // What was a record of its own is one again, so that the same commutes with it.
        access.log.coalescing.canJoin = false
        do {
          let edit = try edit.understood(in: access.document, carrying: access.log.carriers)
          isLost = try edit.apply(in: access) || isLost
        } catch let error where error is _UndoMisfit || error is UndoFormError {
          throw UndoArchiveError.damaged
        }
      }
    }
    return isLost
  }

  /// What so many steps do, in a walk over this history.
  private func transcript(
    _ direction: Direction, _ count: Int, from number: Int, _ parts: [CarriedPart], _ schema: _UndoSchema,
    _ keepsWhole: Bool, _ absorbed: [_UndoAbsorbed.Layer] = []
  ) throws -> [Archive.Step] {
    var copy = self
    copy.separate()
    var steps: [Archive.Step] = []
    steps.reserveCapacity(count)
    var layers = absorbed
    for index in 0..<count {
      steps += copy.takeBack(&layers, schema)
      steps.append(
        try copy.take(
          direction, number: direction == .back ? number - index : number + index, parts, schema, keepsWhole))
    }
    return steps
  }

  /// Takes a step, and keeps what it does.
  mutating func take(
    _ direction: Direction, number: Int, _ parts: [CarriedPart], _ schema: _UndoSchema, _ keepsWhole: Bool
  ) throws -> Archive.Step {
    let isBack = direction == .back
    var step = Archive.Step(edits: [])
    if isBack { step.carried = carried(parts) }
    guard follow(direction, into: &step, schema) || keepsWhole else {
      throw UndoArchiveError.unnamedPart(step: number)
    }
    if !isBack { step.carried = carried(parts) }
    return step
  }

  /// Takes back what was absorbed above the step before the position, and returns what that did.
  func takeBack(_ layers: inout [_UndoAbsorbed.Layer], _ schema: _UndoSchema) -> [Archive.Step] {
    guard let layer = layers.last, layer.state == storage.access.log.state else { return [] }
    layers.removeLast()
    return layer.edits.reversed().map { takeBack($0, layer, schema) }
  }

  /// Takes an absorbed edit back, and returns what that did: to the whole document where no part has all of it.
  private func takeBack(
    _ edit: _UndoAbsorbed.Edit, _ layer: _UndoAbsorbed.Layer, _ schema: _UndoSchema
  ) -> Archive.Step {
    let access = storage.access
    var step = Archive.Step(edits: [], absorbed: .init(id: edit.id, blocks: layer.blocks, isOfStore: edit.isOfStore))
    let (copy, bytes) = (edit.copy(), access.log.counts.bytes)
    defer { access.log.counts.bytes = bytes }
    for record in copy.recordsInside.reversed() {
      let operations = copy.records.operations.table
      let (operation, offset) = (record.header.operation, record.header.argument)
      let document = access.documentPointer
      access.withLog { log in unsafe operations.exchange(operation, record.payload, offset, document, &log) }
      let edit = operations.edit(of: record).inverted
      step.edits.append(_UndoPatch(edit, of: access.documentPointer, schema.coder(of: Value.self), schema))
    }
    return step
  }

  /// Makes an absorbed edit, which is to lie above the steps of now.
  private mutating func absorb(
    _ step: Archive.Step, _ absorbed: Archive.Absorbed, into layers: inout [_UndoAbsorbed.Layer]
  ) throws {
    let access = storage.access
    var own = access.withLog { $0.beginAbsorbing(_UndoLog(for: Value.self)) }
    defer { access.withLog { $0.endAbsorbing(&own, isSaved: nil) } }
    try perform(step.edits, nil)
    guard var edit = _UndoAbsorbed.Edit(id: absorbed.id, access.log) else { throw UndoArchiveError.damaged }
    edit.isOfStore = absorbed.isOfStore
    if layers.last?.state == own.state {
      guard layers[layers.count - 1].blocks == absorbed.blocks else { throw UndoArchiveError.damaged }
      layers[layers.count - 1].edits.append(edit)
    } else {
      guard own.state > own.oldestState else { throw UndoArchiveError.damaged }
      layers.append(.init(state: own.state, start: own.endOfLatestRecord, edits: [edit], blocks: absorbed.blocks))
    }
  }

  /// Takes a step, and keeps what each of its edits did, while the document is as that edit left it.
  ///
  /// False where no part has all of what an edit changed.
  private func follow(_ direction: Direction, into step: inout Archive.Step, _ schema: _UndoSchema) -> Bool {
    let access = storage.access
    var isNamed = true
    step.label = follow(direction) { header in
      let edit = access.log.latestEdit(header)
      let patch = _UndoPatch(edit, of: access.documentPointer, schema.coder(of: Value.self), schema)
      isNamed = isNamed && (patch.number > 0 || edit.bytes == 0..<MemoryLayout<Value>.size)
      step.edits.append(patch)
    }
    return isNamed
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
