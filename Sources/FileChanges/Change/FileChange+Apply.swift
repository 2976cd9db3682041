package import Journals

extension FileChange {
  /// Carries out the change now, durably, and returns when it is on the device.
  ///
  /// A write never shows a torn file. The contents go to a temporary file in the same folder, which then takes the
  /// file's place in one step: a program that opens the file sees the old contents or the new. When the write fails
  /// before that step, the file is as it was and the temporary file is gone.
  ///
  /// - The file keeps its permission bits, and its owner and group where the process may give files away. (The bits
  ///   that let a program run with its owner's rights are dropped, as the system does on any write.)
  /// - Removing what is not there succeeds.
  /// - Folders, devices, pipes and sockets are neither replaced nor removed, nor is what a link such as `/dev/stdout`
  ///   leads to, which a process has open.
  /// - The file keeps its extended attributes: on Linux those of the user (`user.…`), on Apple's systems all of them,
  ///   as far as the process may read them. Hard links do not carry over.
  /// - The file keeps its access control list. Where that cannot be read or kept, only the owner may read and write the
  ///   file afterwards, so that nobody can read it who could not before. (The lists of NFSv4 do not carry over.)
  /// - A file that its owner may not write, and a file of another user, are not replaced unless `options` ask for it.
  /// - A file that is moved gets its new name before it loses the old one, in one file system. Nothing is replaced. On
  ///   a file system without second names for files there is a moment in which it has neither. There a file that
  ///   another program makes under the new name in the last moment is replaced.
  /// - Where the folder refuses the temporary file, as Apple's sandbox does for a file that the user has chosen, the
  ///   temporary file is made in the folder that `FileManager` has for replacements. On Linux there is none.
  ///
  /// A process that is killed meanwhile leaves a temporary file, `.unsaved-` and a number, in the folder. The next
  /// change of a file there, by `apply()` or by a writer, takes it away when it was not written to for an hour and no
  /// process holds it. For that the folder is listed once an hour, not for each change. On a file system without locks
  /// the file stays. A move may leave a second name of the file as well, which ends with `-old`. Nothing takes that
  /// away, since it may be the only one.
  ///
  /// The call blocks for as long as the device takes; ``FileChangeWriter`` does the same in the background.
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
  /// - Throws: `FileChangeError` with the path, the step, the reason and what to do. After a failure in the last step,
  ///   synchronizing the folder, the change can be seen but may not survive a power failure.
  public func apply(options: Options = Options()) throws(FileChangeError) {
    try apply(options: options, in: PosixFileSystem(), sweeper: .shared)
  }

  /// Carries out the change.
  ///
  /// - Parameters:
  ///   - leftovers: What earlier attempts may have left.
  ///   - sweeper: What takes away what other processes have left in the folder.
  ///   - note: Is told what the file is from the moment on at which the change can be seen, also where it fails after
  ///     that.
  package func apply(
    options: Options, in system: any FileSystem, leftovers: _Leftovers = .none, sweeper: Sweeper? = nil,
    note: ((Version) -> Void)? = nil
  ) throws(FileChangeError) {
    if let objection = options.objection(to: path) {
      throw FileChangeError(path: path, operation: .submit, reason: objection)
    }
    let work = _Application(
      path: path, options: options, system: system, leftovers: leftovers, sweeper: sweeper, note: note)
    let expected = base.map { [$0, leftovers.version ?? $0] }
    work.removeAbandonedTemporaries()
    switch action {
    case .write(let contents): try work.write(contents, over: expected)
    case .remove: try work.remove(expected)
    case .move: try move(options: options, in: system, knowing: leftovers.version, sweeper, note)
    }
  }

  private func move(
    options: Options, in system: any FileSystem, knowing version: Version?, _ sweeper: Sweeper?,
    _ note: ((Version) -> Void)?
  ) throws(FileChangeError) {
    if let target, let objection = options.objection(to: target) {
      throw FileChangeError(path: target, operation: .submit, reason: objection)
    }
    let batch = try _Batch([self])
    let work = _BatchApplication(batch: batch, options: options, system: system, names: .random(), sweeper: sweeper)
    let plan = try work.look(knowing: version.map { [path: $0] } ?? [:])
    do throws(_BatchFailure) {
      _ = try work.carryOut(plan, after: .nothing)
    } catch {
      throw error.error
    }
    note?(.absent)
  }
}
