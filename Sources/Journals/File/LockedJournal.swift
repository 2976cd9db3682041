/// A journal that is open and locked.
///
/// A file is only written behind its records as long as it is the journal. To write it anew another one is written
/// beside it and then takes its place. So no reader sees half of a header, and a rewriting that is interrupted has
/// changed nothing. The file whose place was taken is the *spare*: the next rewriting writes it over, since its blocks
/// are there already.
///
///     .unsaved-journal-<old>  new ──────► journal
///     journal                 old ──────► .unsaved-journal-<new>
///
/// The spare is not written before the device has the names: until then it may still be the journal there.
///
/// The lock is on the file and not on its name. So the name is looked up once more after locking.
final class LockedJournal: JournalCalling {
  let path: String
  let system: any FileSystem
  private let name: String
  private var folder: Descriptor
  private var file: RecordFile
  /// The file that was the journal before, under the name of one that is about to take its place.
  private var spare: RecordFile?
  /// The file that was to take its place when that was said to fail, which it may have done all the same.
  private var successor: RecordFile?
  /// Whether the file can be the spare: this process has made it, and no call has failed with it.
  private var isReusable = false
  /// The identity that the header and the frames have.
  private var identity: UInt64 = 0
  /// Which writer the journal belongs to; the writer's temporary files have that in their names.
  private let writer: UInt64
  /// Whether the folder is made again where it was removed.
  private let makesFolder: Bool
  /// Whether the file must be kept under another name before another takes its place.
  private var isDamaged: Bool
  /// Whether there are records in it that can be read.
  private var hasRecords: Bool
  /// Under which name it was kept.
  private(set) var setAside: String?

  init<Body>(
    _ opened: consuming OpenedJournal, _ found: JournalContentsOnOpen<Body>, path: String, system: any FileSystem,
    newWriter: UInt64, makesFolder: Bool
  ) {
    self.makesFolder = makesFolder
    self.path = path
    self.system = system
    writer = found.contents.writer ?? newWriter
    isDamaged = found.isDamaged
    hasRecords = !found.contents.records.isEmpty
    name = opened.name
    folder = opened.folder
    file = RecordFile(opened.file, identity: opened.identity)
  }

