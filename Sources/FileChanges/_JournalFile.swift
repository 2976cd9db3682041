internal import Dispatch

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// The file of a journal.
///
/// All calls are made on one thread of its own, in order, so that nothing else waits for the device.
package final class _JournalFile: @unchecked Sendable {
  private let path: FileChange.Path
  private let system: any _FileSystem
  private let lane = DispatchQueue(label: "FileChangeWriter journal")
  /// The file once it is open; only touched on the lane.
  private var open: OpenJournal?

  package init(_ path: FileChange.Path, system: any _FileSystem) {
    self.path = path
    self.system = system
  }

  /// Opens, locks and reads the journal, and makes it where it is not there.
  ///
  /// - Parameter newWriter: The number of the writer for a journal that has none.
  package func open(newWriter: UInt64) async throws(FileChangeError) -> _FoundJournal {
    try await onLane { () throws(FileChangeError) in
      let opening = _JournalOpening(path: self.path, system: self.system)
      let opened = try opening.open()
      _Sweeper().sweep(opened.folder, in: self.system)
      let found = try opening.read(opened)
      self.open = OpenJournal(opened, found, path: self.path, system: self.system, newWriter: newWriter)
      return found
    }
  }

  /// Under which name a damaged journal was set aside, which the first batch does.
  package func setAside() async -> FileChange.Path? {
    try? await onLane { () throws(FileChangeError) in self.open?.setAside }
  }

  /// Brings a batch to the device.
  ///
  /// - Returns: Why that failed. The file is as it was then, as far as that can be told, and must be rewritten.
  package func commit(_ batch: FileChangeWriter._Journal.Batch) async -> FileChangeError? {
    do throws(FileChangeError) {
      try await onLane { () throws(FileChangeError) in
        guard let open = self.open else {
          throw FileChangeError(path: self.path, operation: .writeJournal, reason: .isShutDown)
        }
        try open.commit(batch)
      }
      return nil
    } catch {
      return error
    }
  }

  /// Gives the journal back, and takes it away where nothing in it is needed any more.
  package func close(removing: Bool) async {
    try? await onLane { () throws(FileChangeError) in
      self.open?.close(removing: removing)
      self.open = nil
    }
  }

  private func onLane<Value: Sendable>(
    _ body: @escaping @Sendable () throws(FileChangeError) -> Value
  ) async throws(FileChangeError) -> Value {
    let result: Result<Value, FileChangeError> = await withCheckedContinuation { continuation in
      lane.async {
        do throws(FileChangeError) {
          continuation.resume(returning: .success(try body()))
        } catch {
          continuation.resume(returning: .failure(error))
        }
      }
    }
    return try result.get()
  }
}

// MARK: - Writing

/// A journal that is open and locked.
///
/// A file is never rewritten in place: a new one is written beside it and then takes its place. Nobody
/// ever sees half of a header, and a rewriting that is interrupted has changed nothing. The lock is on the file and not on
/// its name; so after locking it is looked up once more whether the name still leads there.
private final class OpenJournal: _SystemCalling {
  let path: FileChange.Path
  let system: any _FileSystem
  private let name: String
  private var folder: _Descriptor
  private var file: _Descriptor
  private var byteCount = 0
  /// Which file of the system this is.
  private var place: _FileIdentity
  /// Which file of the journal this is.
  private var identity: UInt64 = 0
  /// Which writer the journal belongs to; the writer's temporary files have that in their names.
  private let writer: UInt64
  /// Whether the file must be kept under another name before another takes its place.
  private var isDamaged: Bool
  /// Whether there are records in it that can be read.
  private let hasRecords: Bool
  /// Under which name it was kept.
  private(set) var setAside: FileChange.Path?

  init(
    _ opened: consuming _OpenedJournal, _ found: _FoundJournal, path: FileChange.Path, system: any _FileSystem,
    newWriter: UInt64
  ) {
    self.path = path
    self.system = system
    writer = found.contents.writer ?? newWriter
    isDamaged = found.isDamaged
    hasRecords = !found.contents.records.isEmpty
    name = opened.name
    place = opened.identity
    folder = opened.folder
    file = opened.file
  }

  func close(removing: Bool) {
    if removing { remove() }
    try? system.unlock(file)
  }

