import Foundation

/// Where the system puts the memory of a process: at random, unless it is asked not to.
enum AddressSpace {
  /// Asks the system not to, for the processes that this thread starts from now on; a container may forbid it.
  static func fixForChildren() {
    #if os(Linux)
      guard let personality, personality(query) >= 0 else { return }
      _ = personality(UInt(personality(query)) | withoutRandomness)
    #endif
  }

  /// Whether this process lies where every other like it does.
  static var isFixed: Bool {
    #if os(Linux)
      guard let personality, case let flags = personality(query), flags >= 0 else { return false }
      return UInt(flags) & withoutRandomness != 0
    #else
      return false
    #endif
  }

  #if os(Linux)
    /// What `personality(2)` sets, a child inherits, and keeps when it becomes another program.
    ///
    /// The toolchain's module of the C library does not have it.
    private static var personality: (@convention(c) (UInt) -> Int32)? {
      guard let symbol = unsafe dlsym(nil, "personality") else { return nil }
      return unsafe unsafeBitCast(symbol, to: (@convention(c) (UInt) -> Int32).self)
    }

    /// `ADDR_NO_RANDOMIZE`.
    private static let withoutRandomness: UInt = 0x0040000
    /// Changes nothing, and answers what is set.
    private static let query: UInt = 0xffff_ffff
  #endif
}
