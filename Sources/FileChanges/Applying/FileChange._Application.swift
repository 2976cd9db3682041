internal import Journals

extension FileChange {
  /// One change, or one batch of changes, that is being applied to its files.
  ///
  ///     inspect ─► (plan) ─► new files ─► keep: a second name for each old file ─► fsync of the folders
  ///                                     ─► put: each path gets its final state ─► fsync ─► clean up
  ///                                              └── a failure: roll back, in reverse order
  ///
  /// Each step first checks whether it was already done, so that it can continue the work of a killed process. The
  /// *plan*, the version of each path at the beginning, is known before: with a journal, it is recorded before the
  /// first step.
  ///
  /// A change that replaces or removes one file does so in one step, and then keeps no old file: there is nothing to
  /// roll back.
  struct _Application {
    let effects: [_Batch.Effect]
    /// The index of each path's effect, if there are several.
    var offsets: [Path: Int] = [:]
    let options: Options
    let system: any FileSystem
    /// The names of the new files and the old ones.
    var names = _BatchNames.none
    /// Removes temporary files of killed processes from the folders.
    let sweeper: Sweeper?
    /// Whether the old files are kept until the end, so that the changes can be rolled back.
    var keepsOldFiles = true
    /// The versions that the writer left at the paths.
    var known: [Path: Version] = [:]
    /// The traces of earlier attempts at a single change.
    var leftovers = _Leftovers.none
    /// Called with the version of a single change's file once the change is visible, even if it fails after that.
    var note: ((Version) -> Void)?

    // The state of an attempt.

    /// The place of each path.
    var places: [Place] = []
    /// The version of each path at the beginning; not known for a single write or removal.
    var plan: [Version] = []
    var past = _BatchPast.nothing
    /// The paths whose files are moved.
    var sources: Set<Path> = []
    var new: [New] = []
    /// The files that got second names, which changes their change times.
    var linked: Set<FileIdentity> = []
    /// The error that reports where a file of another program is kept that lost its name during the rollback.
    var conflict: FileChangeError?

    typealias Place = _FileAccess.Place

    /// A new file that is to replace the file of a path.
    struct NewFile {
      let name: String
      /// Nil if it isn't needed.
      let status: FileStatus?
      /// The folder that it is in if its own folder refuses it, and the error of that.
      var elsewhere: (folder: ReplacementFolder, refusal: FileChangeError)?
    }

    /// The new file of a path, and its version once the path has the new contents.
    struct New {
      var file: NewFile?
      var version: FileChange.Version?
    }

    /// The index of the effect on one of the paths.
    func offset(of path: Path) -> Int { offsets[path] ?? 0 }

    /// The versions that the path may have at the beginning; nil for any version.
    func expected(_ index: Int) -> [Version]? {
      effects[index].base.map { [$0, known[effects[index].path] ?? $0] }
    }
  }

  /// The names of a batch's temporary files: a new file for each path, and a second name of the old file.
  package struct _BatchNames: Hashable, Sendable {
    let prefix: String

    /// For a change that keeps no old file; its new file has a name of its own.
    static let none = _BatchNames(prefix: "")

    /// Unique names, for a batch without a journal.
    package static func random() -> _BatchNames {
      _BatchNames(prefix: Sweeper.batchPrefix(writer: .random(in: .min ... .max), sequence: .random(in: .min ... .max)))
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
    /// Old files that could not be removed after the batch was applied, or failed for good and was rolled back.
    case over
    /// Old files that could not be removed after a rollback; they aren't the files at the paths now.
    case rolledBack
  }

  /// The result of a batch that was applied.
  package typealias _BatchResult = (versions: [Version], isClean: Bool)

  /// The reason why a batch was not applied.
  package struct _BatchFailure: Error, Hashable, Sendable {
    let error: FileChangeError
    /// Whether every path is as it was, except where another program has changed it.
    var isRolledBack = true
    /// Whether no old file is left that could not be removed after the rollback.
    var isClean = true
    /// For each path whose file got its name back, the version with its new change time; otherwise nil.
    ///
    /// Empty if there are none.
    var versions: [Version?] = []
  }
}

// MARK: - Inspecting

extension FileChange._Application {
  /// Finds the file of each path; each path must lead to a different file.
  private func open() throws(FileChangeError) -> [Place] {
    guard keepsOldFiles else {
      let access = try access(to: effects[0], after: leftovers)
      removeLeftovers(access)
      return [try access.find(followsLinks: followsLinks(effects[0]))]
    }
    var places: [Place] = []
    // Each folder is opened only once, because a batch may have thousands of files.
    var folders: [[UInt8]: FileChange._FileAccess.OpenFolder] = [:]
    let openFolders = FileChange._FileAccess.OpenFolders()
    // The names in each folder, whatever path leads to it.
    var names: [FileIdentity: Set<[UInt8]>] = [:]
    for (index, effect) in effects.enumerated() {
      let access = try access(to: effect, after: _Leftovers(temporaryName: self.names.new(index)), openFolders)
      let path = effect.path.string.folderAndName.folder
      // Compared as bytes: on most systems, folders can have different names that are equal strings.
      let bytes = Array(path.utf8)
      let folder = if let open = folders[bytes] { open } else { try access.openFolder(path) }
      folders[bytes] = folder
      let place = try access.find(followsLinks: followsLinks(effect), in: folder)
      // Two effects on the same file would overwrite each other.
      let isNew = names[try place.folderIdentity(), default: []].insert(Array(place.name.utf8)).inserted
      guard isNew else { throw access.refusal(.inspect, .sameFile) }
      places.append(place)
      if let old = oldSpelling(of: index), places[old].status?.identity == place.status?.identity {
        // A folder that ignores case has one file for both names, and the new name counts as free.
        places[index] = Place(access, in: folder, at: place.folderPath, place.name, nil)
      }
    }
    return places
  }

