#if canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Looks up the identity and the size of the file at a path, without reading its times.
///
/// Since Linux 6.13, reading a file's times makes its next write update them (multigrain timestamps). On some file
/// systems `fdatasync` then writes the new times to the device as well, which takes a third of the time of a durable
/// record. `stat` reads the times; `statx` needn't.
///
///     result of statx   256 bytes │ number of the file at 32, 8 │ size at 40, 8 │ device at 136: major 4, minor 4
///
/// Linux keeps this layout stable, and no other file uses it. Swift doesn't see the header, so the function is looked
/// up by name; without it, `lstat` is used.
package enum UnsafeFileLookup {
  /// The file at a path; symbolic links aren't followed.
  ///
  /// - Returns: Nil if the system has no such call, or the call fails.
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
        return unsafe (identity, result.loadUnaligned(fromByteOffset: 40, as: UInt64.self))
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

    private static let statx: Statx? = unsafe lookUpFunction("statx")

    /// The device number in the format of `stat`.
    private static func device(major: UInt32, minor: UInt32) -> UInt64 {
      let (major, minor) = (UInt64(major), UInt64(minor))
      return (major & 0xFFF) << 8 | (major & ~0xFFF) << 32 | minor & 0xFF | (minor & ~0xFF) << 12
    }
  #endif
}

#if !canImport(Darwin)
  /// A function of the C library that Swift doesn't see; nil if the library has none of this name, or the program was
  /// linked without a symbol table.
  ///
  /// - Precondition: `Function` is the type of the function.
  @unsafe func lookUpFunction<Function>(_ name: String) -> Function? {
    unsafe dlsym(nil, name).map { unsafe unsafeBitCast($0, to: Function.self) }
  }
#endif
