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

  /// Whether the file that has the path now may be the batch's, and not one that another program has put there.
  private func isOwn(_ status: FileStatus, at index: Int) -> Bool {
    if case .contents = batch.effects[index].outcome {
      made[index].map { isSame(status, $0) } ?? mayHaveMade
    } else {
      true
    }
  }

  private func takeBack(_ index: Int) throws(FileChangeError) {
    let open = places[index]
    let (status, kept) = (try open.status(), try old(index))
    if let kept {
      // Where it is neither what it was nor what it was to be, another program has changed it.
      if let status, status.identity != kept.identity {
        if let own = made[index], !isSame(status, own) { return }
        if try !isFinal(index) { return }
      }
      // A rename of one name of a file to another one does nothing: the second name goes with the rest.
      try open.application.attempt(
        .replace, system.moveFile(names.old(index), to: open.place.name, in: open.place.folder))
    } else if plan[index] == .absent, let status, isOwn(status, at: index), try isFinal(index) {
      _ = try open.application.attempt(
        .remove, except: .absent, call: system.removeFile(open.place.name, in: open.place.folder))
    }
  }
}