  func keepWhenWrittenAnew() { isDamaged = true }

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
    if write.isWhole { try rewrite(write.records) } else { try append(write) }
  }

  private func append<Body>(_ write: JournalWrite<Body>) throws(JournalError) {
    // No reader finds what is written to a file that has lost its name, or what is behind a hole in it.
    guard try isNamed() == true, !file.isCutShort else { throw refusal(.write, .vanished) }
    let end = file.byteCount
    do throws(JournalError) {
      try append(write.records, identity: identity, to: &file)
      try attempt(.write, file.fill(in: system))
      if write.isSynchronized { try attempt(.write, file.synchronize(in: system)) }
    } catch {
      // What was refused must not come back from the journal.
      file.cut(to: end, in: system)
      isReusable = false
      throw error
    }
  }

  /// Writes the records, piece by piece: all that waits is in memory once, and not once more as bytes.
  ///
  /// - Parameter header: What a file begins with that is not the journal yet, nil for the journal.
  private func append<Body>(
    _ records: [JournalRecord<Body>], after header: [UInt8]? = nil, identity: UInt64, to file: inout RecordFile
  ) throws(JournalError) {
    var bytes = header ?? []
    // Before a file becomes the journal, all of it is on the device.
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
      // Another writer has made a journal where ours was taken away.
      guard try takeSuccessor() else { throw refusal(.write, .inUse) }
    case nil:
      removeSpare()
      isReusable = false
      if makesFolder { try JournalOpening(path: path, system: system).makeFolder() }
      // The folder may have been made anew, too.
      folder = try openOwnFolder(path.folderAndName.folder, .write)
    }
    // The name says whose place it takes: the process with the lock there is the only one to use it, and a process that
    // was killed before left it.
    let temporary = JournalWorker.temporaryName(file.identity)
    var new = try spareOrNew(temporary)
    let next = JournalWorker.temporaryName(new.identity)
    var (isKept, isPut) = (false, false)
    do throws(JournalError) {
      try append(records, after: header, identity: identity, to: &new)
      // As large as the one before needed to be, but for what a time of many changes has left.
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

  /// Takes over the file of a renaming or linking that was said to have failed, where the journal's name leads to it.
  ///
  /// - Returns: Whether it does; the file is closed where it does not.
  private func takeSuccessor() throws(JournalError) -> Bool {
    let found = try attempt(.write, except: .absent, call: system.lookUp(path: path))
    guard let next = successor.take(), next.identity == found?.identity else { return false }
    file = next
    isReusable = false
    return true
  }

  /// Gives a file the name of the journal.
  ///
  /// - Parameter isFree: Whether nothing had the name. Then another writer may have made a journal there since, which
  ///   stays: a second name takes no other file's place. Where there are no links, it is only looked at once more.
  private func put(_ temporary: String, _ identity: FileIdentity, isFree: Bool) throws(JournalError) {
    if isFree {
      do throws(SystemError) {
        try system.linkFile(temporary, to: name, in: folder)
        try? system.removeFile(temporary, in: folder)
        return
      } catch {
        // A file system on another machine may have made the name and say that it has not.
        if (try? system.inspect(name, in: folder))?.identity == identity {
          try? system.removeFile(temporary, in: folder)
          return
        }
        if error == .exists { throw refusal(.write, .inUse) }
      }
      guard try isNamed() == nil else { throw refusal(.write, .inUse) }
    }
    do throws(JournalError) { try attempt(.write, system.moveFile(temporary, to: name, in: folder)) } catch {
      // A file system on another machine may have renamed it and say that it has not.
      guard (try? system.inspect(name, in: folder))?.identity == identity else { throw error }
    }
  }

  /// The file that is to take the place of the journal: the spare, where there is one that can.
  private func spareOrNew(_ temporary: String) throws(JournalError) -> RecordFile {
    if let spare = takeSpare(temporary) { return spare }
    return try make(temporary)
  }

  /// Makes the file that is to take the place of the journal.
  private func make(_ temporary: String) throws(JournalError) -> RecordFile {
    if let left = try? system.inspect(temporary, in: folder) {
      // A process that was killed between the two names of the journal has left both.
      let second = JournalWorker.temporaryName(left.identity)
      if (try? system.inspect(second, in: folder))?.identity == file.identity {
        try? system.removeFile(second, in: folder)
      }
      try? system.removeFile(temporary, in: folder)
    }
    let new = try attempt(.write, system.createFile(temporary, permissions: 0o600, in: folder))
    do throws(JournalError) {
      // Until it is the journal, so that no sweeper takes it for one that a killed process has left.
      try attempt(.write, system.lock(new))
      let identity = try attempt(.write, system.inspect(new)).identity
      return RecordFile(new, identity: identity)
    } catch {
      try? system.removeFile(temporary, in: folder)
      throw error
    }
  }

  /// The spare, where it has that name and is not far larger than what is written; then there is none any more.
  private func takeSpare(_ temporary: String) -> RecordFile? {
    guard let spare = spare.take(), spare.size <= 4 * max(file.byteCount, RecordFile.firstZeros),
      (try? system.inspect(temporary, in: folder))?.identity == spare.identity
    else { return nil }
    return spare
  }

  private func removeSpare() {
    let temporary = JournalWorker.temporaryName(file.identity)
    guard let spare = spare.take(), (try? system.inspect(temporary, in: folder))?.identity == spare.identity else {
      return
    }
    try? system.removeFile(temporary, in: folder)
  }

  /// Keeps a damaged file under another name, on the device before the file can lose its own.
  private func setAside(isNeeded: Bool) throws(JournalError) {
    guard isDamaged else { return }
    if setAside == nil {
      let backup = DamagedJournalBackup(system: system, name: name, identity: file.identity)
      setAside = try backup.keep(in: folder, isNeeded: isNeeded)
    }
    try attempt(.setAside, system.synchronizeFolder(folder))
    isDamaged = false
    // Without links the name was free for a moment.
    if try isNamed() == false { throw refusal(.write, .inUse) }
  }

  private func remove() {
    guard (try? isNamed()) == true || (try? takeSuccessor()) == true else { return }
    guard (try? setAside(isNeeded: false)) != nil else { return }
    try? system.removeFile(name, in: folder)
    try? system.synchronizeFolder(folder)
  }

  /// Whether the path leads to our file; nil where it leads to none.
  ///
  /// The same call shows whether another program has made the file shorter. Then records are missing that were
  /// acknowledged, so it must be written anew; what is left of it is kept.
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
