internal import Journals

extension FileChange._Application {
  // MARK: Rolling back

  /// Rolls back: restores every path, except where another program has changed it since.
  ///
  /// - Returns: Whether that succeeded. Nothing is done if a moved file cannot return because another program has taken
  ///   its place.
  mutating func rollBack() -> Bool {
    do throws(FileChangeError) {
      for (index, effect) in effects.enumerated() {
        if let source = effect.source, try cannotReturn(from: index, to: offset(of: source)) { return false }
      }
      for index in effects.indices.reversed() { try rollBackMove(index) }
      for index in effects.indices.reversed() {
        do throws(FileChangeError) { try restoreIfOwn(index) } catch {
          guard error.isConflict else { throw error }
          if error.keptPath != nil { conflict = error }
        }
      }
      try synchronize()
    } catch {
      return false
    }
    return true
  }

  /// Whether another program has taken the place of a moved file that still exists.
  private func cannotReturn(from target: Int, to source: Int) throws(FileChangeError) -> Bool {
    guard let status = try places[source].newStatus(), !isSame(status, plan[source]), try !isFinal(source) else {
      return false
    }
    if isSame(try old(source), plan[source]) { return true }
    return try isFinal(target)
  }

  /// Without hard links, a moved file has only its new name.
  private func rollBackMove(_ index: Int) throws(FileChangeError) {
    guard case .file(of: let path) = effects[index].outcome else { return }
    let source = offset(of: path)
    guard source != index, try old(source) == nil, !isSame(try places[source].newStatus(), plan[source]),
      try isFinal(index)
    else { return }
    let (from, to) = (places[index], places[source])
    try from.attempt(
      .move,
      system.moveFile(from.name, from: from.folder, to: names.old(source), in: to.folder))
  }

  /// Whether `status`, which the path has now, isn't a file, or is the batch's own result.
  private func isOwn(_ status: FileStatus?, at index: Int) throws(FileChangeError) -> Bool {
    guard let status else { return true }
    if effects[index].isWritten, let own = new[index].file, status.identity != own.status?.identity {
      return false
    }
    return try isFinal(status, at: index)
  }

  /// Restores the path, unless another program has changed it meanwhile.
  private func restoreIfOwn(_ index: Int) throws(FileChangeError) {
    let (place, name) = (places[index], names.new(index))
    guard let kept = try old(index) else {
      let isMade = !effects[index].isWritten || new[index].file != nil || past == .begun
      guard plan[index] == .absent, isMade else { return }
      return try place.remove { status throws(FileChangeError) in try isOwn(status, at: index) }
    }
    // A rename between two names of the same file does nothing; the second name is removed during the cleanup.
    if try place.newStatus()?.identity == kept.identity { return }
    func rename() throws(FileChangeError) {
      guard try isOwn(place.newStatus(), at: index) else { return }
      try place.attempt(.replace, system.moveFile(names.old(index), to: place.name, in: place.folder))
    }
    if effects[index].base == nil { return try rename() }
    try? system.removeFile(name, in: place.folder)
    // If the process is killed here, the second name remains.
    let isLinked: Void? = try place.attempt(.replace, unless: \.isWithoutLinks) { () throws(SystemError) in
      try system.linkFile(names.old(index), to: name, in: place.folder)
    }
    guard isLinked != nil else { return try rename() }
    try place.put(name) { status throws(FileChangeError) in try isOwn(status, at: index) }
  }

  // MARK: Keeping

  /// Gives every file that will be replaced or removed a second name, so that it can be restored.
  mutating func keep() throws(FileChangeError) {
    var isChanged = false
    for (index, effect) in effects.enumerated() {
      let kept = try old(index)
      // A killed process may not have synchronized the second name.
      if kept != nil { isChanged = true }
      guard let status = try places[index].newStatus(), try !isFinal(index) else { continue }
      if status.identity == kept?.identity {
        linked.insert(status.identity)
        try checkBase(of: index, status, hasSecondName: true)
        continue
      }
      // In a folder that ignores case, this is the file of the old spelling, which has a second name now.
      if let spelling = oldSpelling(of: index), try old(spelling)?.identity == status.identity { continue }
      // After an earlier attempt, another file may have come, which this attempt replaces.
      try places[index].checkKind(of: status, isWritten: effect.isWritten)
      // Another file has the path, not the one to be moved; that one may have only its second name, or its new one.
      if sources.contains(effect.path), !isSame(status, plan[index]) {
        throw places[index].refusal(.move, .changedByAnother)
      }
      if effect.mustBeFree { throw places[index].refusal(.move, .targetExists) }
      try checkBase(of: index, status, hasSecondName: linked.contains(status.identity))
      if kept != nil {
        try places[index].attempt(.keep, system.removeFile(names.old(index), in: places[index].folder))
      }
      try keep(index, status)
      linked.insert(status.identity)
      isChanged = true
    }
    // Synchronized before anything is replaced, so that the old file survives a power failure.
    if isChanged { try synchronize() }
  }

  /// Throws if a file to be replaced is no longer the one that the change is based on.
  ///
  /// - Parameter hasSecondName: Whether this batch has given the file a second name, which changed its change time.
  private func checkBase(of index: Int, _ status: FileStatus, hasSecondName: Bool) throws(FileChangeError) {
    guard effects[index].base != nil else { return }
    let isSame = plan[index].stamp.map { status.stamp.isSame(as: $0) } ?? false
    guard status.stamp == plan[index].stamp || isSame && (hasSecondName || past != .nothing) else {
      throw places[index].refusal(.inspect, .changedByAnother)
    }
  }

  private func keep(_ index: Int, _ status: FileStatus) throws(FileChangeError) {
    let (place, name) = (places[index], names.old(index))
    let isLinked: Void? = try place.attempt(.keep, unless: \.isWithoutLinks) { () throws(SystemError) in
      try system.linkFile(place.name, to: name, in: place.folder)
    }
    if isLinked != nil { return }
    // Without hard links, the path is free for a moment.
    try place.attempt(.keep, system.moveFile(place.name, to: name, in: place.folder))
    // A file that was put there at the last moment gets its name back in the rollback.
    if effects[index].base != nil, try old(index)?.identity != status.identity {
      throw place.refusal(.keep, .changedByAnother)
    }
  }
}
