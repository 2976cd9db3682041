// Records the time at which each step ends, finds the step of a time, and converts times to nanoseconds. The times are
// stored in `_UndoSteps`.

extension UndoHistory {
  /// Records the time at which each step ends, by your own clock; nil stops recording.
  ///
  /// Calling this method forgets the times that were recorded before.
  ///
  /// ```swift
  /// import Foundation
  ///
  /// var history = UndoHistory(initialValue: "")
  /// history.recordTimes { .seconds(Date.now.timeIntervalSince1970) }
  /// history.edit.append("Milk")
  /// print(history.steps.first?.time != nil)    // true
  /// history.go(to: .ago(.seconds(600)))        // as it was ten minutes ago: empty
  /// ```
  ///
  /// A step that continues, for example by typing, ends with its latest edit. Undo and redo don't change the times.
  /// Archives don't contain them.
  ///
  /// - Parameter now: Returns the time since some fixed moment, which should not go backwards. It is called for each
  ///   edit, and can't use the history.
  /// - Complexity: 8 bytes a step, in addition to its records; ``byteCount`` doesn't count them.
  public mutating func recordTimes(_ now: (@Sendable () -> Duration)?) { changeLog { $0.keepTime(by: now) } }
}

extension _UndoLog {
  mutating func keepTime(by now: (@Sendable () -> Duration)?) {
    if keepsBranches { withBranches { $0.forgetTimes() } }
    transaction.detachedRedo?.tail.rows.times = .init()
    changeExtras {
      ($0.now, $0.steps.times) = (now, .init())
      $0.openStep?.detachedRedo?.tail.rows.times = .init()
    }
  }
}

extension _UndoExtras {
  /// The state before the first step that ended less than this time ago; nil if the history records no times.
  func state(ago distance: Duration, in records: _UndoRecords) -> Int? {
    guard let now else { return nil }
    let end = now() - distance
    let last = records.newestState
    return (records.counts.dropped..<last).first { state in
      steps.time(before: last - state - 1).map { $0 > end } ?? false
    } ?? last
  }
}

extension Duration {
  /// The whole nanoseconds, clamped to about 292 years in either direction.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLarge || isTooFar ? (seconds < 0 ? .min : .max) : sum
  }
}
