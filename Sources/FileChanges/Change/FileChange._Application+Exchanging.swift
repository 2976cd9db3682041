internal import Journals

// Replaces or removes a file only if it is the expected one.
//
//     lock the folder ─► look ─► new file ─► displaced name ─► exchange with the file ─► look at what came out
//                                                               ├── expected: remove it
//                                                               └── another:  exchange back, a conflict
//
// Between an inspection and a rename, another program can replace the file. So the displaced file is inspected once it
// has a private name, under which no other program replaces it. Writers of this package take turns by the lock:
// otherwise one could mistake a file that the other is about to exchange back for another program's file.

extension FileChange._Application {
  /// Decides whether the file, whose present status is given, may be replaced or removed.
  typealias Expectation = (borrowing Place, FileStatus) throws(FileChangeError) -> Bool

  func status(of name: String, at place: borrowing Place) throws(FileChangeError) -> FileStatus? {
    try attempt(.inspect, except: .absent, call: system.inspect(name, in: place.folder))
  }

  /// Runs `body` with the folder's lock.
  ///
  /// - Parameter body: Its second parameter tells whether the lock was taken: not every file system has locks.
  private func withLock<Result>(
    _ step: FileChangeError.Operation, of place: borrowing Place,
    _ body: (borrowing Place, _ isLocked: Bool) throws(FileChangeError) -> Result
  ) throws(FileChangeError) -> Result {
    do throws(SystemError) {
      try system.lockFolder(place.folder)
    } catch {
      // A transient error: the holder of the lock only makes a few calls, or is suspended.
      if error == .locked { throw failure(step, error) }
      return try body(place, false)
    }
    defer { try? system.unlock(place.folder) }
    return try body(place, true)
  }
}

// MARK: - Replacing

extension FileChange._Application {
  /// Gives `source`, a complete file of this change, the name of `place`, if the file there may be replaced.
  ///
  /// - Parameter own: The status of `source`.
  func put(
    _ source: String, _ own: FileStatus, at place: borrowing Place,
    over isExpected: (borrowing Place, FileStatus?) throws(FileChangeError) -> Bool
  ) throws(FileChangeError) {
    // While it is open, no other file gets its inode number. An old file that a batch restores has another name.
    let file = try? system.openFile(source, in: place.folder)
    try withLock(.replace, of: place) { place, isLocked throws(FileChangeError) in
      for _ in 0..<8 {
        let old = try status(of: place.name, at: place)
        guard try isExpected(place, old) else { throw refusal(.inspect, .changedByAnother) }
        if let old {
          if try exchange(source, own, at: place, expecting: old, isLocked: isLocked) { return }
        } else if try moveToFree(source, at: place) {
          return
        }
      }
      // Another program keeps creating and removing files there.
      throw refusal(.replace, .busy)
    }
    withExtendedLifetime(file) {}
  }

  /// - Returns: Whether the name was free.
  private func moveToFree(_ source: String, at place: borrowing Place) throws(FileChangeError) -> Bool {
    do throws(SystemError) {
      try system.moveFileToFree(source, to: place.name, in: place.folder)
      return true
    } catch {
      if error == .exists { return false }
      guard error.isWithoutExchange else { throw failure(.replace, error) }
    }
    do throws(SystemError) {
      try system.linkFile(source, to: place.name, in: place.folder)
      try? system.removeFile(source, in: place.folder)
    } catch {
      if error == .exists { return false }
      guard error.isWithoutLinks else { throw failure(.replace, error) }
      try attempt(.replace, system.moveFile(source, to: place.name, in: place.folder))
    }
    return true
  }

  /// - Returns: Whether there was still a file to exchange.
  private func exchange(
    _ source: String, _ own: FileStatus, at place: borrowing Place, expecting old: FileStatus, isLocked: Bool
  ) throws(FileChangeError) -> Bool {
    let displaced = DisplacedName(own: own.stamp, expected: old.stamp, name: place.name)
    guard isLocked, let out = displaced.fileName, try rename(source, to: out, .replace, at: place) else {
      try attempt(.replace, system.moveFile(source, to: place.name, in: place.folder))
      return true
    }
    do throws(SystemError) {
      try system.exchangeFiles(out, place.name, in: place.folder)
    } catch {
      if error.isWithoutExchange {
        try attempt(.replace, system.moveFile(out, to: place.name, in: place.folder))
        return true
      }
      try attempt(.replace, system.moveFile(out, to: source, in: place.folder))
      if error == .absent { return false }
      throw failure(.replace, error)
    }
    do throws(SystemError) {
      if try system.inspect(out, in: place.folder).stamp.isSame(as: old.stamp) {
        // If it isn't removed, a sweeper recognizes it.
        try? system.removeFile(out, in: place.folder)
        return true
      }
    } catch {
      try takeBack(out, own, displaced, at: place)
      noteIfUnchanged(old, at: place)
      throw failure(.inspect, error)
    }
    try takeBack(out, own, displaced, at: place)
    throw refusal(.replace, .changedByAnother)
  }

