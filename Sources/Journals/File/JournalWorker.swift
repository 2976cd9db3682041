internal import Dispatch

/// The file of a journal.
///
/// All calls are made on one thread of its own, in order, so that nothing else waits for the device.
package final class JournalWorker: @unchecked Sendable {
  package let path: String
  private let system: any FileSystem
  private let thread = DispatchQueue(label: "Journal")
  /// The file once it is open; only touched on its thread.
  private var open: LockedJournal?
  /// The name of the folder within the journal's that has the file; only touched on its thread.
  private var privateFolder: String?

  package init(_ path: String, system: any FileSystem) {
    self.path = path
    self.system = system
  }

  /// Opens, locks and reads the journal, and makes it where it is not there.
  ///
  /// - Parameters:
  ///   - newWriter: The number of the writer for a journal that has none.
  ///   - makesFolder: Whether the folder is made, too, where it is not there.
  package func open<Body: JournalBody>(
    newWriter: UInt64, makesFolder: Bool = false, as body: Body.Type = Body.self
  ) async throws(JournalError) -> JournalContentsOnOpen<Body> {
    try await thread.run { () throws(JournalError) in
      let opening = JournalOpening(path: self.path, system: self.system)
      if makesFolder { try opening.makeFolder() }
      let opened = try opening.open()
      self.privateFolder = opened.privateFolder
      Sweeper().sweep(opened.folder, in: self.system)
      let found: JournalContentsOnOpen<Body> = try opening.read(opened)
      let (folder, name) = self.path.folderAndName
      self.open = LockedJournal(
        opened, found, path: folder + self.name(name), system: self.system, newWriter: newWriter,
        makesFolder: makesFolder)
      return found
    }
  }

  /// Opens the journal of something that goes on with what is in it, and writes it anew.
  ///
  /// Where it cannot be written, what was found in it is carried out all the same: that may be what makes room. And a
  /// journal that was set aside is reported now or never.
  ///
  /// - Parameters:
  ///   - failure: Makes the client's error.
  ///   - recover: Takes in what was found, and returns what is to be written, whether there is anything to carry out,
  ///     and whether the file has anything that is not written anew.
  /// - Returns: The file, what was found, under which name in its folder a damaged file was set aside, and why it could
  ///   not be written.
  package static func start<Body: JournalBody, Failure: Error>(
    at path: String, in system: any FileSystem, newWriter: UInt64, failure: (JournalError) -> Failure,
    recover: (JournalContentsOnOpen<Body>) throws(Failure) -> (
      write: JournalWrite<Body>?, hasWork: Bool, losesSome: Bool
    )
  ) async throws(Failure) -> (
    file: JournalWorker, found: JournalContentsOnOpen<Body>, setAside: String?, error: Failure?
  ) {
    let file = JournalWorker(path, system: system)
    let found: JournalContentsOnOpen<Body>
    do throws(JournalError) { found = try await file.open(newWriter: newWriter) } catch { throw failure(error) }
    let (write, hasWork, losesSome): (JournalWrite<Body>?, Bool, Bool)
    do throws(Failure) { (write, hasWork, losesSome) = try recover(found) } catch {
      await file.close(removing: false)
      throw error
    }
    if losesSome { await file.keepWhenWrittenAnew() }
    let error: JournalError? = if let write { await file.commit(write) } else { nil }
    let setAside = await file.setAside()
    if let error, !hasWork, setAside == nil {
      await file.close(removing: false)
      throw failure(error)
    }
    return (file, found, setAside, error.map(failure))
  }

  /// The name in the journal's folder of what has this one in the folder of the file.
  private func name(_ name: String) -> String { privateFolder.map { $0 + "/" + name } ?? name }

  /// The name of the file in the journal's folder, once it was opened.
  package func name() async -> String {
    await thread.run { self.name(self.path.folderAndName.name) }
  }

  /// Under which name in its folder a damaged journal was set aside, which the first write does.
  package func setAside() async -> String? {
    try? await thread.run { () throws(JournalError) in (self.open?.setAside).map(self.name) }
  }

  /// Sets the file aside before another takes its place, as a damaged one: some of it makes no sense to its reader.
  package func keepWhenWrittenAnew() async {
    try? await thread.run { () throws(JournalError) in self.open?.keepWhenWrittenAnew() }
  }

  /// Keeps what the file has now under another name, and returns that name in the journal's folder.
  ///
  /// - Parameter isNeeded: Whether anything in it is still needed under its own name. If not, its reader makes nothing
  ///   of it, and the first write makes another journal.
  package func keepNow(isNeeded: Bool) async throws(JournalError) -> String {
    try await thread.run { () throws(JournalError) in
      guard let open = self.open else { throw JournalError(step: .setAside, reason: .closed) }
      return self.name(try open.keepNow(isNeeded: isNeeded))
    }
  }

  /// Brings records to the device.
  ///
  /// - Returns: Why that failed. The file is as it was then, as far as that can be known, and must be written anew.
  package func commit<Body>(_ write: JournalWrite<Body>) async -> JournalError? {
    await withCheckedContinuation { continuation in
      commit(write) { continuation.resume(returning: $0) }
    }
  }

  /// The same for a caller that does not wait.
  ///
  /// - Parameter completion: Called on the thread of the file.
  package func commit<Body>(
    _ write: JournalWrite<Body>, completion: @escaping @Sendable (JournalError?) -> Void
  ) {
    thread.async {
      do throws(JournalError) {
        guard let open = self.open else { throw JournalError(step: .write, reason: .closed) }
        try open.commit(write)
        completion(nil)
      } catch {
        completion(error)
      }
    }
  }

  /// Gives the journal back, and takes it away where nothing in it is needed any more.
  package func close(removing: Bool) async {
    try? await thread.run { () throws(JournalError) in
      self.open?.close(removing: removing)
      self.open = nil
    }
  }
}

// MARK: - Names

extension JournalWorker {
  /// How the name of a file begins that is about to take the place of a journal.
  package static let temporaryPrefix = ".unsaved-journal-"

  /// The name of a file that is about to take the place of the journal that is this file.
  static func temporaryName(_ file: FileIdentity, _ suffix: String = "") -> String {
    temporaryPrefix + String(file.number, radix: 16) + suffix
  }
}
