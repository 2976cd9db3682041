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
    let new: FileStatus
    do throws(FileChangeError) {
      try fill(file, with: contents, insteadOf: old.count)
      // Without its version, the next change would be a conflict with this one.
      new = try attempt(.inspect, system.inspect(file))
    } catch {
      // If this fails as well, the next change finds the copy.
      guard (try? restore(file, to: old, kept)) != nil else { throw error }
      remove(copy, in: copies)
      if let now = try? system.inspect(file) { access.note?(FileChange.Version(stamp: now.stamp)) }
      throw error
    }
    remove(copy, in: copies)
    return new
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
    do throws(SystemError) { try system.awaitLock(of: file) } catch {
      if error == .locked { throw failure(.write, error) }
    }
  }

  /// Gives the file these contents, on the device.
  ///
  /// - Parameter count: The most bytes that the file may have now.
  private func fill(
    _ file: borrowing Descriptor, with contents: Data, insteadOf count: Int
  ) throws(FileChangeError) {
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

extension FileChange {
  /// A copy of a file that is being written in place, from which its old contents can be restored.
  ///
  ///     "UNSAVEDC" 8 │ version 4 │ device 8 │ number 8 │ seconds 8 │ nanoseconds 8 │ digest of the old contents 20
  ///     │ digest of the new contents 20 │ size of the path 4 │ checksum 4 │ path │ old contents
  ///
  /// Numbers are little-endian. Until the old contents are on the device, all bytes of the header are zero. No byte of
  /// the file changes before the header is on the device, too.
  ///
  /// The file is recognized by its number, and by its device or its path: the number of a device may differ after a
  /// restart of the system.
  package struct _KeptCopy {
    package let stamp: FileStamp
    package let path: [UInt8]
    package let old: FileDigest
    package let new: FileDigest

    package static let headerByteCount = 92
    private static let signature = Array("UNSAVEDC".utf8)
    private static let version: UInt32 = 1

    package init(of stamp: FileStamp, at path: Path, old: FileDigest, new: FileDigest) {
      (self.stamp, self.path, self.old, self.new) = (stamp, Array(path.string.utf8), old, new)
    }

    /// The beginning of the names of a file's copies.
    package static func namePrefix(of file: FileIdentity) -> String {
      ".unsaved-copy-" + String(file.number, radix: 16) + "-"
    }

    package var header: [UInt8] {
      var bytes = Self.signature
      bytes.append(littleEndian: Self.version)
      for number in [stamp.device, stamp.number] { bytes.append(littleEndian: number) }
      for number in [stamp.seconds, stamp.nanoseconds] { bytes.append(littleEndian: number) }
      for digest in [old, new] { digest.append(to: &bytes) }
      bytes.append(littleEndian: UInt32(path.count))
      bytes.append(littleEndian: Checksum.value(of: bytes[...]))
      return bytes
    }

    /// Reads a copy, and returns it with the old contents; nil if it is unfinished or damaged.
    ///
    /// - Throws: Whether a newer or an older version wrote it.
    package static func read(_ bytes: [UInt8]) throws(JournalRefusal) -> (copy: _KeptCopy, contents: Data)? {
      guard bytes.count >= headerByteCount, bytes.starts(with: signature) else { return nil }
      let header = bytes[..<(headerByteCount - 4)]
      guard Checksum.value(of: header) == bytes[...].integer(at: headerByteCount - 4) else { return nil }
      let version: UInt32 = header.integer(at: signature.count)
      guard version == Self.version else { throw version > Self.version ? .newerVersion : .olderVersion }
      var rest = bytes.dropFirst(signature.count + 4)
      guard let device = rest.takeInteger() as UInt64?, let number = rest.takeInteger() as UInt64?,
        let seconds = rest.takeInteger() as UInt64?, let nanoseconds = rest.takeInteger() as UInt64?,
        let old = rest.take(FileDigest.byteCount), let new = rest.take(FileDigest.byteCount),
        let count = rest.takeInteger() as UInt32?, rest.take(4) != nil, let path = rest.take(Int(clamping: count))
      else { return nil }
      let stamp = FileStamp(
        device: device, number: number, size: UInt64(rest.count), seconds: Int64(bitPattern: seconds),
        nanoseconds: Int64(bitPattern: nanoseconds), changeSeconds: 0, changeNanoseconds: 0)
      let contents = Data(rest)
      let copy = _KeptCopy(
        of: stamp, at: Path(String(decoding: path, as: UTF8.self)), old: FileDigest(old), new: FileDigest(new))
      return FileDigest(contents) == copy.old ? (copy, contents) : nil
    }

    /// Whether this is a copy of the file.
    func isOf(_ file: FileIdentity, at path: Path) -> Bool {
      stamp.number == file.number && (stamp.device == file.device || self.path.elementsEqual(path.string.utf8))
    }
  }
}
