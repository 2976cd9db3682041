/// What a writer leaves that ends while it writes, by its process or by the power.
///
/// What it wrote since the last synchronization was never acknowledged. Of that any sector may have come to the device,
/// or none. Where none came there are zeros, as the file was before. A record that is whole and still not intact is
/// damage, for all that can be seen: it was acknowledged.
struct JournalTail {
  /// The smallest part of a file that a device writes at a time.
  static let sectorByteCount = 512

  let bytes: [UInt8]
  /// Behind it are only zeros.
  let end: Int
  /// The identity of the file.
  let identity: UInt64?

  /// Whether the record that begins at `offset`, and is not intact, may be one of which not everything was written.
  ///
  /// - Parameter nextSequence: The least number that it can have.
  func isTorn(at offset: Int, _ nextSequence: UInt64) -> Bool {
    guard bytes.count - offset >= JournalFrame.byteCount else { return true }
    guard let frame = JournalFrame(headIn: bytes, at: offset) else {
      return isTorn(offset..<offset + JournalFrame.headByteCount)
    }
    guard frame.identity == identity, frame.sequence >= nextSequence else { return false }
    return isTorn(offset..<frame.upperBound)
  }

  private func isTorn(_ range: Range<Int>) -> Bool {
    end < range.upperBound || lacksSector(of: range)
  }

  /// Whether all is zero that a sector has of the range.
  private func lacksSector(of range: Range<Int>) -> Bool {
    var start = range.lowerBound
    while start < range.upperBound {
      let next = min((start / Self.sectorByteCount + 1) * Self.sectorByteCount, range.upperBound)
      if bytes[start..<min(next, bytes.count)].allSatisfy({ $0 == 0 }) { return true }
      start = next
    }
    return false
  }
}
