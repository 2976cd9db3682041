/// What is known of steps beside their records: a row for each, in columns that have cells only where they are used.
///
///     times         [ t | t | t | t ]      8 bytes a step, where the history keeps the time
///     identities    [ i | i | i | i ]     24 bytes a step, where an origin was used
///     restored      [ v | v | v | v ]     twice the property, for each that undo and redo restore
///
/// The log has the rows of the steps that can be undone and redone, and perhaps of some that are dropped. The row of a
/// step is added when that ends. Steps that are taken out of the line take their rows along (`_UndoTail`).
package struct _UndoSteps {
  /// When the steps ended, in nanoseconds.
  var times = _UndoColumn<Int64>()
  package var identities = _UndoColumn<_UndoOrigins.Entry>()
  package var restored: ContiguousArray<_UndoRestoredColumn> = []

  /// The time of a step that ended while none was kept; no clock gives it, but for one of 292 years ago.
  static var noTime: Int64 { .min + 1 }

  /// Adds the rows of so many steps that follow.
  mutating func append(_ next: _UndoSteps, of stepCount: Int) {
    times.append(next.times, of: stepCount, missing: Self.noTime)
    identities.append(next.identities, of: stepCount, missing: .init(id: 0))
    // Properties are only ever added.
    restored += next.restored.dropFirst(restored.count).map(\.withoutValues)
    for index in restored.indices {
      restored[index].append(index < next.restored.count ? next.restored[index] : nil, of: stepCount)
    }
  }

  /// Forgets the newest rows.
  mutating func removeLast(_ count: Int) {
    times.removeLast(count)
    identities.removeLast(count)
    for index in restored.indices { restored[index].removeLast(count) }
  }

  /// Forgets all rows.
  mutating func removeAll() {
    (times, identities, restored) = (.init(), .init(), ContiguousArray(restored.map(\.withoutValues)))
  }

  /// Takes the newest rows out.
  mutating func takeLast(_ count: Int) -> _UndoSteps {
    var rows = _UndoSteps(times: times.takeLast(count), identities: identities.takeLast(count))
    for index in restored.indices { rows.restored.append(restored[index].takeLast(count)) }
    return rows
  }

  /// Makes the newest step part of the step before it.
  package mutating func joinLast() {
    times.removeLast(1)
    identities.removeLast(1)
    for index in restored.indices { restored[index].joinLast() }
  }

  /// Forgets, now and then, all but the newest rows.
  mutating func keepLast(_ count: Int) {
    times.keepLast(count)
    identities.keepLast(count)
    for index in restored.indices { restored[index].keepLast(count) }
  }

  /// When the step ended that so many others follow; nil if that is not known.
  func time(before distance: Int) -> Duration? {
    times[before: distance].flatMap { $0 == Self.noTime ? nil : .nanoseconds($0) }
  }

  // MARK: Restored values

  var restoredBytes: Int { restored.reduce(0) { $0 + $1.byteCount } }

  /// What those of the step take that so many others follow.
  func restoredBytes(before distance: Int) -> Int { restored.reduce(0) { $0 + $1.byteCount(before: distance) } }

  /// Whether the step that so many others follow has values of a property.
  package func restores(_ property: _UndoRestored, before distance: Int) -> Bool {
    restored.contains { $0.property.isSame(as: property) && $0.hasValues(before: distance) }
  }

  /// Forgets those of the step that so many others follow.
  mutating func forgetRestored(before distance: Int) {
    for index in restored.indices { restored[index].forget(before: distance) }
  }
}

/// What is known of one kind: a cell for each of the newest steps, up to one of which it is not known.
///
///     pieces    [ 64 cells ][ 64 cells ][ .... ]      the last cell is that of the newest step
///
/// A copy of a history shares all pieces but those in which one of the two changes something.
package struct _UndoColumn<Cell> {
  private var pieces: ContiguousArray<ContiguousArray<Cell>> = []

  private static var pieceCount: Int { 64 }

  init() {}

  package init(_ cells: some Sequence<Cell>) {
    for cell in cells { append(cell) }
  }

  var count: Int { pieces.isEmpty ? 0 : (pieces.count - 1) * Self.pieceCount + pieces[pieces.count - 1].count }
  package var cells: [Cell] { pieces.flatMap(\.self) }

  /// The cell of the newest step; nil where there is none.
  var last: Cell? {
    get { pieces.last?.last }
    set {
      if let newValue, let piece = pieces.indices.last { pieces[piece][pieces[piece].count - 1] = newValue }
    }
  }

  /// The cell of the step that so many others follow; nil where there is none.
  subscript(before distance: Int) -> Cell? {
    let index = count - 1 - distance
    return 0..<count ~= index ? pieces[index / Self.pieceCount][index % Self.pieceCount] : nil
  }

  mutating func append(_ cell: Cell) {
    if pieces.last?.count ?? Self.pieceCount == Self.pieceCount { pieces.append([]) }
    pieces[pieces.count - 1].append(cell)
  }

  /// Adds the cells of so many steps that follow, of which it may be known of the newest alone.
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
  /// Adds the row of the step that ended now, where so many are remembered.
  mutating func addRow(_ count: Int) {
    steps.keepLast(count)
    if let now { steps.times.append(now().nanoseconds) }
    if let entry = origins?.nextEntry() { steps.identities.append(entry) }
    guard let document else { return }
    for index in steps.restored.indices { steps.restored[index].append(document) }
  }

  /// Takes the rows of all steps out that can be redone.
  mutating func takeRows(ofRedoIn records: _UndoRecords) -> _UndoSteps {
    let count = records.redoCount
    var rows = steps.takeLast(count)
    // An identity that is counted from the state has to be written down where the state may become another one.
    if origins != nil, rows.identities.count < count {
      let first = (records.state + 1...records.newestState - rows.identities.count).map { identity($0, records) }
      rows.identities = _UndoColumn(first + rows.identities.cells)
    }
    return rows
  }
}

extension _UndoLog {
  /// Forgets the newest rows, of steps that are no more.
  package mutating func removeLastRows(_ count: Int) {
    if hasExtras { extras[0].steps.removeLast(count) }
  }
}
