internal import Journals

extension FileChange._FileAccess.Place {
  /// Makes the file that will replace `old`: users who may not read `old` may not read it either.
  ///
  /// - Parameter name: Is set to the name of the new file.
  /// - Throws: If the owner of `old` has made it read-only. The system checks that only when a file is opened, not when
  ///   it is replaced.
  func createTemporary(
    like old: FileStatus?, in folder: borrowing Descriptor, named name: inout String
  ) throws(FileChangeError) -> Descriptor {
    let (options, temporaryName) = (access.options, access.leftovers.temporaryName)
    if let old, old.permissions & 0o200 == 0, !options.replacesReadOnly {
      throw refusal(.inspect, .permissionDenied)
    }
    // A new file gets its permissions here: only the system can apply the umask without changing it.
    let permissions = old == nil ? options.newFilePermissions & 0o777 : 0o600
    for attempt in 0...8 {
      // Short, so that it fits almost everywhere, and random, because another process may write, too.
      name = temporaryName ?? Sweeper.randomName()
      let file = try self.attempt(
        .createTemporary, except: .exists, call: system.createFile(name, permissions: permissions, in: folder))
      if let file {
        // The lock keeps other processes from removing the file, however long the write takes.
        try? system.lock(file)
        return file
      }
      // Only an earlier attempt at this change can have left a file with its own name.
      if temporaryName != nil, attempt < 8 { try? system.removeFile(name, in: folder) }
    }
    throw failure(.createTemporary, .exists)
  }

  /// Completes the new file and writes it to the device.
  ///
  /// - Parameter model: The place of the old file, whose owner, permissions and attributes the new file gets, if it has
  ///   a file.
  /// - Returns: The status of the file, if it is asked for.
  func fill(
    _ file: consuming Descriptor, with contents: Data, like model: FileChange._FileAccess.Place, needsStatus: Bool
  ) throws(FileChangeError) -> FileStatus? {
    try attempt(.write, system.appendAll(contents, to: file))
    if let old = model.file { try imitate(old, at: model, on: file) }
    try attempt(.synchronize, system.synchronizeFile(file))
    let status = needsStatus ? try attempt(.inspect, system.inspect(file)) : nil
    // The descriptor is closed in any case, so closing cannot be retried.
    do throws(SystemError) { try system.finish(file) } catch { throw failure(.synchronize, error) }
    return status
  }

  /// Copies the owner, the group, the permissions and the extended attributes of `old` to `file`.
  private func imitate(
    _ old: FileStatus, at model: FileChange._FileAccess.Place, on file: borrowing Descriptor
  ) throws(FileChangeError) {
    let made = try attempt(.setPermissions, system.inspect(file))
    var permissions = old.permissions & 0o777
    var hasGroup = true
    if made.group != old.group || made.user != old.user {
      let isGiven = (try? system.setOwner(user: old.user, group: old.group, of: file)) != nil
      // Otherwise the file would change its owner.
      guard isGiven || made.user == old.user || access.options.replacesReadOnly else {
        throw refusal(.setPermissions, .permissionDenied)
      }
      hasGroup =
        isGiven || made.group == old.group || (try? system.setOwner(user: nil, group: old.group, of: file)) != nil
      if !hasGroup {
        // The group of the file changes. Members of the new group had the permissions of others before, and members of
        // the old group have them from now on. So both get only the permissions that the group and others had in
        // common.
        let shared = permissions & (permissions >> 3) & 0o007
        permissions = permissions & 0o700 | shared << 3 | shared
      }
    }
    // The file may have been removed meanwhile.
    let canBeMissing = { (error: SystemError) in error.isUnavailable || error == .absent }
    let opened = try model.attempt(.setAttributes, unless: canBeMissing) { () throws(SystemError) in
      try system.openFile(model.name, in: model.folder)
    }
    guard let source = opened else {
      // It is unknown which other users may read the old file.
      return try setPermissions(permissions & 0o700, of: file, made)
    }
    if try !copyAccessControlList(of: source, to: file, isOfSameGroup: hasGroup) { permissions &= 0o700 }
    try setPermissions(permissions, of: file, made)
    try copyAttributes(of: source, to: file)
  }

  private func setPermissions(
    _ permissions: UInt16, of file: borrowing Descriptor, _ made: FileStatus
  ) throws(FileChangeError) {
    guard permissions != made.permissions else { return }
    try attempt(.setPermissions, system.setPermissions(permissions, of: file))
  }

  /// Copies the access control list of the old file, and removes a list that the new file got from its folder.
  ///
  /// - Returns: Whether that succeeded. If not, the permission bits don't tell who may read the old file: with a list,
  ///   those of the group are only an upper limit for the users and groups in the list.
  private func copyAccessControlList(
    of old: borrowing Descriptor, to file: borrowing Descriptor, isOfSameGroup: Bool
  ) throws(FileChangeError) -> Bool {
    try attempt(.setAttributes, unless: \.isUnavailable) { () throws(SystemError) in
      let list = try system.accessControlList(of: old)
      // The list contains permissions of the group, which is a different one now.
      if list != nil, !isOfSameGroup { return false }
      if list == nil, try system.accessControlList(of: file) == nil { return true }
      try system.setAccessControlList(list, of: file)
      return true
    } ?? false
  }

  /// Copies the extended attributes of the file to be replaced.
  ///
  /// If the process may not list them, or the file system has no attributes, nothing is copied.
  private func copyAttributes(of old: borrowing Descriptor, to file: borrowing Descriptor) throws(FileChangeError) {
    _ = try attempt(.setAttributes, unless: \.isUnavailable) { () throws(SystemError) in
      for name in try system.attributeNames(of: old) {
        do throws(SystemError) {
          try system.setAttribute(name, to: system.attribute(name, of: old), of: file)
        } catch {
          // Another program has just removed it.
          if error != .noAttribute { throw error }
        }
      }
    }
  }
}

/// A folder that the system provides for the new file, because the folder of the file refuses it.
final class ReplacementFolder {
  let descriptor: Descriptor
  /// The name of a file that is removed together with the folder.
  var fileName: String?
  private let path: String
  private let system: any FileSystem

  /// Makes the folder; nil if the system has none, or if another user could replace the file there.
  init?(for place: FileChange._FileAccess.Place) {
    let system = place.system
    guard let path = try? system.makeReplacementFolder(for: place.access.path.string) else { return nil }
    guard let folder = try? system.openFolder(path), let status = try? system.inspect(folder),
      status.user == system.user, status.permissions & 0o022 == 0
    else {
      try? system.removeFolder(path)
      return nil
    }
    descriptor = folder
    (self.path, self.system) = (path, system)
  }

  deinit {
    if let fileName { try? system.removeFile(fileName, in: descriptor) }
    try? system.removeFolder(path)
  }
}
