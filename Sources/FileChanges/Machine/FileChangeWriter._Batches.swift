internal import PendingChanges

extension FileChangeWriter {
  /// The batches of a writer.
  ///
  ///     submit ──► waits ─► (journal) ──► inspected ─► (plan in the journal) ──► being applied ──────► done
  ///                                          ▲                                    ├── transient ──► sleeping ─┐
  ///                                          └── applied again ◄──────────────────┼──────────────────────────┘
  ///                                                                               └── permanent ──► failed
  ///
  /// A batch is accepted only if none of its files has a pending change. It then has a placeholder in the queue for
  /// each file, a change in flight, so that newer changes of the file wait until the batch is done. Until the batch is
  /// accepted, newer changes of its files wait for admission with it.
  package struct _Batches: Sendable {
    /// The version of each path at the beginning, and the names of the temporary files that the batch needs.
    package struct Plan: Hashable, Sendable {
      package let versions: [FileChange.Version]
      package let names: FileChange._BatchNames
    }

    struct Batch: Sendable {
      enum Phase: Hashable, Sendable { case ready, running, recording, sleeping }

      /// The progress of the batch.
      enum Stage: Sendable {
        /// Its files must be inspected.
        case unplanned
        /// It must be applied.
        case planned(Plan)
        /// It is applied, and the paths have these versions, or it failed for good and was rolled back.
        ///
        /// Only old files remain to be removed.
        case over(Plan, Result<[FileChange.Version], FileChangeError>)
      }

      /// Whether an earlier process may have begun the batch.
      enum Origin: Hashable, Sendable {
        case thisProcess
        /// The batch comes from the journal, so an earlier process may have begun it.
        case journal
        /// The batch comes from a damaged journal, which may have had a plan that cannot be read.
        case damagedJournal
      }

      let id: PendingChangeID
      let batch: FileChange._Batch
      /// The ids of its placeholders in the queue, one for each path.
      let placeholders: [PendingChangeID]
      /// The sequence number of its record.
      let sequence: UInt64?
      var stage: Stage
      /// The work that earlier attempts may have left.
      var past: FileChange._BatchPast
      var origin: Origin
      /// The paths that newer changes replaced while the batch was a failure.
      var replaced = Replaced()
      var failureCount = 0
      var phase = Phase.ready

      var plan: Plan? {
        switch stage {
        case .unplanned: nil
        case .planned(let plan), .over(let plan, _): plan
        }
      }

      /// The versions that it left at its paths, if it is applied.
      var versions: [FileChange.Version]? { if case .over(_, .success(let versions)) = stage { versions } else { nil } }

      /// The part that is left on disk if the batch fails before this process begins it.
      var remains: Remains { origin == .damagedJournal ? .unknown : .nothing }

      /// Its changes, as they were submitted.
      var entries: [PendingChangeQueue<FileChange>.Entry] {
        batch.changes.map { PendingChangeQueue.Entry(id: id, change: $0, attempts: failureCount) }
      }
    }

    /// The part of a failed batch that is left on disk.
    enum Remains: Hashable, Sendable {
      /// The batch was rolled back.
      case nothing
      /// A part is left, and this plan allows to continue from there.
      case part(Plan)
      /// A part may be left, but the plan is unknown, because the journal is damaged.
      case unknown
    }

    /// A batch that failed for good.
    struct Held: Sendable {
      let failure: Failure
      let batch: FileChange._Batch
      let remains: Remains
      let sequence: UInt64?
      var replaced: Replaced

      var id: PendingChangeID { failure.id }

      init(_ open: Batch, _ error: FileChangeError, leaving remains: Remains) {
        (batch, sequence, self.remains) = (open.batch, open.sequence, remains)
        // A part that is left has overwritten newer contents.
        replaced = remains == .nothing ? open.replaced : Replaced(isOpen: !open.replaced.isNone)
        let change = batch.changes.first { $0.path == error.path || $0.target == error.path }
        failure = Failure(
          id: open.id, change: change ?? batch.changes[0], error: error, batch: batch.changes,
          isRolledBack: remains == .nothing)
      }

      func isAbout(_ path: FileChange.Path) -> Bool { batch.paths.contains(path) && !replaced.paths.contains(path) }
    }

    /// The paths of a failed batch that a newer change has replaced, so the batch no longer matters there.
    struct Replaced: Sendable {
      var paths: Set<FileChange.Path> = []
      /// Whether there may be more: the batch failed in an earlier process, and the journal doesn't tell.
      var isOpen = false

      var isNone: Bool { paths.isEmpty && !isOpen }
    }

    /// The batches that were accepted and are not done, oldest first.
    var open: [Batch] = []
    /// The batches that failed for good, oldest first.
    var held: [Held] = []

    var placeholderCount: Int { open.reduce(0) { $0 + $1.placeholders.count } }
    var runningCount: Int { open.count { $0.phase == .running } }

    func index(of id: PendingChangeID) -> Int? { open.firstIndex { $0.id == id } }

    /// Ends the sleep of a batch, if it sleeps.
    mutating func endSleep(_ id: PendingChangeID) {
      if let index = index(of: id), open[index].phase == .sleeping { open[index].phase = .ready }
    }

    /// Marks a path as replaced in the older failed batches, because a newer change of it was made.
    ///
    /// - Parameter id: The id of the change; nil for a change by another program, which is newer than all batches.
    mutating func didChange(_ path: FileChange.Path, _ id: PendingChangeID? = nil) {
      for index in held.indices where held[index].isAbout(path) && (id.map { held[index].id < $0 } ?? true) {
        held[index].replaced.paths.insert(path)
      }
    }
  }

  /// One step of a batch, which a worker performs.
  package enum _BatchStep: Hashable, Sendable {
    /// Inspect the files, at whose paths the writer left the known versions.
    case inspect(knowing: [FileChange.Path: FileChange.Version], recovering: FileChange._BatchNames?)
    case apply(_Batches.Plan, after: FileChange._BatchPast)
  }

  /// The result of a step.
  package enum _BatchOutcome: Sendable {
    case inspected(Result<[FileChange.Version], FileChangeError>)
    case applied(Result<FileChange._BatchResult, FileChange._BatchFailure>)
  }
}
