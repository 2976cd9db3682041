internal import Journals

extension FileChange._Application {
  /// Replaces the old file with a file that has `contents`, in one step.
  ///
  /// - Parameter expected: The versions that the old file may have; nil for any.
  /// - Returns: The version of the new file, if the caller needs it.
  func replace(
    _ place: borrowing Place, with contents: Data, like old: FileStatus?, over expected: [FileChange.Version]?
  ) throws(FileChangeError) -> FileChange.Version? {
    do throws(FileChangeError) {
      let temporary = try createTemporary(like: old, in: place.folder)
      let name = temporary.name
      do throws(FileChangeError) {
        let isLookedAt = note != nil || expected != nil
        let own = try fill(temporary.file, with: contents, like: old, at: place, isLookedAt: isLookedAt)
        if let expected, let own {
          try put(name, own, at: place) { place, status throws(FileChangeError) in
            try isExpected(status, at: place, expected, before: .contents(contents))
          }
          return version(of: own, at: place, checksum: contents.checksum)
        }
        try attempt(.replace, system.moveFile(name, to: place.name, in: place.folder))
        return version(of: own, at: place)
      } catch {
        // A failure of this call doesn't matter beside the first one.
        try? system.removeFile(name, in: place.folder)
        throw error
      }
    } catch {
      guard error.operation == .createTemporary, error.reason == .permissionDenied else { throw error }
      return try replace(place, with: contents, like: old, over: expected, after: error)
    }
  }

  /// Replaces the file with a temporary file from another folder: a sandbox may give access to the file but not to its
  /// folder.
  ///
  /// - Parameter refusal: The error to throw if there is no such folder.
  private func replace(
    _ place: borrowing Place, with contents: Data, like old: FileStatus?, over expected: [FileChange.Version]?,
    after refusal: FileChangeError
  ) throws(FileChangeError) -> FileChange.Version? {
    guard let elsewhere = try? system.makeReplacementFolder(for: path.string) else { throw refusal }
    defer { try? system.removeFolder(elsewhere) }
    guard let folder = try? system.openFolder(elsewhere), let status = try? system.inspect(folder),
      // In a folder of another user, the temporary file could be replaced.
      status.user == system.user, status.permissions & 0o022 == 0
    else { throw refusal }
    let temporary = try createTemporary(like: old, in: folder)
    let name = temporary.name
    do throws(FileChangeError) {
      let own = try fill(temporary.file, with: contents, like: old, at: place, isLookedAt: note != nil)
      // An exchange would leave the old file in the other folder, where no sweeper looks for it.
      if let expected {
        let now = try self.status(of: place.name, at: place)
        guard try isExpected(now, at: place, expected, before: .contents(contents)) else {
          throw self.refusal(.inspect, .changedByAnother)
        }
      }
      let isMoved: Void? = try attempt(
        .replace, except: .otherFileSystem,
        call: system.moveFile(name, from: folder, to: place.name, in: place.folder))
      guard isMoved != nil else { throw refusal }
      return version(of: own, at: place)
    } catch {
      try? system.removeFile(name, in: folder)
      throw error
    }
  }
}

// MARK: - The temporary file

extension FileChange._Application {
  struct Temporary: ~Copyable {
    let name: String
    let file: Descriptor
  }

  /// Removes the temporary files of killed processes, even if the file itself is about to be removed.
  func removeAbandonedTemporaries() {
    guard !leftovers.attempts.isEmpty else { return }
    // If the folder cannot be opened, the change itself will report that.
    guard let place = try? find(followsLinks: options.symbolicLinks == .follow) else { return }
    for attempt in leftovers.attempts { try? system.removeFile(attempt.temporaryName, in: place.folder) }
    // Before the file is inspected, because the killed process may have displaced another program's file.
    sweeper?.settleDisplaced(in: place.folder, in: system)
  }

  /// Makes the file that will replace `old`: users who may not read `old` may not read it either.
  ///
  /// - Throws: If the owner of `old` has made it read-only. The system checks that only when a file is opened, not when
  ///   it is replaced.
  func createTemporary(
    like old: FileStatus?, in folder: borrowing Descriptor
  ) throws(FileChangeError) -> Temporary {
    if let old, old.permissions & 0o200 == 0, !options.replacesReadOnly {
      throw refusal(.inspect, .permissionDenied)
    }
    // A new file gets its permissions here: only the system can apply the umask without changing it.
    let permissions = old == nil ? options.newFilePermissions & 0o777 : 0o600
    var attempts = 0
    while true {
      // Short, so that it fits almost everywhere, and random, because another process may write, too.
      let name = leftovers.temporaryName ?? Sweeper.randomName()
      let file = try attempt(
        .createTemporary, except: .exists, call: system.createFile(name, permissions: permissions, in: folder))
      if let file {
        // The lock keeps other processes from removing the file, however long the write takes.
        try? system.lock(file)
        return Temporary(name: name, file: file)
      }
      guard attempts < 8 else { throw failure(.createTemporary, .exists) }
      // Only an earlier attempt at this change can have left a file with its own name.
      if leftovers.temporaryName != nil { try? system.removeFile(name, in: folder) }
      attempts += 1
    }
  }

