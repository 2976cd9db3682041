/// What was absorbed into a history and still lies above steps of its own.
///
///     log     | S | T |   | U |   | V |          records of steps alone
///     layers          ^ A       ^ B, C           the absorbed edits that are made between them
///
/// Each layer lies above the step that leads to its state. One at the position would be in the way of the next undo, so
/// its edits go below that step at once: every layer has a step above it. Only an edit that does not commute with the
/// step stays, and *blocks*: the steps below it are hidden, as if a limit had dropped them.
struct _UndoAbsorbed {
  /// From the oldest to the newest; none is empty.
  private(set) var layers: [Layer] = []
  /// Where in them the newest one that blocks is.
  private var blockingIndex: Int?
  /// The oldest state that is remembered, which may be hidden.
  private(set) var bottom: Int
  /// What all edits take, with what they keep alive.
  private(set) var bytes = 0

  struct Layer {
    let state: Int
    /// From where on undo may lead back without a look: behind where the last record of the step above begins, or where
    /// the step below ends if this one blocks.
    ///
    /// That is in the chunk of the step below, since that of the next step may go with what can be redone.
    var start: _UndoLog.RecordLocation
    var edits: [Edit]
    /// Whether the steps below are hidden.
    var blocks = false

    fileprivate var bytes: Int { edits.reduce(0) { $0 + $1.bytes } }
  }

  /// What was absorbed by one call.
  struct Edit {
    var id: UInt64
    /// Whether it is a new value of the store: it becomes part of a step that is in its way, instead of blocking that.
    var isOfStore = false
    /// Records as they are in a log, of edits alone.
    var records: _UnsafeUndoChunk
    /// What the records take, with what they keep alive.
    let bytes: Int

    init(id: UInt64, isOfStore: Bool = false, records: _UnsafeUndoChunk) {
      (self.id, self.isOfStore, self.records) = (id, isOfStore, records)
      let table = records.operations.table
      bytes = records.records.reduce(0) { bytes, record in
        let retained = table.with(record.header.operation) { unsafe $0.retained.bytes?(record.payload) ?? 0 }
        return bytes + record.header.bytes + retained
      }
    }
  }

  init(bottom: Int, layers: [Layer] = []) {
    (self.bottom, self.layers) = (bottom, layers)
    bytes = layers.reduce(0) { $0 + $1.bytes }
    findBlocking()
  }

  /// The newest layer that blocks: the steps up to its state are hidden.
  var blockingLayer: Layer? { blockingIndex.map { layers[$0] } }

  private mutating func findBlocking() { blockingIndex = layers.lastIndex(where: \.blocks) }

  /// The edits that are made right above the step which leads to a state, oldest first.
  func edits(at state: Int) -> [Edit] {
    guard let layer = layers.last(where: { $0.state <= state }), layer.state == state else { return [] }
    return layer.edits
  }

  /// Whether what was absorbed above the step which leads to a state blocks that.
  func blocks(at state: Int) -> Bool {
    guard let layer = layers.last(where: { $0.state <= state }) else { return false }
    return layer.state == state && layer.blocks
  }

  /// Adds an edit at a state, above which there is nothing but steps and edits that it has crossed.
  ///
  /// In a layer that blocks it goes below all that it commutes with, so that the newest edit there is one in the way.
  mutating func add(_ edit: Edit, at state: Int, start: _UndoLog.RecordLocation) {
    bytes += edit.bytes
    // What is added lies near the end.
    let index = layers.lastIndex { $0.state < state }.map { $0 + 1 } ?? 0
    if index < layers.count, layers[index].state == state {
      if layers[index].blocks { layers[index].edits.sink(edit) } else { layers[index].edits.append(edit) }
    } else {
      layers.insert(Layer(state: state, start: start, edits: [edit]), at: index)
    }
  }

  /// Adds a layer above all others.
  mutating func append(_ layer: Layer) {
    if layer.blocks { blockingIndex = layers.count }
    layers.append(layer)
    bytes += layer.bytes
  }

