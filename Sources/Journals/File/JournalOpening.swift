/// A journal's file that was opened and locked, and not yet read.
struct OpenedJournal: ~Copyable {
  let name: String
  let folder: Descriptor
  /// The name of the folder, where that is one of the user's own within the journal's folder.
  let privateFolder: String?
  let file: Descriptor
  let identity: FileIdentity
  let size: Int
}

/// What was found in a journal's file.
package struct JournalContentsOnOpen<Body: JournalBody>: Sendable {
  package let contents: JournalContents<Body>
  /// Whether there are bytes that are lost when the file is written anew, and must not be.
  package let isDamaged: Bool
  /// Why no more was read, where a device failed.
  package let failure: JournalError?

  static func unreadable(_ failure: JournalError?) -> JournalContentsOnOpen {
    JournalContentsOnOpen(contents: JournalContents(), isDamaged: true, failure: failure)
  }
}

/// What is done with a journal before anything is written to it.
struct JournalOpening: JournalCalling {
  let path: String
  let system: any FileSystem

  /// Makes the folder where it is not there, with those above it.
  func makeFolder() throws(JournalError) { try make(path.folderAndName.folder) }

  /// The entry of each is brought to the device: a journal in it is there after a loss of power only if the folder is.
  private func make(_ folder: String) throws(JournalError) {
    var path = folder
    while path.utf8.last == UInt8(ascii: "/") { path.unicodeScalars.removeLast() }
    if path.isEmpty || path == "." || (try? system.openFolder(path)) != nil { return }
    let (parent, _) = path.folderAndName
    try make(parent)
    // Another process may be first, or it is one that may not be opened, which is told then.
    let isMade = try attempt(.openFolder, except: .exists, call: system.makeFolder(path)) != nil
    // A folder that takes files may not be one that can be read.
    guard let above = try? system.openFolder(parent) else { return }
    do throws(JournalError) { try attempt(.openFolder, system.synchronizeFolder(above)) } catch {
      // It would be taken for one that is on the device.
      if isMade { try? system.removeFolder(path) }
      throw error
    }
  }

  func open() throws(JournalError) -> OpenedJournal {
    let (parent, name) = path.folderAndName
    // Before the file, so that none is made where it would be refused.
    let folder = try attempt(.openFolder, system.openFolder(parent))
    let status = try attempt(.open, system.inspect(folder))
    if let own = try privateFolder(in: folder, status) {
      return try open(name, in: openOwnFolder(parent + own, .open), own)
    }
    guard isOwn(status), isClosed(folder, status) else { throw refusal(.open, .inAFolderOfOthers) }
    return try open(name, in: folder, nil)
  }

  /// The name of the folder within the journal's folder that has the journal; nil where that has it itself.
  ///
  /// The umask of many systems (002) lets the group write what a program makes. Where the group has other members, they
  /// could take the journal away and put another one there. So it gets a folder that is this user's alone. If somebody
  /// takes the right to write from the group later, the journal stays where it is. One that was in the folder before
  /// the group got the right is refused.
  private func privateFolder(
    in folder: borrowing Descriptor, _ status: FileStatus
  ) throws(JournalError) -> String? {
    let (parent, name) = path.folderAndName
    let own = ".unsaved-user-\(system.user)"
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
    _ name: String, in folder: consuming Descriptor, _ privateFolder: String?
  ) throws(JournalError) -> OpenedJournal {
    for _ in 0..<8 {
      let file = try attempt(.open, system.openJournal(name, in: folder))
      let status = try attempt(.open, system.inspect(file))
      guard status.kind == .file else { throw refusal(.open, .notAFile) }
      // What is in a journal is carried out in our name.
      guard status.user == system.user, status.permissions & 0o022 == 0 else {
        throw refusal(.open, .ofOthers)
      }
      guard try attempt(.open, except: .locked, call: system.lock(file)) != nil else { throw refusal(.open, .inUse) }
      // Between the opening and the locking a writer may have put another file in the place of this one.
      guard (try? system.inspect(name, in: folder))?.identity == status.identity else { continue }
      return OpenedJournal(
        name: name, folder: folder, privateFolder: privateFolder, file: file, identity: status.identity,
        size: Int(clamping: status.stamp.size))
    }
    throw refusal(.open, .busy)
  }

  /// Reads as much of the journal as can be read.
  func read<Body: JournalBody>(_ opened: borrowing OpenedJournal) throws(JournalError) -> JournalContentsOnOpen<Body> {
    var bytes: [UInt8] = []
    var failure: JournalError?
    do throws(JournalError) {
      // Before all of it is read, which may be a lot, it is looked at what it is.
      while bytes.isEmpty || JournalHeader.canBegin(bytes) {
        let next = try attempt(.open, system.read(upTo: 1 << 20, from: opened.file))
        if next.isEmpty { break }
        bytes += next
      }
    } catch {
      guard case .system(let cause) = error.reason, cause.isDamage else { throw error }
      failure = error
    }
    guard bytes.isEmpty || JournalHeader.canBegin(bytes) else { return .unreadable(failure) }
    if !bytes.isEmpty {
      // What a killed process had not yet brought to the device is carried out as well: it must not be forgotten then.
      do throws(JournalError) {
        try attempt(.open, system.synchronizeFile(opened.file))
        try attempt(.open, system.synchronizeFolder(opened.folder))
      } catch {
        // A device that does not read may not write, either: a new file has to do.
        if failure == nil { throw error }
      }
    }
    do throws(JournalRefusal) {
      let unreadCount = failure == nil ? 0 : max(0, opened.size - bytes.count)
      let contents = try JournalContents<Body>(bytes, unreadCount: unreadCount)
      return JournalContentsOnOpen(
        contents: contents, isDamaged: contents.isDamaged || failure != nil, failure: failure)
    } catch {
      switch error {
      case .unreadable: return .unreadable(failure)
      case .newerVersion: throw refusal(.open, .newerVersion)
      }
    }
  }
}
