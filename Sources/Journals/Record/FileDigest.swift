/// A digest by which contents of a file are recognized: their length and two checksums.
///
///     | length 8 | FNV-1a 8 | CRC-32C 4 |
///
/// A session's log has the digest before the file has the contents, so a session that was killed at any moment
/// recognizes its own file.
package struct FileDigest: Hashable, Sendable {
  let length: UInt64
  package let hash: UInt64
  let checksum: UInt32

  package static let byteCount = 20

  package init(_ contents: Data) {
    let bytes = [UInt8](contents)
    length = UInt64(bytes.count)
    // FNV-1a (Fowler, Noll, Vo), with 64 bits.
    hash = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    checksum = Checksum.value(of: bytes[...])
  }

  package init(_ bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    (length, hash) = (bytes.integer(at: start), bytes.integer(at: start + 8))
    checksum = bytes.integer(at: start + 16)
  }

  package func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: length)
    bytes.append(littleEndian: hash)
    bytes.append(littleEndian: checksum)
  }
}
