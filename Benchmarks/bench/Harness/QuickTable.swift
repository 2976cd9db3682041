/// The table of `bench` without arguments: one row for each thing that users do, in their words.
///
/// Each row compares a type of this package with the way that people would choose without it. `bench run` has all
/// designs, sizes and figures.
struct QuickTable {
  struct Row {
    /// The id of a benchmark.
    let id: String
    /// The act, in words of users.
    let words: String
    /// The contender to compare with.
    let other: String
  }

  static let rows = [
    Row(id: "UndoHistory.field", words: "set a field, with undo", other: "a snapshot for each edit"),
    Row(
      id: "UndoHistory.element", words: "change one of 1,000,000 elements, with undo",
      other: "a snapshot for each edit, 16 kept"),
    Row(
      id: "UndoHistory.document", words: "rename one of 10,000 items, with undo",
      other: "a snapshot for each edit, 16 kept"),
    Row(
      id: "UndoHistory.typing", words: "type a letter into a text of 1 MB, with undo",
      other: "a snapshot for each edit, 16 kept"),
    Row(id: "UndoHistory.transaction", words: "set three fields as one step", other: "a snapshot for each edit"),
    Row(id: "UndoHistory.step.field", words: "undo and redo a field", other: "a snapshot for each edit"),
    Row(id: "UndoHistory.diff", words: "find the change in an array of 1,000,000", other: "CollectionDifference"),
    Row(id: "EditingSession.typing", words: "type a letter that survives kill -9", other: "history alone"),
    Row(id: "Dirtyable.read.large", words: "read a field of an edited form", other: "original and edited copy"),
    Row(id: "Dirtyable.write.large", words: "set a field of an edited form", other: "original and edited copy"),
    Row(
      id: "Dirtyable.element", words: "change one of 1,000,000 numbers of a form", other: "original and edited copy"),
    Row(id: "Dirtyable.isDirty", words: "ask whether a form has changed", other: "original != current"),
    Row(id: "Dirtyable.round.large", words: "edit a form of 40 fields and save it", other: "original and edited copy"),
    Row(id: "Dirtyable.rebase", words: "merge a form with a newer original", other: "key paths in an array"),
    Row(id: "Draft.commit", words: "edit a draft and commit it", other: "copy, edit, assign"),
    Row(id: "Partial.get.String", words: "read a field of an unfinished value", other: "dictionary"),
    Row(id: "Partial.set.String", words: "set a field of an unfinished value", other: "dictionary"),
    Row(id: "Partial.build.8", words: "build a value from its 8 fields", other: "dictionary"),
    Row(id: "UniqueQueue.steady.String", words: "append to a queue and take the oldest", other: "Set and Array"),
    Row(id: "UniqueQueue.duplicates.90", words: "append what mostly waits already", other: "Set and Array"),
    Row(id: "UniqueQueue.middle", words: "remove 1,000 elements from the middle", other: "Array firstIndex"),
    Row(id: "UniqueQueue.iterate", words: "read an element of a queue in turn", other: "Array"),
    Row(id: "PendingChangeQueue.round", words: "queue a change, start it, complete it", other: "an array"),
    Row(
      id: "PendingChangeQueue.coalesce", words: "queue a change of what waits already",
      other: "an array, searched by key"),
    Row(
      id: "FileChangeWriter.replace", words: "replace a file so that a power failure keeps it",
      other: "the system calls alone"),
    Row(
      id: "FileChangeWriter.journal", words: "save, on disk when acknowledged, by 8 tasks",
      other: "Data.write(.atomic) and two fsyncs"),
  ]

  private static let columns = [
    Table.Column(title: "what you do", alignment: .left),
    Table.Column(title: "with Unsaved"),
    Table.Column(title: "new memory", expendability: 2),
    Table.Column(title: "without it"),
    Table.Column(title: "namely by", alignment: .left, expendability: 1),
    Table.Column(title: "so Unsaved takes", alignment: .left),
  ]

  /// The table of those rows that the results have figures for.
  static func rendered(_ results: Results, for terminal: Terminal) -> String {
    var table = Table(columns: columns)
    for row in rows {
      guard let result = results.cases.first(where: { $0.id == row.id }), let subject = result.lanes.first,
        let time = subject.time, let other = result.lanes.first(where: { $0.contender.name == row.other }),
        let otherTime = other.time, let ratio = other.ratio
      else { continue }
      let isDoubtful = !(subject.marks + other.marks).isEmpty
      table.append([
        Table.Cell(row.words), Table.Cell(Format.time(time.median), .bold),
        Table.Cell(newMemory(subject, of: result), .dim), Table.Cell(Format.time(otherTime.median)),
        Table.Cell(row.other, .dim), verdict(ratio, isDoubtful: isDoubtful),
      ])
    }
    return table.rendered(for: terminal)
  }

  /// The bytes that an operation allocates; of an operation on n elements, those for each element.
  private static func newMemory(_ lane: Results.Lane, of result: Results.Case) -> String {
    guard let memory = lane.memory else { return Format.absent }
    let units = memory.operations * (result.unit == .element ? result.size ?? 1 : 1)
    return Format.bytes((memory.requestedBytes + units / 2) / units)
  }

  private static func verdict(_ ratio: Results.Ratio, isDoubtful: Bool) -> Table.Cell {
    let doubt = isDoubtful ? "?" : ""
    return switch Conclusion.Side(ratio) {
    case .faster: Table.Cell("1/\(Format.ratio(ratio.median))\(doubt) of the time", isDoubtful ? .doubtful : .faster)
    case .equal: Table.Cell("the same time\(doubt)", isDoubtful ? .doubtful : .plain)
    case .slower: Table.Cell("\(Format.ratio(1 / ratio.median))\(doubt) times as long", isDoubtful ? .doubtful : .plain)
    }
  }
}
