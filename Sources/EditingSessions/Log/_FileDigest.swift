internal import Journals

/// By which a session knows the contents that it wrote: their length and two checksums.
///
///     | length 8 | FNV-1a 8 | CRC-32C 4 |
///
/// The log has it before the file has the contents. So a session that was killed at any moment knows its own file.
package struct _FileDigest: Hashable, Sendable {
  let length: UInt64
  let hash: UInt64
  let checksum: UInt32

  static let byteCount = 20

  init(_ contents: Data) {
    let bytes = [UInt8](contents)
    length = UInt64(bytes.count)
    // 64 bits by Fowler, Noll and Vo.
    hash = bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
    checksum = Checksum.value(of: bytes[...])
  }

  init(_ bytes: ArraySlice<UInt8>) {
    let start = bytes.startIndex
    (length, hash) = (bytes.integer(at: start), bytes.integer(at: start + 8))
    checksum = bytes.integer(at: start + 16)
  }

  func append(to bytes: inout [UInt8]) {
    bytes.append(littleEndian: length)
    bytes.append(littleEndian: hash)
    bytes.append(littleEndian: checksum)
  }
}
