/// The contents of a journal's file, as found when it was opened.
package struct JournalContentsOnOpen<Body: JournalBody>: Sendable {
  package let contents: JournalContents<Body>
  /// Whether the file has bytes that must be kept, but would be lost if it were rewritten.
  package let isDamaged: Bool
  /// The reason why the rest was not read, if a device failed.
  package let failure: JournalError?

  static func unreadable(_ failure: JournalError?) -> JournalContentsOnOpen {
    JournalContentsOnOpen(contents: JournalContents(), isDamaged: true, failure: failure)
  }
}

/// Opens and locks a journal, before it is read.
struct JournalOpening: JournalCalling {
  let path: String
  let system: any FileSystem
  /// Whether a folder that was removed is made again.
  var makesFolder = false

  /// Makes the folder of a file and its missing parents.
  ///
  /// Synchronizes each parent: after a power failure, a journal is found only if its folder is on the device.
  func makeFolder(of file: String) throws(JournalError) {
    var path = file.folderAndName.folder
    while path.utf8.last == UInt8(ascii: "/") { path.unicodeScalars.removeLast() }
    if path.isEmpty || path == "." || (try? system.openFolder(path)) != nil { return }
    try makeFolder(of: path)
    // Another process may make it first. Or it exists and may not be opened, which is reported later.
    let isMade = try attempt(.openFolder, except: .exists, call: system.makeFolder(path)) != nil
    // A folder in which a new one can be made isn't always readable.
    guard let above = try? system.openFolder(path.folderAndName.folder) else { return }
    do throws(JournalError) { try attempt(.openFolder, system.synchronizeFolder(above)) } catch {
      // Otherwise the next attempt would assume that the folder is on the device.
      if isMade { try? system.removeFolder(path) }
      throw error
    }
  }

  func open() throws(JournalError) -> LockedJournal {
    let (parent, name) = path.folderAndName
    // The folder is checked before the file, so that no file is made where the journal would be refused.
    let folder = try attempt(.openFolder, system.openFolder(parent))
    let status = try attempt(.open, system.inspect(folder))
    if let own = try privateFolder(in: folder, status) {
      return try open(own + "/", name, in: openOwnFolder(parent + own, .open))
    }
    guard isOwn(status), isClosed(folder, status) else { throw refusal(.open, .inAFolderOfOthers) }
    return try open("", name, in: folder)
  }

  /// The name of the private folder within the journal's folder that contains the journal; nil if it isn't in one.
  ///
  /// On many systems the umask (002) allows the group to write new files. Other members of the group could then replace
  /// the journal, so it gets a folder that only this user can write. If the group loses the right to write later, the
  /// journal stays in that folder. A journal that was in the shared folder before the group got the right is refused.
  private func privateFolder(in folder: borrowing Descriptor, _ status: FileStatus) throws(JournalError) -> String? {
    let (parent, name) = path.folderAndName
    let own = JournalWorker.privateFolderName(in: system)
    if let opened = try? system.openSubfolder(own, in: folder), (try? system.inspect(name, in: opened)) != nil {
      return own
    }
    guard isOwn(status), status.permissions & 0o022 == 0o020, !isClosed(folder, status),
      (try? system.inspect(name, in: folder)) == nil
    else { return nil }
    _ = try attempt(.openFolder, except: .exists, call: system.makeFolder(parent + own))
    try attempt(.openFolder, system.synchronizeFolder(folder))
    return own
  }

  private func open(
    _ privateFolder: String, _ name: String, in folder: consuming Descriptor
  ) throws(JournalError) -> LockedJournal {
    for _ in 0..<8 {
      let file = try attempt(.open, system.openJournal(name, in: folder))
      let status = try attempt(.open, system.inspect(file))
      guard status.kind == .file else { throw refusal(.open, .notAFile) }
      // The changes in a journal are made with this user's rights, so no one else may write it.
      guard status.user == system.user, status.permissions & 0o022 == 0 else {
        throw refusal(.open, .ofOthers)
      }
      guard try attempt(.open, except: .locked, call: system.lock(file)) != nil else { throw refusal(.open, .inUse) }
      // Another writer may have replaced the file between opening and locking it.
      guard (try? system.inspect(name, in: folder))?.identity == status.identity else { continue }
      let size = Int(clamping: status.stamp.size)
      return LockedJournal(self, privateFolder, folder, RecordFile(file, identity: status.identity), size)
    }
    throw refusal(.open, .busy)
  }
}

extension LockedJournal {
  /// Reads the file, before anything is written to it.
  func read<Body: JournalBody>() throws(JournalError) -> JournalContentsOnOpen<Body> {
    var bytes: [UInt8] = []
    var failure: JournalError?
    do throws(JournalError) {
      // The first bytes are checked before the rest, which may be large, is read.
      while bytes.isEmpty || JournalHeader.canBegin(bytes) {
        let next = try attempt(.open, system.read(upTo: 1 << 20, from: file.descriptor))
        if next.isEmpty { break }
        bytes += next
      }
    } catch {
      guard case .system(let cause) = error.reason, cause.isDamage else { throw error }
      failure = error
    }
    guard bytes.isEmpty || JournalHeader.canBegin(bytes) else { return .unreadable(failure) }
    if !bytes.isEmpty {
      // Records that a killed process had not synchronized are acted upon, too, so they must be on the device first.
      do throws(JournalError) {
        try attempt(.open, system.synchronizeFile(file.descriptor))
        try attempt(.open, system.synchronizeFolder(folder))
      } catch {
        // A device that cannot read may not be able to write, either: a new file replaces this one.
        if failure == nil { throw error }
      }
    }
    do throws(JournalRefusal) {
      let unreadCount = failure == nil ? 0 : max(0, sizeWhenOpened - bytes.count)
      let contents = try JournalContents<Body>(bytes, unreadCount: unreadCount)
      return JournalContentsOnOpen(
        contents: contents, isDamaged: contents.isDamaged || failure != nil, failure: failure)
    } catch {
      if error == .unreadable { return .unreadable(failure) }
      throw refusal(.open, error == .newerVersion ? .newerVersion : .olderVersion)
    }
  }
}
