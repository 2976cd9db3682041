#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A journal that is open and locked.
///
/// A file is never rewritten in place: a new one is written beside it and then takes its place. So no reader sees half
/// of a header, and a rewriting that is interrupted has changed nothing. The lock is on the file and not on its name.
/// So the name is looked up once more after locking.
final class OpenJournal: JournalCalling {
  let path: String
  let system: any FileSystem
  private let name: String
  private var folder: Descriptor
  private var file: Descriptor
  private var byteCount = 0
  /// The identity that the system gives the file.
  private var systemIdentity: FileIdentity
  /// The identity that the header and the frames have.
  private var identity: UInt64 = 0
  /// Which writer the journal belongs to; the writer's temporary files have that in their names.
  private let writer: UInt64
  /// Whether the file must be kept under another name before another takes its place.
  private var isDamaged: Bool
  /// Whether there are records in it that can be read.
  private let hasRecords: Bool
  /// Under which name it was kept.
  private(set) var setAside: String?

  init<Body>(
    _ opened: consuming OpenedJournal, _ found: FoundJournal<Body>, path: String, system: any FileSystem,
    newWriter: UInt64
  ) {
    self.path = path
    self.system = system
    writer = found.contents.writer ?? newWriter
    isDamaged = found.isDamaged
    hasRecords = !found.contents.records.isEmpty
    name = opened.name
    systemIdentity = opened.identity
    folder = opened.folder
    file = opened.file
  }

  func close(removing: Bool) {
    if removing { remove() }
    try? system.unlock(file)
  }

  func commit<Body>(_ write: JournalWrite<Body>) throws(JournalError) {
    if write.isWhole { try rewrite(write.records) } else { try append(write) }
  }

  private func append<Body>(_ write: JournalWrite<Body>) throws(JournalError) {
    // No reader finds what is written to a file that has lost its name.
    guard try isNamed() == true else { throw refusal(.write, .vanished) }
    do throws(JournalError) {
      try append(write.records, identity: identity, to: file)
      if write.isSynchronized { try attempt(.write, system.synchronizeFile(file)) }
    } catch {
      // What was refused must not come back from the journal.
      try? system.truncate(file, to: byteCount)
      throw error
    }
    byteCount += write.byteCount
  }

  /// Writes the records, piece by piece: all that waits is in memory once, and not once more as bytes.
  private func append<Body>(
    _ records: [JournalRecord<Body>], after header: [UInt8] = [], identity: UInt64, to file: borrowing Descriptor
  ) throws(JournalError) {
    var bytes = header
    for record in records {
      if !bytes.isEmpty, bytes.count + record.byteCount > 1 << 20 {
        try attempt(.write, system.appendAll(Data(bytes), to: file))
        bytes = []
      }
      record.append(to: &bytes, identity: identity)
    }
    try attempt(.write, system.appendAll(Data(bytes), to: file))
  }

  private func rewrite<Body>(_ records: [JournalRecord<Body>]) throws(JournalError) {
    let identity = UInt64.random(in: .min ... .max)
    let header = JournalHeader(writer: writer, identity: identity).bytes
    switch try isNamed() {
    case true?: try setAside(isNeeded: hasRecords && !records.isEmpty)
    // Another writer has made a journal where ours was taken away.
    case false?: throw refusal(.write, .inUse)
    // The folder may have been made anew, too.
    case nil: folder = try openOwnFolder(path.folderAndName.folder, .write)
    }
    // The name says whose place it takes: the process with the lock there is the only one to use it, and a process that
    // was killed before left it.
    let temporary = JournalFile.temporaryName(systemIdentity)
    try? system.removeFile(temporary, in: folder)
    let new = try attempt(.write, system.createFile(temporary, permissions: 0o600, in: folder))
    let status: FileStatus
    do throws(JournalError) {
      // Until it is the journal, so that no sweeper takes it for one that a killed process has left.
      try attempt(.write, system.lock(new))
      try append(records, after: header, identity: identity, to: new)
      try attempt(.write, system.synchronizeFile(new))
      status = try attempt(.write, system.inspect(new))
      try attempt(.write, system.moveFile(temporary, to: name, in: folder))
    } catch {
      try? system.removeFile(temporary, in: folder)
      throw error
    }
    file = new
    systemIdentity = status.identity
    isDamaged = false
    self.identity = identity
    byteCount = header.count + records.reduce(0) { $0 + $1.byteCount }
    try attempt(.write, system.synchronizeFolder(folder))
  }

  /// Keeps a damaged file under another name, on the device before the file can lose its own.
  private func setAside(isNeeded: Bool) throws(JournalError) {
    guard isDamaged else { return }
    if setAside == nil {
      let keeping = JournalKeeping(system: system, name: name, identity: systemIdentity)
      setAside = try keeping.keep(in: folder, isNeeded: isNeeded)
    }
    try attempt(.setAside, system.synchronizeFolder(folder))
    isDamaged = false
    // Without links the name was free for a moment.
    if try isNamed() == false { throw refusal(.write, .inUse) }
  }

  private func remove() {
    guard (try? isNamed()) == true, (try? setAside(isNeeded: false)) != nil else { return }
    try? system.removeFile(name, in: folder)
    try? system.synchronizeFolder(folder)
  }

  /// Whether the path leads to our file; nil where it leads to none.
  private func isNamed() throws(JournalError) -> Bool? {
    try attempt(.write, except: .absent, call: system.inspect(path: path)).map { $0.identity == systemIdentity }
  }
}
