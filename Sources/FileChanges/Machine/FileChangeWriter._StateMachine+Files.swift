package import PendingChanges

// The state of a single file, for the handles of the file.

extension FileChangeWriter._StateMachine {
  /// Whether the file has the contents that were accepted last.
  package func state(of path: FileChange.Path) -> FileChangeWriter.File.State {
    if queue.newest(for: path) != nil { return .saving }
    let held = batches.held.last { $0.isAbout(path) }.map { ($0.id, $0.failure.error) }
    let failures = [newestFailure(of: path).map { ($0.id, $0.error) }, held].compactMap(\.self)
    return failures.max { $0.0 < $1.0 }.map { FileChangeWriter.File.State($0.1) } ?? .saved
  }

  /// The unfinished change of the file that was accepted last.
  ///
  /// For a failed batch, it is the change that gives the file new contents.
  package func newest(of path: FileChange.Path) -> FileChange? {
    if let entry = queue.newest(for: path) { return entry.change }
    let failure = newestFailure(of: path)
    if let held = batches.held.last(where: { $0.isAbout(path) }), failure.map({ $0.id < held.id }) ?? true {
      return held.batch.change(of: path)
    }
    return failure.flatMap { queue[$0.id]?.change }
  }

  func newestFailure(of path: FileChange.Path) -> (id: PendingChangeID, error: FileChangeError)? {
    let newest = queue.failures(for: path).map(\.id).max()
    return newest.flatMap { id in errors[id].map { (id, $0) } }
  }

  /// The failure that kept the newest contents out of a file that the batch moves: the move would leave them behind.
  func failureOfSource(of batch: FileChange._Batch) -> FileChangeError? {
    for effect in batch.effects {
      guard let source = effect.source, source != effect.path else { continue }
      if let error = newestFailure(of: source)?.error { return error }
      let held = batches.held.last { $0.isAbout(source) && $0.batch.change(of: source) != nil }
      if let held { return held.failure.error }
    }
    return nil
  }

  /// Whether the newest contents belong to a failed batch, and the file may have them.
  func mayHaveNewest(_ path: FileChange.Path) -> Bool {
    batches.held.last { $0.isAbout(path) }.map { $0.remains != .nothing } ?? false
  }

  /// The version that the writer left at the path, if it has changed the file.
  package func version(of path: FileChange.Path) -> FileChange.Version? { journal.versions[path] }

  /// Whether a change of the file is running.
  ///
  /// - Complexity: O(*n*) for *n* changes in flight.
  package func isRunning(_ path: FileChange.Path) -> Bool {
    queue.inFlight.contains { $0.key == path && !sleepers.contains($0.id) }
  }

  /// Accepts the contents that another program wrote: they replace the contents that failed batches have for the file.
  package mutating func acceptOther(of path: FileChange.Path) -> [Action] {
    defer { _checkInvariants() }
    let sequences = batches.held.filter { $0.isAbout(path) }.compactMap(\.sequence)
    batches.didChange(path)
    var isRecorded = journal.forgetAttempts(at: path)
    for sequence in sequences where journal.release(path, of: sequence) { isRecorded = true }
    return isRecorded ? proceed() : []
  }

  /// The unfinished changes of the file, newest first.
  ///
  /// - Complexity: O(*n*) for *n* changes that are not done.
  package func unfinished(of path: FileChange.Path) -> [PendingChangeID] {
    queue.recorded.filter { $0.key == path }.map(\.id).sorted(by: >)
  }
}
