import Foundation

/// A clock that stands still until a test moves it, so that tests never have to sleep.
public final class ManualClock: Clock, @unchecked Sendable {
  /// A moment on a manual clock.
  public struct Instant: InstantProtocol, CustomStringConvertible {
    /// The time since the clock was made.
    public let offset: Duration

    /// The moment `duration` later.
    public func advanced(by duration: Duration) -> Instant { Instant(offset: offset + duration) }
    /// The time from this moment to `other`.
    public func duration(to other: Instant) -> Duration { other.offset - offset }
    /// Whether `left` is before `right`.
    public static func < (left: Instant, right: Instant) -> Bool { left.offset < right.offset }
    /// The time since the clock was made.
    public var description: String { "\(offset)" }
  }

  private struct Sleeper {
    let deadline: Instant
    let continuation: CheckedContinuation<Void, any Error>
  }

  private struct Watcher {
    let id: UInt64
    let sleepers: Int
    let continuation: CheckedContinuation<Bool, Never>
  }

  private let lock = NSLock()
  private var time = Instant(offset: .zero)
  private var sleepers: [UInt64: Sleeper] = [:]
  private var cancelled: Set<UInt64> = []
  private var watchers: [Watcher] = []
  private var nextID: UInt64 = 0

  /// Makes a clock at time zero.
  public init() {}

  /// The current time of the clock.
  public var now: Instant { lock.withLock { time } }

  /// A manual clock has no smallest step.
  public var minimumResolution: Duration { .zero }

  /// The number of tasks that sleep on this clock.
  public var sleeperCount: Int { lock.withLock { sleepers.count } }

  /// Suspends until the clock reaches `deadline`, or throws if the task is canceled.
  public func sleep(until deadline: Instant, tolerance: Duration? = nil) async throws {
    let id = lock.withLock {
      nextID += 1
      return nextID
    }
    try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        add(Sleeper(deadline: deadline, continuation: continuation), id: id)
      }
    } onCancel: {
      cancel(id)
    }
  }

  /// Moves the clock forward and wakes the sleepers whose deadlines have passed, in the order of their deadlines.
  public func advance(by duration: Duration) {
    let woken = lock.withLock {
      time = time.advanced(by: duration)
      let due = sleepers.filter { $0.value.deadline <= time }
      for id in due.keys { sleepers[id] = nil }
      return due.values.sorted { $0.deadline < $1.deadline }
    }
    for sleeper in woken { sleeper.continuation.resume() }
  }

  /// Moves the clock to the earliest deadline and wakes the sleepers with this deadline.
  ///
  /// - Returns: The time that the clock moved, or nil if no task sleeps.
  @discardableResult
  public func advanceToNextDeadline() -> Duration? {
    guard let next = lock.withLock({ sleepers.values.map(\.deadline).min() }) else { return nil }
    let step = max(.zero, now.duration(to: next))
    advance(by: step)
    return step
  }

  /// Suspends until at least `count` tasks sleep on this clock, or fails the test after a minute.
  ///
  /// Because of the time limit, a test fails instead of hanging if the tasks never sleep, as in a loop without a pause.
  ///
  /// - Returns: Whether `count` tasks sleep.
  @discardableResult
  public func waitForSleepers(_ count: Int, file: StaticString = #filePath, line: UInt = #line) async -> Bool {
    let isThere = await withCheckedContinuation { continuation in
      let id: UInt64? = lock.withLock {
        if sleepers.count >= count { return nil }
        nextID += 1
        watchers.append(Watcher(id: nextID, sleepers: count, continuation: continuation))
        return nextID
      }
      guard let id else { return continuation.resume(returning: true) }
      DispatchQueue.global().asyncAfter(deadline: .now() + .seconds(60)) { self.stopWatching(id) }
    }
    if !isThere { fail("only \(sleeperCount) of \(count) tasks sleep", file: file, line: line) }
    return isThere
  }

  private func stopWatching(_ id: UInt64) {
    let watcher = lock.withLock {
      watchers.firstIndex { $0.id == id }.map { watchers.remove(at: $0) }
    }
    watcher?.continuation.resume(returning: false)
  }

  private func add(_ sleeper: Sleeper, id: UInt64) {
    enum Outcome { case sleeps([Watcher]), isDue, isCancelled }
    let outcome: Outcome = lock.withLock {
      if cancelled.remove(id) != nil { return .isCancelled }
      if sleeper.deadline <= time { return .isDue }
      sleepers[id] = sleeper
      let content = watchers.filter { $0.sleepers <= sleepers.count }
      watchers.removeAll { $0.sleepers <= sleepers.count }
      return .sleeps(content)
    }
    switch outcome {
    case .sleeps(let content): for watcher in content { watcher.continuation.resume(returning: true) }
    case .isDue: sleeper.continuation.resume()
    case .isCancelled: sleeper.continuation.resume(throwing: CancellationError())
    }
  }

  private func cancel(_ id: UInt64) {
    let sleeper = lock.withLock {
      let sleeper = sleepers.removeValue(forKey: id)
      // The task may be canceled before its sleeper is registered. `add` then finds the ID here.
      if sleeper == nil { cancelled.insert(id) }
      return sleeper
    }
    sleeper?.continuation.resume(throwing: CancellationError())
  }
}
