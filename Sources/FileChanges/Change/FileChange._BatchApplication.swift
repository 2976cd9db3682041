internal import Journals

extension FileChange {
  /// A batch being carried out.
  ///
  ///     look ─► (plan) ─► temporary files ─► keep: a second name for each old file ─► fsync of the folders
  ///                                           ─► put: each path gets what it has at the end ─► fsync ─► clean up
  ///                                                    └── a failure: take back, in the other order
  ///
  /// Each step first looks whether it was done, so that a process that was killed is followed by one that goes on. What
  /// each path had at the beginning, the *plan*, is known by then: with a journal it is recorded before the first step.
  struct _BatchApplication {
    let batch: _Batch
    let options: Options
    let system: any FileSystem
    let names: _BatchNames
    /// What takes away what other processes have left in the folders.
    let sweeper: Sweeper?

    /// Where a path is.
    final class OpenPlace {
      let application: _Application
      let place: _Application.Place

      init(_ application: _Application, _ place: consuming _Application.Place) {
        self.application = application
        self.place = place
      }

      /// What has the path now.
      func status() throws(FileChangeError) -> FileStatus? {
        try application.attempt(
          .inspect, except: .absent, call: application.system.inspect(place.name, in: place.folder))
      }

      func status(of name: String) throws(FileChangeError) -> FileStatus? {
        try application.attempt(.inspect, except: .absent, call: application.system.inspect(name, in: place.folder))
      }

      /// Which folder the path is in.
      func folder() throws(FileChangeError) -> FileIdentity { try application.identity(of: place.openFolder) }

      func synchronize() throws(FileChangeError) { try application.synchronize(place.folder) }
    }
  }

  /// The names of the files that a batch needs for a while: a new one for each path, and a second name of the old one.
  package struct _BatchNames: Hashable, Sendable {
    let prefix: String

    package init(prefix: String) { self.prefix = prefix }

    /// Names that no other batch has, for one that no journal knows.
    package static func random() -> _BatchNames {
      let numbers = [0, 1].map { _ in UInt64.random(in: .min ... .max) }
      return _BatchNames(prefix: Sweeper.batchPrefix(writer: numbers[0], sequence: numbers[1]))
    }

    func new(_ index: Int) -> String { prefix + String(index, radix: 16) }

    /// No sweeper takes these: it may be the only name that a file has.
    func old(_ index: Int) -> String { new(index) + "-old" }
  }

  /// What earlier attempts at a batch may have left.
  package enum _BatchPast: Hashable, Sendable {
    case nothing
    /// New and old files, which belong to the plan.
    case begun
    /// Old files that could not be removed when all was done.
    case done
    /// Old files that could not be removed: they are not what is there now.
    case takenBack
  }

  /// What came of a batch that was carried out.
  package struct _BatchResult: Hashable, Sendable {
    package let versions: [Version]
    package let isClean: Bool

    package init(versions: [Version], isClean: Bool = true) {
      self.versions = versions
      self.isClean = isClean
    }
  }

  /// Why a batch was not carried out.
  package struct _BatchFailure: Error, Hashable, Sendable {
    package let error: FileChangeError
    /// Whether every path is as it was, as far as no other program has changed it.
    package let isTakenBack: Bool
    /// Of each path whose file got its name back, the file with its new change time; else nil.
    ///
    /// Empty where there is none.
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

  /// Opens the folders of all paths, which must lead to as many places.
  private func open() throws(FileChangeError) -> [OpenPlace] {
    var places: [OpenPlace] = []
    // Each is opened once: a batch may have thousands of files.
    var folders: [[UInt8]: FileChange._Application.OpenFolder] = [:]
    let openFolders = FileChange._Application.OpenFolders()
    var entries: Set<Entry> = []
    for (index, effect) in effects.enumerated() {
      // One that comes from a journal may have been submitted with other options.
      if let objection = options.objection(to: effect.path) {
        throw FileChangeError(path: effect.path, operation: .submit, reason: objection)
      }
      let leftovers = _Leftovers(temporaryName: names.new(index))
      let application = FileChange._Application(
        path: effect.path, options: options, system: system, leftovers: leftovers, openFolders: openFolders)
      // A write goes through a link, as it does alone; what is moved or removed is the link itself.
      let path = effect.path.string.folderAndName.folder
      // By bytes: most systems keep two folders apart whose names are one text.
      let bytes = Array(path.utf8)
      let folder = if let open = folders[bytes] { open } else { try application.openFolder(path) }
      folders[bytes] = folder
      let place = try application.find(followsLinks: effect.isWritten && options.symbolicLinks == .follow, in: folder)
      let open = OpenPlace(application, place)
      // Each path is looked at alone: what one does to the file would be lost with what the other does.
      let entry = Entry(folder: try open.folder(), name: Array(open.place.name.utf8))
      guard entries.insert(entry).inserted else { throw application.refusal(.inspect, .sameFile) }
      places.append(open)
    }
    return places
  }

  /// What each path has now, where the batch can be carried out as far as that shows.
  ///
  /// - Parameters:
  ///   - versions: What the writer has made of the paths.
  ///   - isRecovered: Whether an earlier process may have begun, and what it had recorded of that is damaged.
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

// MARK: - Carrying out

extension FileChange._BatchApplication {
  func carryOut(_ step: FileChangeWriter._BatchStep) -> FileChangeWriter._BatchOutcome {
    switch step {
    case .look(_, let versions, let names):
      .looked(Result { () throws(FileChangeError) in try look(knowing: versions, isRecovered: names != nil) })
    case .carryOut(_, let plan, let past):
      .carriedOut(Result { () throws(FileChange._BatchFailure) in try carryOut(plan.versions, after: past) })
    }
  }

  /// Carries the batch out from wherever an earlier attempt has come to, or takes back all of it.
  ///
  /// - Parameters:
  ///   - plan: What each path had at the beginning.
  ///   - past: What an earlier attempt may have left.
  /// - Returns: What each path has at the end, and whether nothing is left that is not needed any more.
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
      // Before anything is looked at: a process that was killed may have displaced another program's file.
      if past == .begun { Sweeper.shared.settleDisplaced(in: open.place.folder, in: system) }
      sweeper?.sweep(open.place.folder, in: system)
    }
    let work = Work(self, plan, places, after: past)
    if past == .takenBack { work.cleanUp() }
    // Another program may have changed the files since.
    if past == .done {
      // The attempt before may have removed old files, and not have brought that to the device.
      let isClean = work.cleanUp() && (try? work.synchronize()) != nil
      return FileChange._BatchResult(versions: plan, isClean: isClean)
    }
    if past == .begun, try work.wasDone() {
      // A process that was killed may have removed some of the old files by then: nothing can be taken back.
      do throws(FileChangeError) {
        try work.renew()
        try work.synchronize()
        let isClean = work.cleanUp()
        return FileChange._BatchResult(versions: work.versions(), isClean: isClean)
      } catch {
        // Until the new names are on the device, an old one may be the only one that a file has there.
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
