/// When the steps of a history ended.
///
///     nanoseconds   [ t | t | t | t ... ]     8 bytes a step; the first is that of the step behind state `first`
package struct _UndoTimes {
  /// Gives the time since some moment.
  package let now: @Sendable () -> Duration
  private(set) var first = 0
  private(set) var nanoseconds: [Int64] = []

  init(now: @escaping @Sendable () -> Duration, state: Int) {
    self.now = now
    first = state
  }

  /// Keeps when the step ended that leads to a state; what led further is forgotten.
  mutating func add(state: Int) {
    let index = state - 1 - first
    if index < 0 || index > nanoseconds.count {
      (first, nanoseconds) = (state - 1, [])
    } else {
      nanoseconds.removeSubrange(index...)
    }
    nanoseconds.append(now().nanoseconds)
  }

  /// Keeps that the step which leads to a state goes on until now.
  mutating func setLast(state: Int) {
    let index = state - 1 - first
    if nanoseconds.indices.contains(index) { nanoseconds[index] = now().nanoseconds }
  }

  /// When the step ended that leads to a state; nil where that was not kept.
  func time(state: Int) -> Duration? {
    let index = state - 1 - first
    return nanoseconds.indices.contains(index) ? .nanoseconds(nanoseconds[index]) : nil
  }

  /// Times of steps that were taken away; the first is that of the step behind state `first`.
  struct Taken {
    var first = 0
    var nanoseconds: ArraySlice<Int64> = []

    /// The times of the steps behind a state; none where that of the first of them was not kept.
    func times(behind state: Int) -> [Int64] { first == state ? Array(nanoseconds) : [] }
  }

  /// Forgets the steps behind a state, and returns their times.
  mutating func take(behind state: Int) -> Taken {
    let index = min(max(state - first, 0), nanoseconds.count)
    defer { nanoseconds.removeSubrange(index...) }
    return Taken(first: first + index, nanoseconds: nanoseconds[index...])
  }

  /// Puts times back that were taken from behind a state.
  mutating func put(_ taken: Taken, behind state: Int) {
    _ = take(behind: state)
    guard !taken.nanoseconds.isEmpty else { return }
    if nanoseconds.isEmpty { first = taken.first }
    if first + nanoseconds.count == taken.first { nanoseconds += taken.nanoseconds }
  }

  /// Forgets the times of the steps up to a state, now and then.
  mutating func drop(upTo state: Int) {
    let count = state - first
    guard count > 64, count > nanoseconds.count / 2 else { return }
    nanoseconds.removeFirst(min(count, nanoseconds.count))
    first = state
  }
}
