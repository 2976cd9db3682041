/// Gives the file of a damaged journal a second name, so that no byte of it is lost when another takes its place.
///
/// A link is there at once or not at all, replaces nothing, and leaves the journal where it is. Not every file system
/// has links. There the file is copied if it has records that can be read, since the journal must not be missing for a
/// moment; else it is renamed.
struct DamagedJournalBackup: JournalCalling {
  let system: any FileSystem
  /// The name that the file has.
  let name: String
  /// Which file it is: the name may lead to another one by now.
  let identity: FileIdentity

  /// The name of what is not yet all of a copy.
  private var temporary: String { JournalWorker.temporaryName(identity, "-copy") }

  /// Gives the file another name, and returns that; the folder must be synchronized then.
  ///
  /// - Parameter isNeeded: Whether anything in it is still needed under its own name.
  func keep(in folder: borrowing Descriptor, isNeeded: Bool) throws(JournalError) -> String {
    // A name that has no room for the rest is cut off.
    let prefix = "\(String(decoding: name.utf8.prefix(200), as: UTF8.self)).damaged-"
    if let kept = nameLeftBehind(prefix, folder) { return kept }
    let style = Date.ISO8601FormatStyle().year().month().day().dateSeparator(.omitted)
      .time(includingFractionalSeconds: false).timeSeparator(.omitted)
    let date = system.time.formatted(style)
    for number in 1...1000 {
      let other = number == 1 ? prefix + date : "\(prefix)\(date)-\(number)"
      if try keep(as: other, isNeeded, folder) { return other }
    }
    throw refusal(.setAside, .busy)
  }

  /// The name that a writer which was killed has given the file already; takes away what one has left that came less
  /// far.
  private func nameLeftBehind(_ prefix: String, _ folder: borrowing Descriptor) -> String? {
    try? system.removeFile(temporary, in: folder)
    var kept: String?
    for other in (try? system.names(startingWith: prefix, in: folder)) ?? [] {
      guard let status = try? system.inspect(other, in: folder) else { continue }
      if status.identity == identity {
        kept = other
      } else if status.kind == .file, status.user == system.user, status.stamp.size == 0 {
        // A name that was taken for what never came: an empty journal is not damaged.
        try? system.removeFile(other, in: folder)
      }
    }
    return kept
  }

  /// - Returns: Whether the name was free.
  private func keep(
    as other: String, _ isNeeded: Bool, _ folder: borrowing Descriptor
  ) throws(JournalError) -> Bool {
    do throws(JournalError) {
      try attempt(.setAside, system.linkFile(name, to: other, in: folder))
    } catch {
      // A file system on another machine may have made the link and say that it has not.
      if isThere(other, folder) { return true }
      if error.reason == .system(.exists) { return false }
      return try keepWithoutLink(as: other, isNeeded, folder)
    }
    if isThere(other, folder) { return true }
    // Another process has removed the journal, and another writer made one that is in use.
    try? system.removeFile(other, in: folder)
    throw refusal(.setAside, .inUse)
  }

  private func keepWithoutLink(
    as other: String, _ isNeeded: Bool, _ folder: borrowing Descriptor
  ) throws(JournalError) -> Bool {
    // To rename would take the place of another file; so the name is taken first by one of our own.
    let taken = try attempt(
      .setAside, except: .exists, call: system.createFile(other, permissions: 0o600, in: folder))
    guard taken != nil else { return false }
    var moved = identity
    do throws(JournalError) {
      // While it was read, another process may have removed it, and another writer made one that is in use.
      guard isThere(name, folder) else { throw refusal(.setAside, .inUse) }
      if isNeeded { moved = try copy(in: folder) }
      let source = isNeeded ? temporary : name
      try attempt(.setAside, system.moveFile(source, to: other, in: folder))
    } catch {
      // Nor does the system always report that a file was renamed.
      if isThere(other, folder, moved) { return true }
      try? system.removeFile(other, in: folder)
      try? system.removeFile(temporary, in: folder)
      throw error
    }
    return true
  }

  /// Makes a copy on the device that has the temporary name, and returns which file it is.
  private func copy(in folder: borrowing Descriptor) throws(JournalError) -> FileIdentity {
    let new = try attempt(.setAside, system.createFile(temporary, permissions: 0o600, in: folder))
    let old = try attempt(.setAside, system.openFile(name, in: folder))
    while true {
      let bytes = try attempt(.setAside, system.read(upTo: 1 << 20, from: old))
      if bytes.isEmpty { break }
      try attempt(.setAside, system.appendAll(Data(bytes), to: new))
    }
    try attempt(.setAside, system.synchronizeFile(new))
    return try attempt(.setAside, system.inspect(new)).identity
  }

  /// Whether a file, by default that of the journal, has this name.
  private func isThere(_ name: String, _ folder: borrowing Descriptor, _ file: FileIdentity? = nil) -> Bool {
    (try? system.inspect(name, in: folder))?.identity == file ?? identity
  }
}
