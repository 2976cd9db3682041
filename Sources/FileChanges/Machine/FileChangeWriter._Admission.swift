internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// How much waits in a writer, and which submissions wait in line until they can come in.
  ///
  ///     submit ──► in line ──► staged ──► waiting, being carried out or asleep ──► done, failed or taken back
  ///                nothing     └──────────────── counts ─────────────────────┘     nothing
  ///
  /// A change counts as many bytes as its record in the journal. One that is staged to take the place of one that waits
  /// counts only what it is larger, since both are never kept: the older one has a *credit* until it is replaced. Where
  /// it begins before that, it counts in full again, and so it begins only if the limit allows it.
  package struct _Admission: Sendable {
    enum Submission: Sendable {
      case batch(FileChange._Batch)
      case change(FileChange, Durability)

      var paths: [FileChange.Path] {
        switch self {
        case .batch(let batch): batch.paths
        case .change(let change, _): [change.path]
        }
      }
    }

    let byteLimit: Int
    /// What counts, altogether.
    private(set) var byteCount = 0
    /// The tickets of the submissions that wait, in the order of the calls.
    private(set) var line = UniqueQueue<Int>()
    private var submissions: [Int: Submission] = [:]
    /// The bytes of each change on its way to the journal, and the change whose place it takes.
    private var staged: [Int: (byteCount: Int, older: PendingChangeID?)] = [:]
    private var credits: [PendingChangeID: Int] = [:]

    init(byteLimit: Int) { self.byteLimit = byteLimit }
  }
}

// MARK: - The line

extension FileChangeWriter._Admission {
  /// How many submissions wait.
  package var waitingCount: Int { line.count }

  subscript(ticket: Int) -> Submission? { submissions[ticket] }

  /// Whether a change of the file waits in line.
  ///
  /// - Complexity: O(*n*) for *n* that wait.
  func holdsUp(_ path: FileChange.Path) -> Bool { submissions.values.contains { $0.paths.contains(path) } }

  mutating func enqueue(_ submission: Submission, ticket: Int) {
    line.append(ticket)
    submissions[ticket] = submission
  }

  /// Takes a submission out of the line; nil where none in it has this ticket.
  mutating func withdraw(_ ticket: Int) -> Submission? {
    guard let submission = submissions.removeValue(forKey: ticket) else { return nil }
    line.remove(ticket)
    return submission
  }
}

// MARK: - The bytes

extension FileChangeWriter._Admission {
  static func byteCount(of change: FileChange) -> Int { FileChangeWriter._JournalBody.recordByteCount(of: change) }

  /// Whether the limit allows so many bytes; more than the limit where nothing else counts.
  ///
  /// - Parameter older: The bytes of the change whose place they take.
  func fits(_ byteCount: Int, inPlaceOf older: Int = 0) -> Bool {
    let others = self.byteCount - older
    return others <= byteLimit - byteCount || others <= 0 || byteCount <= older
  }

  /// Whether anything that waits is about to be replaced.
  var hasCredits: Bool { !credits.isEmpty }

  /// Whether a newer change is staged that counts only what it is larger than this one.
  func hasCredit(_ id: PendingChangeID) -> Bool { !credits.isEmpty && credits[id] != nil }

  /// Whether the limit allows a change to begin, which is not replaced any more then.
  func mayBegin(_ id: PendingChangeID) -> Bool {
    guard !credits.isEmpty, let credit = credits[id] else { return true }
    return byteCount + credit <= byteLimit
  }

  mutating func add(_ change: FileChange) { byteCount += Self.byteCount(of: change) }

  /// The change has left the queue, or has failed for good.
  mutating func remove(_ entry: PendingChangeQueue<FileChange>.Entry) {
    byteCount -= Self.byteCount(of: entry.change)
    begin(entry.id)
  }

  /// The change will not be replaced any more.
  mutating func begin(_ id: PendingChangeID) {
    guard !credits.isEmpty, let credit = credits.removeValue(forKey: id) else { return }
    byteCount += credit
  }

  /// So many bytes are on their way to the journal.
  ///
  /// - Parameter older: The change whose place they take, which has no credit yet.
  mutating func stage(
    byteCount: Int, ticket: Int, inPlaceOf older: PendingChangeQueue<FileChange>.Entry? = nil
  ) {
    staged[ticket] = (byteCount, older?.id)
    self.byteCount += byteCount
    guard let older else { return }
    let credit = min(byteCount, Self.byteCount(of: older.change))
    credits[older.id] = credit
    self.byteCount -= credit
  }

  /// The change is in the journal, or could not get there.
  mutating func unstage(_ ticket: Int) {
    guard let (byteCount, older) = staged.removeValue(forKey: ticket) else { return }
    self.byteCount -= byteCount
    if let older { begin(older) }
  }

  #if InternalChecks
    /// Whether the bytes are those of the changes that wait or are in flight, and of what is staged.
    func counts(_ entries: [PendingChangeQueue<FileChange>.Entry]) -> Bool {
      let waiting = entries.reduce(0) { $0 + Self.byteCount(of: $1.change) }
      let onTheirWay = staged.values.reduce(0) { $0 + $1.byteCount }
      return byteCount == waiting + onTheirWay - credits.values.reduce(0, +) && submissions.count == line.count
    }
  #endif
}
