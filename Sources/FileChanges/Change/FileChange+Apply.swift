package import Journals

extension FileChange {
  /// Applies the change now, durably, and returns when it is on the device.
  ///
  /// A write never shows a torn file. The contents go to a temporary file in the same folder, which then replaces the
  /// file in one step: a program that opens the file sees either the old contents or the new. If the write fails before
  /// that step, the file is unchanged and the temporary file is removed.
  ///
  /// - The file keeps its permission bits, and its owner and group if the process may give files away. The bits that
  ///   let a program run with its owner's rights are dropped, as the system does on any write.
  /// - Removing a file that doesn't exist succeeds.
  /// - Folders, devices, pipes and sockets are never replaced or removed. The same goes for the target of a link such
  ///   as `/dev/stdout`, which leads to an open file of a process.
  /// - The file keeps its extended attributes, as far as the process may read them: on Linux those of the user
  ///   (`user.…`), on Apple's systems all of them. Hard links are not kept.
  /// - The file keeps its access control list. If the list cannot be read or kept, only the owner may read and write
  ///   the file afterwards, so the change never gives anyone else access. NFSv4 lists are not kept.
  /// - A file that its owner may not write, and a file of another user, are replaced only if `options` allow it.
  /// - A moved file gets its new name before it loses the old one. A move works within one file system and replaces
  ///   nothing. On a file system without hard links, the file has neither name for a moment, and a file that another
  ///   program makes under the new name at the last moment is replaced.
  /// - If the folder refuses the temporary file, as Apple's sandbox does for a file that the user has chosen, the
  ///   temporary file is made in the folder that `FileManager` provides for replacements. Linux has no such folder.
  /// - If no new file can take the place of the old one, for example because the file is mounted, the change fails.
  ///   With the ``Options/fallback`` of the options, the file is written in place, and a copy is kept meanwhile.
  ///
  /// A process that is killed leaves a temporary file, `.unsaved-` and a number, in the folder. The next change of a
  /// file in that folder, by `apply()` or by a writer, removes it if it was not written to for an hour and no process
  /// has it locked. For that, the folder is listed once an hour, not for each change. On a file system without locks
  /// the temporary file stays. A killed move may also leave a second name of the file, which ends with `-old`. It is
  /// never removed, since it may be the only name of the file.
  ///
  /// The call blocks for as long as the device takes; a ``FileChangeWriter`` does the same in the background.
  ///
  /// ```swift
  /// let change = FileChange.write("Buy milk", to: URL(filePath: "/notes/today.txt"))
  /// do {
  ///   try change.apply()
  /// } catch {
  ///   print(error)  // /notes/today.txt: there is no such folder (errno 2) while opening the folder. Create the …
  /// }
  /// ```
  ///
  /// - Throws: `FileChangeError` with the path, the step, the reason and advice. After a failure in the last step,
  ///   synchronizing the folder, the change is visible but may not survive a power failure.
  public func apply(options: Options = Options()) throws(FileChangeError) {
    try apply(options: options, in: PosixFileSystem(), sweeper: .shared)
  }

  /// Applies the change.
  ///
  /// - Parameters:
  ///   - leftovers: The traces of earlier attempts.
  ///   - sweeper: Removes temporary files of killed processes from the folder.
  ///   - note: Called with the file's version once the change is visible, even if the change fails after that.
  package func apply(
    options: Options, in system: any FileSystem, leftovers: _Leftovers = .none, sweeper: Sweeper? = nil,
    note: ((Version) -> Void)? = nil
  ) throws(FileChangeError) {
    let known = leftovers.version.map { [path: $0] } ?? [:]
    if target != nil { return try Self.apply([self], options: options, in: system, sweeper: sweeper, known: known) }
    let outcome = contents.map { _Batch.Outcome.contents($0) } ?? .absent
    var application = _Application(
      effects: [_Batch.Effect(path: path, outcome: outcome, base: base)], options: options, system: system,
      sweeper: sweeper, keepsOldFiles: false, known: known, leftovers: leftovers, note: note)
    try application.apply()
  }

  /// Applies several changes, all or none.
  package static func apply(
    _ changes: [FileChange], options: Options, in system: any FileSystem, sweeper: Sweeper? = nil,
    known: [Path: Version] = [:]
  ) throws(FileChangeError) {
    let batch = try _Batch(changes)
    var application = _Application(
      effects: batch.effects, offsets: batch.offsets, options: options, system: system, names: .random(),
      sweeper: sweeper, known: known)
    try application.apply()
  }
}
