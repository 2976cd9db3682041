internal import PendingChanges

extension FileChangeWriter {
  /// The batches of a writer.
  ///
  ///     submit ──► line ──► (journal) ──► looking ──► (plan in the journal) ──► being carried out ──► done
  ///                                          ▲                                    ├── transient ──► sleeping ─┐
  ///                                          └── carried out again ◄──────────────┼──────────────────────────┘
  ///                                                                               └── permanent ──► held
  ///
  /// A batch is accepted only when no change of its files is pending. To the queue it is a change in flight of each of
  /// its files then, so that newer changes wait behind it. Until it is accepted, newer changes of its files wait in
  /// line with it.
  package struct _Batches: Sendable {
    /// What each path had at the beginning, and the names of the files that are needed for a while.
    package struct Plan: Hashable, Sendable {
      package let versions: [FileChange.Version]
      package let names: FileChange._BatchNames
    }

    struct Batch: Sendable {
      enum Phase: Hashable, Sendable { case ready, running, recording, sleeping }

      /// How far it has come.
      enum Stage: Sendable {
        /// Its files are to be looked at.
        case unplanned
        /// It is to be carried out.
        case planned(Plan)
        /// Each path has this, and nothing is left to do but to remove old files.
        case done(Plan, leaving: [FileChange.Version])
      }

      /// What is known of earlier processes.
      enum Origin: Hashable, Sendable {
        case thisProcess
        /// It comes from the journal: an earlier one may have begun it.
        case journal
        /// It comes from a journal that may have had a plan which cannot be read.
        case damagedJournal
      }

      let id: PendingChangeID
      let batch: FileChange._Batch
      /// The change in flight of each path.
      let placeholders: [PendingChangeID]
      /// The number of its record.
      let sequence: UInt64?
      var stage: Stage
      /// What earlier attempts may have left.
      var past: FileChange._BatchPast
      var origin: Origin
      /// What became of its paths while it was held.
      var replaced = Replaced()
      var failureCount = 0
      var phase = Phase.ready

      var plan: Plan? {
        switch stage {
        case .unplanned: nil
        case .planned(let plan), .done(let plan, _): plan
        }
      }

      /// What it has made of its paths, where all is done.
      var versions: [FileChange.Version]? { if case .done(_, let versions) = stage { versions } else { nil } }

      /// What is left of it where it has not begun in this process.
      var remains: Remains { origin == .damagedJournal ? .unknown : .nothing }

      /// Its changes, as they were submitted.
      var entries: [PendingChangeQueue<FileChange>.Entry] {
        batch.changes.map { PendingChangeQueue.Entry(id: id, change: $0, attempts: failureCount) }
      }
    }

    /// What is left of a batch that failed for good.
    enum Remains: Hashable, Sendable {
      /// All was taken back.
      case nothing
      /// A part, from which to go on.
      case part(Plan)
      /// Perhaps a part, and no plan says which: the journal could not be read to its end.
      case unknown
    }

    /// A batch that failed for good.
    struct Held: Sendable {
      let id: PendingChangeID
      let batch: FileChange._Batch
      let error: FileChangeError
      let remains: Remains
      let sequence: UInt64?
      var replaced: Replaced

      func isAbout(_ path: FileChange.Path) -> Bool { batch.paths.contains(path) && !replaced.paths.contains(path) }
    }

    /// Of which paths a newer change was made: nobody asks for the held batch there any more.
    struct Replaced: Sendable {
      var paths: Set<FileChange.Path> = []
      /// Whether there may be others: an earlier process held the batch, and its journal does not say.
      var isOpen = false

      var isNone: Bool { paths.isEmpty && !isOpen }
    }

    /// The batches that were accepted and are not done, oldest first.
    var open: [Batch] = []
    /// Those that failed for good, oldest first.
    var held: [Held] = []

    var placeholderCount: Int { open.reduce(0) { $0 + $1.placeholders.count } }
    var runningCount: Int { open.count { $0.phase == .running } }

    func index(of id: PendingChangeID) -> Int? { open.firstIndex { $0.id == id } }

    /// Takes it that a change of the file was made: of the batches before it that are held nobody asks there any more.
    ///
    /// - Parameter id: What the change is called; nil for one of another program, which is newer than all of them.
    mutating func didChange(_ path: FileChange.Path, _ id: PendingChangeID? = nil) {
      for index in held.indices where held[index].isAbout(path) && (id.map { held[index].id < $0 } ?? true) {
        held[index].replaced.paths.insert(path)
      }
    }
  }

  /// What a worker does for a batch.
  package enum _BatchStep: Hashable, Sendable {
    case look(
      FileChange._Batch, knowing: [FileChange.Path: FileChange.Version], recovering: FileChange._BatchNames? = nil)
    case carryOut(FileChange._Batch, _Batches.Plan, after: FileChange._BatchPast)
  }

  /// What came of it.
  package enum _BatchOutcome: Sendable {
    case looked(Result<[FileChange.Version], FileChangeError>)
    case carriedOut(Result<FileChange._BatchResult, FileChange._BatchFailure>)
  }
}
