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
  package func open(newWriter: UInt64) async throws(FileChangeError) -> _JournalContents {
    try await onLane { () throws(FileChangeError) in
      let opening = Opening(path: self.path, system: self.system)
      let opened = try opening.open()
      let contents = try opening.read(opened)
      self.open = OpenJournal(opened, path: self.path, system: self.system, writer: contents.writer ?? newWriter)
      return contents
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

// MARK: - Opening

private struct Opened: ~Copyable {
  let name: String
  let folder: _Descriptor
  let file: _Descriptor
  let identity: _FileIdentity
}

private struct Opening: _SystemCalling {
  let path: FileChange.Path
  let system: any _FileSystem

  func open() throws(FileChangeError) -> Opened {
    if let objection = path.objection { throw refusal(.openJournal, objection) }
    let (parent, name) = split(path.string)
    let folder = try attempt(.openJournal) { () throws(_SystemError) in try system.openFolder(parent) }
    for _ in 0..<8 {
      let file = try attempt(.openJournal) { () throws(_SystemError) in try system.openJournal(name, in: folder) }
      let status = try attempt(.openJournal) { () throws(_SystemError) in try system.inspect(file) }
      guard status.kind == .file else { throw refusal(.openJournal, .notAFile) }
      // What is in a journal is carried out in our name.
      guard status.user == system.user, status.permissions & 0o022 == 0 else {
        throw refusal(.openJournal, .journalOfOthers)
      }
      try lock(file)
      // Between the opening and the locking a writer may have put another file in the place of this one.
      guard (try? system.inspect(name, in: folder))?.identity == status.identity else { continue }
      return Opened(name: name, folder: folder, file: file, identity: status.identity)
    }
    throw refusal(.openJournal, .busy)
  }

  private func lock(_ file: borrowing _Descriptor) throws(FileChangeError) {
    let isLocked = try attempt(.openJournal) { () throws(_SystemError) in
      do throws(_SystemError) {
        try system.lock(file)
        return true
      } catch .locked {
        return false
      }
    }
    if !isLocked { throw refusal(.openJournal, .journalInUse) }
  }

  func read(_ opened: borrowing Opened) throws(FileChangeError) -> _JournalContents {
    var bytes: [UInt8] = []
    while true {
      let next = try attempt(.openJournal) { () throws(_SystemError) in
        try system.read(upTo: 1 << 20, from: opened.file)
      }
      if next.isEmpty { break }
      bytes += next
      // Before all of it is read, which may be a lot, it is looked at what it is.
      guard _JournalContents.canBegin(bytes) else { throw refusal(.openJournal, .notAJournal) }
    }
    if !bytes.isEmpty {
      // What a killed process had not yet brought to the device is carried out as well: it must not be forgotten then.
      try attempt(.openJournal) { () throws(_SystemError) in
        try system.synchronizeFile(opened.file)
        try system.synchronizeFolder(opened.folder)
      }
    }
    do throws(_JournalContents.Refusal) {
      return try _JournalContents(bytes)
    } catch {
      throw refusal(.openJournal, error.reason)
    }
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

  init(_ opened: consuming Opened, path: FileChange.Path, system: any _FileSystem, writer: UInt64) {
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
    let identity = batch.isWhole ? UInt64.random(in: .min ... .max) : self.identity
    var bytes = batch.isWhole ? _JournalContents.header(writer: writer, identity: identity) : []
    bytes.reserveCapacity(bytes.count + batch.byteCount)
    for record in batch.records { record.append(to: &bytes, identity: identity) }
    if batch.isWhole {
      try rewrite(Data(bytes), identity: identity)
    } else {
      try append(Data(bytes), isSynchronized: batch.isSynchronized)
    }
  }

  private func append(_ bytes: Data, isSynchronized: Bool) throws(FileChangeError) {
    // What is written to a file that has lost its name nobody will find.
    guard try isNamed() == true else { throw refusal(.writeJournal, .journalVanished) }
    do throws(FileChangeError) {
      try append(bytes, to: file, .writeJournal)
      if isSynchronized {
        try attempt(.writeJournal) { () throws(_SystemError) in try system.synchronizeFile(file) }
      }
    } catch {
      // What was refused must not come back from the journal.
      try? attempt(.writeJournal) { () throws(_SystemError) in try system.truncate(file, to: byteCount) }
      throw error
    }
    byteCount += bytes.count
  }

  private func rewrite(_ bytes: Data, identity: UInt64) throws(FileChangeError) {
    switch try isNamed() {
    case true?: break
    // Another writer has made a journal where ours was taken away.
    case false?: throw refusal(.writeJournal, .journalInUse)
    // The folder may have been made anew, too.
    case nil:
      folder = try attempt(.writeJournal) { () throws(_SystemError) in try system.openFolder(split(path.string).folder)
      }
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
      try append(bytes, to: new, .writeJournal)
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
    byteCount = bytes.count
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
