#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Recognises the folders in which the system shows what processes have open, such as `/dev/fd`.
///
/// The result of `fstatfs` on Linux begins with the number of the kind of file system, a word; it fits into 256 bytes.
/// Swift does not see the header, so the call is looked up by its name.
enum UnsafeProcessFolders {
  /// Whether the open folder is one of them; false where the system cannot be asked.
  static func contain(_ folder: Int32) throws(SystemError) -> Bool {
    #if os(Linux)
      guard let fstatfs = unsafe fstatfs else { return false }
      let (kind, code) = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
        guard let start = buffer.baseAddress else { return (0, ENOMEM) }
        return unsafe fstatfs(folder, start) == 0 ? (buffer.load(as: Int.self), 0) : (0, errno)
      }
      if code != 0 { throw SystemError(code: code) }
      return kind == processFileSystem
    #elseif canImport(Darwin)
      var status = unsafe statfs()
      if unsafe fstatfs(folder, &status) != 0 { throw SystemError(code: errno) }
      // On these systems the links, such as `/dev/stdout`, lie among the devices.
      return unsafe withUnsafeBytes(of: &status.f_fstypename) { unsafe $0.starts(with: "devfs\0".utf8) }
    #else
      return false
    #endif
  }

  #if os(Linux)
    private typealias Fstatfs = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32

    private static let fstatfs: Fstatfs? =
      unsafe dlsym(nil, "fstatfs").map { unsafe unsafeBitCast($0, to: Fstatfs.self) }

    /// `PROC_SUPER_MAGIC`.
    private static let processFileSystem = 0x9FA0
  #endif
}
