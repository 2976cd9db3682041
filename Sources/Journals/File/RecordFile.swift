/// A file that is zero-filled ahead and written over.
///
///     header │ records │ zeros │
///                      │       └ size
///                      └ byteCount
///
/// To bring bytes to the device that are written over others, a file system writes those and nothing else. A file that
/// becomes longer, or whose blocks were only reserved, takes a transaction of the file system besides. So the zeros are
/// written, and synchronized once; more and more of them each time that they come to an end.
struct RecordFile: ~Copyable {
  /// How many zeros a new file has behind its records.
  static let firstZeros = 1 << 16
  /// How many more it gets at most at a time.
  private static let mostZeros = 1 << 20
  private static let zeros = [UInt8](repeating: 0, count: 1 << 16)

  let descriptor: Descriptor
  /// The identity that the system gives the file.
  let identity: FileIdentity
  /// How many bytes the header and the records have.
  private(set) var byteCount = 0
  /// How many bytes the file has.
  private(set) var size = 0
  /// Whether all that was written is on the device.
  private(set) var isSynchronized = false
  /// Where the zeros begin, if that is behind the records: the file was used before.
  private var usedByteCount = 0
  /// Whether another program has made the file shorter, so that nothing may be written behind the records any more.
  private(set) var isCutShort = false
  /// Whether it is not the bytes alone that are to be synchronized.
  private var hasOtherSize = true

  /// Takes a new file, which is empty.
  init(_ descriptor: consuming Descriptor, identity: FileIdentity) {
    self.descriptor = descriptor
    self.identity = identity
  }

  /// Writes bytes behind the records.
  mutating func append(_ bytes: [UInt8], in system: any FileSystem) throws(SystemError) {
    isSynchronized = false
    try system.overwriteAll(bytes, at: byteCount, to: descriptor)
    byteCount += bytes.count
  }

  /// Lets zeros be behind the records.
  ///
  /// - Parameter leastSize: How large the file becomes at least, where it becomes larger.
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
      // Where there is no space for zeros, there may be for the records.
      try? system.truncate(descriptor, to: byteCount)
    }
  }

  private func writeZeros(_ range: Range<Int>, in system: any FileSystem) throws(SystemError) {
    var offset = range.lowerBound
    while offset < range.upperBound {
      let count = min(Self.zeros.count, range.upperBound - offset)
      let zeros = count == Self.zeros.count ? Self.zeros : Array(repeating: 0, count: count)
      try system.overwriteAll(zeros, at: offset, to: descriptor)
      offset += count
    }
  }

  /// Returns when all that was written is on the device.
  mutating func synchronize(in system: any FileSystem) throws(SystemError) {
    if hasOtherSize { try system.synchronizeFile(descriptor) } else { try system.synchronizeData(descriptor) }
    hasOtherSize = false
    isSynchronized = true
  }

  /// Takes away what was written behind the first bytes, as far as the system does that.
  mutating func cut(to count: Int, in system: any FileSystem) {
    try? system.truncate(descriptor, to: count)
    (byteCount, size, usedByteCount) = (count, count, 0)
    (hasOtherSize, isSynchronized) = (true, false)
  }

  /// Takes note that another program has made the file shorter.
  mutating func cutShort(to count: Int) {
    size = count
    isCutShort = true
  }

  /// The file, to be written from its beginning.
  consuming func restarted() -> RecordFile {
    usedByteCount = max(usedByteCount, byteCount)
    byteCount = 0
    isSynchronized = false
    return self
  }
}
