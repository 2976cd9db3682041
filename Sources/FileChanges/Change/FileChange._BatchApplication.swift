internal import Journals

extension FileChange {
  /// One batch that is being applied to its files.
  ///
  ///     look ─► (plan) ─► temporary files ─► keep: a second name for each old file ─► fsync of the folders
  ///                                           ─► put: each path gets its final state ─► fsync ─► clean up
  ///                                                    └── a failure: roll back, in reverse order
  ///
  /// Each step first checks whether it was already done, so that it can continue the work of a killed process. The
  /// *plan*, the version of each path at the beginning, is known before: with a journal, it is recorded before the
  /// first step.
  struct _BatchApplication {
    let batch: _Batch
    let options: Options
    let system: any FileSystem
    let names: _BatchNames
    /// Removes temporary files of killed processes from the folders.
    let sweeper: Sweeper?

    /// The open folder of a path.
    final class OpenPlace {
      let application: _Application
      let place: _Application.Place

      init(_ application: _Application, _ place: consuming _Application.Place) {
        self.application = application
        self.place = place
      }

      func status() throws(FileChangeError) -> FileStatus? {
        try application.attempt(
          .inspect, except: .absent, call: application.system.inspect(place.name, in: place.folder))
      }

      func status(of name: String) throws(FileChangeError) -> FileStatus? {
        try application.attempt(.inspect, except: .absent, call: application.system.inspect(name, in: place.folder))
      }

      /// The identity of the folder.
      func folder() throws(FileChangeError) -> FileIdentity { try application.identity(of: place.openFolder) }

      func synchronize() throws(FileChangeError) { try application.synchronize(place.folder) }
    }
  }

  /// The names of a batch's temporary files: a new file for each path, and a second name of the old file.
  package struct _BatchNames: Hashable, Sendable {
    let prefix: String

    package init(prefix: String) { self.prefix = prefix }

    /// Unique names, for a batch without a journal.
    package static func random() -> _BatchNames {
      let numbers = [0, 1].map { _ in UInt64.random(in: .min ... .max) }
      return _BatchNames(prefix: Sweeper.batchPrefix(writer: numbers[0], sequence: numbers[1]))
    }

    func new(_ index: Int) -> String { prefix + String(index, radix: 16) }

    /// Sweepers ignore these names, because they may be the only name of a file.
    func old(_ index: Int) -> String { new(index) + "-old" }
  }

  /// The traces that earlier attempts at a batch may have left.
  package enum _BatchPast: Hashable, Sendable {
    case nothing
    /// New and old files, which belong to the plan.
    case begun
    /// Old files that could not be removed after the batch was applied.
    case done
    /// Old files that could not be removed after a rollback; they aren't the files at the paths now.
    case takenBack
  }

  /// The result of a batch that was applied.
  package struct _BatchResult: Hashable, Sendable {
    package let versions: [Version]
    package let isClean: Bool

    package init(versions: [Version], isClean: Bool = true) {
      self.versions = versions
      self.isClean = isClean
    }
  }

  /// The reason why a batch was not applied.
  package struct _BatchFailure: Error, Hashable, Sendable {
    package let error: FileChangeError
    /// Whether every path is as it was, except where another program has changed it.
    package let isTakenBack: Bool
    /// For each path whose file got its name back, the version with its new change time; otherwise nil.
    ///
    /// Empty if there are none.
    package let versions: [Version?]

    package init(_ error: FileChangeError, isTakenBack: Bool = true, versions: [Version?] = []) {
      self.error = error
      self.isTakenBack = isTakenBack
      self.versions = versions
    }
  }
}

// MARK: - Looking

extension FileChange._BatchApplication {
  private var effects: [FileChange._Batch.Effect] { batch.effects }

  /// An entry of a folder, whatever path leads to it.
  private struct Entry: Hashable {
    let folder: FileIdentity
    let name: [UInt8]
  }

  /// Opens the folders of all paths; each path must lead to a different file.
  private func open() throws(FileChangeError) -> [OpenPlace] {
    var places: [OpenPlace] = []
    // Each folder is opened only once, because a batch may have thousands of files.
    var folders: [[UInt8]: FileChange._Application.OpenFolder] = [:]
    let openFolders = FileChange._Application.OpenFolders()
    var entries: Set<Entry> = []
    for (index, effect) in effects.enumerated() {
      // A batch from a journal may have been submitted with other options.
      if let objection = options.objection(to: effect.path) {
        throw FileChangeError(path: effect.path, operation: .submit, reason: objection)
      }
      let leftovers = _Leftovers(temporaryName: names.new(index))
      let application = FileChange._Application(
        path: effect.path, options: options, system: system, leftovers: leftovers, openFolders: openFolders)
      // A write follows a link, as it does alone; a move or a removal applies to the link itself.
      let path = effect.path.string.folderAndName.folder
      // Compared as bytes: on most systems, folders can have different names that are equal strings.
      let bytes = Array(path.utf8)
      let folder = if let open = folders[bytes] { open } else { try application.openFolder(path) }
      folders[bytes] = folder
      let place = try application.find(followsLinks: effect.isWritten && options.symbolicLinks == .follow, in: folder)
      let open = OpenPlace(application, place)
      // Two effects on the same file would overwrite each other.
      let entry = Entry(folder: try open.folder(), name: Array(open.place.name.utf8))
      guard entries.insert(entry).inserted else { throw application.refusal(.inspect, .sameFile) }
      places.append(open)
    }
    return places
  }