  private func access(
    to effect: FileChange._Batch.Effect, after leftovers: _Leftovers,
    _ openFolders: FileChange._FileAccess.OpenFolders? = nil
  ) throws(FileChangeError) -> FileChange._FileAccess {
    // A batch from a journal may have been submitted with other options.
    if let objection = options.objection(to: effect.path) {
      throw FileChangeError(path: effect.path, operation: .submit, reason: objection)
    }
    return FileChange._FileAccess(effect.path, options, in: system, after: leftovers, note: note, openFolders)
  }

  /// The index of the path whose name differs only in case, if the file of that path gets this name and new contents.
  func oldSpelling(of index: Int) -> Int? { effects[index].isWritten ? effects[index].oldSpelling : nil }

  /// A write follows a link; a move or a removal applies to the link itself.
  private func followsLinks(_ effect: FileChange._Batch.Effect) -> Bool {
    effect.isWritten && options.symbolicLinks == .follow
  }

  /// Removes the temporary files of killed processes, even if the file itself is about to be removed.
  private func removeLeftovers(_ access: FileChange._FileAccess) {
    guard !leftovers.attempts.isEmpty else { return }
    // If the folder cannot be opened, the change itself will report that.
    guard let place = try? access.find(followsLinks: options.symbolicLinks == .follow) else { return }
    for attempt in leftovers.attempts { try? system.removeFile(attempt.temporaryName, in: place.folder) }
    // Before the file is inspected, because the killed process may have displaced another program's file.
    sweeper?.settleDisplaced(in: place.folder, in: system)
  }

  /// Inspects the files: returns the version of each path, and throws if the batch cannot be applied to them.
  ///
  /// - Parameter isRecovered: Whether an earlier process may have begun, and its records are damaged.
  func inspect(isRecovered: Bool = false) throws(FileChangeError) -> [FileChange.Version] {
    let places = try open()
    var found: [FileStatus?] = []
    for (index, place) in places.enumerated() {
      let old = isRecovered ? try place.status(of: names.old(index)) : nil
      found.append(old ?? place.status)
    }
    for index in places.indices { try check(index, at: places) { found[$0] } }
    return found.map { FileChange.Version(stamp: $0?.stamp) }
  }

  /// Throws if the effect cannot be applied to the files that were found.
  private func check(_ index: Int, at places: [Place], _ found: (Int) -> FileStatus?) throws(FileChangeError) {
    let (place, status) = (places[index], found(index))
    try place.checkKind(of: status, isWritten: effects[index].isWritten)
    if let expected = expected(index), status != nil || effects[index].outcome != .absent {
      guard try place.isExpected(status, expected, before: effects[index].outcome) else {
        throw place.refusal(.inspect, .changedByAnother)
      }
    }
    let mustBeFree = effects[index].mustBeFree
    guard case .file(of: let source) = effects[index].outcome else {
      if mustBeFree, status != nil { throw place.refusal(.move, .targetExists) }
      return
    }
    let offset = offset(of: source)
    guard let moved = found(offset) else { throw places[offset].refusal(.move, .noSuchFile) }
    if mustBeFree, let status, offset == index || status.identity != moved.identity {
      throw place.refusal(.move, .targetExists)
    }
    guard try place.folderIdentity().device == moved.identity.device else {
      throw place.refusal(.move, .otherFileSystem)
    }
  }

  // MARK: Applying

