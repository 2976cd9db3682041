// The steps of an archive in the compact form, which is specified in `docs/design/EditingSession.md`.

extension UndoHistory.Archive.Form {
  init(_ steps: UndoHistory.Archive.Steps) throws {
    var pieces: [any Encodable] = []
    var writer = _UndoWriter { pieces.append($0) }
    let schema = _UndoSchema(of: Value.self)
    schema.writeNames(to: &writer)
    try steps.write(to: &writer, schema)
    (bytes, self.pieces) = (writer.bytes, pieces)
  }

  /// A digest of all of this.
  var digest: UInt64 {
    get throws {
      var sum = _UndoDigest.ofBytes(bytes)
      for piece in pieces {
        func digest(of piece: some Encodable) throws -> UInt64 { try _UndoDigest.of(piece) }
        sum = _UndoDigest.mix(sum, try digest(of: piece))
      }
      return sum
    }
  }
}

extension UndoHistory.Archive.Steps {
  fileprivate func write(to writer: inout _UndoWriter, _ schema: _UndoSchema) throws {
    var patches = _UndoPatchSequence<Value>(schema)
    writer.write(saved.map { $0 + 1 } ?? 0)
    writer.write(carried.map { $0.count + 1 } ?? 0)
    for patch in carried ?? [] { try patches.write(patch, to: &writer) }
    for steps in [undo, redo] {
      writer.write(steps.count)
      for step in steps { try step.write(to: &writer, &patches) }
    }
  }

  init(from reader: inout _UndoReader) throws {
    let schema = _UndoSchema(of: Value.self)
    reader.names = try _UndoNames(from: &reader)
    var patches = _UndoPatchSequence<Value>(schema)
    let saved = try reader.readCount()
    self.saved = saved > 0 ? saved - 1 : nil
    let carried = try reader.readCount()
    if carried > 0 { self.carried = try patches.read(count: carried - 1, from: &reader) }
    for _ in 0..<(try reader.readCountOfBytes()) { undo.append(try .init(from: &reader, &patches)) }
    for _ in 0..<(try reader.readCountOfBytes()) { redo.append(try .init(from: &reader, &patches)) }
    guard reader.isAtEnd, !redo.contains(where: { $0.absorbed != nil }) else { throw reader.damage }
  }

  var hasAbsorbed: Bool { undo.contains { $0.absorbed != nil } }

  /// How many steps there are; what was absorbed among those to undo is none.
  var count: Int { undo.count { $0.absorbed == nil } + redo.count }

  /// Whether each absorbed edit has an identity that no step has, nor another one, nor one to come.
  var hasIdentitiesOnce: Bool {
    if !hasAbsorbed { return true }
    guard let origins else { return false }
    var identities = Set(origins.entries.map(\.id))
    return undo.allSatisfy { step in
      step.absorbed.map { $0.id > 0 && $0.id < origins.nextID && identities.insert($0.id).inserted } ?? true
    }
  }
}

extension UndoHistory.Archive.Step {
  /// Writes the step.
  ///
  ///     | head << 2 | label | identity | bits | edit | edit | ... | count | before | ... | behind | ... |
  ///
  /// The head has the number of edits above three bits, of which the others say what of the rest is there: 1 a label,
  /// 2 carried values, 4 what an absorbed edit has, with 1 if that blocks and 2 if it is of the store. Where there is
  /// nothing but one edit that goes on in the latest text, the step is that patch.
  func write(to writer: inout _UndoWriter, _ patches: inout _UndoPatchSequence<Value>) throws {
    if edits.count == 1, label == nil, carried == nil, absorbed == nil, patches.isGoingOn(edits[0]) {
      return try patches.write(edits[0], to: &writer)
    }
    let bits = (label == nil ? 0 : 1) | (carried == nil ? 0 : 2) | (absorbed == nil ? 0 : 4)
    writer.write((edits.count << 3 | bits) << 2)
    if let label { writer.write(label) }
    if let absorbed {
      writer.write(absorbed.id)
      writer.write((absorbed.blocks ? 1 : 0) + (absorbed.isOfStore ? 2 : 0))
    }
    for patch in edits { try patches.write(patch, to: &writer) }
    guard let carried else { return }
    writer.write(carried.before.count)
    for patch in carried.before + carried.after { try patches.write(patch, to: &writer) }
  }

  init(from reader: inout _UndoReader, _ patches: inout _UndoPatchSequence<Value>) throws {
    let head = try reader.readHead()
    if head.bits != 0 {
      edits = [try patches.read(head: head, from: &reader)]
      return
    }
    let bits = head.count & 7
    label = bits & 1 == 0 ? nil : try reader.readText()
    if bits & 4 != 0 { absorbed = try .init(from: &reader) }
    edits = try patches.read(count: head.count >> 3, from: &reader)
    guard label == nil || absorbed == nil else { throw reader.damage }
    guard bits & 2 != 0 else { return }
    let count = try reader.readCount()
    carried = .init(
      before: try patches.read(count: count, from: &reader), after: try patches.read(count: count, from: &reader))
  }
}

extension UndoHistory.Archive.Absorbed {
  init(from reader: inout _UndoReader) throws {
    let (id, bits) = (try reader.readNumber(), try reader.readCount())
    guard bits < 4 else { throw reader.damage }
    self.init(id: id, blocks: bits & 1 != 0, isOfStore: bits & 2 != 0)
  }
}

// MARK: - Bytes in a text

/// Bytes as a text that every encoder gives back (RFC 4648), without padding.
enum _UndoBase64 {
  private static let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  static func text(of bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    text.reserveCapacity(bytes.count / 3 * 4 + 4)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for byte in bytes {
      bits = bits << 8 | UInt32(byte)
      count += 8
      while count >= 6 {
        count -= 6
        text.append(digits[Int(bits >> count & 0x3f)])
      }
    }
    if count > 0 { text.append(digits[Int(bits << (6 - count) & 0x3f)]) }
    return String(decoding: text, as: UTF8.self)
  }

  /// Nil for a text that is none of these.
  static func bytes(of text: String) -> [UInt8]? {
    var values = [UInt8](repeating: 0xff, count: 256)
    for (value, digit) in digits.enumerated() { values[Int(digit)] = UInt8(value) }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count / 4 * 3 + 3)
    var (bits, count): (UInt32, UInt32) = (0, 0)
    for digit in text.utf8 {
      let value = values[Int(digit)]
      guard value < 64 else { return nil }
      bits = bits << 6 | UInt32(value)
      count += 6
      if count >= 8 {
        count -= 8
        bytes.append(UInt8(truncatingIfNeeded: bits >> count))
      }
    }
    return bits & (1 << count - 1) == 0 ? bytes : nil
  }
}
