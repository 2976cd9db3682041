/// The edits behind a step, without those of which nothing is left: a step and the one that took it back.
///
///     log     | S | T | U | T taken back | V |
///     rest        | U | V |                       U and V as they are where T never was
///
/// To take a step back is to be transformed over all of these. Where the steps of one origin are taken back one by one,
/// each asks for the rest behind the step before; that one is kept, so that each costs no more than that.
struct _UndoRest {
  /// The newest edit comes first, since those of older steps are added behind.
  private var edits: [_UndoEdit] = []
  /// The identities of their steps, or their own if they were absorbed.
  private var ids: [UInt64] = []
  /// The state behind the oldest step that the rest has been asked for.
  private(set) var state: Int
  /// Where that step begins.
  private(set) var start: _UndoLog.RecordLocation
  /// Which log it is the rest of: by its state and its newest step, and by its oldest state, below which chunks go.
  private var log: (state: Int, id: UInt64, oldestState: Int)

  /// That behind the newest step.
  init(of log: borrowing _UndoLog) {
    (state, start) = (log.state, log.location)
    self.log = (log.state, log.identity(log.state).id, log.oldestState)
    addAbsorbed(log.absorbed)
  }

  /// Adds what was absorbed right behind the oldest step.
  private mutating func addAbsorbed(_ absorbed: _UndoAbsorbed?) {
    for edit in absorbed?.edits(at: state).reversed() ?? [] { append(edit.edits().reversed(), of: edit.id) }
  }

  private mutating func append(_ new: [_UndoEdit], of id: UInt64) {
    edits += new
    ids += new.map { _ in id }
  }

  /// Whether it is the rest of a log, and no step is in it that is not behind a state.
  func isValid(for log: borrowing _UndoLog, behind state: Int) -> Bool {
    self.state >= state && self.log == (log.state, log.identity(log.state).id, log.oldestState)
  }

  /// Takes it that the log has another step, which is in the rest already.
  mutating func didAdd(to log: borrowing _UndoLog, from start: _UndoLog.RecordLocation) {
    self.start = start
    self.log = (log.state, log.identity(log.state).id, log.oldestState)
    state -= 1
    addAbsorbed(log.absorbed)
  }

  /// Adds the step before the ones that are here, of which the edits are given, newest first.
  ///
  /// - Parameters:
  ///   - id: The identity of the step.
  ///   - undoing: The identity of the step that takes it back, if there is one.
  mutating func add(
    _ new: [_UndoEdit], of id: UInt64, at start: _UndoLog.RecordLocation, undoneBy undoing: UInt64?,
    _ absorbed: _UndoAbsorbed?
  ) {
    self.start = start
    if undoing.map({ remove(new, and: $0) }) != true { append(new, of: id) }
    state -= 1
    addAbsorbed(absorbed)
  }

  /// Removes the step that takes another one back, which is not added; false, and nothing done, if that is not exact.
  private mutating func remove(_ undone: [_UndoEdit], and undoing: UInt64) -> Bool {
    guard let newest = ids.firstIndex(of: undoing) else { return false }
    let end = ids[newest...].firstIndex { $0 != undoing } ?? ids.count
    var (inverses, older) = (undone.map(\.inverted), Array(edits[end...]))
    guard _UndoEdit.transform(&inverses, over: &older, older.indices.reversed()),
      inverses.elementsEqual(edits[newest..<end].reversed(), by: { $0.isSame(as: $1) })
    else { return false }
    edits.replaceSubrange(newest..., with: older)
    ids.removeSubrange(newest..<end)
    return true
  }

  /// Transforms edits of the state before the rest over all of it.
  ///
  /// A step that they do not commute with has to go first, and is transformed over what follows it along with them.
  ///
  /// - Parameter inverses: In the order in which they are made. If nothing is in the way, they come out as they are
  ///   behind the rest, which is then as it is behind them.
  /// - Returns: The identities of the steps that have to go first, newest first.
  mutating func transform(_ inverses: inout [_UndoEdit]) -> [UInt64] {
    var obstacles: [UInt64] = []
    var (end, rest, transformed) = (edits.count, edits, inverses)
    while end > 0 {
      let id = ids[end - 1]
      let start = (ids[..<end].lastIndex { $0 != id } ?? -1) + 1
      if _UndoEdit.transform(&transformed, over: &rest, (start..<end).reversed()) {
        // Not the array, which the next transformation would have to copy.
        for index in inverses.indices { inverses[index] = transformed[index] }
      } else {
        inverses = edits[start..<end].map(\.inverted) + inverses
        transformed = inverses
        obstacles.append(id)
      }
      end = start
    }
    if obstacles.isEmpty { edits = rest }
    return obstacles.reversed()
  }
}
