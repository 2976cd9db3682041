/// Gives the file of a damaged journal a second name, so that no byte is lost when another file replaces it.
///
/// A hard link is made in one step, replaces nothing, and leaves the journal in place. On a file system without links,
/// the file is copied if it has readable records, since the journal must not be missing for a moment; otherwise it is
/// renamed.
struct DamagedJournalBackup: JournalCalling {
  let system: any FileSystem
  let name: String
  /// The identity of the damaged file: the name may lead to another file meanwhile.
  let identity: FileIdentity
  /// Whether the journal needs the file under its own name, too.
  let isNeeded: Bool

  /// The beginning of the names of a journal's backups.
  static func prefix(of name: String) -> String {
    // A long name is cut off to leave room for the rest.
    "\(String(decoding: name.utf8.prefix(200), as: UTF8.self)).damaged-"
  }

  /// The name of an unfinished copy.
  private var temporary: String { JournalWorker.temporaryName(identity, "-copy") }

  /// Gives the file another name and returns it; the caller must synchronize the folder afterwards.
  func keep(in folder: borrowing Descriptor) throws(JournalError) -> String {
    let prefix = Self.prefix(of: name)
    if let kept = nameLeftBehind(prefix, folder) { return kept }
    let style = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted)
      .time(includingFractionalSeconds: false).timeSeparator(.omitted)
    let date = system.time.formatted(style)
    for number in 1...1000 {
      let other = number == 1 ? prefix + date : "\(prefix)\(date)-\(number)"
      if try keep(as: other, folder) { return other }
    }
    throw refusal(.setAside, .busy)
  }

  /// The name that a killed writer has already given to the file; also removes unfinished backups of killed writers.
  private func nameLeftBehind(_ prefix: String, _ folder: borrowing Descriptor) -> String? {
    try? system.removeFile(temporary, in: folder)
    var kept: String?
    for other in (try? system.names(startingWith: prefix, in: folder)) ?? [] {
      guard let status = try? system.inspect(other, in: folder) else { continue }
      if status.identity == identity {
        kept = other
      } else if status.kind == .file, status.user == system.user, status.stamp.size == 0 {
        // A name reserved for a backup that was never made: an empty journal isn't damaged.
        try? system.removeFile(other, in: folder)
      }
    }
    return kept
  }

  /// - Returns: Whether the name was free.
  private func keep(as other: String, _ folder: borrowing Descriptor) throws(JournalError) -> Bool {
    do throws(JournalError) {
      try attempt(.setAside, system.linkFile(name, to: other, in: folder))
    } catch {
      // A network file system may have made the link and still report a failure.
      if isThere(other, folder) { return true }
      if error.reason == .system(.exists) { return false }
      return try keepWithoutLink(as: other, folder)
    }
    if isThere(other, folder) { return true }
    // Another process removed the journal, and another writer made a new one, which is in use.
    try? system.removeFile(other, in: folder)
    throw refusal(.setAside, .inUse)
  }

  private func keepWithoutLink(as other: String, _ folder: borrowing Descriptor) throws(JournalError) -> Bool {
    // Renaming could replace another file, so the name is reserved first by an empty file.
    let taken = try attempt(
      .setAside, except: .exists, call: system.createFile(other, permissions: 0o600, in: folder))
    guard taken != nil else { return false }
    var moved = identity
    do throws(JournalError) {
      // Another process may have removed the journal meanwhile, and another writer made a new one, which is in use.
      guard isThere(name, folder) else { throw refusal(.setAside, .inUse) }
      if isNeeded { moved = try copy(in: folder) }
      let source = isNeeded ? temporary : name
      try attempt(.setAside, system.moveFile(source, to: other, in: folder))
    } catch {
      // A network file system may have renamed the file and still report a failure.
      if isThere(other, folder, moved) { return true }
      try? system.removeFile(other, in: folder)
      try? system.removeFile(temporary, in: folder)
      throw error
    }
    return true
  }

  /// Copies the journal to the temporary name, synchronizes the copy, and returns its identity.
  private func copy(in folder: borrowing Descriptor) throws(JournalError) -> FileIdentity {
    let new = try attempt(.setAside, system.createFile(temporary, permissions: 0o600, in: folder))
    let old = try attempt(.setAside, system.openFile(name, in: folder))
    while case let bytes = try attempt(.setAside, system.read(upTo: 1 << 20, from: old)), !bytes.isEmpty {
      try attempt(.setAside, system.appendAll(Data(bytes), to: new))
    }
    try attempt(.setAside, system.synchronizeFile(new))
    return try attempt(.setAside, system.inspect(new)).identity
  }

  /// Whether `name` leads to `file`, by default to the damaged file.
  private func isThere(_ name: String, _ folder: borrowing Descriptor, _ file: FileIdentity? = nil) -> Bool {
    (try? system.inspect(name, in: folder))?.identity == file ?? identity
  }
}
