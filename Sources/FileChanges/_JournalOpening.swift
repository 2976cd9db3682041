/// A journal's file that was opened and locked, and not yet read.
struct _OpenedJournal: ~Copyable {
  let name: String
  let folder: _Descriptor
  let file: _Descriptor
  let identity: _FileIdentity
  let size: Int
}

/// What was found in a journal's file.
package struct _FoundJournal: Sendable {
  package let contents: _JournalContents
  /// Whether there are bytes that are lost when the file is written anew, and must not be.
  package let isDamaged: Bool
  /// Why no more was read, where a device failed.
  package let failure: FileChangeError?

  static func unreadable(_ failure: FileChangeError?) -> _FoundJournal {
    _FoundJournal(contents: _JournalContents(), isDamaged: true, failure: failure)
  }
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
      return _OpenedJournal(
        name: name, folder: folder, file: file, identity: status.identity, size: Int(clamping: status.stamp.size))
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

  /// Reads as much of the journal as can be read.
  func read(_ opened: borrowing _OpenedJournal) throws(FileChangeError) -> _FoundJournal {
    var bytes: [UInt8] = []
    var failure: FileChangeError?
    do throws(FileChangeError) {
      // Before all of it is read, which may be a lot, it is looked at what it is.
      while bytes.isEmpty || _JournalContents.canBegin(bytes) {
        let next = try attempt(.openJournal) { () throws(_SystemError) in
          try system.read(upTo: 1 << 20, from: opened.file)
        }
        if next.isEmpty { break }
        bytes += next
      }
    } catch {
      guard error.isDamage else { throw error }
      failure = error
    }
    guard bytes.isEmpty || _JournalContents.canBegin(bytes) else { return .unreadable(failure) }
    if !bytes.isEmpty {
      // What a killed process had not yet brought to the device is carried out as well: it must not be forgotten then.
      do throws(FileChangeError) {
        try attempt(.openJournal) { () throws(_SystemError) in
          try system.synchronizeFile(opened.file)
          try system.synchronizeFolder(opened.folder)
        }
      } catch {
        // A device that does not read may not write, either: a new file has to do.
        if failure == nil { throw error }
      }
    }
    do throws(_JournalContents.Refusal) {
      let contents = try _JournalContents(bytes, unreadCount: failure == nil ? 0 : max(0, opened.size - bytes.count))
      return _FoundJournal(contents: contents, isDamaged: contents.isDamaged || failure != nil, failure: failure)
    } catch {
      switch error {
      case .unreadable: return .unreadable(failure)
      case .newerVersion: throw refusal(.openJournal, .newerJournal)
      }
    }
  }
}

extension FileChangeError {
  /// Whether an error of reading says that the file cannot be read, and not that this process may not, or not now.
  fileprivate var isDamage: Bool {
    switch reason {
    case .permissionDenied, .busy, .noMemory, .tooManyOpenFiles, .unreachable: false
    default: true
    }
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
