internal import Journals

#if canImport(FoundationEssentials)
  internal import FoundationEssentials
#else
  internal import Foundation
#endif

extension FileChange._BatchApplication {
  /// One attempt, with the folders open.
  struct Work {
    let batch: FileChange._Batch
    let names: FileChange._BatchNames
    let plan: [FileChange.Version]
    let places: [OpenPlace]
    let system: any FileSystem
    /// The paths whose files are moved.
    let sources: Set<FileChange.Path>

    private var effects: [FileChange._Batch.Effect] { batch.effects }

    func offset(of path: FileChange.Path) -> Int { effects.firstIndex { $0.path == path } ?? 0 }

    // MARK: What was done

    /// Whether the path has what it shall have at the end.
    func isFinal(_ index: Int) throws(FileChangeError) -> Bool {
      let open = places[index]
      let status = try open.status()
      switch effects[index].outcome {
      case .absent: return status == nil
      case .file(of: let source): return isSame(status, plan[offset(of: source)])
      case .contents(let contents):
        // The file that is to be moved away may have the same.
        if sources.contains(effects[index].path), isSame(status, plan[index]) { return false }
        return try open.application.holds(contents, open.place, status)
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

    /// Whether every path has what it shall have at the end.
    func wasDone() throws(FileChange._BatchFailure) -> Bool {
      do throws(FileChangeError) {
        for index in effects.indices { if try !isFinal(index) { return false } }
        return true
      } catch {
        throw FileChange._BatchFailure(error, isTakenBack: false)
      }
    }

    // MARK: Forward

    /// Makes the new files.
    func prepare() throws(FileChangeError) {
      for (index, effect) in effects.enumerated() {
        guard case .contents(let contents) = effect.outcome, try !isFinal(index) else { continue }
        try make(index, contents)
      }
      try renew()
    }

    private func make(_ index: Int, _ contents: Data) throws(FileChangeError) {
      let open = places[index]
      // One of an attempt before may be torn.
      try? system.removeFile(names.new(index), in: open.place.folder)
      let status = try open.status()
      let replaced = status?.kind == .file ? status : nil
      let temporary = try open.application.createTemporary(like: replaced, in: open.place.folder)
      _ = try open.application.fill(temporary.file, with: contents, like: replaced, at: open.place)
    }

    /// Brings contents to the device that are there already, as another program may have written them.
    ///
    /// What a device could not take it tells only once: that is written anew.
    func renew() throws(FileChangeError) {
      for (index, effect) in effects.enumerated() {
        guard case .contents(let contents) = effect.outcome, try isFinal(index) else { continue }
        if isSynchronized(index) { continue }
        try make(index, contents)
        // Another program may have changed the file meanwhile.
        if try isFinal(index) { try putNew(index) }
      }
    }

    private func isSynchronized(_ index: Int) -> Bool {
      let open = places[index]
      guard let file = try? system.openFile(open.place.name, in: open.place.folder) else { return false }
      return (try? system.synchronizeFile(file)) != nil
    }

    private func putNew(_ index: Int) throws(FileChangeError) {
      let open = places[index]
      try open.application.attempt(
        .replace, system.moveFile(names.new(index), to: open.place.name, in: open.place.folder))
    }

    /// Gives every file that will go a second name, so that it can come back.
    func keep() throws(FileChangeError) {
      var isChanged = false
      for (index, effect) in effects.enumerated() {
        if try old(index) != nil {
          // A process that was killed may not have brought it to the device.
          isChanged = true
          continue
        }
        guard try !isFinal(index), let status = try places[index].status() else { continue }
        if effect.mustBeFree { throw places[index].application.refusal(.move, .targetExists) }
        let version = FileChange.Version(stamp: status.stamp)
        guard effect.base == nil || version == plan[index] else {
          throw places[index].application.refusal(.inspect, .changedByAnother)
        }
        try keep(index)
        isChanged = true
      }
      // Before anything is replaced: after a power failure the old file must still be there.
      if isChanged { try synchronize() }
    }

    private func keep(_ index: Int) throws(FileChangeError) {
      let (open, name) = (places[index], names.old(index))
      do throws(SystemError) {
        try system.linkFile(open.place.name, to: name, in: open.place.folder)
      } catch {
        guard error.isWithoutLinks else { throw open.application.failure(.keep, error) }
        // Without second names the path is free for a moment.
        try open.application.attempt(.keep, system.moveFile(open.place.name, to: name, in: open.place.folder))
      }
    }

    /// Gives every path what it has at the end.
    func put() throws(FileChangeError) {
      // A file that is moved has its new name before it loses the old one.
      for (index, effect) in effects.enumerated() where effect.isMove { try put(index) }
      for (index, effect) in effects.enumerated() where !effect.isMove { try put(index) }
      // Where two names differ in their case alone, the folder may have taken both for one, which went.
      for (index, effect) in effects.enumerated() where effect.isMove {
        if try places[index].status() == nil { try put(index) }
      }
    }

    private func put(_ index: Int) throws(FileChangeError) {
      if try isFinal(index) { return }
      let (open, name) = (places[index], places[index].place.name)
      switch effects[index].outcome {
      case .absent:
        // What has no second name was not there at the beginning: it may be a moved file, under another case.
        guard try old(index) != nil else { return }
        _ = try open.application.attempt(
          .remove, except: .absent, call: system.removeFile(name, in: open.place.folder))
      case .contents: try putNew(index)
      case .file(of: let source): try putFile(offset(of: source), at: index)
      }
    }

    private func putFile(_ source: Int, at index: Int) throws(FileChangeError) {
      let (from, to) = (places[source], places[index])
      guard isSame(try old(source), plan[source]) else {
        throw from.application.refusal(.move, try old(source) == nil ? .noSuchFile : .changedByAnother)
      }
      let isFree = try to.status() == nil
      let name = isFree ? to.place.name : names.new(index)
      if !isFree { try? system.removeFile(name, in: to.place.folder) }
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
      if !isFree {
        try to.application.attempt(.move, system.moveFile(name, to: to.place.name, in: to.place.folder))
      }
    }

    /// Brings the entries of every folder to the device.
    func synchronize() throws(FileChangeError) {
      var done: Set<FileIdentity> = []
      for open in places {
        let folder = try open.application.attempt(.inspect, system.inspect(open.place.folder))
        if done.insert(folder.identity).inserted { try open.synchronize() }
      }
    }

    func versions() throws(FileChangeError) -> [FileChange.Version] {
      var versions: [FileChange.Version] = []
      for open in places { versions.append(FileChange.Version(stamp: try open.status()?.stamp)) }
      return versions
    }

    /// Removes what is not needed any more.
    ///
    /// - Returns: Whether nothing is left; a new file goes by itself after an hour.
    @discardableResult
    func cleanUp() -> Bool {
      var isClean = true
      for (index, open) in places.enumerated() {
        try? system.removeFile(names.new(index), in: open.place.folder)
        do throws(SystemError) {
          try system.removeFile(names.old(index), in: open.place.folder)
        } catch {
          if error != .absent { isClean = false }
        }
      }
      return isClean
    }
  }
}

// MARK: - Backward

extension FileChange._BatchApplication.Work {
  /// Gives every path what it had at the beginning, except where another program has changed it since.
  ///
  /// - Returns: Whether that succeeded.
  func takeBack() -> Bool {
    do throws(FileChangeError) {
      for index in batch.effects.indices.reversed() { try takeMoveBack(index) }
      for index in batch.effects.indices.reversed() { try takeBack(index) }
      try synchronize()
    } catch {
      return false
    }
    cleanUp()
    return true
  }

  /// Without second names a file that was moved has its new name alone.
  private func takeMoveBack(_ index: Int) throws(FileChangeError) {
    guard case .file(of: let path) = batch.effects[index].outcome else { return }
    let source = offset(of: path)
    guard source != index, try old(source) == nil, !isSame(try places[source].status(), plan[source]),
      try isFinal(index)
    else { return }
    let (from, to) = (places[index], places[source])
    try from.application.attempt(
      .move,
      system.moveFile(from.place.name, from: from.place.folder, to: names.old(source), in: to.place.folder))
  }

  private func takeBack(_ index: Int) throws(FileChangeError) {
    let open = places[index]
    let (status, kept) = (try open.status(), try old(index))
    if let kept {
      // Where it is neither what it was nor what it was to be, another program has changed it.
      if let status, status.identity != kept.identity, try !isFinal(index) { return }
      // A rename of one name of a file to another one does nothing: the second name goes with the rest.
      try open.application.attempt(
        .replace, system.moveFile(names.old(index), to: open.place.name, in: open.place.folder))
    } else if plan[index] == .absent, status != nil, try isFinal(index) {
      _ = try open.application.attempt(
        .remove, except: .absent, call: system.removeFile(open.place.name, in: open.place.folder))
    }
  }
}
