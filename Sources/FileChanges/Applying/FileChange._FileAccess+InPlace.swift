internal import Journals

// Writes a file in place, if no other file can take its place.
//
//     lock the file ─► look ─► copy, fsync ─► header of the copy, fsync ─► write, fsync ─► remove the copy
//
// A kill after the header leaves the copy. The next access to the file with the option restores the old contents,
// unless the file has the old contents or the new ones completely.

extension FileChange._FileAccess.Place {
  /// Overwrites the file, and returns its new status.
  ///
  /// - Parameter isExpected: Whether the file with the given status may be overwritten.
  func overwrite(
    with contents: Data, _ fallback: FileChange.Options.Fallback, over isExpected: Expectation
  ) throws(FileChangeError) -> FileStatus {
    let copies = try openCopies(fallback, makesFolder: true)
    let file = try attempt(.write, system.openToOverwrite(name, in: folder))
    try lock(file)
    let status = try attempt(.inspect, system.inspect(file))
    guard status.kind == .file else { throw refusal(.inspect, .notAFile) }
    guard try isExpected(status) else { throw refusal(.inspect, .changedByAnother) }
    let old = try attempt(.inspect, system.readAll(file))
    let kept = FileChange._KeptCopy(
      of: status.stamp, at: access.path, old: FileDigest(old), new: FileDigest(contents))
    let copy = try keep(old, kept, in: copies)
    do throws(FileChangeError) {
      try fill(file, with: contents, insteadOf: old.count)
      // Without its version, the next change would be a conflict with this one.
      let new = try attempt(.inspect, system.inspect(file))
      remove(copy, in: copies)
      return new
    } catch {
      // If this fails as well, the next change finds the copy.
      guard (try? restore(file, to: old, kept)) != nil else { throw error }
      remove(copy, in: copies)
      if let now = try? system.inspect(file) { access.note?(FileChange.Version(stamp: now.stamp)) }
      throw error
    }
  }

  /// Restores the old contents if a killed process has left the file with only a part of its new ones.
  ///
  /// Afterwards, the status of this place may be out of date.
  func mend(_ fallback: FileChange.Options.Fallback) throws(FileChangeError) {
    guard let identity = status?.identity, let copies = try? openCopies(fallback, makesFolder: false) else { return }
    let prefix = FileChange._KeptCopy.namePrefix(of: identity)
    let names = try attempt(.inspect, system.names(startingWith: prefix, in: copies))
    if names.isEmpty { return }
    let file = try attempt(.write, system.openToOverwrite(name, in: folder))
    // The process that made the copy may still be writing, or another thread or process restores the file.
    try lock(file)
    guard try attempt(.inspect, system.inspect(file)).identity == identity else { return }
    var present: FileDigest?
    for name in names {
      guard let bytes = try readCopy(name, in: copies) else { continue }
      let found: (copy: FileChange._KeptCopy, contents: Data)?
      do throws(JournalRefusal) { found = try FileChange._KeptCopy.read(bytes) } catch {
        // Without its old contents, the file must not be overwritten.
        throw refusal(.inspect, error == .newerVersion ? .newerCopy : .olderCopy)
      }
      guard let (copy, old) = found else {
        // The process was killed before it changed anything.
        remove(name, in: copies)
        continue
      }
      guard copy.isOf(identity, at: access.path) else { continue }
      let digest = if let present { present } else { FileDigest(try attempt(.inspect, system.readAll(file))) }
      present = digest
      if digest != copy.old, digest != copy.new {
        try restore(file, to: old, copy)
        present = copy.old
      }
      remove(name, in: copies)
    }
  }

  // MARK: The file

  /// Takes the file's lock until the file is closed, unless the file system has no locks.
  private func lock(_ file: borrowing Descriptor) throws(FileChangeError) {
    _ = try attempt(.write, unless: { $0 != .locked }) { () throws(SystemError) in try system.awaitLock(of: file) }
  }

  /// Gives the file these contents, on the device.
  ///
  /// - Parameter count: The most bytes that the file may have now.
  private func fill(_ file: borrowing Descriptor, with contents: Data, insteadOf count: Int) throws(FileChangeError) {
    try attempt(.write, system.overwriteAll([UInt8](contents), at: 0, to: file))
    if contents.count < count { try attempt(.write, system.truncate(file, to: contents.count)) }
    try attempt(.synchronize, system.synchronizeFile(file))
  }

  private func restore(
    _ file: borrowing Descriptor, to old: Data, _ copy: FileChange._KeptCopy
  ) throws(FileChangeError) {
    try fill(file, with: old, insteadOf: .max)
    // So that a version from before can be recognized by its contents.
    try? system.setModificationTime(of: file, like: copy.stamp)
  }

  // MARK: The copy

  private func openCopies(
    _ fallback: FileChange.Options.Fallback, makesFolder: Bool
  ) throws(FileChangeError) -> Descriptor {
    guard case .inPlace(keepingCopyIn: let url) = fallback else { preconditionFailure("there is no other fallback") }
    let path = FileChange.Path(url)
    if let objection = path.objectionToRoot { throw refusal(.keep, objection) }
    if makesFolder { _ = try attempt(.keep, except: .exists, call: system.makeFolder(path.string)) }
    return try attempt(.keep, system.openFolder(path.string))
  }

  /// Makes a copy that is complete on the device, and returns its name.
  private func keep(
    _ old: Data, _ kept: FileChange._KeptCopy, in copies: borrowing Descriptor
  ) throws(FileChangeError) -> String {
    let random = String(UInt64.random(in: .min ... .max), radix: 16)
    let name = FileChange._KeptCopy.namePrefix(of: kept.stamp.identity) + random
    let copy = try attempt(.keep, system.createFile(name, permissions: 0o600, in: copies))
    do throws(FileChangeError) {
      let noHeader = Data(count: FileChange._KeptCopy.headerByteCount)
      try attempt(.keep, system.appendAll(noHeader + Data(kept.path) + old, to: copy))
      try attempt(.keep, system.synchronizeFile(copy))
      try attempt(.keep, system.overwriteAll(kept.header, at: 0, to: copy))
      try attempt(.keep, system.synchronizeFile(copy))
      try attempt(.keep, system.synchronizeFolder(copies))
    } catch {
      try? system.removeFile(name, in: copies)
      throw error
    }
    return name
  }

  /// The bytes of a copy; nil if another user made it.
  private func readCopy(_ name: String, in copies: borrowing Descriptor) throws(FileChangeError) -> [UInt8]? {
    let opened = try attempt(.inspect, except: .absent, call: system.openFile(name, in: copies))
    guard let copy = opened else { return nil }
    let status = try attempt(.inspect, system.inspect(copy))
    guard status.kind == .file, status.user == system.user else { return nil }
    return [UInt8](try attempt(.inspect, system.readAll(copy)))
  }

  /// Removes a copy; otherwise another program's later contents could be taken for a part of the new ones.
  private func remove(_ copy: String, in copies: borrowing Descriptor) {
    try? system.removeFile(copy, in: copies)
    try? system.synchronizeFolder(copies)
  }
}
