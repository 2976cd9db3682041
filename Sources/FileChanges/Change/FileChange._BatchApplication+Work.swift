internal import Journals

extension FileChange._BatchApplication {
  /// One attempt at a batch, with its folders open.
  final class Work {
    let batch: FileChange._Batch
    let names: FileChange._BatchNames
    let plan: [FileChange.Version]
    let places: [OpenPlace]
    let system: any FileSystem
    /// The paths whose files are moved.
    let sources: Set<FileChange.Path>
    /// Whether a killed process may have made new files that are unknown to this one.
    let mayHaveMade: Bool
    /// Whether an earlier attempt may have given old files second names and removed them again.
    let wasTakenBack: Bool
    private let offsets: [FileChange.Path: Int]
    /// The version of each new file.
    private(set) var made: [Int: FileChange.Version] = [:]
    /// The version of each path that already has its new contents.
    private var reached: [Int: FileChange.Version] = [:]
    /// The error that reports where a file of another program is kept that lost its name during the rollback.
    var conflict: FileChangeError?

    init(
      _ application: FileChange._BatchApplication, _ plan: [FileChange.Version], _ places: [OpenPlace],
      after past: FileChange._BatchPast
    ) {
      (batch, names, system) = (application.batch, application.names, application.system)
      (self.plan, self.places) = (plan, places)
      sources = Set(application.batch.effects.compactMap(\.source))
      mayHaveMade = past == .begun
      wasTakenBack = past != .nothing
      offsets = Dictionary(uniqueKeysWithValues: zip(application.batch.paths, 0...))
    }

    var effects: [FileChange._Batch.Effect] { batch.effects }

    func offset(of path: FileChange.Path) -> Int { offsets[path] ?? 0 }

    // MARK: Progress

    func isFinal(_ index: Int) throws(FileChangeError) -> Bool { try isFinal(places[index].status(), at: index) }

    /// Whether `status`, which the path has now, is its final state.
    func isFinal(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
      let open = places[index]
      switch effects[index].outcome {
      case .absent: return status == nil
      case .file(of: let source): return isSame(status, plan[offset(of: source)])
      case .contents(let contents):
        // The file to be moved away may have the same contents.
        if sources.contains(effects[index].path), isSame(status, plan[index]) { return false }
        guard try open.application.holds(contents, open.place, status) else { return false }
        reached[index] = FileChange.Version(stamp: status?.stamp)
        return true
      }
    }

    /// Whether this is the file of the version, whatever its name.
    func isSame(_ status: FileStatus?, _ version: FileChange.Version) -> Bool {
      guard let stamp = version.stamp else { return false }
      return status?.identity == FileIdentity(device: stamp.device, number: stamp.number)
    }

    func old(_ index: Int) throws(FileChangeError) -> FileStatus? {
      try places[index].status(of: names.old(index))
    }

    /// Whether old files were already removed, which happens after everything else and rules out a rollback.
    ///
    /// The second name of a moved file may be missing because it became the new name.
    func hasLostOldFiles() throws(FileChangeError) -> Bool {
      var hasLost = false
      for (index, effect) in effects.enumerated() {
        let status = try places[index].status()
        let isFinal = try isFinal(index)
        let isAsBefore = isSame(status, plan[index])
        // No old file is removed before everything else is done.
        if isAsBefore, !isFinal { return false }
        guard isFinal, !isAsBefore, plan[index] != .absent, try old(index) == nil else { continue }
        if sources.contains(effect.path), try isMoved(effect.path) { continue }
        hasLost = true
      }
      return hasLost
    }

    /// Whether the file of the path has already been moved to its target.
    private func isMoved(_ path: FileChange.Path) throws(FileChangeError) -> Bool {
      for (index, effect) in effects.enumerated() where effect.outcome == .file(of: path) {
        if try isFinal(index) { return true }
      }
      return false
    }

    /// Whether every path has its final state.
    func wasDone() throws(FileChange._BatchFailure) -> Bool {
      do throws(FileChangeError) {
        for index in effects.indices { if try !isFinal(index) { return false } }
        return true
      } catch {
        throw FileChange._BatchFailure(error, isTakenBack: false)
      }
    }

    // MARK: Forward

    func prepare() throws(FileChangeError) {
      for (index, effect) in effects.enumerated() {
        guard case .contents(let contents) = effect.outcome, try !isFinal(index) else { continue }
        try make(index, contents)
      }
      try renew()
    }

