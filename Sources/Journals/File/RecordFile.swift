/// A file whose records overwrite zeros that were written ahead.
///
///     header │ records │ zeros │
///                      │       └ size
///                      └ byteCount
///
/// To synchronize overwritten bytes, a file system writes only those bytes. If a file grows, or its blocks were only
/// reserved, the file system also needs a transaction. So zeros are written and synchronized ahead; more of them each
/// time they run out.
struct RecordFile: ~Copyable {
  /// How many zeros follow the records of a new file.
  static let firstZeros = 1 << 16
  /// The most zeros that are added at a time.
  private static let mostZeros = 1 << 20
  private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

  let descriptor: Descriptor
  let identity: FileIdentity
  /// The size of the header and the records.
  private(set) var byteCount = 0
  /// The size of the file.
  private(set) var size = 0
  /// Whether everything that was written is on the device.
  private(set) var isSynchronized = false
  /// The end of old contents, if they reach beyond the records: the file was used before.
  private var usedByteCount = 0
  /// Whether another program has truncated the file, so that nothing may be appended any more.
  private(set) var isCutShort = false
  /// Whether the size must be synchronized as well as the bytes.
  private var hasOtherSize = true

  /// Takes over a new file, which is empty.
  init(_ descriptor: consuming Descriptor, identity: FileIdentity) {
    self.descriptor = descriptor
    self.identity = identity
  }

  /// Appends bytes to the records.
  mutating func append(_ bytes: [UInt8], in system: any FileSystem) throws(SystemError) {
    isSynchronized = false
    try system.overwriteAll(bytes, at: byteCount, to: descriptor)
    byteCount += bytes.count
  }

  /// Makes sure that zeros follow the records.
  ///
  /// - Parameter leastSize: The least size of the file if it grows.
  mutating func fill(toAtLeast leastSize: Int = 0, in system: any FileSystem) throws(SystemError) {
    if byteCount < usedByteCount { try writeZeros(byteCount..<usedByteCount, in: system) }
    usedByteCount = 0
    guard byteCount > size else { return }
    let zeros = min(max(size, Self.firstZeros), Self.mostZeros)
    let block = 4096
    let newSize = max((byteCount + zeros) / block * block, leastSize)
    hasOtherSize = true
    size = byteCount
    do throws(SystemError) {
      try writeZeros(byteCount..<newSize, in: system)
      size = newSize
    } catch {
      // Without space for zeros, there may still be space for the records.
      try? system.truncate(descriptor, to: byteCount)
    }
  }

  private func writeZeros(_ range: Range<Int>, in system: any FileSystem) throws(SystemError) {
    for offset in stride(from: range.lowerBound, to: range.upperBound, by: Self.zeros.count) {
      let count = min(Self.zeros.count, range.upperBound - offset)
      let zeros = count == Self.zeros.count ? Self.zeros : Array(repeating: 0, count: count)
      try system.overwriteAll(zeros, at: offset, to: descriptor)
    }
  }

  /// Returns when everything that was written is on the device.
  mutating func synchronize(in system: any FileSystem) throws(SystemError) {
    if hasOtherSize { try system.synchronizeFile(descriptor) } else { try system.synchronizeData(descriptor) }
    hasOtherSize = false
    isSynchronized = true
  }

  /// Truncates the file to its first `count` bytes, as far as the system can.
  mutating func cut(to count: Int, in system: any FileSystem) {
    try? system.truncate(descriptor, to: count)
    (byteCount, size, usedByteCount) = (count, count, 0)
    (hasOtherSize, isSynchronized) = (true, false)
  }

  /// Records that another program has truncated the file.
  mutating func cutShort(to count: Int) {
    size = count
    isCutShort = true
  }

  /// Restarts the file from its beginning.
  consuming func restarted() -> RecordFile {
    usedByteCount = max(usedByteCount, byteCount)
    byteCount = 0
    isSynchronized = false
    return self
  }
}
