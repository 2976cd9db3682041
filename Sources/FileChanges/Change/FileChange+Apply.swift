package import Journals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FileChange {
  /// Carries out the change now, durably, and returns when it is on the device.
  ///
  /// A write never shows a torn file. The contents go to a temporary file in the same folder, which then takes the
  /// file's place in one step: a program that opens the file sees the old contents or the new. When the write fails
  /// before that step, the file is as it was and the temporary file is gone.
  ///
  /// - The file keeps its permission bits, and its owner and group where the process may give files away. (The bits
  ///   that let a program run with its owner's rights are dropped, as the system does on any write.)
  /// - Removing what is not there succeeds.
  /// - Folders, devices, pipes and sockets are neither replaced nor removed.
  /// - Hard links, access control lists and extended attributes of the old file do not carry over to the new one.
  ///
  /// A process that is killed meanwhile leaves a temporary file, `.unsaved-` and a number, in the folder. The next
  /// change of a file there, by `apply()` or by a writer, takes it away when it was not written to for an hour and no
  /// process holds it. For that the folder is listed once an hour, not for each change. On a file system without locks
  /// the file stays.
  ///
  /// The call blocks for as long as the device takes; ``FileChangeWriter`` does the same in the background.
  ///
  /// ```swift
  /// let change = FileChange.write("Buy milk", to: "/notes/today.txt")
  /// do {
  ///   try change.apply()
  /// } catch {
  ///   print(error)  // "/notes/today.txt: there is no such folder (errno 2) while opening the folder. Create the …"
  /// }
  /// ```
  ///
  /// - Throws: `FileChangeError` with the path, the step, the reason and what to do. After a failure in the last step,
  ///   synchronizing the folder, the change can be seen but may not survive a power failure.
  public func apply(options: Options = Options()) throws(FileChangeError) {
    try apply(options: options, in: PosixFileSystem(), sweeper: .shared)
  }

  /// Carries out the change.
  ///
  /// - Parameters:
  ///   - leftovers: What earlier attempts may have left.
  ///   - sweeper: What takes away what other processes have left in the folder.
  ///   - note: Is told what the file is from the moment on at which the change can be seen, also where it fails after
  ///     that.
  package func apply(
    options: Options, in system: any FileSystem, leftovers: _Leftovers = .none, sweeper: Sweeper? = nil,
    note: ((Version) -> Void)? = nil
  ) throws(FileChangeError) {
    if let objection = options.objection(to: path) {
      throw FileChangeError(path: path, operation: .submit, reason: objection)
    }
    let work = Application(
      path: path, options: options, system: system, leftovers: leftovers, sweeper: sweeper, note: note)
    let expected = base.map { [$0, leftovers.version ?? $0] }
    work.removeAbandonedTemporaries()
    switch action {
    case .write(let contents): try work.write(contents, over: expected)
    case .remove: try work.remove(expected)
    }
  }
}

/// One change being carried out.
private struct Application: SystemCalling {
  let path: FileChange.Path
  let options: FileChange.Options
  let system: any FileSystem
  let leftovers: _Leftovers
  let sweeper: Sweeper?
  let note: ((FileChange.Version) -> Void)?

  /// An entry in an open folder.
  struct Place: ~Copyable {
    let folder: Descriptor
    let name: String
    /// What has the name, or nil when nothing has.
    let status: FileStatus?

    var version: FileChange.Version { FileChange.Version(stamp: status?.stamp) }
  }

  func failure(_ step: FileChangeError.Operation, _ error: SystemError) -> FileChangeError {
    FileChangeError(path: path, operation: step, error: error)
  }

  private func refusal(_ step: FileChangeError.Operation, _ reason: FileChangeError.Reason) -> FileChangeError {
    FileChangeError(path: path, operation: step, reason: reason)
  }

  /// - Parameter expected: The versions that the file may have; nil for any.
  func write(_ contents: Data, over expected: [FileChange.Version]?) throws(FileChangeError) {
    let place = try find(followsLinks: options.symbolicLinks == .follow)
    switch place.status?.kind {
    case nil, .file: break
    case .symbolicLink: if options.symbolicLinks == .refuse { throw refusal(.write, .isASymbolicLink) }
    case .folder: throw refusal(.write, .isAFolder)
    case .other: throw refusal(.write, .notAFile)
    }
    if let expected, !expected.contains(place.version) {
      // A process that was killed has done it.
      if try holds(contents, place) {
        note?(place.version)
        return try synchronize(place.folder)
      }
      guard try isAsLeftBehind(place) else { throw refusal(.inspect, .changedByAnother) }
    }
    sweeper?.sweep(place.folder, in: system)
    let old = place.status?.kind == .file ? place.status : nil
    let temporary = try createTemporary(like: old, in: place.folder)
    let name = temporary.name
    var version: FileChange.Version?
    do throws(FileChangeError) {
      version = try fill(temporary.file, with: contents, like: old)
      try attempt(.replace, system.moveFile(name, to: place.name, in: place.folder))
    } catch {
      // Beside the first failure this one would not matter.
      try? system.removeFile(name, in: place.folder)
      throw error
    }
    if let version { note?(version) }
    try synchronize(place.folder)
  }

