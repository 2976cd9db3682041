/// The header of a record: the part that says where the next record begins.
///
///     marker 4 │ size of the payload 4 │ identity 8 │ sequence 8 │ checksum of the payload 4 │ of the frame 4
///
/// Numbers are little endian. A frame has a checksum of its own, so that a damaged payload can be left out without
/// losing the start of the next record. The identity is that of the file: a copy of a journal in a payload gives itself
/// away.
package struct JournalFrame {
  package static let byteCount = 32
  private static let marker: UInt32 = 0x4C4E_524A

  package let identity: UInt64
  package let sequence: UInt64
  package let payload: Range<Int>
  private let checksum: UInt32

  /// Whether a frame can say the size of such a payload.
  package static func fits(_ payloadByteCount: Int) -> Bool { UInt64(payloadByteCount) <= UInt64(UInt32.max) }
}

// MARK: - Writing

extension JournalFrame {
  /// Writes a frame without its checksums; the payload comes next.
  static func begin(in bytes: inout [UInt8], identity: UInt64, sequence: UInt64, payloadByteCount: Int) {
    bytes.append(littleEndian: marker)
    bytes.append(littleEndian: UInt32(payloadByteCount))
    bytes.append(littleEndian: identity)
    bytes.append(littleEndian: sequence)
    bytes.append(contentsOf: repeatElement(0, count: 8))
  }

  /// Writes the checksums of the frame at `start`, whose payload goes to the end of the bytes.
  static func end(in bytes: inout [UInt8], at start: Int) {
    bytes.replace(at: start + 24, withLittleEndian: Checksum.value(of: bytes[(start + byteCount)...]))
    bytes.replace(at: start + 28, withLittleEndian: Checksum.value(of: bytes[start..<start + 28]))
  }
}

// MARK: - Reading

extension JournalFrame {
  /// Whether something here looks like the beginning of a frame.
  static func hasMarker(in bytes: [UInt8], at start: Int) -> Bool {
    bytes.count - start >= byteCount && bytes[...].integer(at: start) == marker
  }

  /// Reads the frame that begins at `start`; nil where none does, or its payload would go on behind the end.
  init?(in bytes: [UInt8], at start: Int) {
    self.init(headIn: bytes, at: start)
    guard payload.upperBound <= bytes.count else { return nil }
  }

  /// Reads the frame that begins at `start`, wherever its payload ends.
  init?(headIn bytes: [UInt8], at start: Int) {
    guard Self.hasMarker(in: bytes, at: start),
      bytes[...].integer(at: start + 28) == Checksum.value(of: bytes[start..<start + 28])
    else { return nil }
    // Of 32 bits, of which a watch has no more in an Int.
    guard let size = Int(exactly: bytes[...].integer(at: start + 4) as UInt32),
      size <= Int.max - start - Self.byteCount
    else { return nil }
    identity = bytes[...].integer(at: start + 8)
    sequence = bytes[...].integer(at: start + 16)
    checksum = bytes[...].integer(at: start + 24)
    payload = start + Self.byteCount..<start + Self.byteCount + size
  }

  /// Whether the payload is as it was written.
  func isIntact(in bytes: [UInt8]) -> Bool { Checksum.value(of: bytes[payload]) == checksum }

  /// The identity that most of the frames from `start` on have.
  static func identityOfMost(in bytes: [UInt8], from start: Int) -> UInt64? {
    var counts: [UInt64: Int] = [:]
    var offset = start
    while offset < bytes.count {
      let frame = JournalFrame(in: bytes, at: offset)
      if let frame { counts[frame.identity, default: 0] += 1 }
      offset = frame?.payload.upperBound ?? offset + 1
    }
    return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }
}
