/// The log of a history: the records of its steps, and the state that changes with them, such as transactions and
/// limits.
///
///     records | transaction | joining | limit | saves | extras | unread | layouts
///
/// Recording writes after the last record (`_UndoRecords`). Undo walks back and exchanges every delta with the
/// document; redo does the same while walking forward. The parts of the log don't know of each other; their methods
/// take the records that they need. The methods of the log itself change several parts at once.
///
/// A log is a value that is copied only on purpose (`copy()`). Copies share the chunks of the records. This file has
/// its state, opens and closes it, compares the steps of two logs, and tells whether a log has changed
/// (`_UndoChangeMark`); extensions record, undo, join and limit.
@usableFromInline
package struct _UndoLog: ~Copyable {
  @usableFromInline
  package var records: _UndoRecords
  @usableFromInline
  var transaction = _UndoTransaction()
  @usableFromInline
  package var coalescing = _UndoCoalescing()
  package var limit = UndoLimit.unlimited
  /// The label and the edits of the latest undo or redo; nil if it had one edit and no label.
  @usableFromInline
  var stepDetails: _UndoStepDetails?
  package var saves = _UndoSaves()
  /// State that few histories use; empty for most of them.
  package var extras: ContiguousArray<_UndoExtras> = []
  /// The changes that a recorder hasn't read yet; nil if no recorder reads the log.
  package var unread: _UndoUnread?
  /// The layouts of the types whose values were assigned as a whole.
  var layouts = _UndoLayouts()

  @usableFromInline
  package init<Value>(for document: Value.Type) {
    self.init(_UndoRecords(_UndoOperations([.of(_UndoBoxedDelta<Value>.self), .of(_UndoLabel.self), .word])))
  }

  private init(_ records: _UndoRecords) { self.records = records }

  /// A log with the same records, which shares no memory that either of the two may write to.
  @usableFromInline
  package func copy() -> _UndoLog {
    var copy = _UndoLog(records)
    (copy.transaction, copy.coalescing, copy.limit) = (transaction, coalescing, limit)
    (copy.stepDetails, copy.saves, copy.layouts) = (stepDetails, saves, layouts)
    (copy.extras, copy.unread) = (extras, unread)
    copy.records.separate()
    copy._checkInvariants()
    return copy
  }
}

extension _UndoLog {
  /// Whether two logs have the same steps and branches, and the same position between them.
  @usableFromInline
  func hasSameSteps(as other: borrowing _UndoLog) -> Bool {
    let (layers, otherLayers) = (remoteEdits?.layers ?? [], other.remoteEdits?.layers ?? [])
    let restoredProperties = restoredProperties + other.restoredProperties
    return state - oldestState == other.state - other.oldestState
      && layers.elementsEqual(otherLayers) { layer, otherLayer in
        layer.state - oldestState == otherLayer.state - other.oldestState
          && layer.hasSameEdits(as: otherLayer, besides: restoredProperties)
      }
      && records.hasSameSteps(as: other.records, besides: restoredProperties)
      && records.areSame(
        branches?.branches ?? [], other.branches?.branches ?? [], of: other.records, besides: restoredProperties)
  }

  /// The label of the step that would be undone.
  package var undoLabel: String? {
    guard records.counts.undo > 0 else { return nil }
    if isEditedStepOpen { return extras.first?.openStep?.label }
    return records.latestLabel
  }

  // MARK: Opening and closing

  /// Opens the log, so that records can be written at the position; all records must end there.
  package mutating func open() {
    records.fastPath.directStart = hasExtras ? .max - 1 : .max
    updateDirectRange()
  }

  /// Opens the log if all records end at the position.
  @usableFromInline
  mutating func openAtEnd() {
    guard redoCount == 0, !records.chunks.isEmpty else { return }
    // A step that joined the one before it may have left its chunk empty.
    if records.position.chunkNumber + 1 < records.end.chunkNumber { records.removeRecordsAhead() }
    open()
  }

  /// Ends the latest step if the log has extras, and closes the records.
  package mutating func close() {
    guard isOpen else { return }
    if isUnlikely(!records.isPlainlyOpen) { settleLatest() }
    records.close()
  }

  // MARK: Properties that are used everywhere

  /// The state of the document: the number of steps that lead to it from where the history began.
  package var state: Int { records.state }

  /// The number of steps that can be redone.
  @inlinable
  package var redoCount: Int {
    get { records.redoCount }
    set { records.redoCount = newValue }
  }

  /// Whether records can be written at the position.
  @inlinable
  package var isOpen: Bool { records.isOpen }

  /// Whether the log has extras other than branches (`_UndoExtras`), which have to admit each record first.
  @inlinable
  package var hasExtras: Bool { records.fastPath.hasExtras }
}

/// Numbers of a history that change with each edit, undo and redo, and not with a save, a limit or a restored value.
///
/// An edit moves the end of the records, or changes a record that was there already. Two histories have different marks
/// unless one is a copy of the other.
package struct _UndoChangeMark: Equatable {
  private let location: _UndoLocation
  private let (redoCount, revision): (Int, Int)
  package let remoteEditCount: Int

  init(_ log: borrowing _UndoLog) {
    location = log.records.location
    (redoCount, revision) = (log.redoCount, log.coalescing.revision)
    remoteEditCount = log.records.counts.remoteEdits
  }
}
