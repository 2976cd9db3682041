/// The log of a history: its records, and what an edit or a step means for all that goes along with them.
///
///     records | transaction | joining | limit | saves | extras | unread | layouts
///
/// To record is to write behind the last record (`_UndoRecords`). To undo is to walk back and exchange every delta with
/// the document; to redo is the same walk forward. Each part here knows nothing of the others, and its methods take
/// what they need of the records; the log's own methods are those that change several at once.
///
/// A log is a value. Its copy shares the chunks of the records.
@usableFromInline
package struct _UndoLog {
  @usableFromInline
  package var records: _UndoRecords
  @usableFromInline
  var transaction = _UndoTransaction()
  @usableFromInline
  package var coalescing = _UndoCoalescing()
  @usableFromInline
  package var limit = UndoLimit.unlimited
  /// What the latest undo or redo did: the label and the edits, if there is a label or more than one edit.
  @usableFromInline
  var stepReport: _UndoReport.Details?
  package var saves = _UndoSaves()
  /// What goes along with the steps of some histories; most have nothing, and then this is empty.
  package var extras: ContiguousArray<_UndoExtras> = []
  /// What is not read of it; nil where nobody reads it.
  package var unread: _UndoUnread?
  /// Where the properties lie of what was assigned as a whole.
  var layouts = _UndoLayouts()

  @inlinable
  package init<Value>(for document: Value.Type) {
    self.init(boxed: .of(_UndoBoxedDelta<Value>.self))
  }

  @usableFromInline
  init(boxed: _UndoOperation) {
    records = _UndoRecords(_UndoOperations([boxed, .of(_UndoLabel.self), .word]))
  }

  /// A log with the same records that shares nothing that either of the two may write to.
  @usableFromInline
  func copy() -> _UndoLog {
    var copy = self
    copy.records.separate()
    copy._checkInvariants()
    return copy
  }
}

extension _UndoLog {
  /// Whether two logs have the same steps and branches, and stand at the same position between them.
  @usableFromInline
  func hasSameSteps(as other: _UndoLog) -> Bool {
    let (layers, otherLayers, restoredProperties) = (
      remoteEdits?.layers ?? [], other.remoteEdits?.layers ?? [], restoredProperties + other.restoredProperties
    )
    return state - oldestState == other.state - other.oldestState && layers.count == otherLayers.count
      && zip(layers, otherLayers).allSatisfy { layer, otherLayer in
        layer.state - oldestState == otherLayer.state - other.oldestState && layer.hasSameEdits(as: otherLayer)
      }
      && records.hasSameSteps(as: other.records, besides: restoredProperties)
      && records.areSame(
        branches?.branches ?? [], other.branches?.branches ?? [], of: other.records, besides: restoredProperties)
  }

  /// The label of the step that would be undone.
  package var undoLabel: String? {
    guard records.counts.undo > 0 else { return nil }
    if hasExtras, let step = extras[0].openStep, step.hasEdits { return step.label }
    return records.latestLabel
  }

  /// Where the oldest step begins that is not hidden.
  var firstStep: _UndoLocation { remoteEdits?.blockingLayer?.start ?? records.start }

  // MARK: Opening and closing

  /// Lets records be written at the position, where all records end.
  package mutating func open() {
    records.fastPath.directStart = hasExtras ? .max - 1 : .max
    updateDirectRange()
  }

  /// The same if all records do end there.
  @usableFromInline
  mutating func openAtEnd() {
    guard redoCount == 0, !records.chunks.isEmpty else { return }
    // A step that joined the one before it may have left its chunk empty.
    if records.position.chunkIndex + 1 < records.chunks.count { records.removeRecordsAhead() }
    open()
  }

  /// Ends what the latest step was kept open for, and closes the records.
  @usableFromInline
  package mutating func close() {
    guard isOpen else { return }
    if isUnlikely(!records.isPlainlyOpen) { settleLatest() }
    records.close()
  }
}

// What is asked everywhere.
extension _UndoLog {
  /// The number of the state in which the document is: how many steps lead to it from where the history began.
  package var state: Int { records.state }

  /// How many steps can be redone.
  @inlinable
  package var redoCount: Int {
    get { records.redoCount }
    set { records.redoCount = newValue }
  }

  /// Whether records can be written at the position.
  @inlinable
  @inline(__always)
  package var isOpen: Bool { records.isOpen }

  /// Whether anything goes along with the steps (`_UndoExtras`), so that each record is asked about first.
  @inlinable
  @inline(__always)
  package var hasExtras: Bool { records.fastPath.hasExtras }
}

// MARK: - State

/// The transaction that is open.
@frozen
@usableFromInline
package struct _UndoTransaction {
  /// How many are open, one within the other; in half a word, the flags beside it.
  @usableFromInline
  var depth: Int32 = 0
  /// Whether it has a label, or has detached what could be redone; most have neither.
  @usableFromInline
  var needsSlowEnd = false
  /// Whether the latest edit before it could be joined.
  @usableFromInline
  var couldJoin = false
  /// Whether an edit of a text was found by comparing: it may lie on either side of its like.
  @usableFromInline
  var isCompared = false
  /// Whether each stored property that differs gets a record of its own, whatever that takes, and with a name or
  /// without: where a document is absorbed, so that it meets only what it changes.
  @usableFromInline
  var isSplit = false
  /// The label of the step.
  @usableFromInline
  var label: String?
  /// What could be redone when the transaction recorded its first change; nil if nothing could.
  @usableFromInline
  var detachedRedo: _UndoTail?

  init() {}

  /// Where a transaction began.
  @usableFromInline
  package struct Mark {
    @usableFromInline
    let chunkIndex: Int
    @usableFromInline
    let offset: Int
    @usableFromInline
    let link: _UndoLink

    @inlinable
    init(chunkIndex: Int, offset: Int, link: _UndoLink) {
      self.chunkIndex = chunkIndex
      self.offset = offset
      self.link = link
    }

    var location: _UndoLocation { _UndoLocation(chunkIndex: chunkIndex, offset: offset) }
  }
}

/// Which edits join the latest record.
@frozen
@usableFromInline
package struct _UndoCoalescing {
  /// Whether typing joins at all.
  @usableFromInline
  var joinsTyping = true
  /// Whether the latest edit could be joined before an edit of a carried value that was not recorded just now.
  @usableFromInline
  var couldJoin: Bool?
  /// Whether an edit of a text is looked at when it comes: when that is, and what goes along with its step.
  @usableFromInline
  var isWatched = false
  /// The clock and the pause, if there are any.
  @usableFromInline
  var timer: UndoCoalescing.Timer?
  /// When the latest text edit came, in nanoseconds by the timer.
  @usableFromInline
  var lastEdit: Int64 = 0

  init() {}

  /// Asks for the time with each edit of a text from now on.
  mutating func beginWatching() {
    if !isWatched { (isWatched, lastEdit) = (true, 0) }
  }
}
