internal import Journals

extension FileChange._BatchApplication.Work {
  /// Gives every path what it had at the beginning, except where another program has changed it since.
  ///
  /// - Returns: Whether that succeeded. Nothing is done where a file that was moved cannot come back, since another
  ///   program has taken its place.
  func takeBack() -> Bool {
    do throws(FileChangeError) {
      for (index, effect) in batch.effects.enumerated() {
        if let source = effect.source, try hasNoWayBack(from: index, to: offset(of: source)) { return false }
      }
      for index in batch.effects.indices.reversed() { try takeMoveBack(index) }
      for index in batch.effects.indices.reversed() { try takeBack(index) }
      try synchronize()
    } catch {
      return false
    }
    cleanUp()
    return true
  }

  /// Whether another program has taken the place of a file that is moved, and that is still there.
  private func hasNoWayBack(from target: Int, to source: Int) throws(FileChangeError) -> Bool {
    guard let status = try places[source].status(), !isSame(status, plan[source]), try !isFinal(source) else {
      return false
    }
    if isSame(try old(source), plan[source]) { return true }
    return try isFinal(target)
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

  /// Whether this, which the path has now, is nothing, or what the batch has made of it.
  private func isOwn(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
    guard let status else { return true }
    if case .contents = batch.effects[index].outcome, let own = made[index], !isSame(status, own) { return false }
    return try isFinal(status, at: index)
  }

  /// Leaves what another program has put there meanwhile.
  private func takeBack(_ index: Int) throws(FileChangeError) {
    do throws(FileChangeError) {
      try takeBackIfOwn(index)
    } catch {
      guard error.isConflict else { throw error }
      if error.keptFile != nil { conflict = error }
    }
  }

  private func takeBackIfOwn(_ index: Int) throws(FileChangeError) {
    let open = places[index]
    let (application, folder, name) = (open.application, open.place.openFolder, names.new(index))
    guard let kept = try old(index) else {
      let isMade = if case .contents = batch.effects[index].outcome { made[index] != nil || mayHaveMade } else { true }
      guard plan[index] == .absent, isMade else { return }
      return try application.takeAway(open.place) { _, status throws(FileChangeError) in
        try isOwn(status, at: index)
      }
    }
    // A rename of one name of a file to another one does nothing: the second name goes with the rest.
    if try open.status()?.identity == kept.identity { return }
    func rename() throws(FileChangeError) {
      guard try isOwn(open.status(), at: index) else { return }
      try application.attempt(
        .replace, system.moveFile(names.old(index), to: open.place.name, in: folder.descriptor))
    }
    if batch.effects[index].base == nil { return try rename() }
    do throws(SystemError) {
      try? system.removeFile(name, in: folder.descriptor)
      // A process that is killed meanwhile leaves the second name.
      try system.linkFile(names.old(index), to: name, in: folder.descriptor)
    } catch {
      guard error.isWithoutLinks else { throw application.failure(.replace, error) }
      return try rename()
    }
    try exchange(index) { status throws(FileChangeError) in try isOwn(status, at: index) }
  }
}

extension FileChange._BatchApplication.Work {
  /// Gives every file that will go a second name, so that it can come back.
  func keep() throws(FileChangeError) {
    var isChanged = false
    var linked: Set<FileIdentity> = []
    for (index, effect) in effects.enumerated() {
      let kept = try old(index)
      // A process that was killed may not have brought it to the device.
      if kept != nil { isChanged = true }
      guard let status = try places[index].status(), try !isFinal(index) else { continue }
      if status.identity == kept?.identity {
        try checkBase(of: index, status, hasSecondName: true)
        continue
      }
      // What came after an earlier attempt is what a later one takes the place of.
      try places[index].application.checkKind(of: status, isWritten: effect.isWritten)
      // That is not the file that is moved, which may have its second name alone, or the new one.
      if sources.contains(effect.path), !isSame(status, plan[index]) {
        throw places[index].application.refusal(.move, .changedByAnother)
      }
      if effect.mustBeFree { throw places[index].application.refusal(.move, .targetExists) }
      try checkBase(of: index, status, hasSecondName: linked.contains(status.identity))
      if kept != nil {
        try places[index].application.attempt(
          .keep, system.removeFile(names.old(index), in: places[index].place.folder))
      }
      try keep(index, status)
      linked.insert(status.identity)
      isChanged = true
    }
    // Before anything is replaced: after a power failure the old file must still be there.
    if isChanged { try synchronize() }
  }

  /// Refuses to take the place of a file that is not what the change is based on any more.
  ///
  /// - Parameter hasSecondName: Whether this batch has given the file one, and so another change time.
  private func checkBase(
    of index: Int, _ status: FileStatus, hasSecondName: Bool
  ) throws(FileChangeError) {
    guard effects[index].base != nil else { return }
    let isSame = plan[index].stamp.map { status.stamp.isSame(as: $0) } ?? false
    let isExact = FileChange.Version(stamp: status.stamp) == plan[index]
    guard isExact || isSame && (hasSecondName || wasTakenBack) else {
      throw places[index].application.refusal(.inspect, .changedByAnother)
    }
  }

  private func keep(_ index: Int, _ status: FileStatus) throws(FileChangeError) {
    let (open, name) = (places[index], names.old(index))
    do throws(SystemError) {
      try system.linkFile(open.place.name, to: name, in: open.place.folder)
    } catch {
      guard error.isWithoutLinks else { throw open.application.failure(.keep, error) }
      // Without second names the path is free for a moment.
      try open.application.attempt(.keep, system.moveFile(open.place.name, to: name, in: open.place.folder))
      // What was put there in the last moment gets its name back with the rest.
      if effects[index].base != nil, try old(index)?.identity != status.identity {
        throw open.application.refusal(.keep, .changedByAnother)
      }
    }
  }
}
