internal import UndoHistories

/// The origins and identities of archived steps: their bytes, how they are taken from a log, and how a log
/// restores them.
///
///     | count + 1 | name | ... | next id | id | link | origin, undoing? | id | link | origin, undoing? | ... |
///
/// `count` is the number of names; 0 in place of `count + 1` means that no origins were used. There is one entry for
/// each step, oldest first, and then one for each step in the branches. An origin is counted
/// from 1, and 0 means none; the lowest bit says whether the step undoes. `docs/design/EditingSession.md` specifies the
/// numbers.
struct _UndoArchivedOrigins {
  let names: [UndoOrigin]
  let nextID: UInt64
  let entries: [_UndoOrigins.Entry]

  func write(to writer: inout _UndoWriter) {
    writer.write(names.count + 1)
    for name in names { writer.write(name.rawValue) }
    writer.write(nextID)
    for entry in entries {
      writer.write(entry.id)
      writer.write(entry.link)
      writer.write(Int(entry.origin + 1) << 1 | (entry.isUndoing ? 1 : 0))
    }
  }
}

extension _UndoArchivedOrigins {
  /// Reads origins; nil if none was used.
  ///
  /// - Throws: If the bytes are damaged, if an identity occurs twice, or if a step undoes a later step or one that was
  ///   undone already.
  init?(from reader: inout _UndoReader, _ stepCount: Int, inBranches branchStepCount: Int) throws {
    let count = try reader.readCountOfBytes()
    if count == 0 { return nil }
    let names = try reader.readAll(count - 1) { UndoOrigin(rawValue: try $0.readText()) }
    let nextID = try reader.readNumber()
    guard nextID < 1 << 62, names.count < 1 << 30, Set(names).count == names.count else { throw reader.damage }
    var entries: [_UndoOrigins.Entry] = []
    var (isUndoing, targets): ([UInt64: Bool], Set<UInt64>) = ([:], [])
    for number in 0..<stepCount + branchStepCount {
      var entry = _UndoOrigins.Entry(id: try reader.readNumber(), link: try reader.readNumber())
      let origin = try reader.readCount()
      (entry.origin, entry.isUndoing) = (Int32(truncatingIfNeeded: (origin >> 1) - 1), origin & 1 == 1)
      // A limit may have dropped the step that this one undoes, so a link to an unknown identity is accepted.
      guard entry.id > 0, entry.id < nextID, entry.link < entry.id, origin >> 1 <= names.count,
        entry.link == 0 ? !entry.isUndoing : isUndoing[entry.link] != entry.isUndoing,
        isUndoing.updateValue(entry.isUndoing, forKey: entry.id) == nil,
        // The step that was undone can't come later.
        !targets.contains(entry.id) || number >= stepCount,
        // A step may be undone once in the history, and again on a branch.
        entry.link == 0 || number >= stepCount || targets.insert(entry.link).inserted
      else { throw reader.damage }
      entries.append(entry)
    }
    self.init(names: names, nextID: nextID, entries: entries)
  }
}

extension _UndoLog {
  /// The origins of the steps, for an archive.
  func archivedOrigins(from oldest: Int, inBranches: [_UndoOrigins.Entry]) -> _UndoArchivedOrigins? {
    origins.map { origins in
      var extras = extras[0]
      let entries = (oldest...records.newestState).dropFirst().map { extras.identity($0, records) }
      return _UndoArchivedOrigins(names: origins.names, nextID: origins.nextID, entries: entries + inBranches)
    }
  }

  /// Restores the origins of the steps from an archive.
  mutating func restore(_ archived: _UndoArchivedOrigins) {
    let lineCount = records.newestState
    changeExtras {
      let hasLinks = archived.entries.contains { $0.link != 0 }
      $0.origins = _UndoOrigins(names: archived.names, nextID: archived.nextID, hasLinks: hasLinks)
      $0.steps.identities = _UndoColumn(archived.entries.prefix(lineCount))
    }
    extras[0].setIdentitiesInBranches(archived.entries.dropFirst(lineCount))
  }
}