  /// Applies the changes at once, without a plan from before.
  mutating func apply() throws(FileChangeError) {
    do throws(FileChangeError) {
      places = try open()
    } catch {
      // Without its folder, a file doesn't exist either.
      guard !keepsOldFiles, effects[0].outcome == .absent, error.reason == .noSuchFolder else { throw error }
      note?(.absent)
      return
    }
    for index in places.indices { try check(index, at: places) { places[$0].status } }
    guard keepsOldFiles else { return try applyInOneStep() }
    do throws(FileChange._BatchFailure) { _ = try begin(places.map { $0.version }, after: .nothing) } catch {
      throw error.error
    }
  }

  /// Replaces or removes one file; if that fails, there is nothing to roll back.
  private mutating func applyInOneStep() throws(FileChangeError) {
    sweeper?.sweep(places[0].folder, in: system)
    new = [New()]
    do throws(FileChangeError) {
      try prepare()
      try put()
      note?(versions()[0])
      try synchronize()
    } catch {
      removeNewFiles()
      let error = error.ofOneFile
      guard let fallback = options.fallback, error.isOfReplacing, places[0].file != nil,
        case .contents(let contents) = effects[0].outcome
      else { throw error }
      new = [New()]
      let status = try places[0].overwrite(with: contents, fallback) { status throws(FileChangeError) in
        try mayReplace(status, at: 0)
      }
      new[0].version = FileChange.Version(stamp: status.stamp)
      note?(versions()[0])
    }
  }

  /// Continues the batch from wherever an earlier attempt stopped, and finishes it or rolls it back.
  ///
  /// - Parameters:
  ///   - plan: The version of each path at the beginning.
  ///   - past: The traces of an earlier attempt.
  /// - Returns: The version of each path at the end, and whether all temporary files are removed.
  mutating func apply(
    _ plan: [FileChange.Version], after past: FileChange._BatchPast
  ) throws(FileChange._BatchFailure) -> FileChange._BatchResult {
    do throws(FileChangeError) {
      places = try open()
    } catch {
      throw FileChange._BatchFailure(error: error, isRolledBack: past != .begun)
    }
    return try begin(plan, after: past)
  }

  private mutating func begin(
    _ plan: [FileChange.Version], after past: FileChange._BatchPast
  ) throws(FileChange._BatchFailure) -> FileChange._BatchResult {
    for place in places.withDistinctFolders {
      // Before the files are inspected, because a killed process may have displaced another program's file.
      if past == .begun { Sweeper.shared.settleDisplaced(in: place.folder, in: system) }
      sweeper?.sweep(place.folder, in: system)
    }
    (self.plan, self.past) = (plan, past)
    sources = Set(effects.compactMap(\.source))
    new = Array(repeating: New(), count: places.count)
    if past == .rolledBack { _ = cleanUp() }
    // The result is the given version, because another program may have changed the files since.
    if past == .over {
      // The last attempt may have removed old files and failed to synchronize the folders.
      let isClean = cleanUp() && (try? synchronize()) != nil
      return (plan, isClean)
    }
    // A killed process may already have removed some of the old files.
    var cannotBeRolledBack = past == .begun
    do throws(FileChangeError) {
      if past == .begun, try wasDone() {
        try renew()
      } else {
        if past == .begun { cannotBeRolledBack = try hasLostOldFiles() }
        try prepare()
        try keep()
        try put()
      }
      try synchronize()
      let isClean = cleanUp()
      return (versions(), isClean)
    } catch {
      if !cannotBeRolledBack {
        let isRolledBack = rollBack()
        let isClean = !isRolledBack || cleanUp()
        let cause = error.keptPath == nil ? conflict ?? error : error
        throw FileChange._BatchFailure(
          error: cause, isRolledBack: isRolledBack, isClean: isClean, versions: restoredVersions())
      }
      // Until the new names are on the device, an old name may be the only one that a file has there.
      removeNewFiles()
      throw FileChange._BatchFailure(error: error, isRolledBack: false)
    }
  }
}

extension FileChangeWriter._BatchStep {
  func apply(
    to batch: FileChange._Batch, options: FileChange.Options, in system: any FileSystem, _ sweeper: Sweeper
  ) -> FileChangeWriter._BatchOutcome {
    var application = FileChange._Application(
      effects: batch.effects, offsets: batch.offsets, options: options, system: system, sweeper: sweeper)
    switch self {
    case .inspect(let known, let names):
      (application.known, application.names) = (known, names ?? .none)
      return .inspected(Result { () throws(FileChangeError) in try application.inspect(isRecovered: names != nil) })
    case .apply(let plan, let past):
      application.names = plan.names
      return .applied(
        Result { () throws(FileChange._BatchFailure) in try application.apply(plan.versions, after: past) })
    }
  }
}