    private func make(_ index: Int, _ contents: Data) throws(FileChangeError) {
      let open = places[index]
      // An earlier attempt may have left an incomplete file.
      try? system.removeFile(names.new(index), in: open.place.folder)
      let model = try model(of: index)
      let temporary = try open.application.createTemporary(like: model.status, in: open.place.folder)
      _ = try open.application.fill(temporary.file, with: contents, like: model.status, at: model, isLookedAt: false)
      made[index] = FileChange.Version(stamp: try open.status(of: names.new(index))?.stamp)
    }

    /// The file whose owner, permissions and attributes the new contents copy, if there is one.
    private func model(of index: Int) throws(FileChangeError) -> FileChange._Application.Place {
      let index = effects[index].model.map { offset(of: $0) } ?? index
      let open = places[index]
      var (name, status) = (open.place.name, try open.status())
      // Without hard links, it no longer has its old name.
      if status == nil { (name, status) = (names.old(index), try old(index)) }
      return .init(
        openFolder: open.place.openFolder, name: name, folderPath: open.place.folderPath,
        status: status?.kind == .file ? status : nil)
    }

    /// Synchronizes contents that were already in place, because another program may have written them.
    ///
    /// A device reports lost bytes only once, so if synchronizing fails, the contents are written again.
    func renew() throws(FileChangeError) {
      for (index, effect) in effects.enumerated() {
        guard case .contents(let contents) = effect.outcome, try isFinal(index) else { continue }
        if isSynchronized(index) { continue }
        try make(index, contents)
        do throws(FileChangeError) {
          // Another program may have changed the file meanwhile.
          if try isFinal(index) { try putNew(index) }
        } catch {
          // The contents at the path are those of an earlier attempt.
          made[index] = nil
          throw error
        }
      }
    }

    private func isSynchronized(_ index: Int) -> Bool {
      let open = places[index]
      guard let file = try? system.openFile(open.place.name, in: open.place.folder) else { return false }
      return (try? system.synchronizeFile(file)) != nil
    }

    private func putNew(_ index: Int) throws(FileChangeError) {
      let open = places[index]
      if effects[index].base == nil {
        try open.application.attempt(
          .replace, system.moveFile(names.new(index), to: open.place.name, in: open.place.folder))
      } else {
        try exchange(index) { status throws(FileChangeError) in try mayGo(status, at: index) }
      }
      reached[index] = made[index]
    }

    /// Gives the new file the path, if the file that has it may be replaced.
    func exchange(
      _ index: Int, over isExpected: (FileStatus?) throws(FileChangeError) -> Bool
    ) throws(FileChangeError) {
      let (open, name) = (places[index], names.new(index))
      let own = try open.application.attempt(.replace, system.inspect(name, in: open.place.folder))
      try open.application.put(name, own, at: open.place) { _, status throws(FileChangeError) in
        try isExpected(status)
      }
    }

    /// Whether the file that now has the path is the old one, or already has the new contents.
    private func mayGo(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
      // Compared without the change time, which a second name changes. Without hard links, the file no longer has its
      // old name.
      guard let stamp = status?.stamp, let planned = plan[index].stamp else {
        if status != nil { return try isFinal(status, at: index) }
        if plan[index] == .absent { return true }
        return try old(index) != nil
      }
      if stamp.isSame(as: planned) { return true }
      return try isFinal(status, at: index)
    }

    /// Gives every path its final state.
    func put() throws(FileChangeError) {
      // A moved file gets its new name before it loses the old one.
      for (index, effect) in effects.enumerated() where effect.isMove { try put(index) }
      for (index, effect) in effects.enumerated() where !effect.isMove { try put(index) }
      // If two names differ only in case, the folder may have treated them as one, which was removed.
      for (index, effect) in effects.enumerated() where effect.isMove {
        if try places[index].status() == nil { try put(index) }
      }
    }

    private func put(_ index: Int) throws(FileChangeError) {
      if try isFinal(index) { return }
      let (open, name) = (places[index], places[index].place.name)
      switch effects[index].outcome {
      case .absent:
        // A file without a second name didn't exist at the beginning: it may be a moved file whose name differs in
        // case.
        guard try old(index) != nil else { return }
        guard effects[index].base != nil || sources.contains(effects[index].path) else {
          _ = try open.application.attempt(
            .remove, except: .absent, call: system.removeFile(name, in: open.place.folder))
          return
        }
        try open.application.takeAway(open.place) { _, status throws(FileChangeError) in
          try mayGo(status, at: index)
        }
      case .contents: try effects[index].mustBeFree ? putNewWhereFree(index) : putNew(index)
      case .file(of: let source): try putFile(offset(of: source), at: index)
      }
    }

