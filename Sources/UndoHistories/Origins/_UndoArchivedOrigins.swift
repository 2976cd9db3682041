/// Whose the steps of an archive are.
///
///     | count | name | ... | next id | id | link | origin, undoing? | id | link | origin, undoing? | ... |
///
/// They stand beside the steps, with a digest of their own behind them: a library that knows no origins reads the rest.
/// There is one entry for each step, oldest first. An origin is counted from 1, and 0 is none; behind it one bit says
/// whether the step undoes. `docs/design/EditingSession.md` specifies the numbers.
struct _UndoArchivedOrigins {
  let names: [UndoOrigin]
  let nextID: UInt64
  let entries: [_UndoOrigins.Entry]

  init(_ origins: _UndoOrigins, _ states: ClosedRange<Int>) {
    (names, nextID) = (origins.names, origins.nextID)
    entries = states.dropFirst().map { origins.entry($0) }
  }

  /// These and their digest, as a text that every encoder gives back.
  var text: String {
    var writer = _UndoWriter { _ in }
    write(to: &writer)
    writer.writeDigest()
    return _UndoBase64.text(of: writer.bytes)
  }

  /// Reads such a text, and says whether it is as it was made.
  static func read(_ text: String, stepCount: Int) throws -> (origins: _UndoArchivedOrigins, isIntact: Bool) {
    guard let bytes = _UndoBase64.bytes(of: text) else { throw UndoFormError.damaged(offset: 0) }
    var reader = _UndoReader(bytes) { _ in throw UndoFormError.damaged(offset: 0) }
    let origins = try _UndoArchivedOrigins(from: &reader, stepCount: stepCount)
    return (origins, try reader.readDigest())
  }

  private func write(to writer: inout _UndoWriter) {
    writer.write(names.count)
    for name in names { writer.write(name.rawValue) }
    writer.write(nextID)
    for entry in entries {
      writer.write(entry.id)
      writer.write(entry.link)
      writer.write(Int(entry.origin + 1) << 1 | (entry.isUndoing ? 1 : 0))
    }
  }

  /// - Throws: Where identities are given twice, or a step takes back one that was taken back, or a later one.
  private init(from reader: inout _UndoReader, stepCount: Int) throws {
    var names: [UndoOrigin] = []
    for _ in 0..<(try reader.readCountOfBytes()) { names.append(UndoOrigin(try reader.readText())) }
    nextID = try reader.readNumber()
    guard nextID < 1 << 62, names.count < 1 << 30, Set(names).count == names.count else { throw reader.damage }
    var entries: [_UndoOrigins.Entry] = []
    var (isUndoing, targets): ([UInt64: Bool], Set<UInt64>) = ([:], [])
    for _ in 0..<stepCount {
      var entry = _UndoOrigins.Entry(id: try reader.readNumber(), link: try reader.readNumber())
      let origin = try reader.readCount()
      (entry.origin, entry.isUndoing) = (Int32(truncatingIfNeeded: (origin >> 1) - 1), origin & 1 == 1)
      // What it takes back may be a step that a limit has dropped.
      guard entry.id > 0, entry.id < nextID, entry.link < nextID, origin >> 1 <= names.count,
        entry.link == 0 ? !entry.isUndoing : isUndoing[entry.link] != entry.isUndoing,
        isUndoing.updateValue(entry.isUndoing, forKey: entry.id) == nil, entry.link != entry.id,
        // Nor may a step that was taken back come later.
        !targets.contains(entry.id), entry.link == 0 || targets.insert(entry.link).inserted
      else { throw reader.damage }
      entries.append(entry)
    }
    (self.names, self.entries) = (names, entries)
  }
}

extension _UndoLog {
  /// Whose the steps are, for an archive.
  func archivedOrigins(from oldest: Int) -> _UndoArchivedOrigins? {
    origins.map { _UndoArchivedOrigins($0, oldest...state + redoCount) }
  }

  /// Gives the steps the origins that an archive has of them.
  mutating func restore(_ archived: _UndoArchivedOrigins) {
    changeExtras {
      $0.origins = _UndoOrigins(names: archived.names, nextID: archived.nextID, entries: archived.entries)
    }
  }
}
