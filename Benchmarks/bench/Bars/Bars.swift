/// Every bar of the design, in the order of its table.
extension Bar {
  static var all: [Bar] { queue + dirty + undo + partial + files }

  private static let steady = ["Int", "UUID", "String", "Record"].map { "UniqueQueue.steady.\($0)" }
  private static let filled = ["Int", "UUID", "String", "Record"].map { "UniqueQueue.filled.\($0)" }
  private static let depths = [1024, 65_536, 524_288]

  private static var queue: [Bar] {
    [
      .speedup("queue.steady.deque-and-set", of: steady, at: depths, over: "Deque and Set", 2.5),
      .speedup("queue.steady.set", of: steady, at: depths, over: "Set insert and remove alone", 2),
      .speedup("queue.ordered", of: ["UniqueQueue.ordered"], at: [1024], over: "OrderedSet", 8),
      .speedup("queue.middle.1k", of: ["UniqueQueue.middle"], at: [1000], over: "Deque and Set", 5),
      .speedup("queue.middle.50k", of: ["UniqueQueue.middle"], at: [50_000], over: "Deque and Set", 100),
      .speedup("queue.hit", of: ["UniqueQueue.hit"], at: depths, over: "OrderedSet", 1),
      .speedup("queue.tiny", of: ["UniqueQueue.tiny"], at: [8], over: "Array firstIndex", 1),
      .cost("queue.copy", of: ["UniqueQueue.copy.emptied"], at: [1_000_000], against: "empty Set", 2),
      .live("queue.memory.Int", of: [steady[0]], at: depths, against: "Deque and Set", 1),
      .live("queue.memory.large", of: Array(steady[1...]), at: depths, against: "Deque and Set", 0.65),
      .live("queue.memory.filled.Int", of: [filled[0]], at: [1024, 65_536], against: "Deque and Set", 1),
      .live("queue.memory.filled.large", of: Array(filled[1...]), at: [1024, 65_536], against: "Deque and Set", 0.75),
      .allocations("queue.memory.steady", of: steady, at: depths, 0),
      .speedup("queue.pending", of: ["PendingChangeQueue.round"], at: [1024], over: "post", 1),
      .allocations("queue.pending.steady", of: ["PendingChangeQueue.round"], at: [16, 1024, 65_536], 0),
    ]
  }

  private static var dirty: [Bar] {
    [
      .cost("dirty.read", of: ["Dirtyable.read.small", "Dirtyable.read.large"], against: "plain struct", 1.1),
      .cost("dirty.write.small", of: ["Dirtyable.write.small"], against: "plain struct", 1.6),
      .cost("dirty.write.large", of: ["Dirtyable.write.large"], against: "plain struct", 1.1),
      .cost("dirty.element.plain", of: ["Dirtyable.element"], at: [1_000_000], against: "plain struct", 1.1),
      .speedup("dirty.element.post", of: ["Dirtyable.element"], at: [1_000_000], over: "post", 10_000),
      .probe("dirty.size", .bytes, .dirtyableSize, 8),
    ]
  }

