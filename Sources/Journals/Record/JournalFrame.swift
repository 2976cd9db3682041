/// The bytes around a record's payload, which tell where the next record begins and whether this one is intact.
///
///     marker 4 │ size of the payload 4 │ identity 8 │ sequence 8 │ checksum of these 24 4 │ payload │ its checksum 4
///
/// Numbers are little endian. The head has its own checksum, so a damaged payload can be skipped without losing the
/// start of the next record. The identity is that of the file, so a copy of a journal inside a payload is recognized.
/// The last byte of both checksums is never zero: because the file is zero-filled ahead, that shows where a record was
/// cut off.
@usableFromInline package struct JournalFrame {
  /// The size of a record without its payload.
  @usableFromInline package static let byteCount = 32
  /// The size of the part before the payload.
  static let headByteCount = 28

  /// The first four bytes of a frame.
  fileprivate enum Marker: UInt32 {
    case plain = 0x324E_524A
    /// Everything before the record was on the device before the record was written.
    case synchronized = 0x3253_524A
  }

  package let identity: UInt64
  package let sequence: UInt64
  package let payload: Range<Int>
  /// Whether everything before the record was on the device before it was written.
  let isSynchronized: Bool

  /// Whether the size of such a payload fits into a frame.
  package static func fits(_ payloadByteCount: Int) -> Bool { UInt64(payloadByteCount) <= UInt64(UInt32.max) }

  /// A checksum whose last byte is not zero.
  fileprivate static func checksum(of bytes: ArraySlice<UInt8>) -> UInt32 {
    let value = Checksum.value(of: bytes)
    return value >> 24 == 0 ? value | 1 << 24 : value
  }

  // MARK: Reading

  /// Whether a frame seems to begin here.
  static func hasMarker(in bytes: [UInt8], at start: Int) -> Bool {
    bytes.count - start >= byteCount && Marker(rawValue: bytes[...].integer(at: start)) != nil
  }

  /// Reads the frame that begins at `start`; nil if there is none, or its record would exceed the bytes.
  init?(in bytes: [UInt8], at start: Int) {
    self.init(headIn: bytes, at: start)
    guard upperBound <= bytes.count else { return nil }
  }

  /// Reads the frame that begins at `start`, even if its record exceeds the bytes.
  init?(headIn bytes: [UInt8], at start: Int) {
    guard bytes.count - start >= Self.byteCount, let marker = Marker(rawValue: bytes[...].integer(at: start)) else {
      return nil
    }
    let head = start..<start + Self.headByteCount - 4
    // The size is an unsigned 32-bit number, which may be too large for an Int on a watch.
    guard bytes[...].integer(at: head.upperBound) == Self.checksum(of: bytes[head]),
      let size = Int(exactly: bytes[...].integer(at: start + 4) as UInt32), size <= Int.max - start - Self.byteCount
    else { return nil }
    isSynchronized = marker == .synchronized
    identity = bytes[...].integer(at: start + 8)
    sequence = bytes[...].integer(at: start + 16)
    payload = start + Self.headByteCount..<start + Self.headByteCount + size
  }

  /// The offset where the next record begins.
  var upperBound: Int { payload.upperBound + Self.byteCount - Self.headByteCount }

  /// Whether the payload is as it was written.
  func isIntact(in bytes: [UInt8]) -> Bool {
    bytes[...].integer(at: payload.upperBound) == Self.checksum(of: bytes[payload])
  }

  /// The most frequent identity of the frames in `range`.
  static func identityOfMost(in bytes: [UInt8], _ range: Range<Int>) -> UInt64? {
    var counts: [UInt64: Int] = [:]
    var offset = range.lowerBound
    while offset < range.upperBound {
      let frame = JournalFrame(in: bytes, at: offset)
      if let frame { counts[frame.identity, default: 0] += 1 }
      offset = frame?.upperBound ?? offset + 1
    }
    return counts.max { ($0.value, $0.key) < ($1.value, $1.key) }?.key
  }
}

// MARK: - Writing

extension JournalRecord {
  /// Writes the record for the journal file with this identity.
  ///
  /// - Parameter isSynchronized: Whether everything before it in the file is on the device.
  package func append(to bytes: inout [UInt8], identity: UInt64, isSynchronized: Bool = false) {
    let start = bytes.count
    bytes.append(littleEndian: (isSynchronized ? JournalFrame.Marker.synchronized : .plain).rawValue)
    bytes.append(littleEndian: UInt32(body.byteCount))
    bytes.append(littleEndian: identity)
    bytes.append(littleEndian: sequence)
    bytes.append(littleEndian: JournalFrame.checksum(of: bytes[start...]))
    body.append(to: &bytes)
    bytes.append(littleEndian: JournalFrame.checksum(of: bytes[(start + JournalFrame.headByteCount)...]))
  }
}
