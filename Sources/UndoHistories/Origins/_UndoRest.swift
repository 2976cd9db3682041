/// The edits behind a step, without those of which nothing is left: a step and the one that took it back.
///
///     log     | S | T | U | T taken back | V |
///     rest        | U | V |                       U and V as they are where T never was
///
/// To take a step back is to cross all of these. Where the steps of one origin are taken back one by one, each asks for
/// the rest behind the step before; that one is kept, so that each costs no more than to cross it.
struct _UndoRest {
  /// The newest edit comes first, since those of older steps are added behind.
  private(set) var edits: [Edit] = []
  /// The state behind the oldest step that the rest has been asked for.
  private(set) var state: Int
  /// Where that step begins.
  private(set) var start: _UndoLog.RecordLocation
  /// Which log it is the rest of: by its state and its newest step, and by its oldest state, below which chunks go.
  private var log: (state: Int, id: UInt64, oldestState: Int)

  struct Edit {
    /// The state that its step leads to, or above which it was absorbed.
    let state: Int
    /// The identity of its step, or its own.
    let id: UInt64
    var footprint: _UndoEdit
  }

  /// That behind the newest step.
  init(of log: borrowing _UndoLog, _ origins: borrowing _UndoOrigins) {
    (state, start) = (log.state, log.location)
    self.log = (log.state, origins.entry(log.state).id, log.oldestState)
    addAbsorbed(log.absorbed)
  }

  /// Adds what was absorbed right behind the oldest step.
  private mutating func addAbsorbed(_ absorbed: _UndoAbsorbed?) {
    for edit in absorbed?.edits(at: state).reversed() ?? [] {
      for footprint in edit.edits().reversed() {
        edits.append(Edit(state: state, id: edit.id, footprint: footprint))
      }
    }
  }

  /// Whether it is the rest of a log, and no step is in it that is not behind a state.
  func isValid(for log: borrowing _UndoLog, _ origins: borrowing _UndoOrigins, behind state: Int) -> Bool {
    self.state >= state && self.log == (log.state, origins.entry(log.state).id, log.oldestState)
  }

  /// Takes it that the log has another step, which is in the rest already.
  mutating func didAdd(
    to log: borrowing _UndoLog, _ origins: borrowing _UndoOrigins, from start: _UndoLog.RecordLocation
  ) {
    self.start = start
    self.log = (log.state, origins.entry(log.state).id, log.oldestState)
    state -= 1
    addAbsorbed(log.absorbed)
  }

  /// Adds the step before the ones that are here, of which the edits are given, newest first.
  ///
  /// - Parameters:
  ///   - id: The identity of the step.
  ///   - undoing: The identity of the step that takes it back, if there is one.
  mutating func add(
    _ footprints: [_UndoEdit], of id: UInt64, at start: _UndoLog.RecordLocation, undoneBy undoing: UInt64?,
    _ absorbed: _UndoAbsorbed?
  ) {
    self.start = start
    if undoing.map({ remove(footprints, and: $0) }) != true {
      for footprint in footprints { edits.append(Edit(state: state, id: id, footprint: footprint)) }
    }
    state -= 1
    addAbsorbed(absorbed)
  }

  /// Removes the step that takes another one back, which is not added; false, and nothing done, if that is not exact.
  private mutating func remove(_ footprints: [_UndoEdit], and undoing: UInt64) -> Bool {
    guard let newest = edits.firstIndex(where: { $0.id == undoing }) else { return false }
    let end = edits[newest...].firstIndex { $0.id != undoing } ?? edits.count
    var inverses = footprints.map(\.inverted)
    var crossed: [Edit] = []
    for edit in edits[end...].reversed() {
      var edit = edit
      for index in inverses.indices where !_UndoEdit.transform(&inverses[index], &edit.footprint) { return false }
      crossed.append(edit)
    }
    guard inverses.elementsEqual(edits[newest..<end].reversed(), by: { $0.isSame(as: $1.footprint) }) else {
      return false
    }
    edits.replaceSubrange(newest..., with: crossed.reversed())
    return true
  }

  /// Lets edits of the state before the rest cross all of it.
  ///
  /// A step that they do not commute with has to go first, and crosses what follows it with them.
  ///
  /// - Parameter inverses: In the order in which they are made. If nothing is in the way, they come out as they are
  ///   behind the rest, which is then as it is behind them.
  /// - Returns: The identities of the steps that have to go first, newest first.
  mutating func cross(_ inverses: inout [_UndoEdit]) -> [UInt64] {
    var obstacles: [UInt64] = []
    var (end, rest, crossing) = (edits.count, edits, inverses)
    while end > 0 {
      let id = edits[end - 1].id
      let start = (edits[..<end].lastIndex { $0.id != id } ?? -1) + 1
      if !_UndoRest.cross(&crossing, &rest, start..<end) {
        crossing = edits[start..<end].map(\.footprint.inverted) + inverses
        inverses = crossing
        obstacles.append(id)
      } else {
        // Not the array, which the next crossing would have to copy.
        for index in inverses.indices { inverses[index] = crossing[index] }
      }
      end = start
    }
    if obstacles.isEmpty { edits = rest }
    return obstacles.reversed()
  }

  /// Lets edits cross those of one step, which are given newest first.
  private static func cross(_ crossing: inout [_UndoEdit], _ edits: inout [Edit], _ range: Range<Int>) -> Bool {
    for index in range.reversed() {
      for other in crossing.indices
      where !_UndoEdit.transform(&crossing[other], &edits[index].footprint) { return false }
    }
    return true
  }
}
