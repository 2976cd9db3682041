internal import Dispatch
internal import Journals
public import PendingChanges

extension FileChangeWriter {
  /// Accepts several changes that are carried out all or not at all.
  ///
  /// ```swift
  /// func rename(_ note: URL, to name: URL, index: Data, at list: URL, with writer: FileChangeWriter) async throws {
  ///   try await writer.submit(batch: [.move(note, to: name), .write(index, to: list)])
  ///   try await writer.flush()
  /// }
  /// ```
  ///
  /// - The changes are meant one after the other, but what counts is what each path has at the end. Two files may
  ///   change their names by three moves. A move replaces nothing, except what the batch removes or moves before.
  /// - With a journal, all or none holds also after a kill or a power failure: what a killed process has begun, the
  ///   next writer with the journal brings to its end. Without a journal a kill may leave a part.
  /// - When one of them fails for good, those that were done are taken back: every file is as it was, except where
  ///   another program has changed it meanwhile. The batch is one of the ``failures`` then, with all its changes
  ///   (``Failure/batch``), until it is tried again or removed. A newer change of its files does not take its place, so
  ///   look at the files before you try it again. For the same reason the next writer with the journal does not try it
  ///   by itself.
  /// - A program that reads the files meanwhile may see a part of the changes.
  /// - The files of a batch have the changes before it carried out first, and those after it later. So the call waits
  ///   until nothing of its files is pending. Newer changes of them wait for it.
  ///
  /// Each file has an event, with the id of the batch: a moved one is removed at its old path and written at its new.
  ///
  /// - Returns: What the batch is called in the ``events()`` and among the ``failures``; nil where the array is empty.
  /// - Throws: `FileChangeError` as ``submit(_:durability:)`` does. So it does when a change cannot follow those before
  ///   it, as when a file is moved that the batch has removed; and where the newest contents of a file that is moved
  ///   could not be written.
  /// - Complexity: O(*n*) for *n* changes, not counting the writing. The journal is brought to the device twice.
  @discardableResult
  public func submit(batch changes: [FileChange]) async throws(FileChangeError) -> PendingChangeID? {
    guard !changes.isEmpty else { return nil }
    let batch = try FileChange._Batch(changes)
    defer { for path in batch.paths { publish(path) } }
    return try await submit { machine, ticket throws(FileChangeError) in try machine.submit(batch, ticket: ticket) }
  }

  /// How many submissions wait because of a batch: what a test needs to see.
  package var lineCount: Int { machine.batches.line.count }

  /// Whether there is any.
  package var hasLine: Bool { lineCount > 0 }

  func run(_ id: PendingChangeID, _ step: _BatchStep) {
    let worker = idleWorkers.removeLast()
    let (options, system) = (configuration.options, system)
    Task {
      switch step {
      case .look(let batch, let versions, let names):
        let application = FileChange._BatchApplication(
          batch: batch, options: options, system: system, names: names ?? .random())
        let result = await withCheckedContinuation { continuation in
          worker.async {
            let result = Result { () throws(FileChangeError) in
              try application.look(knowing: versions, isRecovered: names != nil)
            }
            continuation.resume(returning: result)
          }
        }
        idleWorkers.append(worker)
        perform(machine.finishLook(id, result), about: batch)
      case .carryOut(let batch, let plan, let past):
        let application = FileChange._BatchApplication(
          batch: batch, options: options, system: system, names: plan.names)
        let result = await withCheckedContinuation { continuation in
          worker.async {
            let result = Result { () throws(FileChange._BatchFailure) in
              try application.carryOut(plan.versions, after: past)
            }
            continuation.resume(returning: result)
          }
        }
        idleWorkers.append(worker)
        perform(machine.finishBatch(id, result), about: batch)
      }
    }
  }

  private func perform(_ actions: [_StateMachine.Action], about batch: FileChange._Batch) {
    // A failure is one of all its files, and has one event.
    for path in batch.paths { publish(path) }
    perform(actions)
  }
}