  /// Completes the new file and writes it to the device.
  ///
  /// - Returns: The status of the file, if it is asked for.
  func fill(
    _ file: consuming Descriptor, with contents: Data, like old: FileStatus?, at place: borrowing Place,
    isLookedAt: Bool
  ) throws(FileChangeError) -> FileStatus? {
    try attempt(.write, system.appendAll(contents, to: file))
    if let old { try imitate(old, at: place, on: file) }
    try attempt(.synchronize, system.synchronizeFile(file))
    let status = isLookedAt ? try attempt(.inspect, system.inspect(file)) : nil
    // The descriptor is closed in any case, so closing cannot be retried.
    do throws(SystemError) { try system.finish(file) } catch { throw failure(.synchronize, error) }
    return status
  }

  /// The version of the new file, if the caller needs it; the rename has changed its change time.
  private func version(
    of own: FileStatus?, at place: borrowing Place, checksum: @autoclosure () -> UInt32? = nil
  ) -> FileChange.Version? {
    guard note != nil, let own else { return nil }
    // Another program may have replaced or changed the file since, so that this isn't its version.
    let status = try? system.inspect(place.name, in: place.folder)
    let isOwn = status?.stamp.isSame(as: own.stamp) ?? false
    return FileChange.Version(stamp: isOwn ? status?.stamp : own.stamp, checksum: checksum())
  }

  /// Copies the owner, the group, the permissions and the extended attributes of `old` to `file`.
  private func imitate(
    _ old: FileStatus, at place: borrowing Place, on file: borrowing Descriptor
  ) throws(FileChangeError) {
    let made = try attempt(.setPermissions, system.inspect(file))
    var permissions = old.permissions & 0o777
    var hasGroup = true
    if made.group != old.group || made.user != old.user {
      let isGiven = (try? system.setOwner(user: old.user, group: old.group, of: file)) != nil
      // Otherwise the file would change its owner.
      guard isGiven || made.user == old.user || options.replacesReadOnly else {
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
    guard let source = try openToRead(place) else {
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

  /// Opens the file; nil if the process may not read it, or it was removed meanwhile.
  private func openToRead(_ place: borrowing Place) throws(FileChangeError) -> Descriptor? {
    do throws(SystemError) {
      return try system.openFile(place.name, in: place.folder)
    } catch {
      if error.isUnsupported || error == .absent || error.kind == .permissionDenied { return nil }
      throw failure(.setAttributes, error)
    }
  }

  /// Copies the access control list of the old file, and removes a list that the new file got from its folder.
  ///
  /// - Returns: Whether that succeeded. If not, the permission bits don't tell who may read the old file: with a list,
  ///   those of the group are only an upper limit for the users and groups in the list.
  private func copyAccessControlList(
    of old: borrowing Descriptor, to file: borrowing Descriptor, isOfSameGroup: Bool
  ) throws(FileChangeError) -> Bool {
    do throws(SystemError) {
      let list = try system.accessControlList(of: old)
      // The list contains permissions of the group, which is a different one now.
      if list != nil, !isOfSameGroup { return false }
      if list == nil, try system.accessControlList(of: file) == nil { return true }
      try system.setAccessControlList(list, of: file)
      return true
    } catch {
      if error.isUnsupported || error.kind == .permissionDenied { return false }
      throw failure(.setAttributes, error)
    }
  }

  /// Copies the extended attributes of the file to be replaced.
  ///
  /// If the process may not list them, or the file system has no attributes, nothing is copied.
  private func copyAttributes(
    of old: borrowing Descriptor, to file: borrowing Descriptor
  ) throws(FileChangeError) {
    do throws(SystemError) {
      for name in try system.attributeNames(of: old) {
        do throws(SystemError) {
          try system.setAttribute(name, to: system.attribute(name, of: old), of: file)
        } catch {
          // Another program has just removed it.
          if error != .noAttribute { throw error }
        }
      }
    } catch {
      if error.isUnsupported || error.kind == .permissionDenied { return }
      throw failure(.setAttributes, error)
    }
  }

  func synchronize(_ folder: borrowing Descriptor) throws(FileChangeError) {
    try attempt(.synchronizeFolder, system.synchronizeFolder(folder))
  }
}
