internal import Journals

// The steps of an application, with its folders open.

extension FileChange._Application {
  // MARK: Progress

  func isFinal(_ index: Int) throws(FileChangeError) -> Bool { try isFinal(places[index].newStatus(), at: index) }

  /// Whether `status`, which the path has now, is its final state.
  func isFinal(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
    switch effects[index].outcome {
    case .absent:
      if status == nil { return true }
      return try hasOnlyNewSpelling(status, at: index)
    case .file(of: let source): return isSame(status, plan[offset(of: source)])
    case .contents(let contents):
      // The file to be moved away may have the same contents.
      if sources.contains(effects[index].path), isSame(status, plan[index]) { return false }
      if let old = oldSpelling(of: index), isSame(status, plan[old]) { return false }
      return try places[index].holds(contents, status)
    }
  }

  /// Whether this is the new file of a name that differs only in case, in a folder that ignores case.
  private func hasOnlyNewSpelling(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
    guard let new = effects[index].newSpelling, oldSpelling(of: new) == index else { return false }
    let found = try places[new].newStatus()
    guard found?.identity == status?.identity else { return false }
    return try isFinal(found, at: new)
  }

  /// Whether this is the file of the version, whatever its name.
  func isSame(_ status: FileStatus?, _ version: FileChange.Version) -> Bool {
    status.map { $0.identity == version.stamp?.identity } ?? false
  }

  func old(_ index: Int) throws(FileChangeError) -> FileStatus? {
    try places[index].status(of: names.old(index))
  }

  /// Whether old files were already removed, which happens after everything else and rules out a rollback.
  ///
  /// The second name of a moved file may be missing because it became the new name.
  func hasLostOldFiles() throws(FileChangeError) -> Bool {
    var hasLost = false
    for (index, effect) in effects.enumerated() {
      let status = try places[index].newStatus()
      let isFinal = try isFinal(status, at: index)
      let isAsBefore = isSame(status, plan[index])
      // No old file is removed before everything else is done.
      if isAsBefore, !isFinal { return false }
      guard isFinal, !isAsBefore, plan[index] != .absent, try old(index) == nil else { continue }
      // The file may already have been moved to its target.
      let target = sources.contains(effect.path) ? effects.firstIndex { $0.source == effect.path } : nil
      if let target, try self.isFinal(target) { continue }
      hasLost = true
    }
    return hasLost
  }

  /// Whether every path has its final state.
  func wasDone() throws(FileChangeError) -> Bool {
    for index in effects.indices { if try !isFinal(index) { return false } }
    return true
  }

  // MARK: Forward

  mutating func prepare() throws(FileChangeError) {
    for index in effects.indices {
      guard case .contents(let contents) = effects[index].outcome else { continue }
      // Without old files, existing contents are written again even if they are the same.
      if keepsOldFiles, try isFinal(index) { continue }
      try make(index, contents)
    }
    if keepsOldFiles { try renew() }
  }

  private mutating func make(_ index: Int, _ contents: Data) throws(FileChangeError) {
    let place = places[index]
    do throws(FileChangeError) {
      try make(index, contents, in: place.openFolder.descriptor)
    } catch {
      // A sandbox may give access to the file but not to its folder.
      guard error.operation == .createTemporary, error.reason == .permissionDenied,
        let folder = ReplacementFolder(for: place)
      else { throw error }
      try make(index, contents, in: folder.descriptor)
      folder.fileName = new[index].file?.name
      new[index].file?.elsewhere = (folder, error)
    }
  }

  private mutating func make(_ index: Int, _ contents: Data, in folder: borrowing Descriptor) throws(FileChangeError) {
    let (place, model) = (places[index], try model(of: index))
    var name = ""
    let file = try place.createTemporary(like: model.file, in: folder, named: &name)
    let needsStatus = keepsOldFiles || note != nil || effects[index].base != nil
    do throws(FileChangeError) {
      let status = try place.fill(file, with: contents, like: model, needsStatus: needsStatus)
      new[index].file = NewFile(name: name, status: status)
    } catch {
      // A failure of this call doesn't matter beside the first one.
      try? system.removeFile(name, in: folder)
      throw error
    }
  }

