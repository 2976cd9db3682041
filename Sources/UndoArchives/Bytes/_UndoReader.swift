/// Reads numbers, texts, bytes and pieces from what a `_UndoWriter` wrote.
///
/// All bytes may be damaged or forged, so each method checks what it reads, and throws a `UndoFormError`, which is
/// defined here. Values are read in `_UndoCompact`, and patches by the coders. `docs/design/EditingSession.md`
/// specifies the bytes.
struct _UndoReader {
  private(set) var bytes: [UInt8]
  private(set) var offset = 0
  /// The nesting depth of the value that is being read.
  private var depth = 0
  /// The names of the parts by their numbers in these bytes.
  var names = _UndoNames()
  /// The parts that the types have now.
  var schema = _UndoSchema()
  /// How pieces among the bytes are written.
  let coding: UndoPieceCoding?
  /// Returns the next value without a compact form, unless it is a field's; nil if such values are among the bytes.
  private var nextPiece: ((any Decodable.Type) throws -> any Decodable)?

  init(_ bytes: [UInt8], _ coding: UndoPieceCoding?, nextPiece: ((any Decodable.Type) throws -> any Decodable)? = nil) {
    (self.bytes, self.coding, self.nextPiece) = (bytes, coding, nextPiece)
  }

  /// The error for damage at the current offset.
  var damage: UndoFormError { .damaged(offset: offset) }

  var isAtEnd: Bool { offset == bytes.count }

  /// How deep values may be nested, so that forged bytes can't overflow the stack; `JSONDecoder` has the same limit.
  static let deepest = 512

  /// A reader of other bytes, with the same names.
  func inside(_ bytes: [UInt8]) -> _UndoReader {
    var reader = self
    (reader.bytes, reader.offset, reader.nextPiece) = (bytes, 0, nil)
    return reader
  }

  /// Reads a nested value.
  mutating func nest<Value>(_ body: (inout Self) throws -> Value) throws -> Value {
    guard depth < Self.deepest else { throw damage }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  mutating func readByte() throws -> UInt8 {
    guard offset < bytes.count else { throw damage }
    defer { offset += 1 }
    return bytes[offset]
  }

  mutating func readNumber() throws -> UInt64 {
    var (number, shift): (UInt64, UInt64) = (0, 0)
    while true {
      let byte = try readByte()
      guard shift < 63 || byte <= 1 else { throw damage }
      number |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 { return number }
      shift += 7
    }
  }

  /// Reads an index, an offset or a count, which is at most 2^48.
  mutating func readCount() throws -> Int {
    let number = try readNumber()
    guard number <= UInt64(Int.largestUndoCount) else { throw damage }
    return Int(number)
  }

  /// Reads a count, with two low bits that say what follows.
  mutating func readHead() throws -> (count: Int, bits: Int) {
    let number = try readNumber()
    guard number >> 2 <= UInt64(Int.largestUndoCount) else { throw damage }
    return (Int(number >> 2), Int(number & 3))
  }

  /// Reads the number of items that follow, each of which takes at least one byte.
  mutating func readCountOfBytes() throws -> Int {
    let count = try readCount()
    guard count <= bytes.count - offset else { throw damage }
    return count
  }

  /// Reads a number of items; without a count, it reads the count first, and each item takes at least one byte.
  ///
  /// It doesn't reserve memory, because the count may be wrong.
  mutating func readAll<Element>(_ count: Int? = nil, _ read: (inout Self) throws -> Element) throws -> [Element] {
    var elements: [Element] = []
    for _ in 0..<(try count ?? readCountOfBytes()) { elements.append(try read(&self)) }
    return elements
  }

  mutating func readBytes() throws -> [UInt8] {
    let count = try readCountOfBytes()
    defer { offset += count }
    return Array(bytes[offset..<offset + count])
  }

  mutating func readText() throws -> String { try readText(byteCount: readCountOfBytes()) }

  mutating func readText(byteCount count: Int) throws -> String {
    guard count <= bytes.count - offset else { throw damage }
    let slice = bytes[offset..<offset + count]
    let text = String(decoding: slice, as: UTF8.self)
    // Invalid UTF-8 was replaced while decoding.
    guard text.utf8.count == count, text.utf8.elementsEqual(slice) else { throw damage }
    offset += count
    return text
  }

  mutating func readPiece<Piece: Decodable>(_ type: Piece.Type) throws -> Piece {
    let piece: Any? = if let nextPiece { try nextPiece(type) } else { try? coding?.decode(type, readBytes()) }
    guard let piece, let piece = piece as? Piece else { throw damage }
    return piece
  }
}

extension Int {
  /// The largest offset or count in bytes; a sum of four of them fits into an `Int`, even of 32 bits.
  static var largestUndoCount: Int { Swift.min(Int(clamping: 1 << 48 as Int64), .max / 4) }
}

/// Why bytes couldn't be read, or don't fit their history.
package enum UndoFormError: Error, Hashable, Sendable, CustomStringConvertible {
  /// A later version wrote them.
  case newer(version: UInt64)
  /// An earlier version wrote them, which this one can't read.
  case older(version: UInt64)
  /// They are damaged, or don't fit the document.
  case damaged(offset: Int)

  /// The error of a patch that doesn't fit the document.
  static var unfit: UndoFormError { .damaged(offset: 0) }

  /// Throws if this library writes another version than the given one.
  static func check(_ version: UInt64, is own: UInt64) throws(UndoFormError) {
    if version > own { throw .newer(version: version) }
    if version < own { throw .older(version: version) }
  }

  /// Whether the bytes may be intact.
  package var isOfAnotherVersion: Bool { if case .damaged = self { false } else { true } }

  package var description: String {
    switch self {
    case .newer(let version):
      "the steps were written by a newer version of this library (version \(version) of the format); update it"
    case .older(let version):
      "the steps were written by an older version of this library (version \(version) of the format), which this one "
        + "can't read"
    case .damaged(let offset): "the bytes at \(offset) aren't edits of this document"
    }
  }
}
