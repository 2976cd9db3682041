internal import UndoHistories

/// What happened in a history, in bytes, and what has to be known to write the next of it.
///
/// Nothing here depends on the type of the document, so that no key costs metadata; the recorder writes what does.
struct _UndoMessages {
  /// The messages.
  var writer: _UndoWriter
  /// What an encoder threw first.
  var failure: (any Error)?

  /// Who reads, and how often that was done: by both a log is known that goes on from what was read.
  let reader = _UndoReaderIdentity()
  var readCount = 0
  /// Where the document was then, and the values that go along.
  var (state, carried) = (0, Carried())
  var text: LatestText?
  /// How many steps limits have dropped, as far as the messages say.
  private(set) var dropped = 0
  /// The same of branches.
  private var droppedBranches = 0
  /// The open step that the archive has as if it had ended.
  var reopened: _UndoStepIdentity?

  init(_ writer: _UndoWriter) {
    self.writer = writer
  }

  /// A writer for the same pieces, without bytes.
  var emptyWriter: _UndoWriter {
    var writer = writer
    writer.bytes = []
    return writer
  }

  /// How many bytes the messages have.
  var byteCount: Int { writer.bytes.count }

  /// Begins anew with a log.
  mutating func begin(with log: borrowing _UndoLog) {
    writer.bytes.removeAll(keepingCapacity: true)
    (failure, text, reopened) = (nil, nil, nil)
    readCount += 1
    state = log.state
    dropped = log.oldestState
    droppedBranches = log.branches?.droppedCount ?? 0
  }

  /// Writes down that limits dropped branches or steps.
  mutating func synchronize(with log: borrowing _UndoLog) {
    if log.keepsBranches { synchronizeBranches(with: log) }
    let new = log.oldestState
    if new > dropped { write(.dropped, new - dropped) }
    dropped = new
  }

  /// Writes down how many branches limits have dropped.
  mutating func synchronizeBranches(with log: borrowing _UndoLog) {
    synchronizeBranches(log.branches?.droppedCount ?? 0)
  }

  mutating func synchronizeBranches(_ new: Int) {
    if new > droppedBranches { write(.droppedBranches, new - droppedBranches) }
    droppedBranches = new
  }

  // MARK: Messages without edits

  /// Writes that the open step was taken back.
  mutating func writeCancelled(_ identity: _UndoStepIdentity?) {
    if identity != nil, identity === reopened { failure = failure ?? _UndoNotArchived() }
    write(.cancelStep)
  }

  mutating func write(_ kind: _UndoMessageKind) { writer.bytes.append(kind.rawValue) }

  mutating func write(_ kind: _UndoMessageKind, _ number: Int) {
    write(kind)
    writer.write(number)
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

  /// Writes where the saved point is now, and where it will be if the open step is cancelled.
  mutating func writeSaved(_ log: borrowing _UndoLog) {
    func distance(_ saved: Int?) -> Int { saved.map { max(0, $0 - log.oldestState + 1) } ?? 0 }
    if log.keepsBranches { synchronizeBranches(with: log) }
    let step = log.extras.first?.openStep
    let ifCancelled = step?.detachedRedo?.saves
    if ifCancelled != nil, step?.identity === reopened { return failure = failure ?? _UndoNotArchived() }
    write(.saved, distance(log.saves.saved.exact))
    writer.write(ifCancelled.map { 1 + distance($0.saved.exact) } ?? 0)
    for (number, saves) in [log.saves, ifCancelled].enumerated() {
      guard let place = saves?.saved.exact.flatMap({ log.branches?.place($0) }), let branches = log.branches,
        let index = branches.index(of: place.branch)
      else { continue }
      write(.savedOnBranch, number)
      writer.write(index)
      writer.write(place.state - branches.branches[index].fork)
    }
  }
}

/// Why messages are not enough: the archive has not what could be redone before a step that was open.
private struct _UndoNotArchived: Error {}

/// What a reading came to.
package enum UndoReading { case nothing, ofSteps, ofDocument }

/// Why a history has to be written as a whole: it does not go on from what was read, or not all can be told of it.
struct _UndoNotTold: Error {}
