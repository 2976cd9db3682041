#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Asks to which file a path leads and how large it is, and for nothing else.
///
/// Since Linux 6.13 a file whose times were asked for gets a new one with its next write (multigrain timestamps), and
/// on some file systems `fdatasync` brings that to the device as well: a third of the time of a durable record. `stat`
/// asks for the times, `statx` need not.
///
///     result of statx   256 bytes │ number of the file at 32, 8 │ size at 40, 8 │ device at 136: major 4, minor 4
///
/// Only this file has that layout, which Linux keeps. Swift does not see the header, so the call is looked up; without
/// it `lstat` answers.
package enum UnsafeFileLookup {
  /// The file that a path leads to; a symbolic link is itself.
  ///
  /// - Returns: Nil where the system cannot be asked so, or where there is none.
  package static func lookUp(path: String) -> FileLookup? {
    #if os(Linux)
      guard let statx = unsafe statx else { return nil }
      return unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { result in
        guard let start = result.baseAddress,
          unsafe statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, numberAndSize, start) == 0
        else { return nil }
        let identity = unsafe FileIdentity(
          device: device(
            major: result.loadUnaligned(fromByteOffset: 136, as: UInt32.self),
            minor: result.loadUnaligned(fromByteOffset: 140, as: UInt32.self)),
          number: result.loadUnaligned(fromByteOffset: 32, as: UInt64.self))
        return unsafe FileLookup(
          identity: identity, size: result.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
      }
    #else
      return nil
    #endif
  }

  #if os(Linux)
    private typealias Statx =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UInt32, UnsafeMutableRawPointer) -> Int32

    /// `STATX_INO | STATX_SIZE`.
    private static let numberAndSize: UInt32 = 0x300

    private static let statx: Statx? = unsafe dlsym(nil, "statx").map { unsafe unsafeBitCast($0, to: Statx.self) }

    /// The number of a device as `stat` has it.
    private static func device(major: UInt32, minor: UInt32) -> UInt64 {
      let (major, minor) = (UInt64(major), UInt64(minor))
      return (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | minor & 0xFF | (minor & ~0xFF) << 12
    }
  #endif
}
