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
      let code = unsafe getpwuid_r(user, &entry, buffer, size, &result)
      guard code == 0, unsafe result != nil, let name = unsafe entry.pw_name else { return (code, nil) }
      return unsafe (code, (String(cString: name), entry.pw_gid))
    }
  }

  private static func group(_ number: UInt32) -> (name: String, members: [String])? {
    unsafe entry { buffer, size in
      var entry = unsafe Group()
      var result: UnsafeMutablePointer<Group>?
      let code = unsafe getgrgid_r(number, &entry, buffer, size, &result)
      guard code == 0, unsafe result != nil, let name = unsafe entry.gr_name else { return (code, nil) }
      var members: [String] = []
      var next = unsafe entry.gr_mem
      while let member = unsafe next?.pointee {
        unsafe members.append(String(cString: member))
        unsafe next = next?.successor()
      }
      return unsafe (code, (String(cString: name), members))
    }
  }

  /// Reads an entry, with larger buffers until it fits; nil if there is none.
  private static func entry<Entry>(_ read: (UnsafeMutablePointer<CChar>, Int) -> (code: Int32, Entry?)) -> Entry? {
    // Names and lists may be long, but a kilobyte is enough on most systems.
    for size in [1 << 12, 1 << 16, 1 << 20] {
      let (code, found) = unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: size) { buffer in
        unsafe buffer.baseAddress.map { unsafe read($0, size) } ?? (ENOMEM, nil)
      }
      if code != ERANGE { return found }
    }
    return nil
  }

  /// The system's type, whose name the function above hides.
  private typealias Group = group
}
