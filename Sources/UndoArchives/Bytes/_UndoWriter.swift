/// Writes numbers, texts, bytes and pieces: values that an encoder of the caller writes (`UndoPieceCoding`, which is
/// defined here).
///
/// This folder writes values as bytes, reads them, and computes digests. Values of the standard library's types write
/// themselves (`_UndoCompact`). `docs/design/EditingSession.md` specifies the bytes.
struct _UndoWriter {
  var bytes: [UInt8] = []
  /// Writes pieces among the other bytes, each with its length; nil if they are collected instead.
  private let coding: UndoPieceCoding?
  private(set) var pieces: [any Encodable] = []

  init(_ coding: UndoPieceCoding? = nil) { self.coding = coding }

  /// Seven bits a byte, the lowest first; each byte but the last has its highest bit set (LEB128).
  mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    bytes.append(UInt8(truncatingIfNeeded: rest))
  }

  /// Writes an index, an offset or a count.
  mutating func write(_ count: Int) { write(UInt64(truncatingIfNeeded: count)) }

  mutating func write(_ text: String) { write(bytes: text.utf8) }

  /// Writes the number of bytes, then the bytes.
  mutating func write(bytes new: some Collection<UInt8>) {
    write(new.count)
    bytes += new
  }

  /// Writes the text between two UTF-8 offsets, which lie between scalars.
  mutating func write(_ text: String, utf8 range: Range<Int>) {
    write(range.count)
    text.append(utf8: range, to: &bytes)
  }

  mutating func write(piece: any Encodable) throws {
    if let coding { write(bytes: try coding.encode(piece)) } else { pieces.append(piece) }
  }
}

/// How values without a compact form are written: by an encoder that the caller provides.
package struct UndoPieceCoding: Sendable {
  let encode: @Sendable (any Encodable) throws -> [UInt8]
  let decode: @Sendable (any Decodable.Type, [UInt8]) throws -> any Decodable

  /// Creates a coding; the decoder must return exactly the value that the encoder has written.
  package init(
    encode: @escaping @Sendable (any Encodable) throws -> [UInt8],
    decode: @escaping @Sendable (any Decodable.Type, [UInt8]) throws -> any Decodable
  ) {
    (self.encode, self.decode) = (encode, decode)
  }
}