  /// Inspects the files: returns the version of each path, and throws if the batch cannot be applied to them.
  ///
  /// - Parameters:
  ///   - versions: The versions that the writer left at the paths.
  ///   - isRecovered: Whether an earlier process may have begun, and its records are damaged.
  func look(
    knowing versions: [FileChange.Path: FileChange.Version], isRecovered: Bool = false
  ) throws(FileChangeError) -> [FileChange.Version] {
    let places = try open()
    var offsets: [FileChange.Path: Int] = [:]
    var found: [FileStatus?] = []
    for (index, effect) in effects.enumerated() {
      offsets[effect.path] = index
      let old = isRecovered ? try places[index].status(of: names.old(index)) : nil
      found.append(old ?? places[index].place.status)
    }
    for (index, (effect, open)) in zip(effects, places).enumerated() {
      let status = found[index]
      try open.application.checkKind(of: status, isWritten: effect.isWritten)
      if let base = effect.base, status != nil || effect.outcome != .absent {
        let expected = [base, versions[effect.path] ?? base]
        guard try open.application.isExpected(status, at: open.place, expected, before: effect.outcome) else {
          throw open.application.refusal(.inspect, .changedByAnother)
        }
      }
      guard case .file(of: let source) = effect.outcome, let offset = offsets[source] else {
        if effect.mustBeFree, status != nil { throw open.application.refusal(.move, .targetExists) }
        continue
      }
      guard let moved = found[offset] else { throw places[offset].application.refusal(.move, .noSuchFile) }
      if effect.mustBeFree, let status, offset == index || status.identity != moved.identity {
        throw open.application.refusal(.move, .targetExists)
      }
      guard try open.folder().device == moved.identity.device else {
        throw open.application.refusal(.move, .otherFileSystem)
      }
    }
    return found.map { FileChange.Version(stamp: $0?.stamp) }
  }
}

// MARK: - Applying

extension FileChange._BatchApplication {
  func carryOut(_ step: FileChangeWriter._BatchStep) -> FileChangeWriter._BatchOutcome {
    switch step {
    case .look(_, let versions, let names):
      .looked(Result { () throws(FileChangeError) in try look(knowing: versions, isRecovered: names != nil) })
    case .carryOut(_, let plan, let past):
      .carriedOut(Result { () throws(FileChange._BatchFailure) in try carryOut(plan.versions, after: past) })
    }
  }

  /// Continues the batch from wherever an earlier attempt stopped, and finishes it or rolls it back.
  ///
  /// - Parameters:
  ///   - plan: The version of each path at the beginning.
  ///   - past: The traces of an earlier attempt.
  /// - Returns: The version of each path at the end, and whether all temporary files are removed.
  func carryOut(
    _ plan: [FileChange.Version], after past: FileChange._BatchPast
  ) throws(FileChange._BatchFailure) -> FileChange._BatchResult {
    let places: [OpenPlace]
    do throws(FileChangeError) {
      places = try open()
    } catch {
      throw FileChange._BatchFailure(error, isTakenBack: past != .begun)
    }
    var folders: Set<ObjectIdentifier> = []
    for open in places where folders.insert(ObjectIdentifier(open.place.openFolder)).inserted {
      // Before the files are inspected, because a killed process may have displaced another program's file.
      if past == .begun { Sweeper.shared.settleDisplaced(in: open.place.folder, in: system) }
      sweeper?.sweep(open.place.folder, in: system)
    }
    let work = Work(self, plan, places, after: past)
    if past == .takenBack { work.cleanUp() }
    // The result is the given version, because another program may have changed the files since.
    if past == .done {
      // The last attempt may have removed old files and failed to synchronize the folders.
      let isClean = work.cleanUp() && (try? work.synchronize()) != nil
      return FileChange._BatchResult(versions: plan, isClean: isClean)
    }
    if past == .begun, try work.wasDone() {
      // A killed process may already have removed some of the old files, so the batch cannot be rolled back.
      do throws(FileChangeError) {
        try work.renew()
        try work.synchronize()
        let isClean = work.cleanUp()
        return FileChange._BatchResult(versions: work.versions(), isClean: isClean)
      } catch {
        // Until the new names are on the device, an old name may be the only one that a file has there.
        work.removeNewFiles()
        throw FileChange._BatchFailure(error, isTakenBack: false)
      }
    }
    var cannotBeTakenBack = past == .begun
    do throws(FileChangeError) {
      if past == .begun { cannotBeTakenBack = try work.hasLostOldFiles() }
      try work.prepare()
      try work.keep()
      try work.put()
      try work.synchronize()
      let isClean = work.cleanUp()
      return FileChange._BatchResult(versions: work.versions(), isClean: isClean)
    } catch {
      if !cannotBeTakenBack {
        let isTakenBack = work.takeBack()
        let cause = error.keptFile == nil ? work.conflict ?? error : error
        throw FileChange._BatchFailure(cause, isTakenBack: isTakenBack, versions: work.versionsTakenBack())
      }
      work.removeNewFiles()
      throw FileChange._BatchFailure(error, isTakenBack: false)
    }
  }
}
