/// The edits after a step, without the steps that undo each other.
///
///     log     | S | T | U | T undone | V |
///     rest        | U | V |                   U and V as if T had never been made
///
/// To undo a step, its inverse is transformed over the rest. If the steps of an origin are undone one by one, the rest
/// is kept and extended by the steps in between.
struct _UndoLaterEdits {
  /// The edits, newest first, so that those of older steps are appended.
  private var edits: [_UndoEdit] = []
  /// For each edit, the identity of its step or of the remote edit.
  private var ids: [UInt64] = []
  /// The state after which the rest begins.
  private(set) var state: Int
  /// The start of the step after that state.
  private(set) var start: _UndoLocation
  /// Identifies the log: its state, its newest step, and its oldest state.
  private var log: (state: Int, id: UInt64, oldestState: Int)

  /// Creates the rest after the newest step.
  init(of records: _UndoRecords, _ extras: inout _UndoExtras) {
    (state, start) = (records.state, records.location)
    log = Self.log(records, &extras)
    addRemoteEdits(extras.remoteEdits)
  }

  private static func log(
    _ records: _UndoRecords, _ extras: inout _UndoExtras
  ) -> (state: Int, id: UInt64, oldestState: Int) {
    (records.state, extras.identity(records.state, records).id, extras.oldestState(of: records))
  }

  /// Adds the remote edits right after the state.
  private mutating func addRemoteEdits(_ remoteEdits: _UndoRemoteEdits?) {
    for edit in remoteEdits?.layer(at: state)?.edits.reversed() ?? [] { append(edit.edits().reversed(), of: edit.id) }
  }

  private mutating func append(_ new: [_UndoEdit], of id: UInt64) {
    edits += new
    ids += new.map { _ in id }
  }

  /// Whether this is the rest of the log as it is now, and contains only steps after a state.
  func isValid(for records: _UndoRecords, _ extras: inout _UndoExtras, behind state: Int) -> Bool {
    self.state >= state && log == Self.log(records, &extras)
  }

  /// Updates the rest after it was transformed over the inverse of the step before it, and that inverse was recorded.
  mutating func didAdd(to records: _UndoRecords, _ extras: inout _UndoExtras, from start: _UndoLocation) {
    self.start = start
    log = Self.log(records, &extras)
    state -= 1
    addRemoteEdits(extras.remoteEdits)
  }

  /// Adds the step before the rest, whose edits are given newest first.
  ///
  /// - Parameters:
  ///   - id: The identity of the step.
  ///   - undoing: The identity of the step that undoes it, if there is one.
  mutating func add(
    _ new: [_UndoEdit], of id: UInt64, at start: _UndoLocation, undoneBy undoing: UInt64?,
    _ remoteEdits: _UndoRemoteEdits?
  ) {
    self.start = start
    if undoing.map({ remove(new, and: $0) }) != true { append(new, of: id) }
    state -= 1
    addRemoteEdits(remoteEdits)
  }

  /// Removes a step that exactly undoes another one; false, with nothing changed, if it isn't exact.
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

  /// Transforms edits of the state before the rest over the whole rest.
  ///
  /// A step that doesn't commute with them has to be undone first. Its inverse is then transformed along with them.
  ///
  /// - Parameter inverses: The edits, in the order in which they are made. Without a conflict, they are transformed to
  ///   come after the rest, and the rest is transformed to come after them.
  /// - Returns: The identities of the steps that have to be undone first, newest first.
  mutating func transform(_ inverses: inout [_UndoEdit]) -> [UInt64] {
    var obstacles: [UInt64] = []
    var (end, rest, transformed) = (edits.count, edits, inverses)
    while end > 0 {
      let id = ids[end - 1]
      let start = (ids[..<end].lastIndex { $0 != id } ?? -1) + 1
      if _UndoEdit.transform(&transformed, over: &rest, (start..<end).reversed()) {
        // Assigning the array would make the next transformation copy it.
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
