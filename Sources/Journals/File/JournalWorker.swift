internal import Dispatch

/// The file of a journal, with asynchronous methods.
///
/// All system calls are made in order on one serial queue, so that nothing else waits for the device.
package final class JournalWorker: @unchecked Sendable {
  package let path: String
  private let system: any FileSystem
  /// Ends when the journal is unlocked, once it was open.
  package let release = Readers<Bool>()
  private let thread = DispatchQueue(label: "Journal")
  /// The open file; only used on its queue.
  private var open: LockedJournal?
  /// The private folder within the journal's folder, if the file is in one; only used on the queue.
  private var privateFolder = ""

  package init(_ path: String, system: any FileSystem) {
    self.path = path
    self.system = system
  }

  deinit { unlock() }

  /// Unlocks the file by closing it.
  private func unlock() {
    guard open != nil else { return }
    open = nil
    release.end()
  }

  /// Opens, locks and reads the journal, and makes it if it doesn't exist.
  ///
  /// - Parameters:
  ///   - newWriter: The number of the writer, used if the journal has none.
  ///   - makesFolder: Whether a missing folder is made, too.
  package func open<Body: JournalBody>(
    newWriter: UInt64, makesFolder: Bool = false, as body: Body.Type = Body.self
  ) async throws(JournalError) -> JournalContentsOnOpen<Body> {
    try await thread.run { () throws(JournalError) in
      let opening = JournalOpening(path: self.path, system: self.system, makesFolder: makesFolder)
      if makesFolder { try opening.makeFolder(of: self.path) }
      let open = try opening.open()
      self.privateFolder = open.privateFolder
      Sweeper().sweep(open.folder, in: self.system)
      let found: JournalContentsOnOpen<Body> = try open.read()
      open.begin(with: found, newWriter: newWriter)
      self.open = open
      return found
    }
  }

  /// Opens a journal for a client that recovers its contents, and rewrites it.
  ///
  /// If the journal cannot be written, the recovered work is still done, because that may free the space that was
  /// missing. The same goes for a journal that was moved aside, because this is the only chance to report it.
  ///
  /// - Parameters:
  ///   - failure: Makes the client's error.
  ///   - recover: Reads the contents.
  /// - Returns: The file, the details of the recovery, and the reason why the journal could not be written.
  package static func start<Body: JournalBody, Failure: Error>(
    at path: String, in system: any FileSystem, newWriter: UInt64, failure: (JournalError) -> Failure,
    recover: (JournalContentsOnOpen<Body>) throws(Failure) -> Recovered<Body>
  ) async throws(Failure) -> (file: JournalWorker, recovery: Recovery, error: Failure?) {
    let file = JournalWorker(path, system: system)
    let found: JournalContentsOnOpen<Body>
    do throws(JournalError) { found = try await file.open(newWriter: newWriter) } catch { throw failure(error) }
    let recovered: Recovered<Body>
    do throws(Failure) { recovered = try recover(found) } catch {
      await file.close(removing: false)
      throw error
    }
    let error: JournalError? = if let write = recovered.write { await file.commit(write) } else { nil }
    let setAside = await file.setAside()
    if let error, recovered.isEmpty, setAside == nil {
      await file.close(removing: false)
      throw failure(error)
    }
    let recovery = Recovery(
      found: recovered.description, hasUnfinishedChanges: recovered.isUnfinished, damage: found.contents.damage,
      readError: found.failure.map(\.summary),
      setAside: setAside.map { URL(filePath: path.folderAndName.folder + $0, directoryHint: .notDirectory) })
    return (file, recovery, error.map(failure))
  }

  /// The work that a client has found in its journal: the records to write, the number of changes in words, whether
  /// some changes were accepted and not done yet, and whether there are no changes; a failed change counts as one.
  package typealias Recovered<Body: JournalBody> = (
    write: JournalWrite<Body>?, description: String, isUnfinished: Bool, isEmpty: Bool
  )

  /// The path of `name`, relative to the journal's folder.
  private func name(_ name: String) -> String { privateFolder + name }

  /// The name of the file relative to the journal's folder, once it is open.
  package func name() async -> String {
    await thread.run { self.name(self.path.folderAndName.name) }
  }

  /// The name under which a damaged journal was moved aside, which the first write does; relative to its folder.
  package func setAside() async -> String? {
    try? await thread.run { () throws(JournalError) in (self.open?.setAside).map(self.name) }
  }

  /// Marks the file as damaged, so that it is kept when it is rewritten: some of it makes no sense to its reader.
  package func keepWhenWrittenAnew() async {
    try? await thread.run { () throws(JournalError) in self.open?.isDamaged = true }
  }

  /// Keeps the present contents of the file under another name, and returns that name relative to the journal's folder.
  ///
  /// - Parameter isNeeded: Whether any record is still needed under the journal's own name. If not, the first write
  ///   makes a new journal.
  package func keepNow(isNeeded: Bool) async throws(JournalError) -> String {
    try await thread.run { () throws(JournalError) in
      guard let open = self.open else { throw JournalError(step: .setAside, reason: .closed) }
      return self.name(try open.keepNow(isNeeded: isNeeded))
    }
  }

  /// Writes records to the file, and to the device if the write asks for that.
  ///
  /// - Returns: The error of a failed write. The file is then as it was before, as far as known, and must be rewritten.
  package func commit<Body>(_ write: JournalWrite<Body>) async -> JournalError? {
    await withCheckedContinuation { continuation in
      commit(write) { continuation.resume(returning: $0) }
    }
  }

  /// Starts a write without waiting for it.
  ///
  /// - Parameter completion: Called on the queue of the file.
  package func commit<Body>(_ write: JournalWrite<Body>, completion: @escaping @Sendable (JournalError?) -> Void) {
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

  /// Closes and unlocks the journal, and removes it if nothing in it is needed.
  package func close(removing: Bool) async {
    try? await thread.run { () throws(JournalError) in
      self.open?.close(removing: removing)
      self.unlock()
    }
  }

  // MARK: Names

  /// The name of the folder that has this user's journals if others may write the folder of the journals.
  package static func privateFolderName(in system: any FileSystem) -> String { ".unsaved-user-\(system.user)" }

  /// The prefix of files that are about to replace a journal.
  package static let temporaryPrefix = ".unsaved-journal-"

  /// The name of the file that is about to replace the journal `file`.
  static func temporaryName(_ file: FileIdentity, _ suffix: String = "") -> String {
    temporaryPrefix + String(file.number, radix: 16) + suffix
  }
}
