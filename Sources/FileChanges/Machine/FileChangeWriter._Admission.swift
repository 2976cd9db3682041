internal import PendingChanges
internal import UniqueQueues

extension FileChangeWriter {
  /// The number of pending bytes in a writer, and the submissions that wait until the limit allows them.
  ///
  ///     submit ──► waits ───► staged ──► waiting, running or asleep ──► done, failed or canceled
  ///                nothing     └─────────── counts ────────────────┘     nothing
  ///
  /// A change counts as many bytes as its record in the journal. If a staged change will replace a waiting one, it
  /// counts only the bytes by which it is larger, since only one of them is kept: the older change has a *credit* until
  /// it is replaced. If the older change begins before that, it counts in full again; so it begins only if the limit
  /// allows that.
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
    /// The bytes of all changes that count.
    private(set) var byteCount = 0
    /// The tickets of the submissions that wait for admission, in the order of the calls.
    private(set) var tickets = UniqueQueue<Int>()
    private var submissions: [Int: Submission] = [:]
    /// The bytes of each change on its way to the journal, and the change that it will replace.
    private var staged: [Int: (byteCount: Int, older: PendingChangeID?)] = [:]
    private var credits: [PendingChangeID: Int] = [:]

    init(byteLimit: Int) { self.byteLimit = byteLimit }
  }
}

// MARK: - Submissions that wait

extension FileChangeWriter._Admission {
  /// How many submissions wait for admission.
  package var waitingCount: Int { tickets.count }

  subscript(ticket: Int) -> Submission? { submissions[ticket] }

  /// Whether a change of the file waits for admission.
  ///
  /// - Complexity: O(*n*) for *n* waiting submissions.
  func holdsUp(_ path: FileChange.Path) -> Bool { submissions.values.contains { $0.paths.contains(path) } }

  mutating func enqueue(_ submission: Submission, ticket: Int) {
    tickets.append(ticket)
    submissions[ticket] = submission
  }

  /// Removes a submission that waits for admission; nil if none has this ticket.
  mutating func withdraw(_ ticket: Int) -> Submission? {
    guard let submission = submissions.removeValue(forKey: ticket) else { return nil }
    tickets.remove(ticket)
    return submission
  }

  // MARK: The bytes

  /// Whether the limit allows so many bytes; even more than the limit if nothing else counts.
  ///
  /// - Parameter older: The bytes of the change to be replaced.
  func fits(_ byteCount: Int, inPlaceOf older: Int = 0) -> Bool {
    let others = self.byteCount - older
    return others <= byteLimit - byteCount || others <= 0 || byteCount <= older
  }

  /// Whether any waiting change is about to be replaced.
  var hasCredits: Bool { !credits.isEmpty }

  /// Whether a newer change is staged that counts only the bytes by which it exceeds this one.
  func hasCredit(_ id: PendingChangeID) -> Bool { !credits.isEmpty && credits[id] != nil }

  /// Whether the limit allows a change to begin, and so not to be replaced.
  func mayBegin(_ id: PendingChangeID) -> Bool {
    guard !credits.isEmpty, let credit = credits[id] else { return true }
    return byteCount + credit <= byteLimit
  }

  mutating func add(_ change: FileChange) { byteCount += change.recordByteCount }

  /// Stops counting a change that has left the queue or failed for good.
  mutating func remove(_ entry: PendingChangeQueue<FileChange>.Entry) {
    byteCount -= entry.change.recordByteCount
    begin(entry.id)
  }

  /// Removes the credit of a change that will not be replaced any more.
  mutating func begin(_ id: PendingChangeID) {
    guard !credits.isEmpty, let credit = credits.removeValue(forKey: id) else { return }
    byteCount += credit
  }

  /// Counts bytes on their way to the journal.
  ///
  /// - Parameter older: The change that they replace, which has no credit yet.
  mutating func stage(byteCount: Int, ticket: Int, inPlaceOf older: PendingChangeQueue<FileChange>.Entry? = nil) {
    staged[ticket] = (byteCount, older?.id)
    self.byteCount += byteCount
    guard let older else { return }
    let credit = min(byteCount, older.change.recordByteCount)
    credits[older.id] = credit
    self.byteCount -= credit
  }

  /// Stops counting staged bytes: their change is in the journal, or could not be recorded.
  mutating func unstage(_ ticket: Int) {
    guard let (byteCount, older) = staged.removeValue(forKey: ticket) else { return }
    self.byteCount -= byteCount
    if let older { begin(older) }
  }

  #if InternalChecks
    /// Whether the count is that of the changes that wait or are in flight, and of the staged ones.
    func counts(_ entries: [PendingChangeQueue<FileChange>.Entry]) -> Bool {
      let waiting = entries.reduce(0) { $0 + $1.change.recordByteCount }
      let onTheirWay = staged.values.reduce(0) { $0 + $1.byteCount }
      return byteCount == waiting + onTheirWay - credits.values.reduce(0, +) && submissions.count == tickets.count
    }
  #endif
}
