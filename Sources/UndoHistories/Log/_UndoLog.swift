/// The log of a history: records in chunks, and the position between two of them.
///
///     chunks   [ dropped | records ........ ][ records ..|.......... ][ records ]
///                        ^ head            the document ^ position     redo records follow
///
/// The steps that can be undone lie before the position, those that can be redone behind it. To record is to write
/// behind the last record. To undo is to walk back and exchange every delta with the document; to redo is the same walk
/// forward. Records never move: growing adds a chunk, twice as large as the last one up to 64 KB.
///
/// A log is a value. Its copy shares the chunks. Only the current chunk, the one around the position, is copied at
/// once; another one is copied when one of the two logs enters it.
///
/// A log to which records were just written is *open*: they end at the position, whatever the chunk says, and nothing
/// can be redone. An undo or another chunk closes it.
@usableFromInline
package struct _UndoLog {
  @usableFromInline
  package var position = Position()
  @usableFromInline
  package var fastPath: FastPath
  @usableFromInline
  package var counts = Counts()
  @usableFromInline
  var transaction = Transaction()
  @usableFromInline
  package var coalescing = Coalescing()
  @usableFromInline
  var latest = Latest()
  @usableFromInline
  var limit = UndoLimit.unlimited

  package var chunks: ContiguousArray<_UnsafeUndoChunk> = []
  /// The offset in the first chunk at which the records of this log begin.
  var head = _UnsafeUndoMemory.start
  var operations: _UndoOperations {
    didSet { fastPath.operations = operations.table }
  }
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
    operations = _UndoOperations([boxed, .of(_UndoLabel.self), .word])
    fastPath = FastPath(operations: operations.table)
  }

  /// The number of the state in which the document is: how many steps lead to it from where the history began.
  package var state: Int { counts.dropped + counts.undo }
}

// MARK: - State

extension _UndoLog {
  /// Where the document stands: between two records.
  @frozen
  @usableFromInline
  package struct Position {
    /// The current chunk, which no other log refers to; one of no records in a log without chunks.
    @usableFromInline
    var currentChunk: _UnsafeUndoMemory
    /// Its index among the chunks.
    @usableFromInline
    var chunkIndex = 0
    /// The offset in it.
    @usableFromInline
    var offset = _UnsafeUndoMemory.start
    /// What the next header says of the record before the position: its length, and whether it begins and ends a step.
    @usableFromInline
    package var link = _UndoLink.none

    /// That of a log without records.
    init() { currentChunk = .none }
  }

  /// How much there is.
  @frozen
  @usableFromInline
  package struct Counts {
    /// The steps that can be undone.
    @usableFromInline
    package var undo = 0
    /// The steps that can be undone or redone; out of date while the log is open.
    @usableFromInline
    var steps = 0
    /// The steps that limits have dropped; with `undo` they tell states apart.
    @usableFromInline
    package var dropped = 0
    /// The number of remote edits so far.
    @usableFromInline
    var absorbed = 0
    /// The bytes of all records, and what else these count (`_UndoWeight`).
    @usableFromInline
    package var bytes = 0

    init() {}
  }

  /// The transaction that is open.
  @frozen
  @usableFromInline
  struct Transaction {
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
  }

  /// Which edits join the latest record.
  @frozen
  @usableFromInline
  package struct Coalescing {
    /// Whether the record before the position may still take in the next edit of its kind; only while the log is open.
    @usableFromInline
    package var canJoin = false
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
  }

  /// What the latest undo or redo did.
  @frozen
  @usableFromInline
  struct Latest {
    /// The edit of the latest exchange, where the type of the delta does not tell it.
    @usableFromInline
    var reportedEdit = UndoEdit(.value, start: 0, size: 0)
    /// The label and the edits, if there is a label or more than one edit.
    @usableFromInline
    var stepReport: _UndoReport.Details?

    init() {}
  }
}
