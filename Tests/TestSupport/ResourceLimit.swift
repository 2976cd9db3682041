#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux) || os(macOS)
  /// A resource that the system limits for this process.
  ///
  /// Lower a limit only in a process of its own. The limit is restored before the process ends because, with
  /// `--enable-code-coverage`, the process then writes its profile. A truncated profile makes all profiles unreadable.
  public enum ResourceLimit {
    /// The size of a file, in bytes.
    case fileSize
    /// The number of open descriptors.
    case openFiles

    #if canImport(Glibc)
      private typealias Resource = __rlimit_resource_t
    #else
      private typealias Resource = Int32
    #endif

    private var resource: Resource {
      switch self {
      #if canImport(Glibc)
        case .fileSize: Resource(RLIMIT_FSIZE.rawValue)
        case .openFiles: Resource(RLIMIT_NOFILE.rawValue)
      #else
        case .fileSize: RLIMIT_FSIZE
        case .openFiles: RLIMIT_NOFILE
      #endif
      }
    }

    /// The current limit.
    public var current: Int { Int(clamping: value.rlim_cur) }

    private var value: rlimit {
      var value = rlimit()
      precondition(unsafe getrlimit(resource, &value) == 0, "The system knows no such limit")
      return value
    }

    /// Runs `body` with a lower limit, and restores the previous one.
    public func lowered<Result>(to count: Int, _ body: () async throws -> Result) async rethrows -> Result {
      let before = value
      set(rlimit(rlim_cur: rlim_t(count), rlim_max: before.rlim_max))
      defer { set(before) }
      return try await body()
    }

    private func set(_ value: rlimit) {
      var value = value
      precondition(unsafe setrlimit(resource, &value) == 0, "The system takes no such limit")
    }
  }
#endif
