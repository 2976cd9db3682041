// The steps of an archive in the compact form, which is specified in `docs/design/EditingSession.md`.

extension UndoHistory.Archive.Form {
  init(_ steps: UndoHistory.Archive.Steps) throws {
    var pieces: [any Encodable] = []
    var writer = _UndoWriter { pieces.append($0) }
    _UndoSchema(of: Value.self).writeNames(to: &writer)
    try steps.write(to: &writer)
    (bytes, self.pieces) = (writer.bytes, pieces)
  }
}

extension UndoHistory.Archive.Steps {
  fileprivate func write(to writer: inout _UndoWriter) throws {
    writer.write(saved.map { $0 + 1 } ?? 0)
    writer.write(carried.map { $0.count + 1 } ?? 0)
    for patch in carried ?? [] { try patch.write(to: &writer) }
    for steps in [undo, redo] {
      writer.write(steps.count)
      for step in steps { try step.write(to: &writer) }
    }
  }

  init(from reader: inout _UndoReader) throws {
    let schema = _UndoSchema(of: Value.self)
    reader.names = try _UndoNames(from: &reader)
    let saved = try reader.readCount()
    self.saved = saved > 0 ? saved - 1 : nil
    let carried = try reader.readCount()
    if carried > 0 { self.carried = try reader.readPatches(carried - 1, schema) }
    for _ in 0..<(try reader.readCountOfBytes()) { undo.append(try .init(from: &reader, schema)) }
    for _ in 0..<(try reader.readCountOfBytes()) { redo.append(try .init(from: &reader, schema)) }
    guard reader.isAtEnd else { throw reader.damage }
  }
}

// What was absorbed stands beside the steps, with a digest of its own behind it, as origins do.
extension UndoHistory.Archive.Steps {
  var hasAbsorbed: Bool { undo.contains { $0.absorbed != nil } }

  /// How many steps there are; what was absorbed among those to undo is none.
  var count: Int { undo.count { $0.absorbed == nil } + redo.count }

  ///     | count | distance from the one before | id | 1 if it blocks, + 2 if it is of the store | ... | digest |
  var absorbedText: String {
    var writer = _UndoWriter { _ in }
    writer.write(undo.count { $0.absorbed != nil })
    var next = 0
    for (index, step) in undo.enumerated() {
      guard let absorbed = step.absorbed else { continue }
      writer.write(index - next)
      writer.write(absorbed.id)
      writer.write((absorbed.blocks ? 1 : 0) + (absorbed.isOfStore ? 2 : 0))
      next = index + 1
    }
    writer.writeDigest()
    return _UndoBase64.text(of: writer.bytes)
  }

  /// Whether each absorbed edit has an identity that no step has, nor one to come.
  var hasIdentitiesOnce: Bool {
    if !hasAbsorbed { return true }
    guard let origins else { return false }
    let steps = Set(origins.entries.map(\.id))
    return undo.allSatisfy { step in step.absorbed.map { $0.id < origins.nextID && !steps.contains($0.id) } ?? true }
  }

  /// Reads which of the steps are none, and says whether that is as it was written.
  mutating func readAbsorbed(_ text: String) throws -> Bool {
    guard let bytes = _UndoBase64.bytes(of: text) else { throw UndoFormError.damaged(offset: 0) }
    var reader = _UndoReader(bytes) { _ in throw UndoFormError.damaged(offset: 0) }
    var (next, identities): (Int, Set<UInt64>) = (0, [])
    for _ in 0..<(try reader.readCountOfBytes()) {
      let index = next + (try reader.readCount())
      let (id, bits) = (try reader.readNumber(), try reader.readCount())
      let absorbed = UndoHistory.Archive.Absorbed(id: id, blocks: bits & 1 != 0, isOfStore: bits & 2 != 0)
      guard bits < 4, index < undo.count, undo[index].label == nil, absorbed.id > 0, absorbed.id < 1 << 62,
        identities.insert(absorbed.id).inserted
      else { throw reader.damage }
      undo[index].absorbed = absorbed
      next = index + 1
    }
    return try reader.readDigest()
  }
}

extension UndoHistory.Archive.Step {
  /// Writes the step.
  ///
  ///     | edits << 2, carried values?, label? | label | edit | edit | ... | count | before | ... | behind | ... |
  func write(to writer: inout _UndoWriter) throws {
    writer.write(edits.count << 2 | (carried == nil ? 0 : 2) | (label == nil ? 0 : 1))
    if let label { writer.write(label) }
    for patch in edits { try patch.write(to: &writer) }
    guard let carried else { return }
    writer.write(carried.before.count)
    for patch in carried.before + carried.after { try patch.write(to: &writer) }
  }

  init(from reader: inout _UndoReader, _ schema: _UndoSchema) throws {
    let head = try reader.readCount()
    label = head & 1 == 0 ? nil : try reader.readText()
    edits = try reader.readPatches(head >> 2, schema)
    guard head & 2 != 0 else { return }
    let count = try reader.readCount()
    carried = .init(before: try reader.readPatches(count, schema), after: try reader.readPatches(count, schema))
  }
}

extension _UndoReader {
  fileprivate mutating func readPatches<Value: Codable>(
    _ count: Int, _ schema: _UndoSchema
  ) throws -> [_UndoPatch<Value>] {
    let form = schema.form(of: Value.self)
    var patches: [_UndoPatch<Value>] = []
    for _ in 0..<count { patches.append(try form.read(from: &self, type: 1, schema)) }
    return patches
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
