#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

/// A journal's file that was opened and locked, and not yet read.
struct _OpenedJournal: ~Copyable {
  let name: String
  let folder: _Descriptor
  let file: _Descriptor
  let identity: _FileIdentity
}

/// What is done with a journal before anything is written to it.
struct _JournalOpening: _SystemCalling {
  let path: FileChange.Path
  let system: any _FileSystem

  func open() throws(FileChangeError) -> _OpenedJournal {
    if let objection = path.objection { throw refusal(.openJournal, objection) }
    let (parent, name) = split(path.string)
    // Before the file, so that none is made where it would be refused.
    let folder = try openOwnFolder(parent, .openJournal)
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
      return _OpenedJournal(name: name, folder: folder, file: file, identity: status.identity)
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

  /// Reads the journal; nil where nobody can.
  func read(_ opened: borrowing _OpenedJournal) throws(FileChangeError) -> _JournalContents? {
    var bytes: [UInt8] = []
    while true {
      let next = try attempt(.openJournal) { () throws(_SystemError) in
        try system.read(upTo: 1 << 20, from: opened.file)
      }
      if next.isEmpty { break }
      bytes += next
      // Before all of it is read, which may be a lot, it is looked at what it is.
      guard _JournalContents.canBegin(bytes) else { return nil }
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
      switch error {
      case .unreadable: return nil
      case .newerVersion: throw refusal(.openJournal, .newerJournal)
      }
    }
  }

  /// Gives a journal that nobody can read another name, so that no byte of it is lost and a new one can begin.
  func setAside(_ opened: borrowing _OpenedJournal) throws(FileChangeError) -> FileChange.Path {
    let date = system.time.formatted(.iso8601.time(includingFractionalSeconds: false).timeSeparator(.omitted))
    // A name that has no room for the rest is cut off.
    let name = "\(String(decoding: opened.name.utf8.prefix(200), as: UTF8.self)).damaged-\(date)"
    for number in 1...1000 {
      let other = number == 1 ? name : "\(name)-\(number)"
      // To rename would take the place of another file; so the name is taken first by one of our own.
      let isTaken = try attempt(.setAsideJournal) { () throws(_SystemError) in
        do throws(_SystemError) {
          _ = try system.createFile(other, permissions: 0o600, in: opened.folder)
          return true
        } catch .exists {
          return false
        }
      }
      guard isTaken else { continue }
      // While it was read, somebody may have removed it, and another writer made one that is in use.
      guard isThere(opened.name, opened) else {
        try? system.removeFile(other, in: opened.folder)
        throw refusal(.setAsideJournal, .journalInUse)
      }
      do throws(FileChangeError) {
        try attempt(.setAsideJournal) { () throws(_SystemError) in
          try system.moveFile(opened.name, to: other, in: opened.folder)
        }
      } catch {
        // A file system on another machine may have renamed it and say that it has not.
        if isThere(other, opened) { return path.sibling(other) }
        try? system.removeFile(other, in: opened.folder)
        throw error
      }
      return path.sibling(other)
    }
    throw refusal(.setAsideJournal, .busy)
  }

  /// Whether the file that was opened has this name.
  private func isThere(_ name: String, _ opened: borrowing _OpenedJournal) -> Bool {
    (try? system.inspect(name, in: opened.folder))?.identity == opened.identity
  }
}

extension _SystemCalling {
  /// Opens a folder in which nobody else may put a file in the place of another.
  ///
  /// It is the open folder that is looked at, whatever links have led to it, and everything is done in that one.
  func openOwnFolder(
    _ folder: String, _ operation: FileChangeError.Operation
  ) throws(FileChangeError) -> _Descriptor {
    let opened = try attempt(.openFolder) { () throws(_SystemError) in try system.openFolder(folder) }
    let status = try attempt(operation) { () throws(_SystemError) in try system.inspect(opened) }
    let isOwn = status.user == system.user || status.user == 0
    // Where a folder is sticky only the owners of a file and of the folder may rename or remove the file.
    let isClosed = status.permissions & 0o022 == 0 || status.permissions & 0o1000 != 0
    guard isOwn, isClosed else { throw refusal(operation, .journalInAFolderOfOthers) }
    return opened
  }
}
