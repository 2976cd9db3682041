/// A journal that is open and locked.
///
/// Records are only appended to a file while it is the journal. To rewrite the journal, a second file is written beside
/// it, which then replaces it. So no reader sees half of a header, and an interrupted rewrite changes nothing. The
/// replaced file is *recycled*: the next rewrite overwrites it, since its blocks are already allocated.
///
///     .unsaved-journal-<old>  new ──────► journal
///     journal                 old ──────► .unsaved-journal-<new>
///
/// The recycled file isn't overwritten before the new names are on the device: until then it may still be the journal
/// there.
///
/// The lock belongs to the file and not to its name. So the name is looked up again after locking.
final class LockedJournal: JournalCalling {
  let path: String
  let system: any FileSystem
  /// The path within the journal's folder to the private folder that contains the file, with a slash; empty if there is
  /// none.
  let privateFolder: String
  private let name: String
  private(set) var folder: Descriptor
  private(set) var file: RecordFile
  /// The size of the file before it was read.
  let sizeWhenOpened: Int
  /// The recycled file, under the name of a file that is about to replace the journal.
  private var spare: RecordFile?
  /// A new journal whose renaming or linking reported a failure, but may have succeeded.
  private var successor: RecordFile?
  /// Whether the file can be recycled: this process made it, and no call failed on it.
  private var isReusable = false
  /// The identity in the header and the frames.
  private var identity: UInt64 = 0
  /// The number of the writer, which is also in the names of its temporary files.
  private var writer: UInt64 = 0
  /// Whether a folder that was removed is made again.
  private let makesFolder: Bool
  /// Whether the file must be kept under another name before it is replaced.
  var isDamaged = false
  /// Whether the file has readable records.
  private var hasRecords = false
  /// The name under which a damaged file was kept.
  private(set) var setAside: String?

  init(
    _ opening: JournalOpening, _ privateFolder: String, _ folder: consuming Descriptor, _ file: consuming RecordFile,
    _ size: Int
  ) {
    let (parent, name) = opening.path.folderAndName
    (path, self.privateFolder, self.name) = (parent + privateFolder + name, privateFolder, name)
    (system, makesFolder, sizeWhenOpened) = (opening.system, opening.makesFolder, size)
    self.folder = folder
    self.file = file
  }

  /// Takes note of what was found in the file.
  func begin<Body>(with found: JournalContentsOnOpen<Body>, newWriter: UInt64) {
    writer = found.contents.writer ?? newWriter
    (isDamaged, hasRecords) = (found.isDamaged, !found.contents.records.isEmpty)
  }

  func keepNow(isNeeded: Bool) throws(JournalError) -> String {
    isDamaged = true
    try setAside(isNeeded: isNeeded)
    return setAside ?? name
  }

  func close(removing: Bool) {
    removeSpare()
    if removing { remove() }
    try? system.unlock(file.descriptor)
  }

  func commit<Body>(_ write: JournalWrite<Body>) throws(JournalError) {
    if write.forgets { try forget() }
    if write.isWhole { try rewrite(write.records) } else { try append(write) }
  }

  private func append<Body>(_ write: JournalWrite<Body>) throws(JournalError) {
    // No reader finds records in a file that has lost its name, or records after a hole.
    guard try isNamed() == true, !file.isCutShort else { throw refusal(.write, .vanished) }
    let end = file.byteCount
    do throws(JournalError) {
      try append(write.records, identity: identity, to: &file)
      try attempt(.write, file.fill(in: system))
      if write.isSynchronized { try attempt(.write, file.synchronize(in: system)) }
    } catch {
      // Refused records must not be read later.
      file.cut(to: end, in: system)
      isReusable = false
      throw error
    }
  }