  /// The place of the file whose owner, permissions and attributes the new contents copy.
  private func model(of index: Int) throws(FileChangeError) -> Place {
    let index = effects[index].model.map { offset(of: $0) } ?? index
    let place = places[index]
    guard keepsOldFiles, place.status == nil else { return place }
    // Without hard links, it no longer has its old name.
    return Place(place.access, in: place.openFolder, at: place.folderPath, names.old(index), try old(index))
  }

  /// Synchronizes contents that were already in place, because another program may have written them.
  ///
  /// A device reports lost bytes only once, so if synchronizing fails, the contents are written again.
  mutating func renew() throws(FileChangeError) {
    for (index, effect) in effects.enumerated() {
      guard case .contents(let contents) = effect.outcome else { continue }
      let place = places[index]
      let status = try place.newStatus()
      guard try isFinal(status, at: index) else { continue }
      if let file = try? system.openFile(place.name, in: place.folder), (try? system.synchronizeFile(file)) != nil {
        new[index].version = FileChange.Version(stamp: status?.stamp)
        continue
      }
      try make(index, contents)
      do throws(FileChangeError) {
        // Another program may have changed the file meanwhile.
        if try isFinal(index) { try putNew(index) }
      } catch {
        // The contents at the path are those of an earlier attempt.
        new[index].file = nil
        throw error
      }
    }
  }

  private mutating func putNew(_ index: Int) throws(FileChangeError) {
    guard let made = new[index].file else { return }
    let place = places[index]
    if let (folder, refusal) = made.elsewhere {
      // An exchange would leave the old file in the other folder, where no sweeper looks for it.
      if effects[index].base != nil, try !mayReplace(place.newStatus(), at: index) {
        throw place.refusal(.inspect, .changedByAnother)
      }
      let isMoved: Void? = try place.attempt(
        .replace, except: .otherFileSystem,
        call: system.moveFile(made.name, from: folder.descriptor, to: place.name, in: place.folder))
      guard isMoved != nil else { throw refusal }
      folder.fileName = nil
    } else if effects[index].base == nil, !effects[index].mustBeFree {
      try place.attempt(.replace, system.moveFile(made.name, to: place.name, in: place.folder))
    } else {
      try place.put(made.name, made.status) { status throws(FileChangeError) in
        try mayReplace(status, at: index)
      }
    }
    new[index].version = FileChange.Version(stamp: made.status?.stamp)
  }

  /// Whether the file that now has the path is the old one, or already has the new contents.
  ///
  /// - Throws: If the path must be free; a file that was made there since stays.
  func mayReplace(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
    if effects[index].mustBeFree, status != nil, try !isFinal(status, at: index) {
      throw places[index].refusal(.move, .targetExists)
    }
    guard keepsOldFiles else {
      guard let expected = expected(index) else { return true }
      return try places[index].isExpected(status, expected, before: effects[index].outcome)
    }
    // Compared without the change time, which a second name changes. Without hard links, the file no longer has its
    // old name.
    guard let status else { return try plan[index] == .absent ? true : old(index) != nil }
    if let planned = plan[index].stamp, status.stamp.isSame(as: planned) { return true }
    return try isFinal(status, at: index)
  }

  /// Gives every path its final state.
  mutating func put() throws(FileChangeError) {
    guard keepsOldFiles else { return try put(0) }
    // A moved file gets its new name before it loses the old one.
    for (index, effect) in effects.enumerated() where effect.source != nil { try put(index) }
    for (index, effect) in effects.enumerated() where effect.source == nil { try put(index) }
    // If two names differ only in case, the folder may have treated them as one, which was removed.
    for (index, effect) in effects.enumerated() where effect.source != nil {
      if try places[index].newStatus() == nil { try put(index) }
    }
  }

  private mutating func put(_ index: Int) throws(FileChangeError) {
    let place = places[index]
    if keepsOldFiles, case let status = try place.newStatus(), try isFinal(status, at: index) {
      new[index].version = new[index].version ?? FileChange.Version(stamp: status?.stamp)
      return
    }
    switch effects[index].outcome {
    case .absent:
      // A file without a second name didn't exist at the beginning: it may be a moved file whose name differs in
      // case.
      guard try keepsOldFiles ? old(index) != nil : place.status != nil else { return }
      guard effects[index].base != nil || sources.contains(effects[index].path) else {
        _ = try place.attempt(.remove, except: .absent, call: system.removeFile(place.name, in: place.folder))
        return
      }
      try place.remove { status throws(FileChangeError) in try mayReplace(status, at: index) }
    case .contents: try putNew(index)
    case .file(of: let source): try putFile(offset(of: source), at: index)
    }
  }

