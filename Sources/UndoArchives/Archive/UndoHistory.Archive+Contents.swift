internal import UndoHistories

// Writes and reads the contents of an archive as bytes: the steps with their labels and edits but not their times, the
// remote edits, and the restored values. Branches, origins and patches have files of their own.
// `docs/design/EditingSession.md` specifies the bytes.

extension UndoHistory.Archive.Contents {
  /// Writes the contents.
  ///
  ///     | document | known | names | saved | restored | undo | redo | branches | origins |
  ///
  /// An optional entry is written as 0 if it is missing. Otherwise its number or count is written plus one.
  func write(to writer: inout _UndoWriter) throws {
    var patches = _UndoPatchSequence<Value>()
    writer.write(document)
    if let known { known.write(to: &writer) } else { writer.write(0) }
    _UndoSchema().writeNames(of: Value.self, to: &writer)
    writer.write(saved.map { $0 + 1 } ?? 0)
    writer.write(restored.map { $0.count + 1 } ?? 0)
    for patch in restored ?? [] { try patches.write(patch, to: &writer) }
    for steps in [undo, redo] {
      writer.write(steps.count)
      for step in steps { try step.write(to: &writer, &patches) }
    }
    if let branches { try branches.write(to: &writer, &patches) } else { writer.write(0) }
    if let origins { origins.write(to: &writer) } else { writer.write(0) }
  }

  init(from reader: inout _UndoReader) throws {
    document = try reader.readNumber()
    known = try _UndoKnownDocument(from: &reader)
    reader.names = try _UndoNames(from: &reader)
    var patches = _UndoPatchSequence<Value>()
    let saved = try reader.readCount()
    self.saved = saved > 0 ? saved - 1 : nil
    let restored = try reader.readCount()
    if restored > 0 { self.restored = try patches.read(count: restored - 1, from: &reader) }
    undo = try reader.readAll { try .init(from: &$0, &patches) }
    redo = try reader.readAll { try .init(from: &$0, &patches) }
    branches = try .init(from: &reader, &patches, lineCount: count)
    origins = try _UndoArchivedOrigins(from: &reader, count, inBranches: branches?.stepCount ?? 0)
    guard !redo.contains(where: { $0.remoteEdit != nil }), hasIdentitiesOnce else { throw reader.damage }
  }

  var hasRemoteEdits: Bool { undo.contains { $0.remoteEdit != nil } }

  /// The number of steps, without remote edits.
  var count: Int { undo.count { $0.remoteEdit == nil } + redo.count }

  /// Whether each remote edit has an identity of its own.
  private var hasIdentitiesOnce: Bool {
    var identities = Set((origins?.entries ?? []).map(\.id))
    return undo.allSatisfy { step in
      step.remoteEdit.map { $0.id > 0 && $0.id < origins?.nextID ?? 0 && identities.insert($0.id).inserted } ?? true
    }
  }
}

extension UndoHistory.Archive.Step {
  /// Writes the step.
  ///
  ///     | head << 2 | label | identity | bits | edit | edit | ... | count | before | ... | after | ... |
  ///
  /// The head is the number of edits, shifted by three bits that say what follows: 1 a label, 2 restored values, 4 a
  /// remote edit, whose own bits are 1 if it blocks undo and 2 if it is the store's. A step that only continues the
  /// latest text is written as that patch alone.
  func write(to writer: inout _UndoWriter, _ patches: inout _UndoPatchSequence<Value>) throws {
    if edits.count == 1, label == nil, restored == nil, remoteEdit == nil, patches.isGoingOn(edits[0]) {
      return try patches.write(edits[0], to: &writer)
    }
    let bits = (label == nil ? 0 : 1) | (restored == nil ? 0 : 2) | (remoteEdit == nil ? 0 : 4)
    writer.write((edits.count << 3 | bits) << 2)
    if let label { writer.write(label) }
    if let remoteEdit {
      writer.write(remoteEdit.id)
      writer.write((remoteEdit.blocks ? 1 : 0) + (remoteEdit.isOfStore ? 2 : 0))
    }
    for patch in edits { try patches.write(patch, to: &writer) }
    guard let restored else { return }
    writer.write(restored.before.count)
    for patch in restored.before + restored.after { try patches.write(patch, to: &writer) }
  }

  init(from reader: inout _UndoReader, _ patches: inout _UndoPatchSequence<Value>) throws {
    let head = try reader.readHead()
    if head.bits != 0 {
      edits = [try patches.read(head: head, from: &reader)]
      return
    }
    let bits = head.count & 7
    label = bits & 1 == 0 ? nil : try reader.readText()
    if bits & 4 != 0 {
      let (id, bits) = (try reader.readNumber(), try reader.readCount())
      guard bits < 4 else { throw reader.damage }
      remoteEdit = .init(id: id, blocks: bits & 1 != 0, isOfStore: bits & 2 != 0)
    }
    edits = try patches.read(count: head.count >> 3, from: &reader)
    guard label == nil || remoteEdit == nil else { throw reader.damage }
    guard bits & 2 != 0 else { return }
    let count = try reader.readCount()
    restored = (try patches.read(count: count, from: &reader), try patches.read(count: count, from: &reader))
  }
}
