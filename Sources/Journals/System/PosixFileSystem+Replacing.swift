internal import Dispatch

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// The calls that only the replacement of a file needs: whether a link leads to an open file of a process, the file's
// extended attributes, its access control list, a folder elsewhere for the new file, and an exchange that keeps the
// replaced file, so that it can be inspected afterwards.

extension PosixFileSystem {
  package func openToOverwrite(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    let (number, flags) = (folder.number, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    return Descriptor(try checked(unsafe name.withCString { unsafe openat(number, $0, flags) }))
  }

  package func setModificationTime(of file: borrowing Descriptor, like stamp: FileStamp) throws(SystemError) {
    // The first time is that of the last reading, which stays.
    let times = [
      timespec(tv_sec: 0, tv_nsec: Self.unchangedTime),
      timespec(tv_sec: Int(stamp.seconds), tv_nsec: Int(stamp.nanoseconds)),
    ]
    try checked(unsafe futimens(file.number, times))
  }

  /// `UTIME_OMIT`, which Swift doesn't import.
  private static var unchangedTime: Int {
    #if canImport(Darwin)
      -2
    #else
      (1 << 30) - 2
    #endif
  }

  /// The folders that contain the open files of processes, such as `/dev/fd`, are recognized by their file system.
  package func hasLinksToOpenFiles(_ folder: borrowing Descriptor) throws(SystemError) -> Bool {
    #if os(Linux)
      guard let fstatfs = unsafe Self.fstatfs else { return false }
      let number = folder.number
      let (kind, code) = unsafe withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { buffer in
        guard let start = buffer.baseAddress else { return (0, ENOMEM) }
        return unsafe fstatfs(number, start) == 0 ? (buffer.load(as: Int.self), 0) : (0, errno)
      }
      if code != 0 { throw SystemError(code: code) }
      // `PROC_SUPER_MAGIC`.
      return kind == 0x9FA0
    #elseif canImport(Darwin)
      var status = unsafe statfs()
      if unsafe fstatfs(folder.number, &status) != 0 { throw SystemError(code: errno) }
      // On Darwin such links, for example `/dev/stdout`, are among the devices.
      return unsafe withUnsafeBytes(of: &status.f_fstypename) { unsafe $0.starts(with: "devfs\0".utf8) }
    #else
      return false
    #endif
  }

  #if os(Linux)
    private typealias Fstatfs = @convention(c) (Int32, UnsafeMutableRawPointer) -> Int32

    /// Its result begins with the type of the file system, one word; all of it fits into 256 bytes.
    ///
    /// Swift doesn't see the header, so the function is looked up by its name.
    private static let fstatfs: Fstatfs? = unsafe lookUpFunction("fstatfs")
  #endif

  package func attributeNames(of file: borrowing Descriptor) throws(SystemError) -> [String] {
    let number = file.number
    let list = try unsafe bytes { unsafe ExtendedAttributes.list(number, $0, $1) }
    return list.split(separator: 0).compactMap { bytes in
      let name = String(decoding: bytes, as: UTF8.self)
      return name.utf8.elementsEqual(bytes) && ExtendedAttributes.isKept(name) ? name : nil
    }
  }

  package func attribute(_ name: String, of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    let number = file.number
    return try unsafe bytes { unsafe ExtendedAttributes.get(number, name, $0, $1) }
  }

  package func setAttribute(_ name: String, to value: [UInt8], of file: borrowing Descriptor) throws(SystemError) {
    try checked(ExtendedAttributes.set(file.number, name, value, value.count))
  }

  /// The bytes that a call writes into a buffer; without a buffer, the call returns the size that it needs.
  fileprivate func bytes(_ call: (UnsafeMutablePointer<CChar>?, Int) -> Int) throws(SystemError) -> [UInt8] {
    while true {
      let count = try checked(call(nil, 0))
      if count == 0 { return [] }
      var buffer = [CChar](repeating: 0, count: count)
      do throws(SystemError) {
        let filled = try checked(unsafe call(&buffer, count))
        return buffer[..<filled].map(UInt8.init(bitPattern:))
      } catch {
        // Another program has made the value larger since.
        guard error.code == ERANGE else { throw error }
      }
    }
  }

  package func accessControlList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8]? {
    do throws(SystemError) {
      return try existingList(of: file)
    } catch {
      if error.isUnsupported || error == .noAttribute { return nil }
      throw error
    }
  }

  package func makeReplacementFolder(for path: String) throws(SystemError) -> String {
    let folder = try? FileManager.default.url(
      for: .itemReplacementDirectory, in: .userDomainMask,
      appropriateFor: URL(filePath: path, directoryHint: .notDirectory), create: true)
    // Linux has no such folder.
    guard let folder else { throw SystemError(code: ENOTSUP) }
    return folder.path(percentEncoded: false)
  }

  package func removeFolder(_ path: String) throws(SystemError) { try checked(unsafe rmdir(path)) }

  package func moveFileToFree(_ source: String, to name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try checked(Rename.call(folder.number, source, name, Rename.toFree))
  }

  package func exchangeFiles(_ name: String, _ other: String, in folder: borrowing Descriptor) throws(SystemError) {
    try checked(Rename.call(folder.number, name, other, Rename.exchange))
  }

  package func awaitLock(of file: borrowing Descriptor) throws(SystemError) {
    try awaitLock(of: file, withinMilliseconds: 2_000)
  }

