#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

#if os(Linux) || os(macOS)
  /// What the system lets this process have only so much of.
  ///
  /// A test that lowers one belongs in a process of its own. The limit is lifted again before the process ends: with
  /// `--enable-code-coverage` it writes its profile then, and one that is cut off makes all of them unreadable.
  public enum ResourceLimit {
    /// The bytes of any file that is written.
    case fileSize
    /// The descriptors that are open.
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

    /// How much there may be now.
    public var current: Int { Int(clamping: value.rlim_cur) }

    private var value: rlimit {
      var value = rlimit()
      precondition(unsafe getrlimit(resource, &value) == 0, "The system knows no such limit")
      return value
    }

    /// Does something under a lower limit, and lifts it again.
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
