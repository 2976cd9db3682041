internal import Dispatch

#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

// The calls that replace a file and keep the replaced one, so that it can be inspected afterwards.

extension PosixFileSystem {
  package func moveFileToFree(
    _ source: String, to name: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    try checked(Rename.call(folder.number, source, name, Rename.toFree))
  }

  package func exchangeFiles(
    _ name: String, _ other: String, in folder: borrowing Descriptor
  ) throws(SystemError) {
    try checked(Rename.call(folder.number, name, other, Rename.exchange))
  }

  package func lockFolder(_ folder: borrowing Descriptor) throws(SystemError) {
    try lockFolder(folder, withinMilliseconds: 2_000)
  }

  /// Takes the lock of the folder, but waits no longer than `limit`.
  ///
  /// The lock is held only for a few calls. But if a process is suspended while it holds the lock, others must not
  /// hang. The system's call can't be given a limit, so another thread makes it, with a copy of the descriptor, which
  /// has the same lock. If that thread comes too late, the lock is released when both descriptors are closed.
  package func lockFolder(_ folder: borrowing Descriptor, withinMilliseconds limit: Int) throws(SystemError) {
    do throws(SystemError) { return try lock(folder) } catch { guard error == .locked else { throw error } }
    let copy = try checked(fcntl(folder.number, F_DUPFD_CLOEXEC, 0))
    let isOver = DispatchSemaphore(value: 0)
    DispatchQueue(label: "Folder lock").async {
      _ = try? checked(flock(copy, LOCK_EX))
      _ = close(copy)
      isOver.signal()
    }
    _ = isOver.wait(timeout: .now() + .milliseconds(limit))
    try lock(folder)
  }
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

    private static let renameat2: Renameat2? = unsafe dlsym(nil, "renameat2").map {
      unsafe unsafeBitCast($0, to: Renameat2.self)
    }

    static func call(_ folder: Int32, _ source: String, _ name: String, _ flags: UInt32) -> Int32 {
      guard let renameat2 = unsafe renameat2 else {
        errno = ENOSYS
        return -1
      }
      return unsafe renameat2(folder, source, folder, name, flags)
    }
  #endif
}
