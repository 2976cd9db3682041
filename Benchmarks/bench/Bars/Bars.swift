/// Every bar of the design, in the order of its table.
///
/// Times are judged at sizes that fit a core's own cache, up to 256 KB of state. Larger states lie in memory that other
/// programs use too, so their times are only shown. Bytes, allocations and instructions are exact, and are judged at
/// every size.
///
/// If the contender copies all n elements, its time grows with n, and so does the factor that can be required. Such a
/// bar was set at its largest size, and is reduced in proportion to n for the size that is judged.
///
/// A time that varies between two runs on one quiet machine by more than what is left to its limit is judged by
/// instructions, and shown.
extension Bar {
  static var all: [Bar] { queue + dirty + undo + partial + files }

  private static let steady = ["Int", "UUID", "String", "Record"].map { "UniqueQueue.steady.\($0)" }
  private static let filled = ["Int", "UUID", "String", "Record"].map { "UniqueQueue.filled.\($0)" }
  private static let depths = [1024, 65_536, 524_288]
  private static let waiting = [16, 1024, 65_536]
  private static let large = [65_536, 524_288]

  private static var queue: [Bar] {
    let round = ["PendingChangeQueue.round"]
    return [
      .speedup("queue.steady.deque-and-set", of: steady, at: [1024], shownAt: large, over: "Deque and Set", 2.5),
      .speedup("queue.steady.set", of: steady, at: [1024], shownAt: large, over: "Set insert and remove alone", 2),
      .speedup("queue.ordered", of: ["UniqueQueue.ordered"], at: [1024], over: "OrderedSet", 8),
      .speedup("queue.middle", of: ["UniqueQueue.middle"], at: [1000], shownAt: [50_000], over: "Deque and Set", 5),
      .speedup("queue.hit", of: ["UniqueQueue.hit"], at: [1024], shownAt: large, over: "OrderedSet", 1),
      .instructionCost("queue.tiny", of: ["UniqueQueue.tiny"], at: [8], against: "Array firstIndex", 1)
        .showing(.cost(against: "Array firstIndex"), of: ["UniqueQueue.tiny"], at: [8]),
      .cost("queue.copy", of: ["UniqueQueue.copy.emptied"], at: [1_000_000], against: "empty Set", 2)
        .showing(.cost(against: "empty Set"), of: ["UniqueQueue.copy.emptied.warm"], at: [1_000_000]),
      .live("queue.memory.Int", of: [steady[0]], at: depths, against: "Deque and Set", 1),
      .live("queue.memory.large", of: Array(steady[1...]), at: depths, against: "Deque and Set", 0.65),
      .live("queue.memory.filled.Int", of: [filled[0]], at: [1024, 65_536], against: "Deque and Set", 1),
      .live("queue.memory.filled.large", of: Array(filled[1...]), at: [1024, 65_536], against: "Deque and Set", 0.75),
      .allocations("queue.memory.steady", of: steady, at: depths, 0),
      .instructions("queue.pending.instructions", of: round, at: waiting, 500),
      .speedup("queue.pending.post", of: round, at: [1024], shownAt: [65_536], over: "an array", 1),
      .allocations("queue.pending.steady", of: round, at: waiting, 0),
    ]
  }

  private static var dirty: [Bar] {
    let (reads, element) = (["Dirtyable.read.small", "Dirtyable.read.large"], ["Dirtyable.element"])
    let round = ["Dirtyable.round.small"]
    return [
      .instructionCost("dirty.read", of: reads, against: "plain struct", 1.1)
        .showing(.cost(against: "plain struct"), of: reads),
      .cost("dirty.write.small", of: ["Dirtyable.write.small"], against: "plain struct", 1.6),
      .cost("dirty.write.large", of: ["Dirtyable.write.large"], against: "plain struct", 1.1),
      .instructionCost("dirty.element.plain", of: element, at: [32_768], against: "plain struct", 1.1)
        .showing(.cost(against: "plain struct"), of: element, at: [32_768, 1_000_000]),
      .proportional(
        "dirty.element.post", of: element, at: 32_768, over: "original and edited copy", 10_000, setAt: 1_000_000),
      .instructionCost("dirty.round.small", of: round, against: "original and edited copy", 3)
        .showing(.cost(against: "original and edited copy"), of: round),
      .allocations("dirty.round.memory", of: round, 0),
      .cost("dirty.rebase", of: ["Dirtyable.rebase"], against: "key paths in an array", 1.5),
      .probe("dirty.size", .bytes, .dirtyableSize, 8),
      .cost("draft.commit", of: ["Draft.commit"], against: "copy, edit, assign", 2),
    ]
  }

  private static var undo: [Bar] { undoEdits + undoSteps + undoText }

