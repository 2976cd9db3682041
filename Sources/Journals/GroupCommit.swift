/// What waits to be recorded together with others.
package protocol JournalSubmission: Sendable {
  associatedtype Key: Hashable

  /// What the submission changes, or nil where it only waits until what was said so far is recorded.
  ///
  /// The submissions of a key keep their order.
  var key: Key? { get }
  /// The key, and those of whatever else the submission changes.
  var keys: [Key] { get }
  /// How many bytes its record takes.
  var byteCount: Int { get }
  /// Whether it is not recorded where a newer one of its key is in the same group, and only the newest counts.
  var givesWay: Bool { get }
}

extension JournalSubmission {
  @inlinable
  package var keys: [Key] { key.map { [$0] } ?? [] }
  @inlinable
  package var givesWay: Bool { true }
}

/// A journal's state without its file: which submissions wait, which are in flight, and how large the file is.
///
///     stage ──► waiting ──► group in flight ──► recorded, or refused
///                 ▲ one group at a time: what comes meanwhile goes together into the next
///
/// A group is recorded with one fsync. It has no more bytes than the journal should have, or one submission.
///
/// The file is written anew when it is larger than a limit and twice what it held after the last time; also at the
/// beginning, and after any failure. A group that cannot be appended is tried again with the whole file, which takes
/// less room than what the file held. Where there is no room for that either, the group is divided: without the
/// submissions of its largest key and those that must not come before them, and then these alone.
package struct GroupCommit<Submission: JournalSubmission>: Sendable {
  /// Submissions that are recorded together, or not at all.
  @usableFromInline
  struct Group: Sendable {
    @usableFromInline
    var submissions: [Submission]
    /// Whether it is tried once more, in parts, where it cannot be recorded as a whole.
    @usableFromInline
    var isDivisible = true

    @inlinable
    init(submissions: [Submission], isDivisible: Bool = true) {
      self.submissions = submissions
      self.isDivisible = isDivisible
    }
  }

  /// What came of writing a group.
  package enum Outcome: Hashable, Sendable {
    case written(byteCount: Int)
    case failed(lacksSpace: Bool)
  }

  @usableFromInline
  let byteLimit: Int
  /// Whether of several submissions of a key only the newest is recorded.
  @usableFromInline
  let replacesOlder: Bool
  package var nextSequence: UInt64
  @usableFromInline
  var waiting: [Submission] = []
  /// What is tried again before anything that waits.
  @usableFromInline
  var retries: [Group] = []
  @usableFromInline
  var inFlight: (group: Group, isWhole: Bool)?
  @usableFromInline
  var byteCount = 0
  /// The size at which the file is written anew.
  @usableFromInline
  var fullByteCount: Int
  /// Whether the file is known to end with the last record.
  package var endIsKnown = false
  /// Whether the file was written anew because it is about to be closed.
  @usableFromInline
  var wasRewritten = false

  @inlinable
  package init(nextSequence: UInt64, byteLimit: Int, replacesOlder: Bool) {
    self.nextSequence = nextSequence
    self.byteLimit = byteLimit
    self.replacesOlder = replacesOlder
    fullByteCount = byteLimit
  }
}

extension GroupCommit {
  /// Whether nothing waits and nothing is in flight.
  @inlinable
  package var isIdle: Bool { inFlight == nil && retries.isEmpty && waiting.isEmpty }

  /// The sequence number that was taken last.
  @inlinable
  package var latestSequence: UInt64 { nextSequence - 1 }

  /// Takes the next sequence number.
  @inlinable
  package mutating func takeSequence() -> UInt64 {
    defer { nextSequence += 1 }
    return nextSequence
  }

  /// Takes a submission in, to be recorded with the next group.
  @inlinable
  package mutating func stage(_ submission: Submission) { waiting.append(submission) }

  /// Puts the next group in flight; nil where there is nothing to write, or another is in flight.
  ///
  /// - Parameter hasRecords: Whether there is something to write besides the submissions.
  /// - Complexity: O(*n*) for *n* submissions that wait.
  @inlinable
  package mutating func begin(hasRecords: Bool) -> (submissions: [Submission], isWhole: Bool)? {
    guard inFlight == nil, hasRecords || !retries.isEmpty || !waiting.isEmpty else { return nil }
    let group = retries.isEmpty ? nextGroup() : retries.removeFirst()
    let isWhole = !endIsKnown || byteCount >= fullByteCount
    inFlight = (group, isWhole)
    return (group.submissions, isWhole)
  }

  /// Whether the file must be written anew before it is closed; true once.
  @inlinable
  package mutating func beginRepair() -> Bool {
    guard !endIsKnown, !wasRewritten else { return false }
    wasRewritten = true
    return true
  }

  /// As many of those that wait as take no more bytes than the journal should have, but one at least.
  @inlinable
  mutating func nextGroup() -> Group {
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
    return Group(submissions: Array(waiting.prefix(count)))
  }

  /// The group in flight is in the file, or is not.
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
      // Also where it had no submissions: what was said besides them is not in the file.
      if !isWhole {
        retries.insert(group, at: 0)
        return true
      }
      if lacksSpace, divide(group) { return true }
    }
    return false
  }

  /// Divides a group that is tried again in parts.
  @inlinable
  mutating func divide(_ group: Group) -> Bool {
    guard group.isDivisible else { return false }
    guard let largest = group.submissions.filter({ $0.key != nil }).max(by: { $0.byteCount < $1.byteCount })?.key
    else { return false }
    var (apart, rest): ([Submission], [Submission]) = ([], [])
    var keys: Set<Submission.Key> = [largest]
    for submission in group.submissions {
      // What changes one thing with others must not be overtaken in any of them.
      if keys.isDisjoint(with: submission.keys) {
        rest.append(submission)
      } else {
        apart.append(submission)
        keys.formUnion(submission.keys)
      }
    }
    guard !rest.isEmpty else { return false }
    retries.insert(contentsOf: [rest, apart].map { Group(submissions: $0, isDivisible: false) }, at: 0)
    return true
  }
}