  /// Takes the newest layer out, if it is that of a state.
  mutating func popLast(at state: Int) -> Layer? {
    guard let layer = layers.last, layer.state == state else { return nil }
    layers.removeLast()
    bytes -= layer.bytes
    if layer.blocks { findBlocking() }
    return layer
  }

  /// Takes all layers out.
  mutating func removeAll() { (layers, blockingIndex, bytes) = ([], nil, 0) }

  /// Takes it that the step above a layer got longer: undo leads directly back from there on, unless it ends there.
  mutating func setStart(_ start: _UndoLog.RecordLocation, ofLayerAt state: Int) {
    if let index = layers.lastIndex(where: { $0.state == state && !$0.blocks }) { layers[index].start = start }
  }

  /// Takes it that the steps up to a state were dropped: nothing above them can be in the way of a step.
  mutating func drop(upTo state: Int) {
    bottom = state
    let count = layers.prefix { $0.state <= state }.count
    guard count > 0 else { return }
    bytes -= layers[..<count].reduce(0) { $0 + $1.bytes }
    layers.removeFirst(count)
    blockingIndex = blockingIndex.flatMap { $0 < count ? nil : $0 - count }
  }

  mutating func didRemoveFirstChunk() {
    for index in layers.indices { layers[index].start.chunkIndex -= 1 }
  }
}

extension _UndoAbsorbed.Edit {
  /// What another log has recorded; nil if that is nothing.
  init?(id: UInt64 = 0, _ scratch: _UndoLog) {
    var (location, records): (_UndoLog.RecordLocation, [_UndoLog.Record]) = (scratch.firstRecord, [])
    while let record = scratch.record(at: &location) { if record.header.isEdit { records.append(record) } }
    if records.isEmpty { return nil }
    self.init(id: id, records: _UnsafeUndoChunk(copiesOf: records, scratch.operations))
  }

  /// Its edits as they were made, oldest first.
  func edits() -> [_UndoEdit] { recordsInside.map { records.operations.table.edit(of: $0).inverted } }

  /// The bytes of the document in which they lie.
  var editedBytes: [Range<Int>] { recordsInside.map { records.operations.table.editedBytes(of: $0) } }

  var recordsInside: [_UndoLog.Record] { records.records }

  /// Whether two of them change the same in the same way.
  func hasSameRecords(as other: Self) -> Bool {
    let (mine, others) = (recordsInside, other.recordsInside)
    return mine.count == others.count
      && zip(mine, others).allSatisfy { a, b in
        unsafe a.header.argument == b.header.argument
          && records.operations.table.areSame(
            a.header.operation, a.payload, b.header.operation, b.payload, of: other.records.operations.table)
      }
  }

  /// The edit made elsewhere: in a chunk of its own, since others may refer to the old one.
  func moved(to edits: [_UndoEdit]) -> Self? {
    let moved = copy()
    return moved.records.move(to: edits.map(\.inverted)) ? moved : nil
  }

  func copy() -> Self {
    var copy = self
    copy.records = records.copy(from: _UnsafeUndoMemory.start, to: records.memory.used)
    return copy
  }

  /// The edit as it is below another one, and that above it; nil if they do not commute.
  fileprivate func below(_ other: Self) -> (below: Self, above: Self)? {
    var (edits, inverses) = (edits(), Array(other.edits().map(\.inverted).reversed()))
    guard _UndoEdit.transform(&inverses, over: &edits), let below = moved(to: edits),
      let above = other.moved(to: inverses.reversed().map(\.inverted))
    else { return nil }
    return (below, above)
  }
}

extension Array where Element == _UndoAbsorbed.Edit {
  /// Adds an edit that was made last below all that it commutes with, and returns its index.
  @discardableResult
  mutating func sink(_ edit: Element) -> Int {
    var (edit, index) = (edit, count)
    while index > 0, let (below, above) = edit.below(self[index - 1]) {
      index -= 1
      (self[index], edit) = (above, below)
    }
    insert(edit, at: index)
    return index
  }
}
