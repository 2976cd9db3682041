/// The positions of a document before edits that the user didn't make, which move them.
struct _UndoLivePositions {
  /// For each restored property, its position; nil if it isn't a position, or if the edits have assigned it.
  private let positions: [_UndoRestoredPosition?]

  /// Reads the positions from the document of a log.
  init(of log: borrowing _UndoLog) {
    guard let extras = log.extras.first, !extras.restored.positions.isEmpty, let document = extras.document else {
      positions = []
      return
    }
    positions = extras.steps.restored.map { column in
      column.property.space.map { $0.encoded($0.read(document, at: column.property.bytes), document) }
    }
  }

  /// Reads the positions from before the remote edit that a log has recorded.
  init(beforeRemoteEdit scratch: borrowing _UndoLog) {
    let extras = scratch.extras.first
    let columns = extras?.restored.positions.isEmpty == false ? extras?.steps.restored ?? [] : []
    positions = columns.enumerated().map { index, column in
      extras?.restored.assignedPositions.contains(.init(index)) == true ? nil : column.positions(before: 0)?.before
    }
  }

  var isEmpty: Bool { positions.isEmpty }

  /// Moves the positions over edits that were made in the document, as an assignment of the user would.
  func assign(over edits: [_UndoEdit], in log: inout _UndoLog) {
    guard !isEmpty, let document = log.extras[0].document else { return }
    var moved: [(index: Int, property: _UndoRestored, position: _UndoRestoredPosition)] = []
    for (index, property) in log.restoredProperties.enumerated() {
      guard let space = property.space, let old = positions[index] else { continue }
      let new = space.decoded(space.moved(old, over: edits), document)
      if new != space.read(document, at: property.bytes) { moved.append((index, property, new)) }
    }
    log.willAssignRestored(moved.map(\.index))
    for (_, property, new) in moved { property.space?.write(new, to: document, at: property.bytes) }
  }

  /// Does the same over the edits of the open step.
  func assign(overOpenStepOf log: inout _UndoLog) {
    guard log.isEditedStepOpen, let start = log.extras.first?.openStep?.start else { return }
    assign(over: log.records.edits(from: start).map { log.records.fastPath.operations.edit(of: $0).inverted }, in: &log)
  }

  /// Moves the positions over a remote edit that was made in the document.
  ///
  /// - Parameters:
  ///   - latest: The positions after the latest step before that step was moved. A position that is the same stays the
  ///     same.
  ///   - moved: The positions after the latest step now.
  func move(
    over edits: [_UndoEdit], latest: [_UndoRestoredPosition?] = [], moved: [_UndoRestoredPosition?] = [],
    in extras: _UndoExtras
  ) {
    guard let document = extras.document else { return }
    for (index, old) in positions.enumerated() {
      let property = extras.steps.restored[index].property
      guard let old, let space = property.space else { continue }
      let isLatest = latest.indices.contains(index) && latest[index] == old
      let new = isLatest ? moved[index] ?? old : space.moved(old, over: edits)
      space.write(space.decoded(new, document), to: document, at: property.bytes)
    }
  }
}
