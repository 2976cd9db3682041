// The steps of a history as a collection, for lists of steps: each with its label, time, origin and identity. Undo and
// redo are in `UndoHistory+Steps`.

extension UndoHistory {
  /// Every step that the history remembers, oldest first: those that can be undone, then those that can be redone.
  ///
  /// ```swift
  /// var history = UndoHistory(initialValue: [3, 1, 2])
  /// history.transaction("Sort") { $0.sort() }
  /// history.edit.append(4)
  /// print(history.steps.map { $0.label ?? "Edit" })  // ["Sort", "Edit"]
  /// history.go(to: .step(1))                                // as it was after "Sort"
  /// ```
  ///
  /// The step at distance *i* from the first leads from position *i* to position *i* + 1
  /// (``go(to:onStep:)-(UndoPosition,_)``). The collection shares the storage of the history. Release it before the
  /// next edit, or that edit has to copy the storage.
  ///
  /// - Complexity: O(1).
  public var steps: Steps { Steps(storage: storage) }

  /// The steps of a history.
  public struct Steps: BidirectionalCollection {
    let storage: _UndoStorage<Value>

    /// The label, time, origin and identity of a step.
    public struct Element: Hashable, Identifiable, Sendable {
      /// The number of steps from the beginning of the history up to and including this one; it stays the same as long
      /// as the step exists.
      ///
      /// A step that is recorded after an undo gets the number of the step that it replaces.
      public let id: Int
      /// The label of the transaction, if it had one.
      public let label: String?
      /// The number of bytes that the step takes, as ``UndoHistory/byteCount`` counts them.
      package let byteCount: Int
      /// The time at which the step ended, if it was recorded (``UndoHistory/recordTimes(_:)``).
      public let time: Duration?
      /// The identity of the step, once an origin was used (``UndoHistory/subscript(as:)``).
      public let stepID: UndoStepID?
      /// The origin of the step's edits, if it is known.
      public let origin: UndoOrigin?
      /// The step that this one undoes, if it was made by ``UndoHistory/undo(by:)`` or a similar method.
      public let undoneStep: UndoStepID?
    }

    /// The index of a step in one state of a history.
    ///
    ///     | number | record | storage |
    ///
    /// Using an index after the history has changed traps in every build. An index keeps the state that it belongs to.
    /// As with the collection, release it before the next edit, or that edit has to copy the storage.
    public struct Index: Comparable, Hashable {
      let number: Int
      let record: _UndoLocation
      /// The storage of that state: while the index refers to it, a change of the history goes to another storage.
      let storage: _UndoStorage<Value>

      /// Whether one step is older than the other.
      public static func < (a: Index, b: Index) -> Bool { a.number < b.number }
      /// Whether both are the same step of the same state.
      public static func == (a: Index, b: Index) -> Bool { a.number == b.number && a.storage === b.storage }
      /// Feeds the step's number into a hasher.
      public func hash(into hasher: inout Hasher) { hasher.combine(number) }
    }

    /// The number of steps: the sum of ``UndoHistory/undoCount`` and ``UndoHistory/redoCount``.
    ///
    /// - Complexity: O(1).
    public var count: Int { storage.access.log.records.counts.undo + storage.access.log.redoCount }

    /// The index of the oldest step.
    public var startIndex: Index { Index(number: 0, record: start, storage: storage) }

    /// The index after the newest step.
    public var endIndex: Index { Index(number: count, record: start, storage: storage) }

    /// The start of the oldest step that isn't hidden.
    private var start: _UndoLocation {
      storage.access.log.remoteEdits?.blockingLayer?.start ?? storage.access.log.records.start
    }

    /// Returns the index after another one.
    ///
    /// Traps for an index of another state of the history.
    ///
    /// - Complexity: O(*k*) for a step of *k* edits.
    public func index(after index: Index) -> Index {
      let end = summary(at: index).end
      return Index(number: index.number + 1, record: end, storage: storage)
    }

    /// The step at an index.
    ///
    /// Traps for an index of another state of the history.
    ///
    /// - Complexity: O(*k*) for a step of *k* edits.
    public subscript(index: Index) -> Element {
      let summary = summary(at: index)
      let records = storage.access.log.records
      var extras = storage.access.log.extras.first
      let distance = count - 1 - index.number
      let state = records.counts.dropped + index.number + 1
      let origins = extras?.origins
      let entry = origins == nil ? nil : extras?.identity(state, records)
      return Element(
        id: state, label: summary.label,
        byteCount: summary.byteCount + (extras?.steps.restoredBytes(before: distance) ?? 0),
        time: extras?.steps.time(before: distance), stepID: entry.map { UndoStepID(rawValue: $0.id) },
        origin: entry.flatMap { $0.origin < 0 ? nil : origins?.names[Int($0.origin)] },
        undoneStep: entry.flatMap { $0.link == 0 ? nil : UndoStepID(rawValue: $0.link) })
    }

    /// Returns the index before another one.
    ///
    /// Traps for an index of another state of the history.
    ///
    /// - Complexity: O(*k*) for a step of *k* edits; for ``endIndex``, that of reading all redo steps.
    public func index(before index: Index) -> Index {
      check(index)
      guard index.number > 0 else { fatalError("Index out of range: there is no step before the oldest one") }
      let records = storage.access.log.records
      var start = records.location
      if index.number == records.counts.undo {
        start = records.startOfStep(endingWith: records.latestRecord)
      } else if index.number < count {
        start = records.startOfStep(endingWith: records.latestRecord(before: records.firstRecord(from: index.record)))
      } else {
        for _ in 1..<records.redoCount { start = records.summary(ofStepAt: start).end }
      }
      return Index(number: index.number - 1, record: start, storage: storage)
    }

    private func check(_ index: Index) {
      // A precondition would have no message in a release build.
      guard index.storage === storage else {
        fatalError("A stale index: the history has changed since; ask its steps for a new one")
      }
    }

    private func summary(at index: Index) -> _UndoRecords.StepSummary {
      check(index)
      guard index.number < count else { fatalError("Index out of range: there is no step after the newest one") }
      return storage.access.log.records.summary(ofStepAt: index.record)
    }
  }
}

// Both are as safe to send as the history.
extension UndoHistory.Steps: @unchecked Sendable where Value: Sendable {}
extension UndoHistory.Steps.Index: @unchecked Sendable where Value: Sendable {}
