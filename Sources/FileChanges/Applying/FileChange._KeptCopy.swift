internal import Journals

extension FileChange {
  /// A copy of a file that is being written in place, from which its old contents can be restored.
  ///
  ///     "UNSAVEDC" 8 │ version 4 │ device 8 │ number 8 │ seconds 8 │ nanoseconds 8 │ digest of the old contents 20
  ///     │ digest of the new contents 20 │ size of the path 4 │ checksum 4 │ path │ old contents
  ///
  /// Numbers are little-endian. Until the old contents are on the device, all bytes of the header are zero. No byte of
  /// the file changes before the header is on the device, too.
  ///
  /// The file is recognized by its number, and by its device or its path: the number of a device may differ after a
  /// restart of the system.
  package struct _KeptCopy {
    package let stamp: FileStamp
    package let path: [UInt8]
    package let old: FileDigest
    package let new: FileDigest

    package static let headerByteCount = 92
    private static let signature = Array("UNSAVEDC".utf8)
    private static let version: UInt32 = 1

    package init(of stamp: FileStamp, at path: Path, old: FileDigest, new: FileDigest) {
      (self.stamp, self.path, self.old, self.new) = (stamp, Array(path.string.utf8), old, new)
    }

    /// The beginning of the names of a file's copies.
    package static func namePrefix(of file: FileIdentity) -> String {
      ".unsaved-copy-" + String(file.number, radix: 16) + "-"
    }

    package var header: [UInt8] {
      var bytes = Self.signature
      bytes.append(littleEndian: Self.version)
      for number in [stamp.device, stamp.number] { bytes.append(littleEndian: number) }
      for number in [stamp.seconds, stamp.nanoseconds] { bytes.append(littleEndian: number) }
      for digest in [old, new] { digest.append(to: &bytes) }
      bytes.append(littleEndian: UInt32(path.count))
      bytes.append(littleEndian: Checksum.value(of: bytes[...]))
      return bytes
    }

    /// Reads a copy, and returns it with the old contents; nil if it is unfinished or damaged.
    ///
    /// - Throws: Whether a newer or an older version wrote it.
    package static func read(_ bytes: [UInt8]) throws(JournalRefusal) -> (copy: _KeptCopy, contents: Data)? {
      guard bytes.count >= headerByteCount, bytes.starts(with: signature) else { return nil }
      let header = bytes[..<(headerByteCount - 4)]
      guard Checksum.value(of: header) == bytes[...].integer(at: headerByteCount - 4) else { return nil }
      let version: UInt32 = header.integer(at: signature.count)
      guard version == Self.version else { throw version > Self.version ? .newerVersion : .olderVersion }
      let numbers = (0..<4).map { header.integer(at: 12 + 8 * $0) as UInt64 }
      var rest = bytes.dropFirst(headerByteCount)
      guard let path = rest.take(Int(clamping: header.integer(at: 84) as UInt32)) else { return nil }
      let stamp = FileStamp(
        device: numbers[0], number: numbers[1], size: UInt64(rest.count), seconds: Int64(bitPattern: numbers[2]),
        nanoseconds: Int64(bitPattern: numbers[3]), changeSeconds: 0, changeNanoseconds: 0)
      let contents = Data(rest)
      let copy = _KeptCopy(
        of: stamp, at: Path(String(decoding: path, as: UTF8.self)), old: FileDigest(header[44...]),
        new: FileDigest(header[64...]))
      return FileDigest(contents) == copy.old ? (copy, contents) : nil
    }

    /// Whether this is a copy of the file.
    func isOf(_ file: FileIdentity, at path: Path) -> Bool {
      stamp.number == file.number && (stamp.device == file.device || self.path.elementsEqual(path.string.utf8))
    }
  }
}
