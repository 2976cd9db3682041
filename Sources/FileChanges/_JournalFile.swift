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
  /// - Returns: What is in the journal, and where one was put that nobody can read.
  package func open(
    newWriter: UInt64
  ) async throws(FileChangeError) -> (contents: _JournalContents, setAside: FileChange.Path?) {
    try await onLane { () throws(FileChangeError) in
      let opening = _JournalOpening(path: self.path, system: self.system)
      var opened = try opening.open()
      var contents = try opening.read(opened)
      var setAside: FileChange.Path?
      if contents == nil {
        setAside = try opening.setAside(opened)
        // The name is free now: this makes a file.
        opened = try opening.open()
        contents = try opening.read(opened)
      }
      // Another writer was faster, and what it made is damaged already.
      guard let contents else { throw opening.refusal(.openJournal, .busy) }
      self.open = OpenJournal(opened, path: self.path, system: self.system, writer: contents.writer ?? newWriter)
      return (contents, setAside)
    }
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

  init(_ opened: consuming _OpenedJournal, path: FileChange.Path, system: any _FileSystem, writer: UInt64) {
    self.path = path
    self.system = system
    self.writer = writer
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
    case true?: break
    // Another writer has made a journal where ours was taken away.
    case false?: throw refusal(.writeJournal, .journalInUse)
    // The folder may have been made anew, too.
    case nil: folder = try openOwnFolder(split(path.string).folder, .writeJournal)
    }
    // The name says whose place it takes: whoever has the lock there is the only one to use it, and a process that was
    // killed before left it.
    let temporary = _JournalContents.temporaryPrefix + String(place.number, radix: 16)
    try? system.removeFile(temporary, in: folder)
    let new = try attempt(.writeJournal) { () throws(_SystemError) in
      try system.createFile(temporary, permissions: 0o600, in: folder)
    }
    let status: _FileStatus
    do throws(FileChangeError) {
      try write(records, after: header, identity: identity, to: new)
      try attempt(.writeJournal) { () throws(_SystemError) in try system.synchronizeFile(new) }
      status = try attempt(.writeJournal) { () throws(_SystemError) in try system.inspect(new) }
      try attempt(.writeJournal) { () throws(_SystemError) in try system.lock(new) }
      try attempt(.writeJournal) { () throws(_SystemError) in
        try system.moveFile(temporary, to: name, in: folder)
      }
    } catch {
      try? system.removeFile(temporary, in: folder)
      throw error
    }
    file = new
    place = status.identity
    self.identity = identity
    byteCount = header.count + records.reduce(0) { $0 + $1.byteCount }
    try attempt(.writeJournal) { () throws(_SystemError) in try system.synchronizeFolder(folder) }
  }

  private func remove() {
    guard (try? isNamed()) == true else { return }
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
