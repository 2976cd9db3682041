/// When the steps of a log ended, oldest first: those that can be undone, then those that can be redone.
///
///     | dropped | step | step | step ... |     8 bytes a step: nanoseconds by the clock
///
/// The log that changes it must be the only one that refers to it.
@usableFromInline
final class _UndoTimes {
  /// The time since some moment.
  let now: @Sendable () -> Duration
  private var times: ContiguousArray<Int64>
  /// How many at the beginning belong to steps that were dropped: to remove each at once would move all others.
  private var droppedCount = 0

  /// The times of so many steps of which none is known.
  init(count: Int, now: @escaping @Sendable () -> Duration) {
    self.now = now
    times = ContiguousArray(repeating: Self.unknown, count: count)
  }

  private init(_ other: _UndoTimes) {
    (now, times, droppedCount) = (other.now, other.times, other.droppedCount)
  }

  func copy() -> _UndoTimes { _UndoTimes(self) }

  var count: Int { times.count - droppedCount }

  /// When a step ended, if that is known.
  subscript(number: Int) -> Duration? {
    let time = times[droppedCount + number]
    return time == Self.unknown ? nil : .nanoseconds(time)
  }

  /// How many steps lead to the newest one that had ended by then; those of unknown time are older than any other.
  func countOfSteps(endedBy time: Duration) -> Int {
    let last = times[droppedCount...].lastIndex { $0 <= Self.nanoseconds(time) }
    return last.map { $0 + 1 - droppedCount } ?? 0
  }

  /// Adds a step that ends now.
  func append() { times.append(Self.nanoseconds(now())) }

  /// Lets the newest step end now.
  func extendLast() { times[times.count - 1] = Self.nanoseconds(now()) }

  func dropFirst(_ count: Int) {
    droppedCount += count
    guard droppedCount >= 64, 2 * droppedCount > times.count else { return }
    times.removeFirst(droppedCount)
    droppedCount = 0
  }

  func keepFirst(_ count: Int) { times.removeLast(self.count - count) }

  private static var unknown: Int64 { .min }

  /// As many as an integer can say, which are 292 years either way.
  private static func nanoseconds(_ duration: Duration) -> Int64 {
    let (seconds, attoseconds) = duration.components
    let (whole, isTooLong) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, overflows) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    if isTooLong || overflows { return seconds < 0 ? unknown + 1 : .max }
    return max(sum, unknown + 1)
  }
}

extension _UndoLog {
  /// Keeps when steps end from now on, or nothing of that any more.
  ///
  /// While it does, no record is written directly and each transaction ends the long way: there the times are kept, and
  /// a log without them has no question to ask. Joined text asks the timer of the rule, so that there is one.
  mutating func keepTime(by now: (@Sendable () -> Duration)?) {
    defer { _checkInvariants() }
    let rule = coalescing.rule.asGiven
    times = now.map { _UndoTimes(count: counts.undo + redoCount, now: $0) }
    coalescing.rule = times == nil ? rule : rule.timed
    fastPath.isLimited = limit != .unlimited || times != nil
    transaction.needsSlowEnd = times != nil
    updateDirectRange()
    enforceLimit()
  }

  /// Keeps when the newest step ended, if that is to be kept and is not yet.
  mutating func keepEndOfStep() {
    // Not by `if let`: that would be a second reference, for which each step would copy all times.
    guard let count = times?.count, count < counts.undo else { return }
    changeTimes { $0.append() }
  }

  /// Changes the times, which another log may refer to.
  mutating func changeTimes(_ change: (_UndoTimes) -> Void) {
    if times != nil, !isKnownUniquelyReferenced(&times) { times = times?.copy() }
    if let times { change(times) }
  }
}