  private static var undoEdits: [Bar] {
    let (field, element) = (["UndoHistory.field"], ["UndoHistory.element"])
    let (typing, document) = (["UndoHistory.typing"], ["UndoHistory.document"])
    return [
      .speedup("undo.field.snapshots", of: field, over: "a snapshot for each edit", 3),
      .cost("undo.field.unrecorded", of: field, against: "no undo at all", 4),
      .probe("undo.field.bytes", .bytes, .undoFieldBytes, 24),
      .proportional(
        "undo.element.snapshots", of: element, at: 32_768, over: "a snapshot for each edit, 16 kept", 50_000,
        setAt: 1_000_000),
      .cost("undo.element.unrecorded", of: element, at: [32_768], shownAt: [1_000_000], against: "no undo at all", 4.5),
      .probe("undo.element.bytes", .bytes, .undoElementBytes, 32),
      .proportional(
        "undo.typing.snapshots", of: typing, at: 250_000, over: "a snapshot for each edit, 16 kept", 500,
        setAt: 1_000_000),
      .cost("undo.typing.unrecorded", of: typing, at: [250_000], shownAt: [1_000_000], against: "no undo at all", 2),
      .probe("undo.typing.bytes", .bytes, .undoTypingBytes, 1024),
      .proportional(
        "undo.document.snapshots", of: document, at: 1000, over: "a snapshot for each edit, 16 kept", 1000,
        setAt: 10_000),
      .cost("undo.document.unrecorded", of: document, at: [1000], shownAt: [10_000], against: "no undo at all", 12),
    ]
  }

  private static var undoSteps: [Bar] {
    let (element, diff) = (["UndoHistory.step.element"], ["UndoHistory.diff"])
    return [
      .cost("undo.step.field", of: ["UndoHistory.step.field"], against: "two edits, no undo at all", 2.5),
      .cost(
        "undo.step.element", of: element, at: [32_768], shownAt: [1_000_000], against: "two edits, no undo at all", 4),
      .cost("undo.diff", of: diff, at: [32_768], shownAt: [1_000_000], against: "one memcmp", 1.2)
        .showing(.speedup(over: "CollectionDifference"), of: diff, at: [32_768, 1_000_000]),
      .probe("undo.gesture.steps", .count, .gestureSteps, 1, .exactly),
      .probe("undo.gesture.records.leaf", .count, .gestureRecordsOfALeaf, 1, .exactly),
      .probe("undo.gesture.records.leaves", .count, .gestureRecordsOfTwoLeaves, 2, .exactly),
      .cost("undo.gesture.time", of: Suite.gestures, against: "plainly recorded", 3),
      .probe("undo.branch.bytes", .bytes, .branchBytes, 128),
      // 1.0, plus the variation of a time.
      .cost("undo.branch.time", of: Suite.branches, against: "redo", 1.05),
      .probe("undo.origin", .seconds, .undoByOrigin, 0.002),
      .live("undo.limit", of: Suite.limitedEdits, against: "limit, document and step", 1),
    ]
  }

  /// The bars that replay a recorded session.
  private static var undoText: [Bar] {
    [
      // The subject of this race is the unrecorded replay.
      .recording("undo.trace.joined", .typing, 1.5),
      .recording("undo.trace.transactions", .transactions, 1.5),
      .probe("undo.trace.bytes.joined", .bytes, .traceBytesOfARun, 32),
      .probe("undo.trace.bytes.transactions", .bytes, .traceBytesOfAnEdit, 40),
      .cost("undo.assign.time", of: [TraceReport.assigningID], against: TraceReport.unrecordedAssigning, 1.5),
      .probe("undo.assign.steps", .part, .assignedSteps, 0.02),
      .probe("undo.assign.bytes", .times, .assignedBytes, 1.1),
      .cost("undo.carry.time", of: [TraceReport.carryingID], against: TraceReport.besideCarrying, 2),
      .probe("undo.carry.bytes", .bytes, .restoredBytes, 24),
      // 1.0, plus the variation of a time.
      .cost("undo.carry.unused.time", of: [TraceReport.uncarriedID], against: TraceReport.textAlone, 1.05),
      .probe("undo.carry.unused.bytes", .bytes, .uncarriedBytes, 0),
    ]
  }

  private static var partial: [Bar] {
    let ofInt = ["Partial.get.Int", "Partial.set.Int"]
    let ofString = ["Partial.get.String", "Partial.set.String"]
    return [
      .speedup("partial.get.Int", of: [ofInt[0]], over: "dictionary", 30),
      .speedup("partial.get.String", of: [ofString[0]], over: "dictionary", 15),
      .cost("partial.get.optionals.Int", of: [ofInt[0]], against: "optionals", 1.5),
      .cost("partial.get.optionals.String", of: [ofString[0]], against: "optionals", 1.1),
      .cost("partial.set.Int", of: [ofInt[1]], against: "optionals", 3.3)
        .showing(.speedup(over: "dictionary"), of: [ofInt[1]]),
      .cost("partial.set.String", of: [ofString[1]], against: "optionals", 1.2)
        .showing(.speedup(over: "dictionary"), of: [ofString[1]]),
      .speedup("partial.validate", of: ["Partial.validate.30"], over: "dictionary", 60),
      .speedup("partial.build", of: ["Partial.build.30"], over: "dictionary", 8),
      .speedup("partial.fill", of: ["Partial.fill.8"], over: "dictionary", 6),
      .live(
        "partial.memory.bytes", of: ["Partial.memory.2", "Partial.memory.8", "Partial.memory.30"],
        against: "dictionary", 0.5),
      .allocations("partial.memory.fill", of: ["Partial.fill.8"], 1),
      .allocations("partial.memory.Int", of: ofInt, 0),
    ]
  }

