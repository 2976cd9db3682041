/// When the steps of a history ended.
///
///     nanoseconds   [ t | t | t | t ... ]     8 bytes a step; the first is that of the step behind state `first`
struct _UndoTimes {
  /// Gives the time since some moment.
  let now: @Sendable () -> Duration
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

  /// Forgets the steps that lead to such states and further, and returns their times.
  mutating func take(behind state: Int) -> ArraySlice<Int64> {
    let index = min(max(state - first, 0), nanoseconds.count)
    defer { nanoseconds.removeSubrange(index...) }
    return nanoseconds[index...]
  }

  /// Puts times back that were taken from behind a state.
  mutating func put(_ times: ArraySlice<Int64>, behind state: Int) {
    _ = take(behind: state)
    if nanoseconds.count == state - first { nanoseconds += times }
  }

  /// Forgets the times of the steps up to a state, now and then.
  mutating func drop(upTo state: Int) {
    let count = state - first
    guard count > 64, count > nanoseconds.count / 2 else { return }
    nanoseconds.removeFirst(min(count, nanoseconds.count))
    first = state
  }
}
