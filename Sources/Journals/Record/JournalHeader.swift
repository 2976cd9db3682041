/// The beginning of a journal's file.
///
///     "UNSAVEDJ" 8 │ version 4 │ writer 8 │ identity 8 │ checksum 4
///
/// Later versions keep this form, so that this one does not take them for damage.
package struct JournalHeader: Hashable, Sendable {
  package static let byteCount = 32
  private static let signature = Array("UNSAVEDJ".utf8)
  private static let version: UInt32 = 1

  /// The writer that the journal belongs to, through all its files.
  package let writer: UInt64
  /// The file among those of the journal.
  package let identity: UInt64

  package init(writer: UInt64, identity: UInt64) {
    self.writer = writer
    self.identity = identity
  }

  package var bytes: [UInt8] {
    var bytes = Self.signature
    bytes.append(littleEndian: Self.version)
    bytes.append(littleEndian: writer)
    bytes.append(littleEndian: identity)
    bytes.append(littleEndian: Checksum.value(of: bytes[...]))
    return bytes
  }

  /// Reads the header of a file; nil where it is damaged.
  init?(in bytes: [UInt8]) throws(JournalRefusal) {
    guard bytes.count >= Self.byteCount, bytes.starts(with: Self.signature),
      bytes[...].integer(at: 28) == Checksum.value(of: bytes[..<28])
    else { return nil }
    let version: UInt32 = bytes[...].integer(at: 8)
    guard version == Self.version else { throw .newerVersion }
    self.init(writer: bytes[...].integer(at: 12), identity: bytes[...].integer(at: 20))
  }

  /// Whether a file that begins so may be a journal, if perhaps a damaged one.
  ///
  /// The header is there, or what is behind it, or a device has lost the beginning and gives zeros.
  static func canBegin(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(byteCount)
    return head.starts(with: signature.prefix(bytes.count)) || JournalFrame.hasMarker(in: bytes, at: byteCount)
      || head.allSatisfy { $0 == 0 }
  }
}