  /// Reports the new change time of a file that got its name back, so that the change can be retried.
  private func noteIfUnchanged(_ old: FileStatus, at place: borrowing Place) {
    guard let note, let now = try? system.inspect(place.name, in: place.folder), now.stamp.isSame(as: old.stamp)
    else { return }
    note(FileChange.Version(stamp: now.stamp))
  }

  /// Gives the displaced file its name back.
  ///
  /// - Parameter own: The status of the new file, which is removed.
  private func takeBack(
    _ out: String, _ own: FileStatus, _ displaced: DisplacedName, at place: borrowing Place
  ) throws(FileChangeError) {
    do throws(SystemError) {
      try system.exchangeFiles(out, place.name, in: place.folder)
    } catch {
      // Another program has removed the new file.
      if error == .absent { return try putBack(out, displaced, at: place) }
      throw keep(out, displaced, at: place)
    }
    // Another program may have put one more file there meanwhile, which is displaced now.
    let found: FileStatus
    do throws(SystemError) { found = try system.inspect(out, in: place.folder) } catch {
      if error == .absent { throw refusal(.replace, .changedByAnother) }
      // A sweeper will inspect it again.
      throw failure(.inspect, error)
    }
    guard found.stamp.isSame(as: own.stamp) else { throw keep(out, displaced, at: place) }
    try? system.removeFile(out, in: place.folder)
    // Before the conflict is reported: the file that it reports must be there permanently.
    try synchronize(place.folder)
  }

  /// Gives a displaced file its name back, unless another file has that name now.
  private func putBack(
    _ out: String, _ displaced: DisplacedName, at place: borrowing Place
  ) throws(FileChangeError) {
    // If this fails, a sweeper finishes it.
    guard try moveToFree(out, at: place) else { throw keep(out, displaced, at: place) }
    try synchronize(place.folder)
  }

  /// Gives another program's file a name that is never removed, and returns the conflict error with that name.
  private func keep(_ out: String, _ displaced: DisplacedName, at place: borrowing Place) -> FileChangeError {
    var name = displaced.randomKeptName()
    if (try? system.moveFileToFree(out, to: name, in: place.folder)) == nil { name = out }
    try? system.synchronizeFolder(place.folder)
    return FileChangeError(
      path: path, operation: .replace, reason: .changedByAnother, keptFile: FileChange.Path(place.folderPath + name))
  }

  /// - Returns: False if the new name is too long.
  private func rename(
    _ source: String, to out: String, _ step: FileChangeError.Operation, at place: borrowing Place
  ) throws(FileChangeError) -> Bool {
    do throws(SystemError) {
      try system.moveFile(source, to: out, in: place.folder)
      return true
    } catch {
      if error.kind == .nameTooLong { return false }
      throw failure(step, error)
    }
  }
}

// MARK: - Removing

extension FileChange._Application {
  /// Removes the file if `isExpected` allows it.
  func takeAway(_ place: borrowing Place, if isExpected: Expectation) throws(FileChangeError) {
    try withLock(.remove, of: place) { place, isLocked throws(FileChangeError) in
      guard let old = try status(of: place.name, at: place) else { return }
      guard try isExpected(place, old) else { throw refusal(.inspect, .changedByAnother) }
      let displaced = DisplacedName(own: nil, expected: old.stamp, name: place.name)
      let out = isLocked ? displaced.fileName : nil
      do throws(SystemError) {
        guard let out else { return try system.removeFile(place.name, in: place.folder) }
        try system.moveFile(place.name, to: out, in: place.folder)
      } catch {
        if error == .absent { return }
        guard out != nil, error.kind == .nameTooLong else { throw failure(.remove, error) }
        _ = try attempt(.remove, except: .absent, call: system.removeFile(place.name, in: place.folder))
        return
      }
      guard let out else { return }
      do throws(SystemError) {
        if try system.inspect(out, in: place.folder).stamp.isSame(as: old.stamp) {
          return try system.removeFile(out, in: place.folder)
        }
      } catch {
        if error == .absent { return }
        try putBack(out, displaced, at: place)
        noteIfUnchanged(old, at: place)
        throw failure(.remove, error)
      }
      try putBack(out, displaced, at: place)
      throw refusal(.remove, .changedByAnother)
    }
  }
}