  func remove(_ expected: [FileChange.Version]?) throws(FileChangeError) {
    do throws(FileChangeError) {
      let place = try find(followsLinks: false)
      if let expected, place.status != nil, try !isExpected(place, expected) {
        throw refusal(.inspect, .changedByAnother)
      }
      try remove(place)
    } catch {
      // Without the folder the file is not there either.
      if error.reason != .noSuchFolder { throw error }
      note?(.absent)
    }
  }

  /// Whether what is to be removed is what the change is based on; of a link that is what it leads to, too.
  private func isExpected(
    _ place: borrowing Place, _ expected: [FileChange.Version]
  ) throws(FileChangeError) -> Bool {
    if expected.contains(place.version) { return true }
    if try isAsLeftBehind(place) { return true }
    guard place.status?.kind == .symbolicLink, options.symbolicLinks == .follow else { return false }
    return try unlessForbidden { () throws(FileChangeError) in
      let target = try find(followsLinks: true)
      if expected.contains(target.version) { return true }
      return try isAsLeftBehind(target)
    }
  }

  private func remove(_ place: consuming Place) throws(FileChangeError) {
    sweeper?.sweep(place.folder, in: system)
    switch place.status?.kind {
    case nil: break
    case .file, .symbolicLink:
      _ = try attempt(.remove, except: .absent, call: system.removeFile(place.name, in: place.folder))
    case .folder: throw refusal(.remove, .isAFolder)
    case .other: throw refusal(.remove, .notAFile)
    }
    note?(.absent)
    // Also where nothing was there: an earlier attempt may have removed it and failed here.
    try synchronize(place.folder)
  }
}

// MARK: - Where the file is

extension Application {
  fileprivate func find(followsLinks: Bool) throws(FileChangeError) -> Place {
    let (folder, name) = path.string.folderAndName
    var place = try inspect(name, in: openFolder(folder))
    var links = 0
    while followsLinks, place.status?.kind == .symbolicLink {
      // Where a link leads is not up to the path: below a root that could be anywhere.
      guard options.root == nil else { throw refusal(.inspect, .isASymbolicLink) }
      links += 1
      // The number at which Linux gives up, too.
      guard links <= 40 else { throw failure(.inspect, .tooManyLinks) }
      place = try target(of: place)
    }
    return place
  }

  private func openFolder(_ folder: String) throws(FileChangeError) -> Descriptor {
    guard let root = options.root else {
      return try attempt(.openFolder, system.openFolder(folder))
    }
    let top = try attempt(.openFolder, system.openFolder(root.string))
    let rest = folder.utf8.dropFirst(root.string.utf8.count).split(separator: UInt8(ascii: "/"))
    return try descend(rest.map { String(Substring($0)) }[...], from: top)
  }

  /// Opens one folder in the other: a link that is put in the place of one leads nowhere.
  private func descend(
    _ names: ArraySlice<String>, from folder: consuming Descriptor
  ) throws(FileChangeError) -> Descriptor {
    guard let name = names.first else { return folder }
    let next: Descriptor
    do throws(FileChangeError) {
      next = try attempt(.openFolder, system.openSubfolder(name, in: folder))
    } catch {
      let isALink = (try? system.inspect(name, in: folder))?.kind == .symbolicLink
      throw isALink ? refusal(.openFolder, .isASymbolicLink) : error
    }
    return try descend(names.dropFirst(), from: next)
  }

  private func target(of link: consuming Place) throws(FileChangeError) -> Place {
    let path = try attempt(
      .inspect, except: .absent, or: .notALink, call: system.linkTarget(link.name, in: link.folder))
    // The link went away since it was looked at.
    guard let path else { return try inspect(link.name, in: link.folder) }
    let (folder, name) = path.folderAndName
    return try inspect(name, in: attempt(.openFolder, system.openFolder(folder, in: link.folder)))
  }

  private func inspect(_ name: String, in folder: consuming Descriptor) throws(FileChangeError) -> Place {
    let status = try attempt(.inspect, except: .absent, call: system.inspect(name, in: folder))
    return Place(folder: folder, name: name, status: status)
  }
}

