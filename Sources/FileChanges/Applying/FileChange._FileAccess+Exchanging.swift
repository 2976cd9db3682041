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

extension FileChange._FileAccess.Place {
  /// Decides whether the file, whose present status is given, may be replaced or removed.
  typealias Expectation = (FileStatus?) throws(FileChangeError) -> Bool

  /// Runs `body` with the folder's lock.
  ///
  /// - Parameter body: Its parameter tells whether the lock was taken: not every file system has locks.
  private func withLock<Result>(
    _ step: FileChangeError.Operation, _ body: (_ isLocked: Bool) throws(FileChangeError) -> Result
  ) throws(FileChangeError) -> Result {
    // A taken lock is a transient error: its holder only makes a few calls, or is suspended.
    let isLocked: Void? = try attempt(step, unless: { $0 != .locked }) { () throws(SystemError) in
      try system.awaitLock(of: folder)
    }
    defer { if isLocked != nil { try? system.unlock(folder) } }
    return try body(isLocked != nil)
  }

  // MARK: Replacing

  /// Gives `source`, a complete file of this change, the name of this place, if the file there may be replaced.
  ///
  /// - Parameter own: The status of `source`, if it is known.
  func put(_ source: String, _ own: FileStatus? = nil, over isExpected: Expectation) throws(FileChangeError) {
    let own = if let own { own } else { try attempt(.replace, system.inspect(source, in: folder)) }
    // While it is open, no other file gets its inode number. An old file that a batch restores has another name.
    let file = try? system.openFile(source, in: folder)
    try withLock(.replace) { isLocked throws(FileChangeError) in
      for _ in 0..<8 {
        let old = try newStatus()
        guard try isExpected(old) else { throw refusal(.inspect, .changedByAnother) }
        if let old {
          if try exchange(source, own, expecting: old, isLocked: isLocked) { return }
        } else if try moveToFree(source) {
          return
        }
      }
      // Another program keeps creating and removing files there.
      throw refusal(.replace, .busy)
    }
    withExtendedLifetime(file) {}
  }

  /// - Returns: Whether the name was free.
  private func moveToFree(_ source: String) throws(FileChangeError) -> Bool {
    do throws(SystemError) {
      try system.moveFileToFree(source, to: name, in: folder)
      return true
    } catch {
      if error == .exists { return false }
      guard error.isWithoutExchange else { throw failure(.replace, error) }
    }
    do throws(SystemError) {
      try system.linkFile(source, to: name, in: folder)
      try? system.removeFile(source, in: folder)
    } catch {
      if error == .exists { return false }
      guard error.isWithoutLinks else { throw failure(.replace, error) }
      try attempt(.replace, system.moveFile(source, to: name, in: folder))
    }
    return true
  }

  /// - Returns: Whether there was still a file to exchange.
  private func exchange(
    _ source: String, _ own: FileStatus, expecting old: FileStatus, isLocked: Bool
  ) throws(FileChangeError) -> Bool {
    let displaced = DisplacedName(own: own.stamp, expected: old.stamp, name: name)
    // The displaced name may be too long for the file system.
    guard isLocked, let out = displaced.fileName,
      try attempt(.replace, except: .nameTooLong, call: system.moveFile(source, to: out, in: folder)) != nil
    else {
      try attempt(.replace, system.moveFile(source, to: name, in: folder))
      return true
    }
    do throws(SystemError) {
      try system.exchangeFiles(out, name, in: folder)
    } catch {
      if error.isWithoutExchange {
        try attempt(.replace, system.moveFile(out, to: name, in: folder))
        return true
      }
      // The error may come after the exchange. Then the old file has the name `out`, and must not be removed unseen.
      guard let now = try? system.inspect(name, in: folder), now.stamp.isSame(as: own.stamp) else {
        try attempt(.replace, system.moveFile(out, to: source, in: folder))
        if error == .absent { return false }
        throw failure(.replace, error)
      }
    }
    let found = Result { () throws(SystemError) in try system.inspect(out, in: folder).stamp }
    if case .success(let stamp) = found, stamp.isSame(as: old.stamp) {
      // If it isn't removed, a sweeper recognizes it.
      try? system.removeFile(out, in: folder)
      return true
    }
    try exchangeBack(out, own, displaced)
    guard case .failure(let error) = found else { throw refusal(.replace, .changedByAnother) }
    noteIfUnchanged(old)
    throw failure(.inspect, error)
  }

  /// Reports the new change time of a file that got its name back, so that the change can be retried.
  private func noteIfUnchanged(_ old: FileStatus) {
    guard let note = access.note, let now = try? system.inspect(name, in: folder), now.stamp.isSame(as: old.stamp)
    else { return }
    note(FileChange.Version(stamp: now.stamp))
  }

  /// Gives the displaced file its name back.
  ///
  /// - Parameter own: The status of the new file, which is removed.
  private func exchangeBack(_ out: String, _ own: FileStatus, _ displaced: DisplacedName) throws(FileChangeError) {
    do throws(SystemError) {
      try system.exchangeFiles(out, name, in: folder)
    } catch {
      // Another program has removed the new file.
      if error == .absent { return try putBack(out, displaced) }
      throw keep(out, displaced)
    }
    // Another program may have put one more file there meanwhile, which is displaced now.
    // If it can't be inspected, a sweeper will do that again.
    guard let found = try status(of: out) else { throw refusal(.replace, .changedByAnother) }
    guard found.stamp.isSame(as: own.stamp) else { throw keep(out, displaced) }
    try? system.removeFile(out, in: folder)
    // Before the conflict is reported: the file that it reports must be there permanently.
    try synchronizeFolder()
  }

  /// Gives a displaced file its name back, unless another file has that name now.
  private func putBack(_ out: String, _ displaced: DisplacedName) throws(FileChangeError) {
    // If this fails, a sweeper finishes it.
    guard try moveToFree(out) else { throw keep(out, displaced) }
    try synchronizeFolder()
  }

  /// Gives another program's file a name that is never removed, and returns the conflict error with that name.
  private func keep(_ out: String, _ displaced: DisplacedName) -> FileChangeError {
    var kept = displaced.randomKeptName()
    if (try? system.moveFileToFree(out, to: kept, in: folder)) == nil { kept = out }
    try? system.synchronizeFolder(folder)
    return FileChangeError(
      path: access.path, operation: .replace, reason: .changedByAnother, keptPath: FileChange.Path(folderPath + kept))
  }

  // MARK: Removing

  /// Removes the file if `isExpected` allows it.
  func remove(if isExpected: Expectation) throws(FileChangeError) {
    try withLock(.remove) { isLocked throws(FileChangeError) in
      guard let old = try newStatus() else { return }
      guard try isExpected(old) else { throw refusal(.inspect, .changedByAnother) }
      let displaced = DisplacedName(own: nil, expected: old.stamp, name: name)
      var out = isLocked ? displaced.fileName : nil
      do throws(SystemError) { if let out { try system.moveFile(name, to: out, in: folder) } } catch {
        if error == .absent { return }
        guard error == .nameTooLong else { throw failure(.remove, error) }
        out = nil
      }
      guard let out else {
        _ = try attempt(.remove, except: .absent, call: system.removeFile(name, in: folder))
        return
      }
      do throws(SystemError) {
        if try system.inspect(out, in: folder).stamp.isSame(as: old.stamp) {
          return try system.removeFile(out, in: folder)
        }
      } catch {
        if error == .absent { return }
        try putBack(out, displaced)
        noteIfUnchanged(old)
        throw failure(.remove, error)
      }
      try putBack(out, displaced)
      throw refusal(.remove, .changedByAnother)
    }
  }
}
