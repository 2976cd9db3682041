import Foundation

/// Counts live instances, and detects instances that are destroyed twice.
public final class LifetimeTracker: @unchecked Sendable {
  private let lock = NSLock()
  private var live = 0
  private var made = 0
  private var doubleDeinits = 0

  /// Makes a tracker with no instances.
  public init() {}

  /// The number of live instances.
  public var liveCount: Int { lock.withLock { live } }

  /// The number of instances that were made.
  public var madeCount: Int { lock.withLock { made } }

  /// Wraps `payload` in an instance whose lifetime is tracked.
  public func instance<Payload>(_ payload: Payload) -> LifetimeTracked<Payload> {
    LifetimeTracked(payload, trackedBy: self)
  }

  /// Wraps each of `payloads` in an instance whose lifetime is tracked.
  public func instances<Payload>(_ payloads: some Sequence<Payload>) -> [LifetimeTracked<Payload>] {
    payloads.map { instance($0) }
  }

  func didInit() -> Int {
    lock.withLock {
      live += 1
      made += 1
      return made
    }
  }

  func didDeinit(serial: Int) {
    lock.withLock {
      live -= 1
      if serial <= 0 { doubleDeinits += 1 }
    }
  }

  func check(file: StaticString, line: UInt) {
    let (live, doubleDeinits) = lock.withLock { (self.live, self.doubleDeinits) }
    expect(doubleDeinits == 0, "\(doubleDeinits) instances were destroyed twice", file: file, line: line)
    expect(live <= 0, "\(live) instances leaked", file: file, line: line)
    expect(live >= 0, "\(-live) more instances were destroyed than made", file: file, line: line)
  }
}

/// A value in a class instance whose lifetime is tracked.
///
/// It is compared, ordered and hashed by the value.
public final class LifetimeTracked<Payload> {
  private let tracker: LifetimeTracker
  // Negative after the instance was destroyed, so that a second destruction is detected.
  private var serial: Int
  /// The wrapped value.
  public let payload: Payload

  fileprivate init(_ payload: Payload, trackedBy tracker: LifetimeTracker) {
    self.tracker = tracker
    self.serial = tracker.didInit()
    self.payload = payload
  }

  deinit {
    tracker.didDeinit(serial: serial)
    serial = -abs(serial)
  }
}

extension LifetimeTracked: @unchecked Sendable where Payload: Sendable {}

extension LifetimeTracked: Equatable where Payload: Equatable {
  /// Compares the payloads.
  public static func == (left: LifetimeTracked, right: LifetimeTracked) -> Bool { left.payload == right.payload }
}

extension LifetimeTracked: Hashable where Payload: Hashable {
  /// Hashes the payload.
  public func hash(into hasher: inout Hasher) { hasher.combine(payload) }
}

extension LifetimeTracked: Comparable where Payload: Comparable {
  /// Compares the payloads.
  public static func < (left: LifetimeTracked, right: LifetimeTracked) -> Bool { left.payload < right.payload }
}

extension LifetimeTracked: CustomStringConvertible {
  /// The payload's description.
  public var description: String { "\(payload)" }
}

/// Runs `body` with a tracker, then fails if an instance still lives or was destroyed twice.
public func withLifetimeTracking<Result>(
  file: StaticString = #filePath, line: UInt = #line, _ body: (LifetimeTracker) throws -> Result
) rethrows -> Result {
  let tracker = LifetimeTracker()
  defer { tracker.check(file: file, line: line) }
  return try body(tracker)
}

/// Runs `body` with a tracker, then fails if an instance still lives or was destroyed twice.
public func withLifetimeTracking<Result>(
  file: StaticString = #filePath, line: UInt = #line, _ body: (LifetimeTracker) async throws -> Result
) async rethrows -> Result {
  let tracker = LifetimeTracker()
  defer { tracker.check(file: file, line: line) }
  return try await body(tracker)
}
