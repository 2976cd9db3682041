/// A value that is written and read without an encoder, in at least one byte: a number, a Boolean, a text, or an array
/// or optional of these.
///
/// Values of any type are written and read here, too: those of other types as pieces, by an encoder.
protocol _UndoCompact {
  func write(to writer: inout _UndoWriter)
  static func read(from reader: inout _UndoReader) throws -> Self
  /// How values of the type are written, in letters: for example, `*s` for `[String]`. Values of different shapes can't
  /// be read as each other.
  static var shape: String { get }
}

extension UndoPieceCoding {
  /// Whether values of a type consist only of numbers, Booleans and texts, in arrays and optionals.
  package static func isCompact(_ type: Any.Type) -> Bool { type is any _UndoCompact.Type }
}

// A compact value writes itself; an encoder writes any other value, as a piece.

extension _UndoWriter {
  mutating func write<Value: Codable>(value: Value) throws {
    guard let type = Value.self as? any _UndoCompact.Type else { return try write(piece: value) }
    // A cast of the value to the protocol would look the conformance up again, and would unwrap an optional.
    func writeCompact<Compact: _UndoCompact>(as type: Compact.Type) { (value as! Compact).write(to: &self) }
    writeCompact(as: type)
  }

  /// Writes all bits of a number, little endian.
  mutating func write<Bits: FixedWidthInteger>(bits: Bits) {
    for shift in stride(from: 0, to: Bits.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
  }
}

extension _UndoReader {
  mutating func readValue<Value: Codable>(_ type: Value.Type = Value.self) throws -> Value {
    guard let compact = type as? any _UndoCompact.Type else { return try readPiece(type) }
    guard let value = try compact.read(from: &self) as? Value else { throw damage }
    return value
  }

  mutating func readBits<Bits: FixedWidthInteger>() throws -> Bits {
    var bits: Bits = 0
    for shift in stride(from: 0, to: Bits.bitWidth, by: 8) { bits |= Bits(try readByte()) << shift }
    return bits
  }
}

// MARK: Numbers

extension _UndoCompact where Self: FixedWidthInteger {
  static var shape: String { bitWidth == 8 ? isSigned ? "a" : "b" : isSigned ? "i" : "u" }

  /// Writes a byte as it is; and the sign of any other signed number as the lowest bit, so that small numbers are short
  /// (zigzag).
  func write(to writer: inout _UndoWriter) {
    if Self.bitWidth == 8 {
      writer.bytes.append(UInt8(truncatingIfNeeded: self))
    } else if Self.isSigned {
      let number = Int64(truncatingIfNeeded: self)
      writer.write(UInt64(bitPattern: number << 1 ^ number >> 63))
    } else {
      writer.write(UInt64(truncatingIfNeeded: self))
    }
  }

  static func read(from reader: inout _UndoReader) throws -> Self {
    if bitWidth == 8 { return Self(truncatingIfNeeded: try reader.readByte()) }
    let bits = try reader.readNumber()
    let number = isSigned ? Self(exactly: Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1)) : Self(exactly: bits)
    guard let number else { throw reader.damage }
    return number
  }
}

extension Int: _UndoCompact {}
extension Int8: _UndoCompact {}
extension Int16: _UndoCompact {}
extension Int32: _UndoCompact {}
extension Int64: _UndoCompact {}
extension UInt: _UndoCompact {}
extension UInt8: _UndoCompact {}
extension UInt16: _UndoCompact {}
extension UInt32: _UndoCompact {}
extension UInt64: _UndoCompact {}

extension Bool: _UndoCompact {
  static var shape: String { "o" }
  func write(to writer: inout _UndoWriter) { writer.bytes.append(self ? 1 : 0) }

  static func read(from reader: inout _UndoReader) throws -> Bool {
    let byte = try reader.readByte()
    guard byte <= 1 else { throw reader.damage }
    return byte == 1
  }
}

extension Double: _UndoCompact {
  static var shape: String { "d" }
  func write(to writer: inout _UndoWriter) { writer.write(bits: bitPattern) }
  static func read(from reader: inout _UndoReader) throws -> Double { Double(bitPattern: try reader.readBits()) }
}

extension Float: _UndoCompact {
  static var shape: String { "f" }
  func write(to writer: inout _UndoWriter) { writer.write(bits: bitPattern) }
  static func read(from reader: inout _UndoReader) throws -> Float { Float(bitPattern: try reader.readBits()) }
}

// MARK: Texts

extension String: _UndoCompact {
  static var shape: String { "s" }
  func write(to writer: inout _UndoWriter) { writer.write(self) }
  static func read(from reader: inout _UndoReader) throws -> String { try reader.readText() }
}

// MARK: Values in values

extension Optional: _UndoCompact where Wrapped: _UndoCompact {
  static var shape: String { "?" + Wrapped.shape }
  func write(to writer: inout _UndoWriter) {
    writer.bytes.append(self == nil ? 0 : 1)
    self?.write(to: &writer)
  }

  static func read(from reader: inout _UndoReader) throws -> Wrapped? {
    try Bool.read(from: &reader) ? try Wrapped.read(from: &reader) : nil
  }
}

extension Array: _UndoCompact where Element: _UndoCompact {
  static var shape: String { "*" + Element.shape }
  func write(to writer: inout _UndoWriter) {
    writer.write(count)
    for element in self { element.write(to: &writer) }
  }

  static func read(from reader: inout _UndoReader) throws -> [Element] { try reader.readAll { try .read(from: &$0) } }
}