  func commit(_ batch: FileChangeWriter._Journal.Batch) throws(FileChangeError) {
    if batch.isWhole { try rewrite(batch.records) } else { try append(batch) }
  }

  private func append(_ batch: FileChangeWriter._Journal.Batch) throws(FileChangeError) {
    // What is written to a file that has lost its name nobody will find.
    guard try isNamed() == true else { throw refusal(.writeJournal, .journalVanished) }
    do throws(FileChangeError) {
      try write(batch.records, identity: identity, to: file)
      if batch.isSynchronized {
        try attempt(.writeJournal) { () throws(_SystemError) in try system.synchronizeFile(file) }
      }
    } catch {
      // What was refused must not come back from the journal.
      try? attempt(.writeJournal) { () throws(_SystemError) in try system.truncate(file, to: byteCount) }
      throw error
    }
    byteCount += batch.byteCount
  }

  /// Writes the records, piece by piece: all that waits is in memory once, and not once more as bytes.
  private func write(
    _ records: [_JournalRecord], after header: [UInt8] = [], identity: UInt64, to file: borrowing _Descriptor
  ) throws(FileChangeError) {
    var bytes = header
    for record in records {
      if !bytes.isEmpty, bytes.count + record.byteCount > 1 << 20 {
        try append(Data(bytes), to: file, .writeJournal)
        bytes = []
      }
      record.append(to: &bytes, identity: identity)
    }
    try append(Data(bytes), to: file, .writeJournal)
  }

  private func rewrite(_ records: [_JournalRecord]) throws(FileChangeError) {
    let identity = UInt64.random(in: .min ... .max)
    let header = _JournalContents.header(writer: writer, identity: identity)
    switch try isNamed() {
    case true?: try setAside(isNeeded: hasRecords)
    // Another writer has made a journal where ours was taken away.
    case false?: throw refusal(.writeJournal, .journalInUse)
    // The folder may have been made anew, too.
    case nil: folder = try openOwnFolder(split(path.string).folder, .writeJournal)
    }
    // The name says whose place it takes: whoever has the lock there is the only one to use it, and a process that was
    // killed before left it.
    let temporary = _JournalContents.temporaryName(place)
    try? system.removeFile(temporary, in: folder)
    let new = try attempt(.writeJournal) { () throws(_SystemError) in
      try system.createFile(temporary, permissions: 0o600, in: folder)
    }
    let status: _FileStatus
    do throws(FileChangeError) {
      // Until it is the journal, so that nobody takes it for one that a killed process has left.
      try attempt(.writeJournal) { () throws(_SystemError) in try system.lock(new) }
      try write(records, after: header, identity: identity, to: new)
      try attempt(.writeJournal) { () throws(_SystemError) in try system.synchronizeFile(new) }
      status = try attempt(.writeJournal) { () throws(_SystemError) in try system.inspect(new) }
      try attempt(.writeJournal) { () throws(_SystemError) in
        try system.moveFile(temporary, to: name, in: folder)
      }
    } catch {
      try? system.removeFile(temporary, in: folder)
      throw error
    }
    file = new
    place = status.identity
    isDamaged = false
    self.identity = identity
    byteCount = header.count + records.reduce(0) { $0 + $1.byteCount }
    try attempt(.writeJournal) { () throws(_SystemError) in try system.synchronizeFolder(folder) }
  }

  /// Keeps a damaged file under another name, on the device before the file can lose its own.
  private func setAside(isNeeded: Bool) throws(FileChangeError) {
    guard isDamaged else { return }
    if setAside == nil {
      let keeping = _JournalKeeping(path: path, system: system, name: name, identity: place)
      setAside = try keeping.keep(in: folder, isNeeded: isNeeded)
    }
    try attempt(.setAsideJournal) { () throws(_SystemError) in try system.synchronizeFolder(folder) }
    isDamaged = false
  }

  private func remove() {
    guard (try? isNamed()) == true, (try? setAside(isNeeded: false)) != nil else { return }
    try? system.removeFile(name, in: folder)
    try? system.synchronizeFolder(folder)
  }

  /// Whether the path leads to our file; nil where it leads to none.
  private func isNamed() throws(FileChangeError) -> Bool? {
    try attempt(.writeJournal) { () throws(_SystemError) -> Bool? in
      do throws(_SystemError) {
        return try system.inspect(path: path.string).identity == place
      } catch .absent {
        return nil
      }
    }
  }
}
