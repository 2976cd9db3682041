internal import Journals

extension FileChange._Application {
  /// Puts a file with `contents` in the place of the old one, in one step.
  ///
  /// - Parameter expected: The versions that the old one may have; nil for any.
  /// - Returns: What the file is then, if the change is to know.
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
        // Beside the first failure this one would not matter.
        try? system.removeFile(name, in: place.folder)
        throw error
      }
    } catch {
      guard error.operation == .createTemporary, error.reason == .permissionDenied else { throw error }
      return try replace(place, with: contents, like: old, over: expected, after: error)
    }
  }

  /// The same with a temporary file in another folder: a sandbox may allow a program its file and not the folder.
  ///
  /// - Parameter refusal: What is thrown where there is no such folder.
  private func replace(
    _ place: borrowing Place, with contents: Data, like old: FileStatus?, over expected: [FileChange.Version]?,
    after refusal: FileChangeError
  ) throws(FileChangeError) -> FileChange.Version? {
    guard let elsewhere = try? system.makeReplacementFolder(for: path.string) else { throw refusal }
    defer { try? system.removeFolder(elsewhere) }
    guard let folder = try? system.openFolder(elsewhere), let status = try? system.inspect(folder),
      // In a folder of others another file could take the place of ours.
      status.user == system.user, status.permissions & 0o022 == 0
    else { throw refusal }
    let temporary = try createTemporary(like: old, in: folder)
    let name = temporary.name
    do throws(FileChangeError) {
      let own = try fill(temporary.file, with: contents, like: old, at: place, isLookedAt: note != nil)
      // An exchange would leave the old file in the other folder, where nobody looks for it.
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

  /// Takes away what a killed process left behind, also where the file itself is about to be removed.
  func removeAbandonedTemporaries() {
    guard !leftovers.attempts.isEmpty else { return }
    // Where the folder cannot be opened the change itself will say so.
    guard let place = try? find(followsLinks: options.symbolicLinks == .follow) else { return }
    for attempt in leftovers.attempts { try? system.removeFile(attempt.temporaryName, in: place.folder) }
    // Before the file is looked at: the killed process may have displaced another program's.
    sweeper?.settleDisplaced(in: place.folder, in: system)
  }

  /// Makes the file that will take the place of `old`: those who may not read `old` may not read it either.
  ///
  /// - Throws: Where the owner of `old` has made it read-only, for which the system asks only of a file that is opened.
  func createTemporary(
    like old: FileStatus?, in folder: borrowing Descriptor
  ) throws(FileChangeError) -> Temporary {
    if let old, old.permissions & 0o200 == 0, !options.replacesReadOnly {
      throw refusal(.inspect, .permissionDenied)
    }
    // A file that replaces nothing gets its permissions here: only the system knows the umask without changing it.
    let permissions = old == nil ? options.newFilePermissions & 0o777 : 0o600
    var attempts = 0
    while true {
      // Short, so that it fits wherever the file's own name does not forbid it, and random: another process may write
      // too.
      let name = leftovers.temporaryName ?? Sweeper.randomName()
      let file = try attempt(
        .createTemporary, except: .exists, call: system.createFile(name, permissions: permissions, in: folder))
      if let file {
        // Until it is closed no process takes it away, however long it takes to write.
        try? system.lock(file)
        return Temporary(name: name, file: file)
      }
      guard attempts < 8 else { throw failure(.createTemporary, .exists) }
      // Under a name of its own only this change can have left something, where it could not take it away.
      if leftovers.temporaryName != nil { try? system.removeFile(name, in: folder) }
      attempts += 1
    }
  }

  /// Completes the new file and brings it to the device.
  ///
  /// - Returns: What it is then, where it is looked at.
  func fill(
    _ file: consuming Descriptor, with contents: Data, like old: FileStatus?, at place: borrowing Place,
    isLookedAt: Bool
  ) throws(FileChangeError) -> FileStatus? {
    try attempt(.write, system.appendAll(contents, to: file))
    if let old { try imitate(old, at: place, on: file) }
    try attempt(.synchronize, system.synchronizeFile(file))
    let status = isLookedAt ? try attempt(.inspect, system.inspect(file)) : nil
    // The descriptor is gone whatever comes of this, so that it cannot be tried again.
    do throws(SystemError) { try system.finish(file) } catch { throw failure(.synchronize, error) }
    return status
  }

  /// The version of our new file, which the rename has given another change time, if the change is to know.
  private func version(
    of own: FileStatus?, at place: borrowing Place, checksum: @autoclosure () -> UInt32? = nil
  ) -> FileChange.Version? {
    guard note != nil, let own else { return nil }
    // Another program may have replaced our file since, or written to it: that is not our version.
    let status = try? system.inspect(place.name, in: place.folder)
    let isOwn = status?.stamp.isSame(as: own.stamp) ?? false
    return FileChange.Version(stamp: isOwn ? status?.stamp : own.stamp, checksum: checksum())
  }

  /// Gives `file` the owner, the group, the permissions and the extended attributes that `old` has.
  private func imitate(
    _ old: FileStatus, at place: borrowing Place, on file: borrowing Descriptor
  ) throws(FileChangeError) {
    let made = try attempt(.setPermissions, system.inspect(file))
    var permissions = old.permissions & 0o777
    var hasGroup = true
    if made.group != old.group || made.user != old.user {
      let isGiven = (try? system.setOwner(user: old.user, group: old.group, of: file)) != nil
      // It would be this user's from now on.
      guard isGiven || made.user == old.user || options.replacesReadOnly else {
        throw refusal(.setPermissions, .permissionDenied)
      }
      hasGroup =
        isGiven || made.group == old.group || (try? system.setOwner(user: nil, group: old.group, of: file)) != nil
      if !hasGroup {
        // Until now the file was one of others' to the members of the new group, and from now on it is to those of the
        // old one. So they get no more than both had.
        let shared = permissions & (permissions >> 3) & 0o007
        permissions = permissions & 0o700 | shared << 3 | shared
      }
    }
    guard let source = try openToRead(place) else {
      // Who else may read the old one is not known.
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

  /// Opens the file; nil where the process may not read it, or it has gone meanwhile.
  private func openToRead(_ place: borrowing Place) throws(FileChangeError) -> Descriptor? {
    do throws(SystemError) {
      return try system.openFile(place.name, in: place.folder)
    } catch {
      if error.isUnsupported || error == .absent || error.kind == .permissionDenied { return nil }
      throw failure(.setAttributes, error)
    }
  }

  /// Gives `file` the access control list of the file whose place it will take; one that its folder gave it goes.
  ///
  /// - Returns: Whether that was done. Where it was not, the permission bits do not tell who may read the old file:
  ///   with a list those of the group are the most that any user or group in the list has.
  private func copyAccessControlList(
    of old: borrowing Descriptor, to file: borrowing Descriptor, isOfSameGroup: Bool
  ) throws(FileChangeError) -> Bool {
    do throws(SystemError) {
      let list = try system.accessControlList(of: old)
      // The list says what the group may do, which is another one now.
      if list != nil, !isOfSameGroup { return false }
      if list == nil, try system.accessControlList(of: file) == nil { return true }
      try system.setAccessControlList(list, of: file)
      return true
    } catch {
      if error.isUnsupported || error.kind == .permissionDenied { return false }
      throw failure(.setAttributes, error)
    }
  }

  /// Gives `file` the extended attributes of the file whose place it will take.
  ///
  /// Where the process may not list those, or the file system has no attributes, there is nothing to keep.
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
