// What a process has left that was killed between an exchange and the look at what came out.

extension Sweeper {
  /// Ends what killed processes have begun: removes each file that was to be replaced or removed, and gives every other
  /// one its name back.
  ///
  /// Whoever exchanges files holds the folder's lock until the end. So where the lock can be had, whoever has left such
  /// a file does not live any more. Without the lock nothing is done.
  package func settleDisplaced(in folder: borrowing Descriptor, in system: any FileSystem) {
    settle((try? system.names(startingWith: DisplacedName.prefix, in: folder)) ?? [], in: folder, in: system)
  }

  /// Does so with those of the names that are such files.
  func settle(_ names: [String], in folder: borrowing Descriptor, in system: any FileSystem) {
    let displaced = names.compactMap { name in DisplacedName(name).map { (name, $0) } }
    guard !displaced.isEmpty, (try? system.lock(folder)) != nil else { return }
    defer { try? system.unlock(folder) }
    var isChanged = false
    for (name, displaced) in displaced where settle(displaced, name, in: folder, system) { isChanged = true }
    if isChanged { try? system.synchronizeFolder(folder) }
  }

  /// - Returns: Whether a name has a file back.
  private func settle(
    _ displaced: DisplacedName, _ name: String, in folder: borrowing Descriptor, _ system: any FileSystem
  ) -> Bool {
    // A file of another user may have the name so that ours goes.
    guard let status = try? system.inspect(name, in: folder), [.file, .symbolicLink].contains(status.kind),
      status.user == system.user
    else { return false }
    if displaced.isExpected(status) || displaced.isOwn(status) {
      try? system.removeFile(name, in: folder)
      return false
    }
    do throws(SystemError) {
      let there = try system.inspect(displaced.name, in: folder)
      if there.user == system.user, displaced.isOwn(there) {
        try system.exchangeFiles(name, displaced.name, in: folder)
        // Another program may have put a file there in the last moment.
        if displaced.isOwn(try system.inspect(name, in: folder)) {
          try system.removeFile(name, in: folder)
          return true
        }
      }
      // The name has a newer file.
      try system.moveFileToFree(name, to: displaced.randomKeptName(), in: folder)
    } catch {
      guard error == .absent else { return false }
      try? system.moveFileToFree(name, to: displaced.name, in: folder)
    }
    return true
  }
}
