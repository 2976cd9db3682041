/// Which edits become one step without a transaction.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// history.coalescing = .typing(within: .seconds(1))
/// ```
public struct UndoCoalescing: Hashable, Sendable {
  /// Whether typing joins at all.
  @usableFromInline
  let joinsTyping: Bool
  /// Says whether an edit comes too late to join.
  @usableFromInline
  let timer: Timer?

  /// Text edits of one kind join while each adjoins the one before: typing, deleting backwards, deleting forwards.
  ///
  /// It makes no difference whether an edit is inserted or the whole text is assigned. Of an assigned text, several
  /// letters at once that continue a word begin a step: no key does that, a completion does.
  ///
  /// This is what a history does by default.
  public static var typing: UndoCoalescing { UndoCoalescing(joinsTyping: true, timer: nil) }

  /// Every edit is a step of its own.
  public static var none: UndoCoalescing { UndoCoalescing(joinsTyping: false, timer: nil) }

  /// Typing joins unless it rests: an edit that comes later than `pause` after the one before begins a step.
  ///
  /// Two of these are equal only if one is a copy of the other. Where edits come within a transaction, the time between
  /// them does not matter.
  ///
  /// - Parameters:
  ///   - pause: The longest time between two edits that join.
  ///   - clock: What the time is read from, once or twice with each text edit.
  public static func typing<C: Clock>(
    within pause: Duration, clock: C = ContinuousClock()
  ) -> UndoCoalescing where C.Duration == Duration {
    let start = clock.now
    return UndoCoalescing(joinsTyping: true, timer: Timer(pause: pause) { start.duration(to: clock.now) })
  }

  /// A clock and the longest pause.
  @usableFromInline
  final class Timer: Hashable, Sendable {
    let pause: Duration
    /// The time since some moment.
    let elapsed: @Sendable () -> Duration

    init(pause: Duration, elapsed: @escaping @Sendable () -> Duration) {
      self.pause = pause
      self.elapsed = elapsed
    }

    @usableFromInline
    static func == (a: Timer, b: Timer) -> Bool { a === b }
    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}
