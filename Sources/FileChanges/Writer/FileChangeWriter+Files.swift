internal import Dispatch
internal import Journals
internal import PendingChanges

// The writer's side of file handles.

extension FileChangeWriter {
  /// Returns a handle of the file at `path`.
  ///
  /// - Throws: `FileChangeError` as for a URL.
  package func file(at path: FileChange.Path) async throws(FileChangeError) -> File {
    try machine.check(FileChange.remove(path))
    if let shared = files[path]?.shared { return File(writer: self, path: path, shared: shared) }
    let shared = _FileStates(machine.state(of: path))
    var (version, isNewest): (FileChange.Version, Bool) = (.absent, false)
    do throws(FileChangeError) {
      version = try await onThread(shared.thread, path) { file throws(FileChangeError) in try file.look() }
      if machine.mayHaveNewest(path), case .write(let contents)? = machine.newest(of: path)?.action {
        let found = try? await onThread(shared.thread, path) { file throws(FileChangeError) in try file.read() }
        if let found { (version, isNewest) = (found.version, found.contents == contents) }
      }
    } catch {
      // Contents that wait, or failed in the last run, can be returned even if the file cannot be read.
      guard machine.newest(of: path) != nil else { throw error }
    }
    // Another task may have made a handle meanwhile.
    if let shared = files[path]?.shared { return File(writer: self, path: path, shared: shared) }
    let base = isNewest ? version : machine.newest(of: path)?.base ?? version
    files[path] = _OpenFile(shared: shared, base: base)
    if files.count > fileLimit {
      files = files.filter { $0.value.shared != nil }
      fileLimit = max(16, 2 * files.count)
    }
    publish(path)
    if machine.phase == .ended { shared.states.end() }
    return File(writer: self, path: path, shared: shared)
  }

  // MARK: Saving

  func save(
    _ contents: Data, of file: File, over version: FileChange.Version? = nil, durability: Durability
  ) async throws(FileChangeError) {
    let path = file.path
    if let version { files[path]?.base = version }
    let number = (files[path]?.eventCount ?? 0) + 1
    files[path]?.eventCount = number
    files[path]?.underWay.insert(number)
    files[path]?.unaccepted = _OpenFile.Save(number: number, contents: contents, durability: durability)
    publish(path)
    let change = FileChange.write(contents, to: path)
    do throws(FileChangeError) {
      _ = try await submit(files[path].map { change.based(on: $0.base) } ?? change, durability: durability)
      endSave(number, of: path, error: nil)
    } catch {
      endSave(number, of: path, error: error)
      throw error
    }
  }

  private func endSave(_ number: Int, of path: FileChange.Path, error: FileChangeError?) {
    files[path]?.underWay.remove(number)
    if error == nil, let accepted = files[path]?.accepted { files[path]?.accepted = max(accepted, number) }
    if let last = files[path]?.unaccepted, error == nil ? last.number <= number : last.number == number {
      if let error { files[path]?.unaccepted?.error = error } else { files[path]?.unaccepted = nil }
    }
    publish(path)
    guard let file = files[path], !file.acceptances.isEmpty else { return }
    let first = file.underWay.min() ?? .max
    for acceptance in file.acceptances where acceptance.number < first { savers.take(acceptance.ticket)?.resume() }
    files[path]?.acceptances.removeAll { $0.number < first }
  }

