#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// An open file or folder.
///
/// It has one owner and closes itself, so it cannot leak.
package struct Descriptor: ~Copyable, Sendable {
  let number: Int32

  init(_ number: Int32) { self.number = number }

  /// A descriptor that is already closed: every call with it fails.
  package static func closed() -> Descriptor { Descriptor(-1) }

  deinit { if number >= 0 { _ = close(number) } }

  /// Closes the file now and returns the result of `close`.
  fileprivate consuming func closeNow() -> Int32 {
    let result = close(number)
    discard self
    return result
  }
}

/// The file system of the operating system.
///
/// Together with its extensions, this is the only code that makes system calls and uses pointers.
package struct PosixFileSystem: FileSystem {
  package init() {}

  package func openFolder(_ path: String) throws(SystemError) -> Descriptor {
    Descriptor(try checked(unsafe path.withCString { unsafe open($0, O_RDONLY | O_DIRECTORY | O_CLOEXEC) }))
  }

  package func openFolder(_ path: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    Descriptor(try checked(unsafe openat(folder.number, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)))
  }

  package func makeFolder(_ path: String) throws(SystemError) { try checked(unsafe mkdir(path, 0o700)) }

  package func openSubfolder(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    Descriptor(try checked(unsafe openat(folder.number, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)))
  }

  package func inspect(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> FileStatus {
    var status = stat()
    let number = folder.number
    try checked(unsafe name.withCString { unsafe fstatat(number, $0, &status, AT_SYMLINK_NOFOLLOW) })
    return FileStatus(status)
  }

  package func lookUp(path: String) throws(SystemError) -> FileLookup {
    if let found = UnsafeFileLookup.lookUp(path: path) { return found }
    var status = stat()
    try checked(unsafe lstat(path, &status))
    let found = FileStatus(status)
    return (found.identity, found.stamp.size)
  }

  package func inspect(_ file: borrowing Descriptor) throws(SystemError) -> FileStatus {
    var status = stat()
    try checked(unsafe fstat(file.number, &status))
    return FileStatus(status)
  }

  package func linkTarget(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> String {
    // The system would not have followed a longer target.
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX))
    let count = try checked(unsafe readlinkat(folder.number, name, &buffer, Int(PATH_MAX)))
    let bytes = buffer[..<count].map(UInt8.init(bitPattern:))
    let target = String(decoding: bytes, as: UTF8.self)
    // Decoding repairs invalid UTF-8, and the repaired string would name another file.
    guard target.utf8.elementsEqual(bytes) else { throw .invalidText }
    return target
  }

  package func openFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    let number = folder.number
    return Descriptor(try checked(unsafe name.withCString { unsafe openat(number, $0, flags) }))
  }

  package func createFile(
    _ name: String, permissions: UInt16, in folder: borrowing Descriptor
  ) throws(SystemError) -> Descriptor {
    let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
    let number = folder.number
    return Descriptor(
      try checked(unsafe name.withCString { unsafe openat(number, $0, flags, mode_t(permissions)) }))
  }

  package func append(_ contents: Data, from offset: Int, to file: borrowing Descriptor) throws(SystemError) -> Int {
    let number = file.number
    return try unsafe written(contents, from: offset) { unsafe write(number, $0.baseAddress, $0.count) }
  }

  package func overwrite(
    _ bytes: [UInt8], from index: Int, at offset: Int, to file: borrowing Descriptor
  ) throws(SystemError) -> Int {
    let number = file.number
    return try unsafe written(bytes, from: index) { unsafe pwrite(number, $0.baseAddress, $0.count, off_t(offset)) }
  }

  /// Makes a call that writes some of `bytes` from `index` on, and returns the number of bytes written.
  private func written(
    _ bytes: some ContiguousBytes, from index: Int, _ call: (UnsafeRawBufferPointer) -> Int
  ) throws(SystemError) -> Int {
    let result = unsafe bytes.withUnsafeBytes { buffer in
      // Darwin refuses to write 2 GiB or more, and Linux writes only a part.
      let rest = unsafe UnsafeRawBufferPointer(rebasing: buffer[index...].prefix(1 << 30))
      return Result { () throws(SystemError) in try checked(withoutFileSizeSignal { unsafe call(rest) }) }
    }
    return try result.get()
  }

  package func setOwner(user: UInt32?, group: UInt32, of file: borrowing Descriptor) throws(SystemError) {
    // The largest number means "don't change".
    try checked(fchown(file.number, user ?? .max, group))
  }

  package func setPermissions(_ permissions: UInt16, of file: borrowing Descriptor) throws(SystemError) {
    try checked(fchmod(file.number, mode_t(permissions)))
  }

  package func synchronizeFile(_ file: borrowing Descriptor) throws(SystemError) {
    try checked(bringToDevice(file.number))
  }

  package func synchronizeData(_ file: borrowing Descriptor) throws(SystemError) {
    #if canImport(Darwin)
      try checked(bringToDevice(file.number))
    #else
      try checked(fdatasync(file.number))
    #endif
  }

  package func finish(_ file: consuming Descriptor) throws(SystemError) {
    // An interrupted close has closed the file; a second close could hit one that another thread has just opened.
    if file.closeNow() != 0, errno != EINTR { throw SystemError(code: errno) }
  }

  package func moveFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    let (from, to) = (folder.number, other.number)
    try checked(
      unsafe source.withCString { source in
        unsafe name.withCString { unsafe renameat(from, source, to, $0) }
      })
  }

  package func linkFile(
    _ source: String, from folder: borrowing Descriptor, to name: String, in other: borrowing Descriptor
  ) throws(SystemError) {
    try checked(unsafe linkat(folder.number, source, other.number, name, 0))
  }

  package func removeFile(_ name: String, in folder: borrowing Descriptor) throws(SystemError) {
    try checked(unsafe unlinkat(folder.number, name, 0))
  }

  package func names(startingWith prefix: String, in folder: borrowing Descriptor) throws(SystemError) -> [String] {
    // Opened once more, because reading the entries moves a position that copies of the descriptor share.
    let list = try checked(unsafe openat(folder.number, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC))
    guard let entries = unsafe fdopendir(list) else {
      let error = SystemError(code: errno)
      _ = close(list)
      throw error
    }
    defer { unsafe closedir(entries) }
    var names: [String] = []
    while true {
      // Only the error number tells the end of the list from an error.
      errno = 0
      guard let entry = unsafe readdir(entries) else {
        if errno != 0 { throw SystemError(code: errno) }
        return names
      }
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name.hasPrefix(prefix) { names.append(name) }
    }
  }

  package func synchronizeFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    do throws(SystemError) {
      try checked(bringToDevice(folder.number))
    } catch {
      // Some network and user-space file systems cannot synchronize folders and report that.
      guard error.code == EINVAL || error.code == ENOTSUP else { throw error }
    }
  }

  package var user: UInt32 { geteuid() }

  package func isPrivateGroup(_ group: UInt32) -> Bool { UnsafeAccounts.isPrivate(group, of: user) }

  package var time: Date { Date() }

  package func openJournal(_ name: String, in folder: borrowing Descriptor) throws(SystemError) -> Descriptor {
    // Doesn't block if the name isn't a regular file; the caller checks that.
    let flags = O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
    return Descriptor(try checked(unsafe openat(folder.number, name, flags, 0o600)))
  }

  package func lock(_ file: borrowing Descriptor) throws(SystemError) {
    try checked(flock(file.number, LOCK_EX | LOCK_NB))
  }

  package func unlock(_ file: borrowing Descriptor) throws(SystemError) { try checked(flock(file.number, LOCK_UN)) }

  package func read(upTo count: Int, from file: borrowing Descriptor) throws(SystemError) -> [UInt8] {
    let number = file.number
    var failure: SystemError?
    let bytes = unsafe [UInt8](unsafeUninitializedCapacity: count) { buffer, filled in
      do throws(SystemError) { filled = try checked(unsafe readBytes(number, into: buffer)) } catch { failure = error }
    }
    if let failure { throw failure }
    return bytes
  }

  package func truncate(_ file: borrowing Descriptor, to count: Int) throws(SystemError) {
    try checked(ftruncate(file.number, off_t(count)))
  }

  /// Makes a system call, and repeats it while signals interrupt it.
  ///
  /// - Parameter call: The call; a negative result means that it failed, with the error number in `errno`.
  @discardableResult
  package func checked<Result: SignedInteger>(_ call: @autoclosure () -> Result) throws(SystemError) -> Result {
    while true {
      let result = call()
      if result >= 0 { return result }
      let error = SystemError(code: errno)
      if error != .interrupted { throw error }
    }
  }
}

