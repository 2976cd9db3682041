#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Recognizes folders that contain the open files of processes, such as `/dev/fd`.
///
/// On Linux, the result of `fstatfs` begins with the type of the file system, one word; all of it fits into 256 bytes.
/// Swift doesn't see the header, so the function is looked up by its name.
enum UnsafeProcessFolders {
  /// Whether the open folder is such a folder; false if the system cannot tell.
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
      // On Darwin such links, for example `/dev/stdout`, are among the devices.
      return unsafe withUnsafeBytes(of: &status.f_fstypename) { unsafe $0.starts(with: "devfs\0".utf8) }
    #else
      return false
    #endif
  }

  #if os(Linux)
    private typealias Fstatfs = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32

    private static let fstatfs: Fstatfs? = unsafe lookUpFunction("fstatfs")

    /// `PROC_SUPER_MAGIC`.
    private static let processFileSystem = 0x9FA0
  #endif
}