  /// Writes the records in pieces, so that memory never holds all of them a second time as bytes.
  ///
  /// - Parameter header: The header of a file that isn't the journal yet; nil for the journal.
  private func append<Body>(
    _ records: [JournalRecord<Body>], after header: [UInt8]? = nil, identity: UInt64, to file: inout RecordFile
  ) throws(JournalError) {
    var bytes = header ?? []
    // A new file is synchronized before it becomes the journal.
    var isSynchronized = file.isSynchronized || header != nil
    for record in records {
      if !bytes.isEmpty, bytes.count + record.byteCount > 1 << 20 {
        try attempt(.write, file.append(bytes, in: system))
        bytes = []
      }
      record.append(to: &bytes, identity: identity, isSynchronized: isSynchronized)
      if header == nil { isSynchronized = false }
    }
    try attempt(.write, file.append(bytes, in: system))
  }

  private func rewrite<Body>(_ records: [JournalRecord<Body>]) throws(JournalError) {
    let identity = UInt64.random(in: .min ... .max)
    let header = JournalHeader(writer: writer, identity: identity).bytes
    let isNamed = try isNamed()
    switch isNamed {
    case true?:
      successor = nil
      try setAside(isNeeded: hasRecords && !records.isEmpty)
    case false?:
      // The journal was removed, and another writer has made one in its place.
      guard try takeSuccessor() else { throw refusal(.write, .inUse) }
    case nil:
      removeSpare()
      isReusable = false
      if makesFolder { try JournalOpening(path: path, system: system).makeFolder(of: path) }
      // The folder may be a new one, too.
      folder = try openOwnFolder(path.folderAndName.folder, .write)
    }
    // The name contains the identity of the journal to be replaced. Only the process with its lock uses the name, so an
    // existing file of that name was left by a killed process.
    let temporary = JournalWorker.temporaryName(file.identity)
    // A recycled file that is far larger than the records need isn't used.
    let limit = 4 * max(file.byteCount, RecordFile.firstZeros)
    var new = if let spare = takeSpare(temporary, limit: limit) { spare } else { try make(temporary) }
    let next = JournalWorker.temporaryName(new.identity)
    var (isKept, isPut) = (false, false)
    do throws(JournalError) {
      try append(records, after: header, identity: identity, to: &new)
      // The new file is as large as the old one, unless that has far too much room after a burst of changes.
      let isLarge = file.size > 4 * max(file.byteCount, new.byteCount)
      try attempt(.write, new.fill(toAtLeast: isLarge ? 0 : file.size, in: system))
      try attempt(.write, new.synchronize(in: system))
      isKept = isReusable && (try? system.linkFile(name, to: next, in: folder)) != nil
      isPut = true
      try put(temporary, new.identity, isFree: isNamed == nil)
    } catch {
      if isPut { successor = consume new }
      try? system.removeFile(temporary, in: folder)
      if isKept { try? system.removeFile(next, in: folder) }
      throw error
    }
    swap(&file, &new)
    successor = nil
    isDamaged = false
    isReusable = true
    self.identity = identity
    do throws(JournalError) { try attempt(.write, system.synchronizeFolder(folder)) } catch {
      if isKept { try? system.removeFile(next, in: folder) }
      throw error
    }
    if isKept { spare = new.restarted() }
  }

  /// Continues with the successor if the journal's name already leads to it: the system reported a failure, but had
  /// renamed or linked it.
  ///
  /// - Returns: Whether the name leads to it. Otherwise the successor is closed.
  private func takeSuccessor() throws(JournalError) -> Bool {
    let found = try attempt(.write, except: .absent, call: system.lookUp(path: path))
    guard let next = successor.take(), next.identity == found?.identity else { return false }
    file = next
    isReusable = false
    return true
  }

  /// Gives a file the name of the journal.
  ///
  /// - Parameter isFree: Whether the name was free. Another writer may have made a journal there since. It must stay,
  ///   so the file is linked, which never replaces another. Without links, the name is only checked once more.
  private func put(_ temporary: String, _ identity: FileIdentity, isFree: Bool) throws(JournalError) {
    if isFree {
      var isLinked = true
      do throws(SystemError) { try system.linkFile(temporary, to: name, in: folder) } catch {
        // A network file system may have made the link and still report a failure.
        isLinked = (try? system.inspect(name, in: folder))?.identity == identity
        if !isLinked, error == .exists { throw refusal(.write, .inUse) }
      }
      if isLinked { return _ = try? system.removeFile(temporary, in: folder) }
      guard try isNamed() == nil else { throw refusal(.write, .inUse) }
    }
    do throws(JournalError) { try attempt(.write, system.moveFile(temporary, to: name, in: folder)) } catch {
      // A network file system may have renamed the file and still report a failure.
      guard (try? system.inspect(name, in: folder))?.identity == identity else {
        throw error.reason == .system(.mounted) ? refusal(.write, .mounted) : error
      }
    }
  }