    /// Puts new contents at a path that must be free; a file that was made there since stays.
    private func putNewWhereFree(_ index: Int) throws(FileChangeError) {
      try exchange(index) { status throws(FileChangeError) in
        if status != nil { throw places[index].application.refusal(.move, .targetExists) }
        return true
      }
      reached[index] = made[index]
    }

    private func putFile(_ source: Int, at index: Int) throws(FileChangeError) {
      let (from, to) = (places[source], places[index])
      guard isSame(try old(source), plan[source]) else {
        throw from.application.refusal(.move, try old(source) == nil ? .noSuchFile : .changedByAnother)
      }
      let isFree = try to.status() == nil
      if !isFree, effects[index].mustBeFree { throw to.application.refusal(.move, .targetExists) }
      let name = isFree ? to.place.name : names.new(index)
      if !isFree {
        _ = try to.application.attempt(.move, except: .absent, call: system.removeFile(name, in: to.place.folder))
      }
      do throws(SystemError) {
        try system.linkFile(names.old(source), from: from.place.folder, to: name, in: to.place.folder)
      } catch {
        if error == .exists { throw to.application.refusal(.move, .targetExists) }
        guard error.isWithoutLinks else { throw to.application.failure(.move, error) }
        try to.application.attempt(
          .move,
          system.moveFile(names.old(source), from: from.place.folder, to: to.place.name, in: to.place.folder))
        return
      }
      if isFree { return }
      if effects[index].base == nil {
        try to.application.attempt(.move, system.moveFile(name, to: to.place.name, in: to.place.folder))
      } else {
        try exchange(index) { status throws(FileChangeError) in try mayGo(status, at: index) }
      }
    }

    /// Writes the entries of every folder to the device.
    func synchronize() throws(FileChangeError) {
      var done: Set<FileIdentity> = []
      for open in places {
        if done.insert(try open.folder()).inserted { try open.synchronize() }
      }
    }

    /// The versions that the batch left at the paths; another program may have changed the files since.
    ///
    /// Must be called at the end, because adding or removing a name changes a file's change time.
    func versions() -> [FileChange.Version] {
      effects.enumerated().map { index, effect in
        switch effect.outcome {
        case .absent: .absent
        case .file(of: let source): newest(plan[offset(of: source)], at: index)
        case .contents: newest(reached[index] ?? plan[index], at: index)
        }
      }
    }

    /// For each path that was restored, the version with its new change time; nil if it didn't change.
    func versionsTakenBack() -> [FileChange.Version?] {
      effects.indices.map { index in
        let version = newest(plan[index], at: index)
        return version == plan[index] ? nil : version
      }
    }

    /// The version with the present change time of the file, if the path still has that version.
    private func newest(_ version: FileChange.Version, at index: Int) -> FileChange.Version {
      guard let stamp = version.stamp, let now = (try? places[index].status())?.flatMap(\.self),
        now.stamp.isSame(as: stamp)
      else { return version }
      return FileChange.Version(stamp: now.stamp, checksum: version.checksum)
    }

    /// Removes the temporary files.
    ///
    /// - Returns: Whether all are removed, even after a power failure; no sweeper removes an old file.
    @discardableResult
    func cleanUp() -> Bool {
      // Removed first, because a new file may be a second name of the file at the path.
      let new = removeAll(names.new)
      let old = removeAll(names.old)
      guard new.isClean, old.isClean else { return false }
      return !old.isChanged || (try? synchronize()) != nil
    }

    func removeNewFiles() { _ = removeAll(names.new) }

    /// Whether all files with these names are removed, and whether there were any.
    private func removeAll(_ name: (Int) -> String) -> (isClean: Bool, isChanged: Bool) {
      var (isClean, isChanged) = (true, false)
      for (index, open) in places.enumerated() {
        do throws(SystemError) {
          try system.removeFile(name(index), in: open.place.folder)
          isChanged = true
        } catch {
          if error != .absent { isClean = false }
        }
      }
      return (isClean, isChanged)
    }
  }
}
