internal import UndoHistories

/// A value that is written as itself.
///
/// Each takes a byte at least.
protocol _UndoCompact {
  func write(to writer: inout _UndoWriter)
  static func read(from reader: inout _UndoReader) throws -> Self
  /// How values of the type are written, in letters: by another shape they would be read as other values.
  static var shape: String { get }
}

/// How values of any type are written, in letters; none where an encoder has to.
func _undoShape<Value>(of type: Value.Type) -> String {
  if let type = type as? any _UndoCompact.Type { return type.shape }
  if let type = _UndoElementwise<Value>.self as? any _UndoMembered.Type { return type.shape }
  return (type as? any _UndoMembered.Type)?.shape ?? ""
}

/// How values of one type are written: as themselves, or as pieces that an encoder knows.
struct _UndoPieceForm<Piece: Codable> {
  private let compact: (any _UndoCompact.Type)?

  init() { compact = Piece.self as? any _UndoCompact.Type }

  func write(_ piece: Piece, to writer: inout _UndoWriter) throws {
    if compact != nil, let piece = piece as? any _UndoCompact {
      piece.write(to: &writer)
    } else {
      try writer.write(piece: piece)
    }
  }

  func read(from reader: inout _UndoReader) throws -> Piece {
    guard let compact else { return try reader.readPiece(Piece.self) }
    guard let piece = try compact.read(from: &reader) as? Piece else { throw reader.damage }
    return piece
  }
}

extension _UndoPieceForm where Piece: Equatable {
  /// Whether what is written of a piece is read as an equal one: another one is found nowhere, as one with an identity
  /// that is not encoded.
  ///
  /// Without a coding to ask that is believed.
  func givesBack(_ piece: Piece, _ coding: UndoPieceCoding?) -> Bool {
    guard compact == nil, let coding else { return true }
    guard let bytes = try? coding.encode(piece), let read = try? coding.decode(Piece.self, bytes) else { return false }
    return read as? Piece == piece
  }
}

// MARK: Numbers

extension _UndoCompact where Self: FixedWidthInteger {
  static var shape: String { isSigned ? "i" : "u" }

  /// Of signed numbers the sign is the lowest bit, so that small ones are short (zigzag).
  func write(to writer: inout _UndoWriter) {
    if Self.isSigned {
      let number = Int64(truncatingIfNeeded: self)
      writer.write(UInt64(bitPattern: number << 1 ^ number >> 63))
    } else {
      writer.write(UInt64(truncatingIfNeeded: self))
    }
  }

  static func read(from reader: inout _UndoReader) throws -> Self {
    let bits = try reader.readNumber()
    let number = isSigned ? Self(exactly: Int64(bitPattern: bits >> 1) ^ -Int64(bits & 1)) : Self(exactly: bits)
    guard let number else { throw reader.damage }
    return number
  }
}

extension Int: _UndoCompact {}
extension Int16: _UndoCompact {}
extension Int32: _UndoCompact {}
extension Int64: _UndoCompact {}
extension UInt: _UndoCompact {}
extension UInt16: _UndoCompact {}
extension UInt32: _UndoCompact {}
extension UInt64: _UndoCompact {}

extension UInt8: _UndoCompact {
  static var shape: String { "b" }
  func write(to writer: inout _UndoWriter) { writer.bytes.append(self) }
  static func read(from reader: inout _UndoReader) throws -> UInt8 { try reader.readByte() }
}

extension Int8: _UndoCompact {
  static var shape: String { "a" }
  func write(to writer: inout _UndoWriter) { writer.bytes.append(UInt8(bitPattern: self)) }
  static func read(from reader: inout _UndoReader) throws -> Int8 { Int8(bitPattern: try reader.readByte()) }
}

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

// All bits of a number, little endian.

extension _UndoWriter {
  mutating func write<Bits: FixedWidthInteger>(bits: Bits) {
    for shift in stride(from: 0, to: Bits.bitWidth, by: 8) { bytes.append(UInt8(truncatingIfNeeded: bits >> shift)) }
  }
}

extension _UndoReader {
  mutating func readBits<Bits: FixedWidthInteger>() throws -> Bits {
    var bits: Bits = 0
    for shift in stride(from: 0, to: Bits.bitWidth, by: 8) { bits |= Bits(try readByte()) << shift }
    return bits
  }
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

  /// Room is made as elements come, since the count may be a lie.
  static func read(from reader: inout _UndoReader) throws -> [Element] {
    let count = try reader.readCountOfBytes()
    var elements: [Element] = []
    for _ in 0..<count { elements.append(try Element.read(from: &reader)) }
    return elements
  }
}
