internal import PendingChanges

extension FileChangeWriter {
  /// The batches of a writer, and what waits because of them.
  ///
  ///     submit ──► line ──► (journal) ──► looking ──► (plan in the journal) ──► being carried out ──► done
  ///                                          ▲                                    ├── transient ──► sleeping ─┐
  ///                                          └── carried out again ◄──────────────┼──────────────────────────┘
  ///                                                                               └── permanent ──► held
  ///
  /// A batch is accepted only when no change of its files is pending. To the queue it is a change in flight of each of
  /// its files then, so that newer changes wait behind it. Until it is accepted, newer changes of its files wait in the
  /// line with it.
  package struct _Batches: Sendable {
    enum Phase: Hashable, Sendable { case ready, running, recording, sleeping }

    /// What each path had at the beginning, and the names of the files that are needed for a while.
    package struct Plan: Hashable, Sendable {
      package let versions: [FileChange.Version]
      package let names: FileChange._BatchNames
    }

    struct Batch: Sendable {
      let id: PendingChangeID
      let batch: FileChange._Batch
      /// The change in flight of each path.
      let placeholders: [PendingChangeID]
      /// The number of its record.
      let sequence: UInt64?
      var plan: Plan?
      /// What earlier attempts may have left.
      var past = FileChange._BatchPast.nothing
      /// What it has made of each path, once all is done but the removal of old files.
      var versions: [FileChange.Version]?
      /// Whether it comes from the journal: an earlier process may have begun it.
      var isRecovered = false
      /// Whether the journal may have had a plan that cannot be read.
      var isUnclear = false
      /// What became of its paths while it was held.
      var replaced = Replaced()
      var failureCount = 0
      var phase = Phase.ready

      /// Its changes, as they were submitted.
      var entries: [PendingChangeQueue<FileChange>.Entry] {
        batch.changes.map { PendingChangeQueue.Entry(id: id, change: $0, attempts: failureCount) }
      }
    }

    /// A batch that failed for good.
    struct Held: Sendable {
      let id: PendingChangeID
      let batch: FileChange._Batch
      let error: FileChangeError
      /// Where not all was taken back: from where to go on.
      let plan: Plan?
      /// Whether something may be left although no plan says what: the journal could not be read to its end.
      let isUnclear: Bool
      let sequence: UInt64?
      var replaced: Replaced

      var isTakenBack: Bool { plan == nil && !isUnclear }

      func isAbout(_ path: FileChange.Path) -> Bool { batch.paths.contains(path) && !replaced.paths.contains(path) }
    }

    /// Of which paths a newer change was made: nobody asks for the held batch there any more.
    struct Replaced: Sendable {
      var paths: Set<FileChange.Path> = []
      /// Whether there may be others: an earlier process held the batch, and its journal does not say.
      var isOpen = false

      var isNone: Bool { paths.isEmpty && !isOpen }
    }

    struct Waiting: Sendable {
      enum Submission: Sendable {
        case batch(FileChange._Batch)
        case change(FileChange, Durability)
      }

      let ticket: Int
      let submission: Submission

      var paths: [FileChange.Path] {
        switch submission {
        case .batch(let batch): batch.paths
        case .change(let change, _): [change.path]
        }
      }
    }

    /// The batches that were accepted and are not done, oldest first.
    var open: [Batch] = []
    /// Those that failed for good, oldest first.
    var held: [Held] = []
    /// What is not accepted yet, in the order of the calls.
    var line: [Waiting] = [] {
      // A batch that has left the line, however it did, holds up nothing.
      didSet { if line.isEmpty { waitsForRoom = false } }
    }
    /// Whether a batch in the line waits for nothing but the limit: it comes in before anything else.
    var waitsForRoom = false

    var placeholderCount: Int { open.reduce(0) { $0 + $1.placeholders.count } }
    var runningCount: Int { open.count { $0.phase == .running } }

    func index(of id: PendingChangeID) -> Int? { open.firstIndex { $0.id == id } }

    /// Whether a change of the file waits behind a batch that is not accepted yet.
    func holdsUp(_ path: FileChange.Path) -> Bool { line.contains { $0.paths.contains(path) } }

    /// Takes it that a change of the file was made: of the batches before it that are held nobody asks there any more.
    ///
    /// - Parameter id: What the change is called; nil for one of another program, which is newer than all of them.
    mutating func didChange(_ path: FileChange.Path, _ id: PendingChangeID? = nil) {
      for index in held.indices where held[index].isAbout(path) && (id.map { held[index].id < $0 } ?? true) {
        held[index].replaced.paths.insert(path)
      }
    }

    mutating func withdraw(_ ticket: Int) -> Waiting? {
      line.firstIndex { $0.ticket == ticket }.map { line.remove(at: $0) }
    }
  }

  /// What a worker does for a batch.
  package enum _BatchStep: Hashable, Sendable {
    case look(
      FileChange._Batch, knowing: [FileChange.Path: FileChange.Version], recovering: FileChange._BatchNames? = nil)
    case carryOut(FileChange._Batch, _Batches.Plan, after: FileChange._BatchPast)
  }
}
