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

extension UndoHistory.Archive.Step {
  /// Writes the step.
  ///
  ///     | edits << 2, carried values?, label? | label | edit | edit | ... | count | before | ... | behind | ... |
  fileprivate func write(to writer: inout _UndoWriter) throws {
    writer.write(edits.count << 2 | (carried == nil ? 0 : 2) | (label == nil ? 0 : 1))
    if let label { writer.write(label) }
    for patch in edits { try patch.write(to: &writer) }
    guard let carried else { return }
    writer.write(carried.before.count)
    for patch in carried.before + carried.after { try patch.write(to: &writer) }
  }

  fileprivate init(from reader: inout _UndoReader, _ schema: _UndoSchema) throws {
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
