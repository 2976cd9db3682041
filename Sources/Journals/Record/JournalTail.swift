/// Tells damage from the unfinished records that a writer leaves when its process is killed or the power fails.
///
/// Records written since the last synchronization were never acknowledged. Any of their sectors may have reached the
/// device; the missing ones are still zeros, as the file was before. A record that has all its sectors and still isn't
/// intact counts as damage, because it may have been acknowledged.
struct JournalTail {
  /// The smallest part of a file that a device writes at a time.
  static let sectorByteCount = 512

  let bytes: [UInt8]
  /// The end of the contents; only zeros follow.
  let end: Int
  let identity: UInt64?

  /// Whether the damaged record at `offset` may be one that was only written in part.
  ///
  /// - Parameter nextSequence: The least sequence number that it can have.
  func isTorn(at offset: Int, _ nextSequence: UInt64) -> Bool {
    guard bytes.count - offset >= JournalFrame.byteCount else { return true }
    guard let frame = JournalFrame(headIn: bytes, at: offset) else {
      return isTorn(offset..<offset + JournalFrame.headByteCount)
    }
    guard frame.identity == identity, frame.sequence >= nextSequence else { return false }
    return isTorn(offset..<frame.upperBound)
  }

  /// Whether the range exceeds the contents, or has only zeros in one of the sectors.
  private func isTorn(_ range: Range<Int>) -> Bool {
    let size = Self.sectorByteCount
    let sectors = stride(from: range.lowerBound / size * size, to: range.upperBound, by: size)
    return end < range.upperBound
      || sectors.contains { bytes[range.clamped(to: $0..<$0 + size)].allSatisfy { $0 == 0 } }
  }
}