// MARK: - What the file is

extension FileChange.Version {
  init(
    of path: FileChange.Path, options: FileChange.Options, in system: any FileSystem
  ) throws(FileChangeError) {
    if let objection = options.objection(to: path) {
      throw FileChangeError(path: path, operation: .inspect, reason: objection)
    }
    let work = Application(path: path, options: options, system: system, leftovers: .none, sweeper: nil, note: nil)
    self = try work.find(followsLinks: options.symbolicLinks == .follow).version
  }
}

extension Application {
  /// Whether the file is as a process that was killed may have left it.
  private func isAsLeftBehind(_ place: borrowing Place) throws(FileChangeError) -> Bool {
    for attempt in leftovers.attempts {
      switch attempt.action {
      case .write(let contents): if try holds(contents, place) { return true }
      case .remove: if place.status == nil { return true }
      }
    }
    return false
  }

  /// Whether the file holds exactly `contents`.
  private func holds(_ contents: Data, _ place: borrowing Place) throws(FileChangeError) -> Bool {
    guard place.status?.kind == .file, place.status?.stamp.size == UInt64(contents.count) else { return false }
    return try unlessForbidden { () throws(FileChangeError) in
      let file = try attempt(.inspect, system.openFile(place.name, in: place.folder))
      var rest = contents
      while true {
        let bytes = try attempt(.inspect, system.read(upTo: 1 << 20, from: file))
        guard !bytes.isEmpty else { return rest.isEmpty }
        guard rest.starts(with: bytes) else { return false }
        rest = rest.dropFirst(bytes.count)
      }
    }
  }

  /// Whether `isTrue`; what cannot be looked at, for a reason that stays, is not what was expected.
  private func unlessForbidden(_ isTrue: () throws(FileChangeError) -> Bool) throws(FileChangeError) -> Bool {
    do throws(FileChangeError) {
      return try isTrue()
    } catch {
      if error.isTransient { throw error }
      return false
    }
  }
}

// MARK: - The temporary file

extension Application {
  private struct Temporary: ~Copyable {
    let name: String
    let file: Descriptor
  }

  /// Takes away what a killed process left behind, also where the file itself is about to be removed.
  func removeAbandonedTemporaries() {
    guard !leftovers.attempts.isEmpty else { return }
    // Where the folder cannot be opened the change itself will say so.
    guard let place = try? find(followsLinks: options.symbolicLinks == .follow) else { return }
    for attempt in leftovers.attempts { try? system.removeFile(attempt.temporaryName, in: place.folder) }
  }

  /// Makes the file that will take the place of `old`: those who may not read `old` may not read it either.
  private func createTemporary(
    like old: FileStatus?, in folder: borrowing Descriptor
  ) throws(FileChangeError) -> Temporary {
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

  private func fill(
    _ file: consuming Descriptor, with contents: Data, like old: FileStatus?
  ) throws(FileChangeError) -> FileChange.Version? {
    try attempt(.write, system.appendAll(contents, to: file))
    if let old { try imitate(old, on: file) }
    try attempt(.synchronize, system.synchronizeFile(file))
    let status =
      note == nil ? nil : try attempt(.inspect, system.inspect(file))
    // The descriptor is gone whatever comes of this, so that it cannot be tried again.
    do throws(SystemError) { try system.finish(file) } catch { throw failure(.synchronize, error) }
    return status.map { FileChange.Version(stamp: $0.stamp) }
  }

  /// Gives `file` the owner, the group and the permissions that `old` has.
  private func imitate(_ old: FileStatus, on file: borrowing Descriptor) throws(FileChangeError) {
    let made = try attempt(.setPermissions, system.inspect(file))
    var permissions = old.permissions & 0o777
    if made.group != old.group || made.user != old.user {
      let isGiven = (try? system.setOwner(user: old.user, group: old.group, of: file)) != nil
      let hasGroup =
        isGiven || made.group == old.group || (try? system.setOwner(user: nil, group: old.group, of: file)) != nil
      if !hasGroup {
        // Until now the file was one of others' to the members of the new group, and from now on it is to those of the
        // old one. So they get no more than both had.
        let shared = permissions & (permissions >> 3) & 0o007
        permissions = permissions & 0o700 | shared << 3 | shared
      }
    }
    guard permissions != made.permissions else { return }
    try attempt(.setPermissions, system.setPermissions(permissions, of: file))
  }

  private func synchronize(_ folder: borrowing Descriptor) throws(FileChangeError) {
    try attempt(.synchronizeFolder, system.synchronizeFolder(folder))
  }
}