  /// Makes the file that will replace the journal.
  private func make(_ temporary: String) throws(JournalError) -> RecordFile {
    if let left = try? system.inspect(temporary, in: folder) {
      // A process that was killed between giving the journal its two names left both.
      let second = JournalWorker.temporaryName(left.identity)
      if (try? system.inspect(second, in: folder))?.identity == file.identity {
        try? system.removeFile(second, in: folder)
      }
      try? system.removeFile(temporary, in: folder)
    }
    let new = try attempt(.write, system.createFile(temporary, permissions: 0o600, in: folder))
    do throws(JournalError) {
      // Locked until it is the journal, so that no sweeper mistakes it for a leftover of a killed process.
      try attempt(.write, system.lock(new))
      let identity = try attempt(.write, system.inspect(new)).identity
      return RecordFile(new, identity: identity)
    } catch {
      try? system.removeFile(temporary, in: folder)
      throw error
    }
  }

  /// Takes the recycled file if it has this name and isn't larger than the limit.
  private func takeSpare(_ temporary: String, limit: Int) -> RecordFile? {
    guard let spare = spare.take(), spare.size <= limit,
      (try? system.inspect(temporary, in: folder))?.identity == spare.identity
    else { return nil }
    return spare
  }

  private func removeSpare() {
    let temporary = JournalWorker.temporaryName(file.identity)
    guard let spare = takeSpare(temporary, limit: .max) else { return }
    try? system.removeFile(temporary, in: folder)
    // Its lock is held until the name is free. Otherwise a sweeper could take the next file of that name for this one.
    _ = consume spare
  }

  /// Removes all files with older contents of the journal except the journal itself, which isn't recycled either.
  private func forget() throws(JournalError) {
    removeSpare()
    (isReusable, isDamaged, setAside) = (false, false, nil)
    for other in try attempt(.setAside, system.names(startingWith: DamagedJournalBackup.prefix(of: name), in: folder)) {
      _ = try attempt(.setAside, except: .absent, call: system.removeFile(other, in: folder))
    }
  }

  /// Keeps a damaged file under another name, which is on the device before the file can lose its own.
  private func setAside(isNeeded: Bool) throws(JournalError) {
    guard isDamaged else { return }
    if setAside == nil {
      let backup = DamagedJournalBackup(system: system, name: name, identity: file.identity, isNeeded: isNeeded)
      setAside = try backup.keep(in: folder)
    }
    try attempt(.setAside, system.synchronizeFolder(folder))
    isDamaged = false
    // Without links, the name was free for a moment.
    if try isNamed() == false { throw refusal(.write, .inUse) }
  }

  private func remove() {
    guard (try? isNamed()) == true || (try? takeSuccessor()) == true else { return }
    guard (try? setAside(isNeeded: false)) != nil else { return }
    try? system.removeFile(name, in: folder)
    try? system.synchronizeFolder(folder)
  }

  /// Whether the path leads to this file; nil if it leads to no file.
  ///
  /// The same system call shows whether another program has truncated the file. Acknowledged records are then missing,
  /// so the journal must be rewritten; the rest of the truncated file is kept.
  private func isNamed() throws(JournalError) -> Bool? {
    guard let found = try attempt(.write, except: .absent, call: system.lookUp(path: path)) else { return nil }
    guard found.identity == file.identity else { return false }
    if found.size < UInt64(file.size) {
      (isReusable, hasRecords) = (false, true)
      if (1..<file.byteCount).contains(Int(found.size)) { (isDamaged, setAside) = (true, nil) }
      file.cutShort(to: Int(found.size))
    }
    return true
  }
}
