/// The remote edits of a history that were made after steps that can be undone, in layers between the steps; and the
/// edits of one call, which can be moved over other edits (`Edit`).
///
/// This folder has edits that aren't steps, and rebases steps onto a new value of the store.
///
///     log     | S | T |   | U |   | V |          only records of steps
///     layers          ^ A       ^ B, C           the remote edits between them
///
/// Each layer lies above the step that leads to its state. A layer at the position would block the next undo, so its
/// edits are transformed at once to lie below that step. An edit that doesn't commute with the step stays where it is
/// and *blocks* undo: the steps below it are hidden, as if a limit had dropped them. All other layers therefore have a
/// step above them.
package struct _UndoRemoteEdits {
  /// The layers from the oldest to the newest; none is empty.
  private(set) var layers: [Layer] = []
  /// The index of the newest layer that blocks undo.
  private var blockingIndex: Int?
  /// The oldest state that the log remembers, which may be hidden.
  private(set) var bottom: Int
  /// The memory of all edits, including what they retain.
  private(set) var bytes = 0

  package struct Layer {
    package let state: Int
    /// Undo has to look at the layer once it gets below this location.
    ///
    /// This is just after the header of the last record of the step above, or the end of the step below if the layer
    /// blocks.
    var start: _UndoLocation
    package var edits: [Edit]
    /// Whether the steps below are hidden.
    package var blocks = false

    package init(state: Int, start: _UndoLocation, edits: [Edit], blocks: Bool = false) {
      (self.state, self.start, self.edits, self.blocks) = (state, start, edits, blocks)
    }

    func hasSameEdits(as other: Layer, besides restoredProperties: [_UndoRestored]) -> Bool {
      blocks == other.blocks
        && edits.elementsEqual(other.edits) { $0.hasSameRecords(as: $1, besides: restoredProperties) }
    }

    fileprivate var bytes: Int { edits.reduce(0) { $0 + $1.bytes } }
  }

  /// The remote edits of one call.
  package struct Edit {
    package var id: UInt64
    /// Whether this is a new value of the store, which becomes part of a conflicting step instead of blocking it.
    package var isOfStore = false
    /// The records of the edits.
    package var records: _UnsafeUndoChunk
    /// The memory of the records, including what they retain.
    let bytes: Int

    init(id: UInt64, isOfStore: Bool = false, records: _UnsafeUndoChunk) {
      (self.id, self.isOfStore, self.records) = (id, isOfStore, records)
      let table = records.operations.table
      bytes = records.records.reduce(0) { bytes, record in
        let retained = table.with(record.header.operation) { unsafe $0.delta.retainedBytes(record.payload) }
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

  /// The layer right after the step that leads to a state.
  func layer(at state: Int) -> Layer? {
    layers.last { $0.state <= state }.flatMap { $0.state == state ? $0 : nil }
  }

  /// Adds an edit at a state, after it was transformed over everything above that state.
  ///
  /// In a layer that blocks, it is inserted below all edits that it commutes with, so that the newest edit is one that
  /// conflicts.
  mutating func add(_ edit: Edit, at state: Int, start: _UndoLocation) {
    bytes += edit.bytes
    // The state is near the end.
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

  /// Removes and returns the newest layer, if it belongs to a state.
  mutating func popLast(at state: Int) -> Layer? {
    guard let layer = layers.last, layer.state == state else { return nil }
    layers.removeLast()
    bytes -= layer.bytes
    if layer.blocks { findBlocking() }
    return layer
  }

  mutating func removeAll() { (layers, blockingIndex, bytes) = ([], nil, 0) }

  /// Updates the start of a layer after the step above it has got longer.
  mutating func setStart(_ start: _UndoLocation, ofLayerAt state: Int) {
    if let index = layers.lastIndex(where: { $0.state == state && !$0.blocks }) { layers[index].start = start }
  }

  /// Removes the layers up to a state whose steps were dropped, because they can't block a step any more.
  mutating func drop(upTo state: Int) {
    bottom = state
    let count = layers.prefix { $0.state <= state }.count
    guard count > 0 else { return }
    bytes -= layers[..<count].reduce(0) { $0 + $1.bytes }
    layers.removeFirst(count)
    blockingIndex = blockingIndex.flatMap { $0 < count ? nil : $0 - count }
  }
}

extension _UndoRemoteEdits.Edit {
  /// Creates a remote edit from the edits that another log has recorded; nil if there are none.
  package init?(id: UInt64 = 0, _ scratch: _UndoRecords) {
    let edits = scratch.edits(from: scratch.start)
    if edits.isEmpty { return nil }
    self.init(id: id, records: _UnsafeUndoChunk(copiesOf: edits, scratch.operations))
  }

  /// The edits as they were made, oldest first.
  func edits() -> [_UndoEdit] { recordsInside.map { records.operations.table.edit(of: $0).inverted } }

  /// The bytes of the document that they change.
  var editedBytes: [Range<Int>] { recordsInside.map { records.operations.table.editedBytes(of: $0) } }

  package var recordsInside: [_UndoRecord] { records.records }

  /// Whether both make the same changes, ignoring the values of the restored properties.
  fileprivate func hasSameRecords(as other: Self, besides restoredProperties: [_UndoRestored]) -> Bool {
    recordsInside.elementsEqual(other.recordsInside) {
      records.operations.areSame($0, $1, of: other.records.operations, besides: restoredProperties)
    }
  }

  /// A copy of this edit whose records make the given edits instead; nil if one of them doesn't fit into its record.
  ///
  /// The copy has a chunk of its own, because copies of the log may refer to the old chunk.
  func moved(to edits: [_UndoEdit]) -> Self? {
    let moved = copy()
    return moved.records.move(to: edits.map(\.inverted)) ? moved : nil
  }

  package func copy() -> Self {
    var copy = self
    copy.records = records.copy(from: _UnsafeUndoMemory.start, to: records.memory.used)
    return copy
  }

  /// This edit as it is after other edits of its state, which are transformed to come after this one; nil if they don't
  /// commute, and then the others are unusable.
  func transformed(over others: inout [_UndoEdit], _ policy: _UndoEdit.Policy = .init()) -> Self? {
    var edits = edits()
    return _UndoEdit.transform(&others, over: &edits, edits.indices, policy) ? moved(to: edits) : nil
  }

  /// This edit transformed to come before another one, and the other one after it; nil if they don't commute.
  fileprivate func below(_ other: Self) -> (below: Self, above: Self)? {
    var inverses = Array(other.edits().map(\.inverted).reversed())
    guard let below = transformed(over: &inverses), let above = other.moved(to: inverses.reversed().map(\.inverted))
    else { return nil }
    return (below, above)
  }
}

extension Array where Element == _UndoRemoteEdits.Layer {
  /// Updates the start of the newest layer after a step was recorded above it.
  package mutating func didRecordStep(in records: _UndoRecords) {
    guard let layer = last, layer.state == records.state - 1, !layer.blocks else { return }
    self[count - 1].start = records.latestRecord.payloadLocation
  }
}

extension Array where Element == _UndoRemoteEdits.Edit {
  /// Inserts the newest edit below all edits that it commutes with, and returns its index.
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