  /// Waits until the present saves are accepted or refused.
  private func awaitAcceptance(of path: FileChange.Path) async {
    guard let number = files[path]?.underWay.max(), !Task.isCancelled else { return }
    let ticket = savers.issue()
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        savers.values[ticket] = continuation
        files[path]?.acceptances.append((number, ticket))
      }
    } onCancel: {
      Task { await self.stopAwaiting(ticket) }
    }
  }

  private func stopAwaiting(_ ticket: Int) { savers.take(ticket)?.resume() }

  func awaitWriting(of file: File) async throws(FileChangeError) {
    let last = files[file.path]?.underWay.max() ?? 0
    var isRefused = false
    repeat {
      await awaitAcceptance(of: file.path)
      if let error = files[file.path]?.unaccepted?.error { throw error }
      // A newer save has replaced it and is not accepted yet.
      isRefused = files[file.path].map { $0.unaccepted != nil && $0.accepted < last } ?? false
      let isUnderWay = files[file.path]?.underWay.contains { $0 <= last } ?? false
      if isUnderWay || isRefused && Task.isCancelled {
        throw FileChangeError(path: file.path, operation: .wait, reason: .waitEnded)
      }
    } while isRefused
    let unwritten = await wait { machine, number in machine.wait(number, for: file.path) }
    if let failure = unwritten.failures.last { throw failure.error }
    if !unwritten.isEmpty { throw FileChangeError(path: file.path, operation: .wait, reason: .waitEnded) }
  }

  func retry(_ file: File) async -> Bool {
    if let save = files[file.path]?.unaccepted {
      guard save.error != nil else { return false }
      // The result is visible in the file's state.
      try? await self.save(save.contents, of: file, durability: save.durability)
      return true
    }
    let (count, actions) = machine.retryFailures(of: file.path)
    perform(actions)
    publish(file.path)
    return count > 0
  }

  // MARK: Reading

  func contents(of file: File) async throws(FileChangeError) -> Data? {
    while true {
      if let save = files[file.path]?.unaccepted { return save.contents }
      if let change = machine.newest(of: file.path) {
        if change.target == nil { return change.contents }
        // The file is about to be moved here from another path.
        try await awaitDisk(for: file.path)
        continue
      }
      let count = files[file.path]?.eventCount
      let found = try await read(file)
      // Contents that were saved meanwhile are newer, and may already be written.
      guard files[file.path]?.eventCount == count, machine.newest(of: file.path) == nil else { continue }
      files[file.path]?.base = found.version
      return found.contents
    }
  }

  /// Waits until the accepted changes of the file are on disk or failed.
  private func awaitDisk(for path: FileChange.Path) async throws(FileChangeError) {
    // After a shutdown ended early, waits end at once, and changes that didn't begin never end.
    if Task.isCancelled || machine.phase >= .abandoned {
      throw FileChangeError(path: path, operation: .wait, reason: .waitEnded)
    }
    _ = await wait { machine, number in machine.wait(number, for: path) }
  }

  func read(_ file: File, endsIfCanceled: Bool = false) async throws(FileChangeError) -> File.OtherVersion {
    try await onThread(file.shared.thread, file.path, endsIfCanceled: endsIfCanceled) { file throws(FileChangeError) in
      try file.read()
    }
  }

  func accept(_ theirs: File.OtherVersion, for file: File) async throws(FileChangeError) {
    let path = file.path
    var older: [PendingChangeID] = []
    while true {
      await awaitAcceptance(of: path)
      if machine.isRunning(path) { try await awaitDisk(for: path) }
      if Task.isCancelled { throw FileChangeError(path: path, operation: .wait, reason: .waitEnded) }
      // Later saves may be newer than the user's decision, so only the present changes are canceled.
      older = machine.unfinished(of: path)
      let own = machine.version(of: path)
      let isTheirs = try await onThread(file.shared.thread, path, endsIfCanceled: true) {
        [theirs] file throws(FileChangeError) in
        try file.isStill(theirs.version)
      }
      if machine.isRunning(path) || !(files[path]?.underWay.isEmpty ?? true) { continue }
      // A change may have begun and ended meanwhile, after the file was read.
      guard machine.version(of: path) == own else { continue }
      guard isTheirs else {
        throw FileChangeError(path: path, operation: .inspect, reason: .changedByAnother)
      }
      break
    }
    // After a shutdown, accepted changes can no longer be canceled.
    if machine.phase > .open, !machine.unfinished(of: path).isEmpty {
      throw FileChangeError(path: path, operation: .wait, reason: .closed)
    }
    // The base comes first: contents that are saved while the journal forgets the rest are based on it.
    files[path]?.base = theirs.version
    files[path]?.unaccepted = nil
    perform(machine.acceptOther(of: path))
    await cancel(older)
    publish(path)
  }

  /// - Parameter endsIfCanceled: Whether the wait ends if the task is canceled, since the device may not respond.
  private func onThread<Value: Sendable>(
    _ thread: DispatchQueue, _ path: FileChange.Path, endsIfCanceled: Bool = false,
    _ body: @escaping @Sendable (FileChange._FileAccess) throws(FileChangeError) -> Value
  ) async throws(FileChangeError) -> Value {
    let (options, system) = (configuration.options, system)
    let look = { @Sendable () throws(FileChangeError) in
      try body(FileChange._FileAccess(path, options, in: system))
    }
    guard endsIfCanceled else { return try await thread.run(look) }
    let ended = FileChangeError(path: path, operation: .wait, reason: .waitEnded)
    return try await thread.run(orThrow: ended, look)
  }

  // MARK: States

  /// How many files have entries because of handles; for tests.
  package var openFileCount: Int { files.count }

  /// How many callers wait for the disk; for tests.
  package var waiterCount: Int { machine.waiters.all.count }

  /// Publishes the states of the files before the actions are performed, so that resumed callers find the new states.
  func publish(_ actions: [_StateMachine.Action]) {
    for action in actions {
      switch action {
      case .run(_, let change, _): publish(change.path)
      case .runBatch(_, let batch, _):
        for path in batch.paths { publish(path) }
      case .emit(let event):
        if event.outcome == .done {
          files[event.path]?.eventCount += 1
          if let version = machine.version(of: event.path) { files[event.path]?.base = version }
        }
        publish(event.path)
      default: break
      }
    }
  }

  func publish(_ path: FileChange.Path) {
    guard !files.isEmpty, let file = files[path], let shared = file.shared else { return }
    shared.states.publish(file.unaccepted.map { $0.error.map(File.State.init) ?? .saving } ?? machine.state(of: path))
  }

  func publishAll() { for path in files.keys { publish(path) } }

  /// The part of a file's state that a writer keeps only while the file has a handle.
  struct _OpenFile {
    /// A save that is not accepted yet: it waits for the journal or for the limit, or was refused.
    struct Save {
      let number: Int
      let contents: Data
      let durability: Durability
      /// The reason why it was refused; nil if it wasn't.
      var error: FileChangeError?
    }

    weak var shared: _FileStates?
    /// The version that the next save is based on.
    var base: FileChange.Version
    /// The newest save, until it or a newer one is accepted.
    var unaccepted: Save?
    /// The number of the newest accepted save.
    var accepted = 0
    /// The saves whose callers still wait.
    var underWay: Set<Int> = []
    /// Callers that wait until all saves up to a number are accepted or refused.
    var acceptances: [(number: Int, ticket: Int)] = []
    /// The number of saves and of applied changes: contents that were read before the last one aren't the newest.
    var eventCount = 0
  }

  /// The state that all handles of a file share.
  ///
  /// The writer doesn't retain it: it is deallocated with the last handle and the last reader.
  final class _FileStates: Sendable {
    let states: Readers<File.State>
    /// The queue on which the file is read: one for each file, so that a hanging device delays no other file.
    let thread = DispatchQueue(label: "FileChangeWriter.File reading")

    init(_ state: File.State) { states = Readers(state: state) }
  }
}
