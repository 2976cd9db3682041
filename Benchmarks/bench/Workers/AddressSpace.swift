import Foundation

/// Controls the addresses of a process's memory, which the system chooses at random by default.
enum AddressSpace {
  /// Asks the system for fixed addresses in the processes that this thread starts from now on.
  ///
  /// A container may forbid it.
  static func fixForChildren() {
    #if os(Linux)
      guard let personality, personality(query) >= 0 else { return }
      _ = personality(UInt(personality(query)) | withoutRandomness)
    #endif
  }

  /// Whether this process has fixed addresses.
  static var isFixed: Bool {
    #if os(Linux)
      guard let personality, case let flags = personality(query), flags >= 0 else { return false }
      return UInt(flags) & withoutRandomness != 0
    #else
      return false
    #endif
  }

  #if os(Linux)
    /// A child process inherits the setting of `personality(2)`, and keeps it when it executes another program.
    ///
    /// The toolchain's module of the C library does not contain this function.
    private static var personality: (@convention(c) (UInt) -> Int32)? {
      guard let symbol = unsafe dlsym(nil, "personality") else { return nil }
      return unsafe unsafeBitCast(symbol, to: (@convention(c) (UInt) -> Int32).self)
    }

    /// `ADDR_NO_RANDOMIZE`.
    private static let withoutRandomness: UInt = 0x0040000
    /// Returns the current setting without changing it.
    private static let query: UInt = 0xffff_ffff
  #endif
}
