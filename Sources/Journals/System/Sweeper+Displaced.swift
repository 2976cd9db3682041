// Recovery of files whose process was killed after an exchange, before it inspected the displaced file.

extension Sweeper {
  /// Finishes the exchanges of killed processes: removes each file that was to be replaced or removed, and gives every
  /// other file its name back.
  ///
  /// A process that exchanges files holds the folder's lock until it has finished. So if the lock is free, the process
  /// that left such a file is dead. If the lock is taken, this method does nothing.
  package func settleDisplaced(in folder: borrowing Descriptor, in system: any FileSystem) {
    settle((try? system.names(startingWith: DisplacedName.prefix, in: folder)) ?? [], in: folder, in: system)
  }

  /// Finishes the exchanges whose displaced files are among these names.
  func settle(_ names: [String], in folder: borrowing Descriptor, in system: any FileSystem) {
    let displaced = names.compactMap { name in DisplacedName(name).map { (name, $0) } }
    guard !displaced.isEmpty, (try? system.lock(folder)) != nil else { return }
    defer { try? system.unlock(folder) }
    var isChanged = false
    for (name, displaced) in displaced where settle(displaced, name, in: folder, system) { isChanged = true }
    if isChanged { try? system.synchronizeFolder(folder) }
  }

  /// - Returns: Whether the name of a file was restored.
  private func settle(
    _ displaced: DisplacedName, _ name: String, in folder: borrowing Descriptor, _ system: any FileSystem
  ) -> Bool {
    // Another user could have made a file of this name so that ours gets removed.
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
        // Another program may have put a file there at the last moment.
        if displaced.isOwn(try system.inspect(name, in: folder)) {
          try system.removeFile(name, in: folder)
          return true
        }
      }
      // The name now belongs to a newer file.
      try system.moveFileToFree(name, to: displaced.randomKeptName(), in: folder)
    } catch {
      guard error == .absent else { return false }
      try? system.moveFileToFree(name, to: displaced.name, in: folder)
    }
    return true
  }
}