  /// Takes the lock of the file, but waits no longer than `limit`.
  ///
  /// The lock of a folder is held only for a few calls, and the lock of a file only while the file is written in place.
  /// But if a process is suspended while it holds the lock, others must not hang. The system's call can't be given a
  /// limit, so another thread makes it, with a copy of the descriptor, which has the same lock. If that thread gets the
  /// lock after the limit, the lock is released when both descriptors are closed.
  package func awaitLock(of file: borrowing Descriptor, withinMilliseconds limit: Int) throws(SystemError) {
    do throws(SystemError) { return try lock(file) } catch { guard error == .locked else { throw error } }
    let copy = try checked(fcntl(file.number, F_DUPFD_CLOEXEC, 0))
    let isOver = DispatchSemaphore(value: 0)
    DispatchQueue(label: "File lock").async {
      _ = try? checked(flock(copy, LOCK_EX))
      _ = close(copy)
      isOver.signal()
    }
    _ = isOver.wait(timeout: .now() + .milliseconds(limit))
    try lock(file)
  }

  // The system's calls for access control lists, which differ between systems.

  #if canImport(Darwin)
    private func existingList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
      guard let list = unsafe acl_get_fd_np(file.number, ACL_TYPE_EXTENDED) else {
        throw errno == ENOENT ? SystemError.noAttribute : SystemError(code: errno)
      }
      defer { unsafe acl_free(UnsafeMutableRawPointer(list)) }
      var bytes = [UInt8](repeating: 0, count: max(0, unsafe acl_size(list)))
      let count = bytes.count
      try checked(unsafe bytes.withUnsafeMutableBytes { unsafe acl_copy_ext_native($0.baseAddress, list, count) })
      return bytes
    }

    package func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError) {
      let copy = unsafe list.map { unsafe $0.withUnsafeBytes { unsafe acl_copy_int_native($0.baseAddress) } }
      guard let list = unsafe copy ?? acl_init(0) else { throw SystemError(code: errno) }
      defer { unsafe acl_free(UnsafeMutableRawPointer(list)) }
      let number = file.number
      try checked(unsafe acl_set_fd_np(number, list, ACL_TYPE_EXTENDED))
    }
  #else
    private static let listName = "system.posix_acl_access"

    private func existingList(of file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
      try attribute(Self.listName, of: file)
    }

    package func setAccessControlList(_ list: [UInt8]?, of file: borrowing Descriptor) throws(SystemError) {
      if let list { return try setAttribute(Self.listName, to: list, of: file) }
      try checked(unsafe ExtendedAttributes.remove(file.number, Self.listName))
    }
  #endif
}

/// The system's calls for extended attributes, which differ between systems.
private enum ExtendedAttributes {
  #if canImport(Darwin)
    static func isKept(_ name: String) -> Bool { true }

    static func list(_ file: Int32, _ names: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      unsafe flistxattr(file, names, count, 0)
    }

    static func get(_ file: Int32, _ name: String, _ value: UnsafeMutablePointer<CChar>?, _ count: Int) -> Int {
      unsafe fgetxattr(file, name, value, count, 0, 0)
    }

    static func set(_ file: Int32, _ name: String, _ value: [UInt8], _ count: Int) -> Int32 {
      unsafe fsetxattr(file, name, value, count, 0, 0)
    }
  #else
    // The other kinds belong to the system: access control lists, which are copied separately, and labels and
    // capabilities, which apply to the old contents or are set by the system.
    static func isKept(_ name: String) -> Bool { name.utf8.starts(with: "user.".utf8) }

    // The Swift module of the C library lacks these functions, so they are looked up by name.
    typealias List = @convention(c) (Int32, UnsafeMutablePointer<CChar>?, Int) -> Int
    typealias Get = @convention(c) (Int32, UnsafePointer<CChar>, UnsafeMutablePointer<CChar>?, Int) -> Int
    private typealias Set = @convention(c) (Int32, UnsafePointer<CChar>, UnsafeRawPointer, Int, Int32) -> Int32
    typealias Remove = @convention(c) (Int32, UnsafePointer<CChar>) -> Int32

    static let list: List = unsafe lookUpFunction("flistxattr") ?? { _, _, _ in unsupported() }
    static let get: Get = unsafe lookUpFunction("fgetxattr") ?? { _, _, _, _ in unsupported() }
    static let remove: Remove = unsafe lookUpFunction("fremovexattr") ?? { _, _ in unsupported() }
    private static let setCall: Set? = unsafe lookUpFunction("fsetxattr")

    static func set(_ file: Int32, _ name: String, _ value: [UInt8], _ count: Int) -> Int32 {
      unsafe setCall?(file, name, value, count, 0) ?? unsupported()
    }
  #endif
}

/// The system's call for a rename with conditions.
private enum Rename {
  #if canImport(Darwin)
    static let toFree = UInt32(RENAME_EXCL)
    static let exchange = UInt32(RENAME_SWAP)

    static func call(_ folder: Int32, _ source: String, _ name: String, _ flags: UInt32) -> Int32 {
      unsafe renameatx_np(folder, source, folder, name, flags)
    }
  #else
    static let toFree: UInt32 = 1
    static let exchange: UInt32 = 2

    // The Swift module of the C library lacks this function, so it is looked up by its name. The flags are
    // `RENAME_NOREPLACE` and `RENAME_EXCHANGE`.
    private typealias Renameat2 =
      @convention(c) (Int32, UnsafePointer<CChar>, Int32, UnsafePointer<CChar>, UInt32) -> Int32

    private static let renameat2: Renameat2? = unsafe lookUpFunction("renameat2")

    static func call(_ folder: Int32, _ source: String, _ name: String, _ flags: UInt32) -> Int32 {
      unsafe renameat2?(folder, source, folder, name, flags) ?? unsupported()
    }
  #endif
}

#if !canImport(Darwin)
  /// The result of a call that the system doesn't have.
  private func unsupported<Code: SignedInteger>() -> Code {
    errno = ENOSYS
    return -1
  }
#endif
