internal import Journals

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
      switch status.kind {
      case .file: break
      case .folder: throw places[index].application.refusal(.inspect, .isAFolder)
      case .other: throw places[index].application.refusal(.inspect, .notAFile)
      case .symbolicLink:
        if case .contents = effect.outcome { try places[index].application.checkKind(places[index].place) }
      }
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
