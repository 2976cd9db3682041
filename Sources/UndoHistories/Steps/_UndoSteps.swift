/// The data of steps besides their records: a row for each step, in columns that have cells only if they are used.
///
/// The column of times and that of identities are here, too (`_UndoColumn`), and adding a row to a log and removing it.
/// The column of restored values is `_UndoRestoredColumn`.
///
///     times         [ t | t | t | t ]      8 bytes a step, if the history records times
///     identities    [ i | i | i | i ]     24 bytes a step, if an origin was used
///     restored      [ v | v | v | v ]     two values, before and after, per restored property
///
/// The log has the rows of the steps that can be undone and redone, and possibly of some dropped steps. The row of a
/// step is added when the step ends. Detached steps keep their rows (`_UndoTail`).
package struct _UndoSteps {
  /// The times at which the steps ended, in nanoseconds.
  var times = _UndoColumn<Int64>()
  package var identities = _UndoColumn<_UndoOrigins.Entry>()
  package var restored: ContiguousArray<_UndoRestoredColumn> = []

  /// The time of a step that ended while no times were recorded; a clock gives it only for a time 292 years ago.
  static var noTime: Int64 { .min + 1 }

  /// Whether no column is used.
  var isEmpty: Bool { times.count == 0 && identities.count == 0 && restored.isEmpty }

  /// Appends the rows of this many later steps.
  mutating func append(_ next: _UndoSteps, of stepCount: Int) {
    times.append(next.times, of: stepCount, missing: Self.noTime)
    identities.append(next.identities, of: stepCount, missing: .init(id: 0))
    // Properties are only ever added.
    restored += next.restored.dropFirst(restored.count).map(\.withoutValues)
    for index in restored.indices {
      restored[index].append(index < next.restored.count ? next.restored[index] : nil, of: stepCount)
    }
  }

  /// Removes the newest rows.
  mutating func removeLast(_ count: Int) {
    times.removeLast(count)
    identities.removeLast(count)
    for index in restored.indices { restored[index].removeLast(count) }
  }

  mutating func removeAll() {
    (times, identities, restored) = (.init(), .init(), ContiguousArray(restored.map(\.withoutValues)))
  }

  /// Removes the newest rows, and returns them.
  mutating func takeLast(_ count: Int) -> _UndoSteps {
    var rows = _UndoSteps(times: times.takeLast(count), identities: identities.takeLast(count))
    for index in restored.indices { rows.restored.append(restored[index].takeLast(count)) }
    return rows
  }

  /// Joins the newest step with the step before it.
  package mutating func joinLast() {
    times.removeLast(1)
    identities.removeLast(1)
    for index in restored.indices { restored[index].joinLast() }
  }

  /// Removes old rows from time to time; at least this many newest rows stay.
  mutating func keepLast(_ count: Int) {
    times.keepLast(count)
    identities.keepLast(count)
    for index in restored.indices { restored[index].keepLast(count) }
  }

  /// The time at which the step with this many steps after it ended; nil if that isn't known.
  func time(before distance: Int) -> Duration? {
    times[before: distance].flatMap { $0 == Self.noTime ? nil : .nanoseconds($0) }
  }

  // MARK: Restored values

  var restoredBytes: Int { restored.reduce(0) { $0 + $1.byteCount } }

  /// The bytes of the restored values of the step with this many steps after it.
  func restoredBytes(before distance: Int) -> Int { restored.reduce(0) { $0 + $1.byteCount(before: distance) } }

  /// Whether the step with this many steps after it has values of a property.
  package func restores(_ property: _UndoRestored, before distance: Int) -> Bool {
    restored.contains { $0.property.isSame(as: property) && $0.hasValues(before: distance) }
  }

  /// Forgets the restored values of the step with this many steps after it.
  mutating func forgetRestored(before distance: Int) {
    for index in restored.indices { restored[index].forget(before: distance) }
  }
}

/// A column of `_UndoSteps`: a cell for each of the newest steps, back to the first one without a cell.
///
///     pieces    [ 64 cells ][ 64 cells ][ .... ]      the last cell is that of the newest step
///
/// Copies of a history share all pieces, except those that one of them has changed.
package struct _UndoColumn<Cell> {
  private var pieces: ContiguousArray<ContiguousArray<Cell>> = []

  private static var pieceCount: Int { 64 }

  init() {}

  package init(_ cells: some Sequence<Cell>) {
    for cell in cells { append(cell) }
  }

  var count: Int { pieces.isEmpty ? 0 : (pieces.count - 1) * Self.pieceCount + pieces[pieces.count - 1].count }
  package var cells: [Cell] { pieces.flatMap(\.self) }

  /// Replaces the cell of the newest step, if there is one.
  mutating func setLast(_ cell: Cell) {
    if let piece = pieces.indices.last { pieces[piece][pieces[piece].count - 1] = cell }
  }

  /// The cell of the step with this many steps after it, if there is one.
  subscript(before distance: Int) -> Cell? {
    let index = count - 1 - distance
    return 0..<count ~= index ? pieces[index / Self.pieceCount][index % Self.pieceCount] : nil
  }

  mutating func append(_ cell: Cell) {
    if pieces.last?.count ?? Self.pieceCount == Self.pieceCount { pieces.append([]) }
    pieces[pieces.count - 1].append(cell)
  }

  /// Appends the cells of this many later steps; the oldest of these get the missing cell if they have none.
  mutating func append(_ next: _UndoColumn, of stepCount: Int, missing: Cell) {
    if pieces.isEmpty { return self = next }
    for _ in next.count..<max(next.count, stepCount) { append(missing) }
    for cell in next.cells { append(cell) }
  }

  mutating func removeLast(_ count: Int) {
    let rest = max(0, self.count - count)
    pieces.removeLast(pieces.count - (rest + Self.pieceCount - 1) / Self.pieceCount)
    guard let piece = pieces.indices.last else { return }
    pieces[piece].removeLast(pieces[piece].count - (rest - piece * Self.pieceCount))
  }

  mutating func takeLast(_ count: Int) -> _UndoColumn {
    defer { removeLast(count) }
    return _UndoColumn((0..<min(count, self.count)).reversed().compactMap { self[before: $0] })
  }

  mutating func keepLast(_ count: Int) {
    let surplus = self.count - count
    guard surplus > Self.pieceCount, surplus > self.count / 2 else { return }
    pieces.removeFirst(surplus / Self.pieceCount)
  }
}

extension _UndoExtras {
  /// Appends the row of the step that has just ended; the history has this many steps.
  mutating func addRow(_ count: Int) {
    steps.keepLast(count)
    if let now { steps.times.append(now().nanoseconds) }
    if let entry = origins?.nextEntry() { steps.identities.append(entry) }
    guard let document else { return }
    for index in steps.restored.indices { steps.restored[index].append(document) }
  }

  /// Removes the rows of all redo steps, and returns them.
  mutating func takeRows(ofRedoIn records: _UndoRecords) -> _UndoSteps {
    let count = records.redoCount
    var rows = steps.takeLast(count)
    // An identity that follows from the state has to be stored, because the steps may get other states.
    if origins != nil, rows.identities.count < count {
      let first = (records.state + 1...records.newestState - rows.identities.count).map { identity($0, records) }
      rows.identities = _UndoColumn(first + rows.identities.cells)
    }
    return rows
  }
}