  private static var files: [Bar] {
    [
      .cost("files.write", of: ["FileChangeWriter.replace"], at: [4096], against: "the system calls alone", 1.15),
      .probe("files.coalesce", .part, .filesWritten, 0.01),
      .probe("files.saves.1", .times, .savesByOneTask, 0.9, .atLeast),
      .probe("files.saves.8", .times, .savesBy8Tasks, 2, .atLeast),
      .probe("files.saves.64", .times, .savesBy64Tasks, 5, .atLeast),
      .probe("files.saves.floor", .times, .savesBesideCalls, 0.8, .atLeast),
      .probe("outbox.insert.bytes", .bytes, .outboxBytes, 96),
      .probe("outbox.insert.group", .count, .outboxInsertsAGroup, 20, .atLeast),
      .probe("session.key", .bytes, .sessionBytesOfAKey, 128),
      .probe("session.log.key", .bytes, .sessionBytesOfTypedKeys, 32),
      .probe("session.log.step", .bytes, .sessionBytesOfAStep, 8),
      // At most 2 µs, which is enough for a person who types.
      .instructions("session.edit.trace", of: [TraceReport.sessionID], 16_000),
      .instructions("session.edit.field", of: ["EditingSession.field"], 16_000),
      .probe("session.open", .seconds, .sessionOpening, 1),
      .probe("session.save.edit", .seconds, .sessionEditDuringASave, 0.1),
      .probe("session.save.pause", .seconds, .sessionPause, 0.1),
    ]
  }
}

// MARK: - Kinds of bars

extension Bar {
  private static func speedup(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], shownAt larger: [Int] = [], over contender: String,
    _ limit: Double
  ) -> Bar {
    figure(id, .speedup(over: contender), of: benchmarks, at: sizes, shownAt: larger, .atLeast, limit)
  }

  /// A speed-up over a contender whose time is proportional to n.
  ///
  /// It is required at one size and judged at a smaller one.
  private static func proportional(
    _ id: String, of benchmarks: [String], at size: Int, over contender: String, _ limit: Double, setAt larger: Int
  ) -> Bar {
    let scaled = (limit * Double(size) / Double(larger)).rounded(.up)
    return speedup(id, of: benchmarks, at: [size], shownAt: [larger], over: contender, scaled)
  }

  private static func cost(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], shownAt larger: [Int] = [], against contender: String,
    _ limit: Double
  ) -> Bar {
    figure(id, .cost(against: contender), of: benchmarks, at: sizes, shownAt: larger, .atMost, limit)
  }

  private static func live(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], against contender: String, _ limit: Double
  ) -> Bar {
    figure(id, .liveBytes(against: contender), of: benchmarks, at: sizes, .atMost, limit)
  }

  private static func allocations(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], _ limit: Double
  ) -> Bar {
    figure(id, .allocations, of: benchmarks, at: sizes, .atMost, limit)
  }

  private static func instructions(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], _ limit: Double
  ) -> Bar {
    figure(id, .instructions, of: benchmarks, at: sizes, .atMost, limit)
  }

  private static func instructionCost(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], against contender: String, _ limit: Double
  ) -> Bar {
    figure(id, .instructionCost(against: contender), of: benchmarks, at: sizes, .atMost, limit)
  }

  private static func recording(_ id: String, _ grouping: TraceReplay.Grouping, _ limit: Double) -> Bar {
    figure(id, .speedup(over: grouping.title), of: [TraceReport.id], at: [], .atMost, limit)
  }

  private static func probe(
    _ id: String, _ unit: Unit, _ probe: Probe, _ limit: Double, _ relation: Relation = .atMost
  ) -> Bar {
    Bar(id: id, reading: .probe(unit: unit, probe), relation: relation, limit: limit)
  }

  private static func figure(
    _ id: String, _ figure: Figure, of benchmarks: [String], at sizes: [Int], shownAt larger: [Int] = [],
    _ relation: Relation, _ limit: Double
  ) -> Bar {
    let bar = Bar(id: id, reading: .figure(figure, of: benchmarks, at: sizes), relation: relation, limit: limit)
    return larger.isEmpty ? bar : bar.showing(figure, of: benchmarks, at: larger)
  }

  /// The same bar, which also shows figures without judging them.
  private func showing(_ figure: Figure, of benchmarks: [String], at sizes: [Int] = []) -> Bar {
    var bar = self
    bar.shown.append(Shown(figure: figure, ids: benchmarks, sizes: sizes))
    return bar
  }
}
