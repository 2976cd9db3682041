// An archive where no encoder has to be: in bytes, as the log of a session has it.

extension UndoHistory.Archive {
  /// The archive in bytes.
  ///
  ///     | version | document | steps | branches | origins |
  ///
  ///     steps, branches  | bytes | ... | count | piece | ... | digest |      piece: | bytes | ... |
  ///     origins          | bytes | ... |
  ///
  /// Without branches or origins 0 stands there, and nothing behind it.
  ///
  /// - Parameter coding: Writes the pieces that have no compact form.
  package func bytes(_ coding: UndoPieceCoding) throws -> [UInt8] {
    var writer = _UndoWriter(coding)
    writer.write(Self.version)
    writer.write(document)
    try form.write(to: &writer, isAsItWasMade)
    if let form = steps.branches?.form { try form.write(to: &writer, true) } else { writer.write(0) }
    writer.write(bytes: steps.origins?.bytes ?? [])
    return writer.bytes
  }

  /// Reads an archive.
  ///
  /// - Throws: Also where a later version wrote it.
  package init(_ bytes: [UInt8], _ coding: UndoPieceCoding) throws(UndoFormError) {
    do {
      var reader = _UndoReader(bytes, coding)
      let version = try reader.readNumber()
      guard version <= Self.version else { throw UndoFormError.newer(version: version) }
      guard version == Self.version else { throw reader.damage }
      let document = try reader.readNumber()
      guard let steps = try Found.Section(from: &reader, coding) else { throw reader.damage }
      let branches = try Found.Section(from: &reader, coding)
      let origins = try reader.readBytes()
      guard reader.isAtEnd else { throw reader.damage }
      try self.init(
        Found(document: document, steps: steps, branches: branches, origins: origins.isEmpty ? nil : origins))
    } catch {
      throw error as? UndoFormError ?? .damaged(offset: 0)
    }
  }
}

extension UndoHistory.Archive.Form {
  /// The digest is of the bytes: what a later version of a type encodes of a piece is something else.
  fileprivate func write(to writer: inout _UndoWriter, _ isAsItWasMade: Bool) throws {
    let start = writer.bytes.count
    writer.write(bytes: bytes)
    writer.write(pieces.count)
    for piece in pieces { try writer.write(piece: piece) }
    let digest = _UndoDigest.ofBytes(writer.bytes[start...])
    writer.write(isAsItWasMade ? digest : ~digest)
  }
}

extension UndoHistory.Archive.Found.Section {
  /// Nil where 0 stands there.
  fileprivate init?(from reader: inout _UndoReader, _ coding: UndoPieceCoding) throws {
    let start = reader.offset
    let bytes = try reader.readBytes()
    if bytes.isEmpty { return nil }
    var pieces: [[UInt8]] = []
    for _ in 0..<(try reader.readCountOfBytes()) { pieces.append(try reader.readBytes()) }
    let digest = _UndoDigest.ofBytes(reader.bytes[start..<reader.offset])
    var next = pieces.makeIterator()
    self.init(bytes: bytes, digest: nil, isIntact: try reader.readNumber() == digest, fieldCoding: coding) { type in
      guard let piece = next.next() else { throw UndoFormError.damaged(offset: 0) }
      return try coding.decode(type, piece)
    }
  }
}
