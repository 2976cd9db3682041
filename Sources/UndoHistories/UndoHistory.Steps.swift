extension UndoHistory {
  /// Every step that the history remembers, oldest first: those that can be undone, then those that can be redone.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [3, 1, 2])
  /// history.transaction("Sort") { $0.sort() }
  /// history.edit.append(4)
  /// print(history.steps.map { $0.label ?? "Edit" })  // ["Sort", "Edit"]
  /// history.go(to: 1)                                // as it was after "Sort"
  /// ```
  ///
  /// The step at distance *i* from the first leads from position *i* to position *i* + 1 (``go(to:onStep:)``). The
  /// collection is a copy of the history: let go of it before the next edit, or that edit has to make the copy real.
  ///
  /// - Complexity: O(1).
  public var steps: Steps { Steps(storage: storage) }

  /// The steps of a history.
  public struct Steps: Collection {
    let storage: _UndoStorage<Value>

    /// What is known about a step.
    public struct Element: Hashable, Sendable {
      /// The label of the transaction, if it had one.
      public let label: String?
      /// How many bytes the step takes, as ``UndoHistory/byteCount`` counts them.
      public let byteCount: Int
    }

    /// The place of a step.
    public struct Index: Comparable, Hashable, Sendable {
      let number: Int
      let spot: _UndoLog.Spot

      /// Whether one step is older than the other.
      public static func < (a: Index, b: Index) -> Bool { a.number < b.number }
      /// Whether both are the same step.
      public static func == (a: Index, b: Index) -> Bool { a.number == b.number }
      /// Feeds the step's number.
      public func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// The number of steps, ``UndoHistory/undoCount`` and ``UndoHistory/redoCount`` together.
    ///
    /// - Complexity: O(1).
    public var count: Int { storage.access.log.undoCount + storage.access.log.redoCount }

    /// The oldest step.
    public var startIndex: Index { Index(number: 0, spot: storage.access.log.firstSpot) }

    /// The place behind the newest step.
    public var endIndex: Index { Index(number: count, spot: storage.access.log.firstSpot) }

    /// The step behind another.
    ///
    /// - Complexity: O(*k*) for a step of *k* edits.
    public func index(after index: Index) -> Index {
      precondition(index.number < count, "Index out of range")
      return Index(number: index.number + 1, spot: storage.access.log.outline(at: index.spot).end)
    }

    /// The step at a place.
    ///
    /// - Complexity: O(*k*) for a step of *k* edits.
    public subscript(index: Index) -> Element {
      precondition(index.number < count, "Index out of range")
      let outline = storage.access.log.outline(at: index.spot)
      return Element(label: outline.label, byteCount: outline.byteCount)
    }
  }
}
