/// One submission to a journal, which is recorded together with others.
@usableFromInline package protocol JournalSubmission: Sendable {
  associatedtype Key: Hashable, Sendable

  /// The subject of the submission; nil for a submission that only waits until everything staged so far is recorded.
  ///
  /// Submissions with the same key keep their order.
  var key: Key? { get }
  /// All keys that the submission changes, including ``key``.
  var keys: [Key] { get }
  /// The size of its record in bytes.
  var byteCount: Int { get }
  /// Whether a newer submission with the same key in the same group replaces this one, if only the newest counts.
  var givesWay: Bool { get }
}

extension JournalSubmission {
  @inlinable
  package var keys: [Key] { key.map { [$0] } ?? [] }
  @inlinable
  package var givesWay: Bool { true }
}

/// Groups submissions so that many share one `fsync`: the state of a journal without its file.
///
///     stage ──► waiting ──► group in flight ──► recorded, or refused
///                 ▲ one group at a time: what comes meanwhile goes together into the next
///
/// A group has at most as many bytes as the journal should have, or it has one submission.
///
/// The whole file is rewritten when it is larger than a limit and twice as large as after the last rewrite; also at the
/// beginning, and after any failure. A group that cannot be appended is tried again as part of a rewrite, which needs
/// less space than the old file. If even that space is missing, the group is divided: the submissions of the largest
/// key, and those that must not come before them, are written after the others.
//
// The type and its properties are usable from inlined code, because otherwise `@inlinable` has no effect, and the code
// isn't specialized: 64 tasks then made 35,000 instead of 39,000 saves a second.
@usableFromInline package struct GroupCommit<Submission: JournalSubmission>: Sendable {
  /// Submissions that are recorded together or not at all, and whether the group is divided and tried once more if it
  /// cannot be recorded as a whole.
  @usableFromInline package typealias Group = (submissions: [Submission], isDivisible: Bool)

  /// The result of writing a group.
  @usableFromInline package enum Outcome: Hashable, Sendable {
    case written(byteCount: Int)
    case failed(lacksSpace: Bool)
  }

  @usableFromInline package let byteLimit: Int
  /// Whether only the newest of several submissions with the same key is recorded.
  @usableFromInline package let replacesOlder: Bool
  @usableFromInline package var nextSequence: UInt64
  @usableFromInline package var waiting: [Submission] = []
  /// Groups that are tried again before anything that waits.
  @usableFromInline package var retries: [Group] = []
  @usableFromInline package var inFlight: (group: Group, isWhole: Bool)?
  /// The number of submissions for each key that are not recorded yet.
  @usableFromInline package var stagedCounts: [Submission.Key: Int] = [:]
  @usableFromInline package var byteCount = 0
  /// The size at which the file is rewritten.
  @usableFromInline package var fullByteCount: Int
  /// Whether the file is known to end with the last record.
  @usableFromInline package var endIsKnown = false
  /// Whether the file was rewritten because it is about to be closed.
  @usableFromInline package var wasRewritten = false

  @inlinable
  package init(nextSequence: UInt64, byteLimit: Int, replacesOlder: Bool) {
    self.nextSequence = nextSequence
    self.byteLimit = byteLimit
    self.replacesOlder = replacesOlder
    fullByteCount = byteLimit
  }

  @inlinable
  package var isIdle: Bool { inFlight == nil && retries.isEmpty && waiting.isEmpty }

  @inlinable
  package mutating func takeSequence() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  /// Whether a submission with this key is not recorded yet.
  @inlinable
  package func isStaged(_ key: Submission.Key) -> Bool { stagedCounts[key] != nil }

  /// Adds a submission to the next group.
  @inlinable
  package mutating func stage(_ submission: Submission) {
    waiting.append(submission)
    for key in submission.keys { stagedCounts[key, default: 0] += 1 }
  }

  /// Puts the next group in flight; nil without anything to write, or while another group is in flight.
  ///
  /// - Parameter hasRecords: Whether there are records to write besides the submissions.
  /// - Complexity: O(*n*) for *n* waiting submissions.
  @inlinable
  package mutating func begin(hasRecords: Bool) -> (submissions: [Submission], isWhole: Bool)? {
    guard inFlight == nil, hasRecords || !retries.isEmpty || !waiting.isEmpty else { return nil }
    let group = retries.isEmpty ? nextGroup() : retries.removeFirst()
    let isWhole = !endIsKnown || byteCount >= fullByteCount
    inFlight = (group, isWhole)
    return (group.submissions, isWhole)
  }

  /// Whether the file must be rewritten before it is closed; true only once.
  package mutating func beginRepair() -> Bool {
    guard !endIsKnown, !wasRewritten else { return false }
    wasRewritten = true
    return true
  }

  /// Removes the next group from the waiting submissions: as many as the byte limit allows, but at least one.
  @inlinable
  mutating func nextGroup() -> Group {
    // The usual case, without a table of keys and without a copy: 3 % of the time of a save by 64 tasks.
    if waiting.reduce(0, { $0 + $1.byteCount }) <= byteLimit {
      defer { waiting = [] }
      return (waiting, isDivisible: true)
    }
    var byteCounts: [Submission.Key: Int] = [:]
    var (total, count) = (0, 0)
    for submission in waiting {
      if let key = submission.key {
        let byteCount = submission.byteCount
        total += byteCount - (replacesOlder ? byteCounts[key, default: 0] : 0)
        byteCounts[key] = submission.givesWay ? byteCount : 0
      }
      if count > 0, total > byteLimit { break }
      count += 1
    }
    defer { waiting.removeFirst(count) }
    return (Array(waiting.prefix(count)), isDivisible: true)
  }

  /// Ends the group in flight with the outcome of its write.
  ///
  /// - Returns: Whether the group is tried again.
  @inlinable
  package mutating func finish(_ outcome: Outcome) -> Bool {
    guard let (group, isWhole) = inFlight else { return false }
    inFlight = nil
    switch outcome {
    case .written(let added):
      endIsKnown = true
      if isWhole {
        byteCount = JournalHeader.byteCount + added
        fullByteCount = max(byteLimit, 2 * byteCount)
      } else {
        byteCount += added
      }
    case .failed(let lacksSpace):
      endIsKnown = false
      // Retried even without submissions: the other records of this write aren't in the file either.
      if !isWhole {
        retries.insert(group, at: 0)
        return true
      }
      if lacksSpace, divide(group) { return true }
    }
    for submission in group.submissions {
      for key in submission.keys {
        guard let index = stagedCounts.index(forKey: key) else { continue }
        if stagedCounts.values[index] == 1 { stagedCounts.remove(at: index) } else { stagedCounts.values[index] -= 1 }
      }
    }
    return false
  }

  /// Divides a group into two, which are tried again.
  @usableFromInline package mutating func divide(_ group: Group) -> Bool {
    let largest = group.submissions.filter { $0.key != nil }.max { $0.byteCount < $1.byteCount }?.key
    guard group.isDivisible, let largest else { return false }
    var (apart, rest): ([Submission], [Submission]) = ([], [])
    var keys: Set<Submission.Key> = [largest]
    for submission in group.submissions {
      // A submission with several keys must not be overtaken in any of them.
      if keys.isDisjoint(with: submission.keys) {
        rest.append(submission)
      } else {
        apart.append(submission)
        keys.formUnion(submission.keys)
      }
    }
    guard !rest.isEmpty else { return false }
    retries.insert(contentsOf: [(rest, isDivisible: false), (apart, isDivisible: false)], at: 0)
    return true
  }
}
