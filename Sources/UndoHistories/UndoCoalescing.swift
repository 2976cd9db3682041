// The rule as the user sets it, with its clock. The log's state for the rule is in `Log/_UndoCoalescing`, and
// `Deltas/_UndoTextSplice` decides whether an edit of a text continues the one before.

/// The rule by which edits join into one step without a transaction.
///
/// ```swift
/// var history = UndoHistory(initialValue: "")
/// history.coalescing = .typing(within: .seconds(1))
/// ```
public struct UndoCoalescing: Hashable, Sendable {
  @usableFromInline
  let joinsTyping: Bool
  /// Tells whether a text edit comes too late to join; nil if it never does.
  let timer: Timer?
  /// Tells whether an assignment comes too late to join; nil if assignments don't join.
  var valueTimer: Timer?

  /// Joins what keys do to a text: typing, deleting backwards, or deleting forwards, each character by character.
  ///
  /// A paste, a cut, a completion or a correction is a step of its own. ``UndoIntent/automatic`` lists the rules. It
  /// makes no difference whether the text is edited or assigned as a whole.
  ///
  /// The text may be the document, a property, an element, an optional that becomes nil or gets a value, the value of a
  /// dictionary, or the payload of an enum. Texts in objects don't join, and neither do texts in a collection inside a
  /// dictionary's value or a payload. For these, open a step while the user types (`UndoHistory.beginStep(_:id:)`).
  ///
  /// This is what a history does by default.
  public static var typing: UndoCoalescing { UndoCoalescing(joinsTyping: true, timer: nil) }

  /// Makes every edit a step of its own, except those of a composition (``UndoIntent/composing``).
  public static var none: UndoCoalescing { UndoCoalescing(joinsTyping: false, timer: nil) }

  /// Joins typing until it pauses: an edit that comes more than `pause` after the previous one begins a new step.
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
  /// An assignment joins the step before it if both replaced the same parts, and if there was no other edit, no undo
  /// and no save in between. If one assignment changed several properties, the next one has to change the same
  /// properties. Edits of a transaction never join. If the assignments bring every part back to its old value, the step
  /// is removed, unless the history restores values (`UndoHistory.restoreOnUndo(_:)`). If the application knows when a
  /// drag begins and ends, an open step is more exact (`UndoHistory.beginStep(_:id:)`).
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

  /// Joins every edit that may join, for replaying a log, which tells which edits did join.
  package static var repeated: UndoCoalescing {
    UndoCoalescing(joinsTyping: true, timer: nil, valueTimer: Timer(pause: .zero) { .zero })
  }

  /// A clock and the longest pause.
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

    static func == (a: Timer, b: Timer) -> Bool { a === b }
    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
  }
}
