/// The log of a history: records in chunks, and the place between two of them where the document stands.
///
///     chunks   [ dropped | records ........ ][ records ..|.......... ][ records ]
///                        ^ head            the document ^ position     redo records follow
///
/// What can be undone lies before the position, what can be redone behind it. To record is to write behind the last
/// record; to undo is to walk back, exchanging every delta with the document; to redo is to walk forward doing the same.
/// Records never move: growing adds a chunk, twice as large as the last one up to 64 KB.
///
/// A log is a value. Its copy shares the chunks, except for the one where the document stands, which is copied at once;
/// another chunk is copied when one of the two logs enters it.
@usableFromInline
struct _UndoLog {
  // Hot: read or written by every edit.

  /// The chunk in which the document stands; no other log refers to it.
  @usableFromInline
  var top = _UndoRegion.none
  /// Where in it.
  @usableFromInline
  var position = _UndoRegion.start
  /// Where in the chunk on top a record must end that may simply be written at the position, and is a step then, if it
  /// owns nothing: at the capacity, or before a limit could be exceeded.
  ///
  /// It is 0 while the log is closed or a transaction is open, and under a limit until `enforceLimit` has measured it: an
  /// edit has one question to ask.
  @usableFromInline
  var room = 0
  /// The same for a record that may own memory: at the capacity, or 0 where there is a limit.
  @usableFromInline
  var ownersRoom = 0
  /// Where the records of the chunk on top begin, if they may simply be walked back over; nowhere while the log is open.
  ///
  /// Open is a log that records were just written to: they end at the position, whatever `used` says, and nothing can be
  /// redone.
  @usableFromInline
  var bottom = _UndoRegion.start
  /// What the header of the next record says of the one before the position, and whether that record begins and ends a
  /// step, begins one, or does neither.
  @usableFromInline
  var link = _UndoLink(words: 0, flags: _UndoHeader.whole)
  /// The delta recorded last, and its number.
  @usableFromInline
  var recentTag = _UndoTag()
  @usableFromInline
  var recentOperation = _UndoNumber.boxed
  /// The number of the delta that is an element of the document (`_UndoDelta.isElement`), once there is one.
  @usableFromInline
  var elementOperation = _UndoNumber.none
  @usableFromInline
  var undoCount = 0
  @usableFromInline
  var byteCount = 0
  /// Whether there is a limit.
  @usableFromInline
  var isLimited = false
  /// Whether the record before the position may still take in the next edit of its kind.
  ///
  /// Only while the log is open.
  @usableFromInline
  var canCoalesce = false
  /// Whether that depends on the time as well.
  @usableFromInline
  var isTimed = false
  /// Whether typing joins outside of transactions.
  @usableFromInline
  var joinsTyping = true

  /// How many steps there are before and behind the position; out of date while the log is open.
  @usableFromInline
  var stepCount = 0
  /// The capacity of the chunk on top.
  @usableFromInline
  var capacity = 0
  /// The operations, as exchanging needs them.
  @usableFromInline
  var table: _UndoTable
  /// What the latest exchange did, where the type of the delta does not tell.
  @usableFromInline
  var told = UndoEdit(.value, start: 0, size: 0)

  /// How many transactions are open.
  @usableFromInline
  var depth = 0
  /// Whether the open transaction has a label, or has set aside what could be redone.
  @usableFromInline
  var isElaborate = false
  @usableFromInline
  var chunkIndex = 0
  @usableFromInline
  var limit = UndoLimit.unlimited

  // Cold.

  var chunks: ContiguousArray<_UndoChunk> = []
  /// Where in the first chunk the records of this log begin.
  var head = _UndoRegion.start
  var operations: _UndoOperations {
    didSet { table = operations.table }
  }
  /// How many steps limits have dropped; with `undoCount` it tells states apart.
  var droppedCount = 0
  var saves = _UndoSaves()
  var coalescing = UndoCoalescing.typing
  /// When the latest text edit came, by the timer of `coalescing`.
  var lastEdit = Duration.zero
  var label: String?
  var aside: Aside?
  /// What the latest undo or redo did, if it was more than one edit without a label.
  @usableFromInline
  var walked: _UndoReport.Rest?

  /// What could be redone when a transaction recorded its first change: kept until it is known whether the transaction stays.
  struct Aside {
    /// What followed in the chunk where the document stood, at the same offsets in a chunk of its own.
    var rest: _UndoChunk?
    /// An array of its own: a slice of the log's would count as another owner of its chunks.
    var chunks: [_UndoChunk]
    var redoCount: Int
    var saves: _UndoSaves
  }

  @inlinable
  init<Value>(for document: Value.Type) {
    self.init(boxed: .of(_UndoBoxed<Value>.self))
  }

  @usableFromInline
  init(boxed: _UndoOperation) {
    operations = _UndoOperations([boxed, .of(_UndoLabel.self), .word])
    table = operations.table
  }

  /// Whether there is a limit of bytes, under which each record counts with what it keeps alive.
  ///
  /// To measure that is a walk through the delta. So where a delta may keep anything, nothing that a fast path asks for is
  /// set: neither a room to write it, nor its tag, nor its number as that of the elements.
  @usableFromInline
  var countsWhatIsKept: Bool { limit.bytes != .max }

  /// The number of the state in which the document is: how many steps lead to it from where the history began.
  var state: Int { droppedCount + undoCount }
}
