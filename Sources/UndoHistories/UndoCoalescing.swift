/// Which edits become one step without a transaction.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// history.coalescing = .typing(within: .seconds(1))
/// ```
public struct UndoCoalescing: Hashable, Sendable {
  /// Whether typing joins at all.
  let joinsTyping: Bool
  /// Says whether a text edit comes too late to join.
  let timer: Timer?
  /// Says whether an assignment comes too late to join; nil where none joins.
  var valueTimer: Timer?

  /// Text edits of one kind join while each adjoins the one before: typing, deleting backwards, deleting forwards.
  ///
  /// It makes no difference whether the text is edited or assigned as a whole. If an assigned text continues a word by
  /// several letters at once, that begins a new step, because it was a completion and not a key.
  ///
  /// Texts join wherever they lie: as documents, properties, elements, in optionals that come or go, as values of a
  /// dictionary, as payloads of an enum. Not looked for are texts in objects, and in collections within such values.
  /// There let a step be open while somebody types.
  ///
  /// This is what a history does by default.
  public static var typing: UndoCoalescing { UndoCoalescing(joinsTyping: true, timer: nil) }

  /// Every edit is a step of its own.
  public static var none: UndoCoalescing { UndoCoalescing(joinsTyping: false, timer: nil) }

  /// Typing joins until it pauses: an edit that comes more than `pause` after the previous one begins a new step.
  ///
  /// Two such rules are equal only if one is a copy of the other. The time between the edits of one transaction doesn't
  /// matter.
  ///
  /// - Parameters:
  ///   - pause: The longest time between two edits that join.
  ///   - clock: The clock, which is read once or twice for each text edit.
  public static func typing<C: Clock>(
    within pause: Duration, clock: C = ContinuousClock()
  ) -> UndoCoalescing where C.Duration == Duration {
    let start = clock.now
    return UndoCoalescing(joinsTyping: true, timer: Timer(pause: pause) { start.duration(to: clock.now) })
  }

  /// Returns this rule with one addition: repeated assignments of one part join, such as those of a slider while it is
  /// dragged.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [0.5])
  /// history.coalescing = .typing.values(within: .seconds(1))
  /// for volume in 1...9 { history.edit[0] = Double(volume) }
  /// print(history.undoCount)  // 1
  /// ```
  ///
  /// An assignment joins the step before it if both replaced the same parts, and nothing else was done in between: no
  /// other edit, no undo, no save. Where one assignment changed several properties, the next has to change the same
  /// ones. What a transaction does joins nothing. When all of it comes back to what it was, there is no step any more,
  /// unless values are carried. Where the application knows when a gesture begins and ends, an open
  /// step is more exact (`UndoHistory.beginStep(_:)`).
  ///
  /// - Parameters:
  ///   - pause: The longest time between two assignments that join.
  ///   - clock: The clock, which is read once for each edit.
  public func values<C: Clock>(
    within pause: Duration, clock: C = ContinuousClock()
  ) -> UndoCoalescing where C.Duration == Duration {
    let start = clock.now
    var rule = self
    rule.valueTimer = Timer(pause: pause) { start.duration(to: clock.now) }
    return rule
  }

  /// What joins where it is known, as from a log, that it did.
  package static var repeated: UndoCoalescing {
    UndoCoalescing(joinsTyping: true, timer: nil, valueTimer: Timer(pause: .zero) { .zero })
  }

  /// A clock and the longest pause.
  @usableFromInline
  final class Timer: Hashable, Sendable {
    /// In nanoseconds.
    let pause: Int64
    /// The time since some moment.
    private let elapsed: @Sendable () -> Duration

    init(pause: Duration, elapsed: @escaping @Sendable () -> Duration) {
      self.pause = pause.nanoseconds
      self.elapsed = elapsed
    }

    /// The time since some moment in nanoseconds.
    func nanoseconds() -> Int64 { elapsed().nanoseconds }

    @usableFromInline
    static func == (a: Timer, b: Timer) -> Bool { a === b }
    @usableFromInline
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}

extension Duration {
  /// The whole nanoseconds; what does not fit, some 292 years, is the longest or the shortest time that does.
  var nanoseconds: Int64 {
    let (seconds, attoseconds) = components
    let (whole, isTooLarge) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
    let (sum, isTooFar) = whole.addingReportingOverflow(attoseconds / 1_000_000_000)
    return isTooLarge || isTooFar ? (seconds < 0 ? .min : .max) : sum
  }
}