  private func putFile(_ source: Int, at index: Int) throws(FileChangeError) {
    let (from, to) = (places[source], places[index])
    guard isSame(try old(source), plan[source]) else {
      throw from.refusal(.move, try old(source) == nil ? .noSuchFile : .changedByAnother)
    }
    let isFree = try to.newStatus() == nil
    if !isFree, effects[index].mustBeFree { throw to.refusal(.move, .targetExists) }
    let name = isFree ? to.name : names.new(index)
    if !isFree {
      _ = try to.attempt(.move, except: .absent, call: system.removeFile(name, in: to.folder))
    }
    do throws(SystemError) {
      try system.linkFile(names.old(source), from: from.folder, to: name, in: to.folder)
    } catch {
      if error == .exists { throw to.refusal(.move, .targetExists) }
      guard error.isWithoutLinks else { throw to.failure(.move, error) }
      try to.attempt(
        .move,
        system.moveFile(names.old(source), from: from.folder, to: to.name, in: to.folder))
      return
    }
    if isFree { return }
    if effects[index].base == nil {
      try to.attempt(.move, system.moveFile(name, to: to.name, in: to.folder))
    } else {
      try to.put(name) { status throws(FileChangeError) in try mayReplace(status, at: index) }
    }
  }

  /// Writes the entries of every folder to the device.
  func synchronize() throws(FileChangeError) {
    for place in places.withDistinctFolders { try place.synchronizeFolder() }
  }

  /// The versions that the batch left at the paths; another program may have changed the files since.
  ///
  /// Must be called at the end, because adding or removing a name changes a file's change time.
  func versions() -> [FileChange.Version] {
    effects.enumerated().map { index, effect in
      switch effect.outcome {
      case .absent: .absent
      case .file(of: let source): newest(plan[offset(of: source)], at: index)
      case .contents(let contents):
        newest(new[index].version ?? plan[index], at: index, checksum: effect.base.map { _ in contents.checksum })
      }
    }
  }

  /// For each path whose file got its name back, the version with its new change time; nil if it didn't change.
  func restoredVersions() -> [FileChange.Version?] {
    effects.indices.map { index in
      // Otherwise, only another program can have changed the time.
      guard plan[index].stamp.map({ linked.contains($0.identity) }) ?? false else { return nil }
      let version = newest(plan[index], at: index)
      return version == plan[index] ? nil : version
    }
  }

  /// The version with the present change time of the file, if the path still has that version.
  ///
  /// - Parameter checksum: The checksum of the file, if it isn't that of the version.
  private func newest(_ version: FileChange.Version, at index: Int, checksum: UInt32? = nil) -> FileChange.Version {
    var stamp = version.stamp
    if let old = stamp, let now = (try? places[index].newStatus())?.flatMap(\.self)?.stamp, now.isSame(as: old) {
      stamp = now
    }
    return FileChange.Version(stamp: stamp, checksum: checksum ?? version.checksum)
  }

  /// Removes the temporary files.
  ///
  /// - Returns: Whether all are removed, even after a power failure; no sweeper removes an old file.
  func cleanUp() -> Bool {
    // Removed first, because a new file may be a second name of the file at the path.
    let new = removeAll(names.new)
    let old = removeAll(names.old)
    return new.isClean && old.isClean && (!old.isChanged || (try? synchronize()) != nil)
  }

  func removeNewFiles() {
    if keepsOldFiles { return _ = removeAll(names.new) }
    if let made = new[0].file { try? system.removeFile(made.name, in: places[0].folder) }
  }

  /// Whether all files with these names are removed, and whether there were any.
  private func removeAll(_ name: (Int) -> String) -> (isClean: Bool, isChanged: Bool) {
    var (isClean, isChanged) = (true, false)
    for (index, place) in places.enumerated() {
      do throws(SystemError) {
        try system.removeFile(name(index), in: place.folder)
        isChanged = true
      } catch {
        if error != .absent { isClean = false }
      }
    }
    return (isClean, isChanged)
  }
}

extension [FileChange._FileAccess.Place] {
  /// One place in each folder.
  var withDistinctFolders: [Element] {
    guard count > 1 else { return self }
    var folders: Set<ObjectIdentifier> = []
    return filter { folders.insert(ObjectIdentifier($0.openFolder)).inserted }
  }
}
