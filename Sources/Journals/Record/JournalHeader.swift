/// The first bytes of a journal's file, which identify its format, its writer and the file.
///
///     "UNSAVEDJ" 8 │ version 4 │ writer 8 │ identity 8 │ checksum 4
///
/// Later versions keep this layout, so that this version doesn't mistake them for damage.
@usableFromInline package struct JournalHeader: Hashable, Sendable {
  @usableFromInline package static let byteCount = 32
  private static let signature = Array("UNSAVEDJ".utf8)
  private static let version: UInt32 = 1

  /// The number of the writer that the journal belongs to, the same in all its files.
  package let writer: UInt64
  /// The number of this file of the journal.
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

  /// Reads the header of a file; nil if it is damaged.
  init?(in bytes: [UInt8]) throws(JournalRefusal) {
    guard bytes.count >= Self.byteCount, bytes.starts(with: Self.signature),
      bytes[...].integer(at: 28) == Checksum.value(of: bytes[..<28])
    else { return nil }
    let version: UInt32 = bytes[...].integer(at: 8)
    guard version == Self.version else { throw version > Self.version ? .newerVersion : .olderVersion }
    self.init(writer: bytes[...].integer(at: 12), identity: bytes[...].integer(at: 20))
  }

  /// Whether a file with these first bytes may be a journal, even if it is damaged.
  ///
  /// It may be one if it begins with the signature or has a frame after the header, or if its beginning is all zeros
  /// because a device lost it.
  static func canBegin(_ bytes: [UInt8]) -> Bool {
    let head = bytes.prefix(byteCount)
    return head.starts(with: signature.prefix(bytes.count)) || JournalFrame.hasMarker(in: bytes, at: byteCount)
      || head.allSatisfy { $0 == 0 }
  }
}