/// Returns when everything written to the descriptor is on the device; returns the result of `fsync`.
private func bringToDevice(_ number: Int32) -> Int32 {
  #if canImport(Darwin)
    // fsync hands the bytes to the drive, which may keep them in its cache. Not every file system supports F_FULLFSYNC.
    // If it was interrupted or failed, that is the result, since an fsync after it could only hide the failure.
    let result = fcntl(number, F_FULLFSYNC)
    if result == 0 || errno == EINTR || errno == EIO { return result }
  #endif
  return fsync(number)
}

/// The system's `read`, whose name a method hides.
private func readBytes(_ number: Int32, into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
  unsafe read(number, buffer.baseAddress, buffer.count)
}

/// Runs `body` so that exceeding the process's file size limit is an error and doesn't end the process.
///
/// Besides returning the error, the system sends SIGXFSZ. The signal is blocked in this thread, and a signal that
/// `body` caused is removed before it is delivered, unless the caller had blocked SIGXFSZ: then pending signals stay.
private func withoutFileSizeSignal(_ body: () -> Int) -> Int {
  var signals = sigset_t()
  var blocked = sigset_t()
  unsafe sigemptyset(&signals)
  unsafe sigaddset(&signals, SIGXFSZ)
  unsafe pthread_sigmask(SIG_BLOCK, &signals, &blocked)
  let result = body()
  let code = errno
  if result < 0, code == EFBIG, unsafe sigismember(&blocked, SIGXFSZ) == 0 {
    var waiting = sigset_t()
    var signal: Int32 = 0
    unsafe sigpending(&waiting)
    // The file system's own limit causes the same error without a signal.
    if unsafe sigismember(&waiting, SIGXFSZ) == 1 { unsafe sigwait(&signals, &signal) }
  }
  unsafe pthread_sigmask(SIG_SETMASK, &blocked, nil)
  errno = code
  return result
}

extension FileStatus {
  fileprivate init(_ status: stat) {
    switch status.st_mode & S_IFMT {
    case S_IFREG: kind = .file
    case S_IFDIR: kind = .folder
    case S_IFLNK: kind = .symbolicLink
    default: kind = .other
    }
    permissions = UInt16(truncatingIfNeeded: status.st_mode & 0o7777)
    user = status.st_uid
    group = status.st_gid
    #if canImport(Darwin)
      let (modified, changed) = (status.st_mtimespec, status.st_ctimespec)
    #else
      let (modified, changed) = (status.st_mtim, status.st_ctim)
    #endif
    stamp = FileStamp(
      device: UInt64(truncatingIfNeeded: status.st_dev), number: UInt64(truncatingIfNeeded: status.st_ino),
      size: UInt64(truncatingIfNeeded: status.st_size), seconds: Int64(modified.tv_sec),
      nanoseconds: Int64(modified.tv_nsec), changeSeconds: Int64(changed.tv_sec),
      changeNanoseconds: Int64(changed.tv_nsec))
  }
}
