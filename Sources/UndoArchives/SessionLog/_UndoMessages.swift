internal import UndoHistories

/// The messages about a history that were written so far, and the state that is needed to write the next one.
///
/// This folder writes the changes of a history as messages, and replays them. Changes are read from the log after each
/// call, and their messages (undo, redo, steps and edits) are written in `+Reading`. Here are the ways to write a
/// message, and the messages for limits, `removeAllSteps()`, a canceled step and the saved point. Nothing here is
/// generic, so there is one copy of this code for all types of documents. The result of a reading (`UndoReading`) and
/// the error that asks for a new archive are defined here, too.
struct _UndoMessages {
  let schema: _UndoSchema
  let parts: _UndoParts
  let coder: any _UndoCoder.Type
  /// A schema that writes no `_UndoField`; used if a restored value can't be named.
  let wholeSchema = _UndoSchema()
  /// The bytes of restored properties that no part names, so that their own names identify them.
  var restoredFields: [Range<Int>] = []
  /// Whether a restored value can't be named at all, so that the messages contain the whole document.
  var restoresUnnamed = false

  /// The messages.
  var writer: _UndoWriter
  /// The first error.
  var failure: (any Error)?

  /// The identity of the reader, and how often it has read; a log that continues from there has the same two.
  let reader = _UndoReaderIdentity()
  var readCount = 0
  /// The state of the document at the last reading, and the restored values.
  var (state, restored) = (0, Restored())
  var text: LatestText?
  /// The number of steps that limits have dropped, according to the messages.
  private(set) var dropped = 0
  /// The number of branches that limits have dropped, according to the messages.
  private var droppedBranches = 0
  /// Whether `removeAllSteps()` was called since this was last asked, so that a log must not have the steps any more.
  var hasRemovedAll = false
  /// The open step that has ended in the archive.
  var reopened: _UndoStepIdentity?

  init(of document: any Codable.Type, _ coding: UndoPieceCoding) {
    (schema, writer) = (_UndoSchema(fields: coding), _UndoWriter(coding))
    (parts, coder) = (schema.parts(of: document), schema.coder(of: document))
  }

  /// Begins with the current state of a log.
  mutating func begin(with log: borrowing _UndoLog) {
    writer.bytes.removeAll(keepingCapacity: true)
    (failure, text, reopened) = (nil, nil, nil)
    readCount += 1
    state = log.state
    dropped = log.oldestState
    droppedBranches = log.branches?.droppedCount ?? 0
  }

  /// Writes that limits dropped branches or steps.
  mutating func synchronize(with log: borrowing _UndoLog) {
    synchronizeBranches(log.branches?.droppedCount ?? 0)
    let new = log.oldestState
    if new > dropped { write(.dropped, new - dropped) }
    dropped = new
  }

  /// Writes that limits dropped branches, this many in all.
  mutating func synchronizeBranches(_ new: Int) {
    if new > droppedBranches { write(.droppedBranches, new - droppedBranches) }
    droppedBranches = new
  }

  // MARK: Messages without edits

  mutating func write(_ kind: _UndoMessageKind, _ numbers: Int...) {
    writer.bytes.append(kind.rawValue)
    for number in numbers { writer.write(number) }
  }

  mutating func write(_ plain: _UndoMessageKind, _ labelled: _UndoMessageKind, _ label: String?) {
    write(label == nil ? plain : labelled)
    if let label { writer.write(label) }
  }

  mutating func writeRemovedAll(_ log: borrowing _UndoLog) {
    write(.removedAll)
    text = nil
    (dropped, droppedBranches) = (0, log.branches?.droppedCount ?? 0)
  }

  /// Writes the saved point, and the saved point after the open step is cancelled.
  mutating func writeSaved(_ log: borrowing _UndoLog) {
    func distance(_ saved: Int?) -> Int { saved.map { max(0, $0 - log.oldestState + 1) } ?? 0 }
    synchronizeBranches(log.branches?.droppedCount ?? 0)
    let step = log.extras.first?.openStep
    let ifCancelled = step?.detachedRedo?.saves
    if ifCancelled != nil, step?.identity === reopened { return failure = failure ?? _UndoNeedsArchive() }
    write(.saved, distance(log.saves.saved.exact), ifCancelled.map { 1 + distance($0.saved.exact) } ?? 0)
    for (number, saves) in [log.saves, ifCancelled].enumerated() {
      guard let saves, let branches = log.branches, let place = branches.place(of: saves.saved),
        let index = branches.index(of: place.branch)
      else { continue }
      write(.savedOnBranch, number, index, place.state - branches.branches[index].fork)
    }
  }
}

/// The result of reading a log: nothing changed, only steps did, or the document did.
package enum UndoReading { case nothing, ofSteps, ofDocument }

/// The history has to be archived again, because it doesn't continue from what was read, messages can't describe it, or
/// the archive lacks the redo steps from before an open step.
struct _UndoNeedsArchive: Error {}