  private static var undo: [Bar] {
    [
      .speedup("undo.field.snapshots", of: ["UndoHistory.field"], over: "snapshots", 3),
      .cost("undo.field.unrecorded", of: ["UndoHistory.field"], against: "unrecorded", 4),
      .probe("undo.field.bytes", .bytes, .undoFieldBytes, 24),
      .speedup("undo.element.snapshots", of: ["UndoHistory.element"], at: [1_000_000], over: "16 snapshots", 50_000),
      .cost("undo.element.unrecorded", of: ["UndoHistory.element"], at: [1_000_000], against: "unrecorded", 2.5),
      .probe("undo.element.bytes", .bytes, .undoElementBytes, 32),
      .speedup("undo.typing.snapshots", of: ["UndoHistory.typing"], at: [1_000_000], over: "16 snapshots", 500),
      .cost("undo.typing.unrecorded", of: ["UndoHistory.typing"], at: [1_000_000], against: "unrecorded", 2),
      .probe("undo.typing.bytes", .bytes, .undoTypingBytes, 1024),
      .speedup("undo.document.snapshots", of: ["UndoHistory.document"], at: [10_000], over: "16 snapshots", 1000),
      .cost("undo.step.field", of: ["UndoHistory.step.field"], against: "two unrecorded", 2.5),
      .cost("undo.step.element", of: ["UndoHistory.step.element"], at: [1_000_000], against: "two unrecorded", 4),
      .speedup("undo.diff", of: ["UndoHistory.diff"], at: [1_000_000], over: "CollectionDifference", 30),
      // The subject of this race is the unrecorded replay.
      .recording("undo.trace.joined", .typing, 1.5),
      .recording("undo.trace.transactions", .transactions, 1.5),
      .probe("undo.trace.bytes.joined", .bytes, .traceBytesOfARun, 32),
      .probe("undo.trace.bytes.transactions", .bytes, .traceBytesOfAnEdit, 40),
      .cost("undo.assign.time", of: [TraceReport.assigningID], against: TraceReport.unrecordedAssigning, 1.5),
      .probe("undo.assign.steps", .part, .assignedSteps, 0.02),
      .probe("undo.assign.bytes", .times, .assignedBytes, 1.1),
      .live("undo.limit", of: Suite.limitedEdits, against: "limit, document and step", 1),
    ]
  }

  private static var partial: [Bar] {
    let ofInt = ["Partial.get.Int", "Partial.set.Int"]
    let ofString = ["Partial.get.String", "Partial.set.String"]
    return [
      .speedup("partial.get.Int", of: [ofInt[0]], over: "dictionary", 30),
      .speedup("partial.get.String", of: [ofString[0]], over: "dictionary", 15),
      .speedup("partial.set.Int", of: [ofInt[1]], over: "dictionary", 30),
      .speedup("partial.set.String", of: [ofString[1]], over: "dictionary", 15),
      .cost("partial.get.optionals", of: [ofInt[0]], against: "optionals", 1.5),
      .cost("partial.set.optionals", of: [ofInt[1]], against: "optionals", 3),
      .cost("partial.String.optionals", of: ofString, against: "optionals", 1.1),
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
    ]
  }
}

// MARK: - Kinds of bars

extension Bar {
  private static func speedup(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], over contender: String, _ limit: Double
  ) -> Bar {
    Bar(
      id: id, reading: .figure(.speedup(over: contender), of: benchmarks, at: sizes), relation: .atLeast, limit: limit)
  }

  private static func cost(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], against contender: String, _ limit: Double
  ) -> Bar {
    Bar(
      id: id, reading: .figure(.cost(against: contender), of: benchmarks, at: sizes), relation: .atMost, limit: limit)
  }

  private static func live(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], against contender: String, _ limit: Double
  ) -> Bar {
    Bar(
      id: id, reading: .figure(.liveBytes(against: contender), of: benchmarks, at: sizes), relation: .atMost,
      limit: limit)
  }

  private static func allocations(
    _ id: String, of benchmarks: [String], at sizes: [Int] = [], _ limit: Double
  ) -> Bar {
    Bar(id: id, reading: .figure(.allocations, of: benchmarks, at: sizes), relation: .atMost, limit: limit)
  }

  private static func recording(_ id: String, _ grouping: TraceReplay.Grouping, _ limit: Double) -> Bar {
    Bar(
      id: id, reading: .figure(.speedup(over: grouping.title), of: [TraceReport.id]), relation: .atMost, limit: limit)
  }

  private static func probe(_ id: String, _ unit: Unit, _ probe: Probe, _ limit: Double) -> Bar {
    Bar(id: id, reading: .probe(unit: unit, probe), relation: .atMost, limit: limit)
  }
}
