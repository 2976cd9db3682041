#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Glibc)
  internal import Glibc
#elseif canImport(Musl)
  internal import Musl
#endif

/// Reads the system's lists of users and groups.
enum UnsafeAccounts {
  /// Whether `user` is the only member of `group`.
  ///
  /// Many systems give each user a primary group with the user's own name, and a umask that allows the group to write
  /// (002). The list of members doesn't include other users with the same primary group, and finding them would mean
  /// reading all accounts. The name is enough, because the login sets such a umask for the same reason.
  static func isPrivate(_ group: UInt32, of user: UInt32) -> Bool {
    guard let account = account(of: user), account.primaryGroup == group, let group = self.group(group) else {
      return false
    }
    return group.name == account.name && group.members.allSatisfy { $0 == account.name }
  }

  private static func account(of user: UInt32) -> (name: String, primaryGroup: UInt32)? {
    unsafe entry { buffer, size in
      var entry = unsafe passwd()
      var result: UnsafeMutablePointer<passwd>?
      unsafe getpwuid_r(user, &entry, buffer, size, &result)
      guard unsafe result != nil, let name = unsafe entry.pw_name else { return nil }
      return unsafe (String(cString: name), entry.pw_gid)
    }
  }

  private static func group(_ number: UInt32) -> (name: String, members: [String])? {
    unsafe entry { buffer, size in
      var entry = unsafe Group()
      var result: UnsafeMutablePointer<Group>?
      unsafe getgrgid_r(number, &entry, buffer, size, &result)
      guard unsafe result != nil, let name = unsafe entry.gr_name else { return nil }
      var members: [String] = []
      var next = unsafe entry.gr_mem
      while let member = unsafe next?.pointee {
        unsafe members.append(String(cString: member))
        unsafe next = next?.successor()
      }
      return unsafe (String(cString: name), members)
    }
  }

  /// Reads an entry; nil if there is none.
  ///
  /// - Parameter read: Its parameters are a buffer and its size. Names and lists may be long; only the memory that they
  ///   need is touched.
  private static func entry<Entry>(_ read: (UnsafeMutablePointer<CChar>, Int) -> Entry?) -> Entry? {
    unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 1 << 20) { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe read($0, buffer.count) }
    }
  }

  /// The system's type, whose name the function above hides.
  private typealias Group = group
}
